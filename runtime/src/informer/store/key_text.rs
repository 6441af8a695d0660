//! The namespace and name of an object, beside the table that finds it.

use std::sync::Arc;

/// The length of the namespace of objects that have none.
const NO_NAMESPACE: u32 = u32::MAX;

/// The namespace and name of an object in one allocation.
///
/// A lookup compares it in place of the object's own texts: those are two allocations, whose addresses are in a third one, so that a
/// lookup would wait for memory twice more.
#[derive(Clone, Debug)]
pub(super) struct KeyText {
    text: Arc<str>,
    namespace: u32,
}

impl KeyText {
    pub(super) fn new(namespace: Option<&str>, name: &str) -> Self {
        let text = [namespace.unwrap_or_default(), name].concat().into();
        Self { text, namespace: length(namespace) }
    }

    pub(super) fn is(&self, namespace: Option<&str>, name: &str) -> bool {
        let length = self.text.len().checked_sub(name.len());
        self.namespace == self::length(namespace)
            && length == Some(namespace.map_or(0, str::len))
            && self.text.as_bytes().starts_with(namespace.unwrap_or_default().as_bytes())
            && self.text.as_bytes().ends_with(name.as_bytes())
    }
}

/// Namespaces have at most 63 bytes. A longer one, which no API server has, is compared by its text.
fn length(namespace: Option<&str>) -> u32 {
    namespace.map_or(NO_NAMESPACE, |namespace| u32::try_from(namespace.len()).unwrap_or(NO_NAMESPACE - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_equal_if_both_parts_are() {
        let keys = [(None, ""), (None, "ab"), (Some(""), "ab"), (Some("a"), "b"), (Some("ab"), ""), (Some("b"), "a")];
        for (namespace, name) in keys {
            let key = KeyText::new(namespace, name);
            for other in keys {
                assert_eq!(key.is(other.0, other.1), (namespace, name) == other, "{key:?} {other:?}");
            }
        }
    }
}
