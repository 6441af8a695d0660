//! What is known of an object before a request changes it.

use kube_core::ObjectMeta;
use serde_json::Value;

use super::{error::Excerpt, response_kind::Mismatch};

/// The uid and the resourceVersion that the object has, as far as they are known. The response must have the same uid and the same
/// or a later version: a proxy may respond from its cache.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LastRead<'a> {
    uid: Option<&'a str>,
    version: Option<&'a str>,
}

impl<'a> LastRead<'a> {
    pub(crate) fn new(uid: Option<&'a str>, version: Option<&'a str>) -> Self {
        let non_empty = |text: Option<&'a str>| text.filter(|text| !text.is_empty());
        Self { uid: non_empty(uid), version: non_empty(version) }
    }

    pub(crate) fn of(metadata: &'a ObjectMeta) -> Self {
        Self::new(metadata.uid.as_deref(), metadata.resource_version.as_deref())
    }

    /// Returns what an object in JSON contains.
    pub(crate) fn of_json(object: &'a Value) -> Self {
        let field = |name: &str| object["metadata"][name].as_str();
        Self::new(field("uid"), field("resourceVersion"))
    }

    /// Checks the object in the response.
    pub(crate) fn check(self, received: &ObjectMeta) -> Result<(), Mismatch> {
        let found = LastRead::of(received);
        if self.uid.is_some() && found.uid != self.uid {
            return Err(Mismatch::new(with("uid", self.uid), with("uid", found.uid)));
        }
        if is_older(found.version, self.version) {
            let expected = format!("{} or a later one", with("resourceVersion", self.version));
            return Err(Mismatch::new(expected, with("resourceVersion", found.version)));
        }
        Ok(())
    }
}

/// Versions are integers, as Kubernetes specifies since 1.35. Those of other servers cannot be compared.
fn is_older(found: Option<&str>, known: Option<&str>) -> bool {
    let number = |version: Option<&str>| version?.parse::<u128>().ok();
    number(found).zip(number(known)).is_some_and(|(found, known)| found < known)
}

fn with(field: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("the object with the {field} `{}`", Excerpt(value)),
        None => format!("an object without a {field}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_later_version_of_the_same_object_is_accepted() {
        let check = |uid: Option<&str>, version: Option<&str>| {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            let received = ObjectMeta { uid: owned(uid), resource_version: owned(version), ..ObjectMeta::default() };
            LastRead::new(Some("a"), Some("10"))
                .check(&received)
                .map_err(|mismatch| (mismatch.expected, mismatch.found))
        };
        // A dry run, or a change that the API server drops, leaves the version.
        for version in ["10", "11", "100", "other"] {
            assert_eq!(check(Some("a"), Some(version)), Ok(()));
        }
        let uid = |found: &str| Err(("the object with the uid `a`".to_owned(), found.to_owned()));
        assert_eq!(check(Some("b"), Some("11")), uid("the object with the uid `b`"));
        assert_eq!(check(None, Some("11")), uid("an object without a uid"));
        let expected = "the object with the resourceVersion `10` or a later one".to_owned();
        assert_eq!(check(Some("a"), Some("9")), Err((expected, "the object with the resourceVersion `9`".to_owned())));
    }
}
