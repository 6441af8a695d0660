//! The namespace and name of an object, beside its slot.

use std::sync::Arc;

/// Bytes of namespace and name that fit where the pointer of a longer text is, and its length: most names do, for example those of
/// the Pods of a Deployment.
const SHORT: usize = 37;

/// The length of the namespace of objects that have none.
const NO_NAMESPACE: u32 = u32::MAX;

/// The namespace and name of an object.
///
/// A lookup compares it in place of the object's own texts: those are two allocations, whose addresses are in a third one, so that a
/// lookup would wait for memory twice more.
#[derive(Clone, Debug)]
pub(super) enum KeyText {
    Short { namespace: Option<u8>, length: u8, text: [u8; SHORT] },
    Long { namespace: u32, text: Arc<[u8]> },
}

impl KeyText {
    pub(super) fn new(namespace: Option<&str>, name: &str) -> Self {
        let text = [namespace.unwrap_or_default(), name].concat();
        let mut short = [0; SHORT];
        match short.get_mut(..text.len()) {
            Some(place) => {
                place.copy_from_slice(text.as_bytes());
                Self::Short {
                    namespace: namespace.map(|namespace| namespace.len() as u8),
                    length: text.len() as u8,
                    text: short,
                }
            }
            None => Self::Long { namespace: length(namespace), text: text.into_bytes().into() },
        }
    }

    #[inline]
    pub(super) fn is(&self, namespace: Option<&str>, name: &str) -> bool {
        let (namespace_length, text) = match self {
            Self::Short { namespace, length, text } => {
                (namespace.map_or(NO_NAMESPACE, u32::from), &text[..usize::from(*length)])
            }
            Self::Long { namespace, text } => (*namespace, &**text),
        };
        namespace_length == length(namespace)
            && text.strip_prefix(namespace.unwrap_or_default().as_bytes()) == Some(name.as_bytes())
    }
}

/// Namespaces have at most 63 bytes. A longer one, which no API server has, is compared by its text.
#[inline]
fn length(namespace: Option<&str>) -> u32 {
    namespace.map_or(NO_NAMESPACE, |namespace| u32::try_from(namespace.len()).unwrap_or(NO_NAMESPACE - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_equal_if_both_parts_are() {
        let long = "x".repeat(SHORT);
        let (longer, longest) = (format!("{long}x"), format!("{long}xx"));
        let keys = [
            (None, ""),
            (None, "ab"),
            (Some(""), "ab"),
            (Some("a"), "b"),
            (Some("ab"), ""),
            (Some("b"), "a"),
            (None, &long),
            (Some(""), &long),
            (Some("x"), &long),
            (Some(&*long), "x"),
            (None, &longer),
            (Some(&*longer), "x"),
            (None, &longest),
        ];
        for (namespace, name) in keys {
            let key = KeyText::new(namespace, name);
            assert_eq!(matches!(key, KeyText::Short { .. }), namespace.map_or(0, str::len) + name.len() <= SHORT);
            for other in keys {
                assert_eq!(key.is(other.0, other.1), (namespace, name) == other, "{key:?} {other:?}");
            }
        }
    }

    #[test]
    fn short_keys_need_no_more_room_than_that_of_a_pointer_to_a_text() {
        assert_eq!(size_of::<Option<KeyText>>(), 40);
    }
}
