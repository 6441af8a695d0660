//! What an answer says that it is, beside what was requested.

use std::{borrow::Cow, fmt};

use kube_core::Resource;
use serde::Deserialize;

use crate::{list_kind, parse::scan::Scan};

const METADATA_VERSION: &str = "meta.k8s.io/v1";
const METADATA: &str = "PartialObjectMetadata";

/// Longer than any `kind` or `apiVersion` that Kubernetes accepts.
const LONGEST: usize = 317;

/// The `apiVersion` and `kind` of a kind's objects, and of their lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExpectedTypes {
    api_version: Cow<'static, str>,
    kind: Cow<'static, str>,
    list_kind: Cow<'static, str>,
    /// Whether lists have a resourceVersion.
    has_versions: bool,
}

/// An answer that is not what was requested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, but the answer is {found}; {hint}")]
#[non_exhaustive]
pub struct Mismatch {
    /// What was requested, such as `ConfigMap of v1`.
    pub expected: String,
    /// What the answer is. It names types and objects, and has no values of the answer beside.
    pub found: String,
    /// What may be the cause.
    hint: &'static str,
}

/// What an object, or a list, says that it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Types<'a> {
    #[serde(borrow, default)]
    pub(crate) api_version: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub(crate) kind: Option<Text<'a>>,
}

/// A text that is borrowed where it can be.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl std::ops::Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// What a list has beside its items.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListHeader<'a> {
    pub(crate) api_version: Option<&'a str>,
    pub(crate) kind: Option<&'a str>,
    pub(crate) resource_version: Option<&'a str>,
    /// Whether there are `items`, be it `null`.
    pub(crate) has_items: bool,
}

impl ExpectedTypes {
    pub(crate) fn of<K: Resource>(kind: &K::DynamicType) -> Self {
        let has_versions = has_versions(&K::group(kind), &K::kind(kind));
        if K::metadata_api() {
            return Self {
                api_version: METADATA_VERSION.into(),
                kind: METADATA.into(),
                list_kind: "PartialObjectMetadataList".into(),
                has_versions,
            };
        }
        Self {
            api_version: K::api_version(kind).into_owned().into(),
            kind: K::kind(kind).into_owned().into(),
            list_kind: list_kind::of::<K>(kind).into(),
            has_versions,
        }
    }

    /// A kind that has no lists.
    pub(crate) const fn of_objects(api_version: &'static str, kind: &'static str) -> Self {
        Self {
            api_version: Cow::Borrowed(api_version),
            kind: Cow::Borrowed(kind),
            list_kind: Cow::Borrowed(""),
            has_versions: false,
        }
    }

    /// The same objects, whose lists are of another kind.
    pub(crate) fn with_list_kind(&self, list_kind: &str) -> Self {
        match self.kind == METADATA {
            true => self.clone(),
            false => Self {
                list_kind: list_kind.to_owned().into(),
                ..self.clone()
            },
        }
    }

    /// Whether an object is of the kind. API servers send both, except in the items of lists of their own kinds.
    pub(crate) fn check_object(
        &self,
        api_version: Option<&str>,
        kind: Option<&str>,
    ) -> Result<(), Mismatch> {
        if api_version == Some(&*self.api_version) && kind == Some(&*self.kind) {
            return Ok(());
        }
        Err(self.mismatch(described(api_version, kind)))
    }

    /// Whether the text of an object says that it is of the kind.
    pub(crate) fn check_text(&self, json: &str) -> Result<(), NotExpected> {
        match Types::read(json) {
            Ok(types) => Ok(self.check_object(types.api_version(), types.kind())?),
            Err(_) if !is_object(json) => Err(self.mismatch(no_object(json)).into()),
            Err(error) => Err(NotExpected::Malformed(error)),
        }
    }

    /// The same kind, of whose lists no resourceVersion is asked.
    pub(crate) fn without_versions(&self) -> Self {
        Self {
            has_versions: false,
            ..self.clone()
        }
    }

    /// Whether this is a list of the kind. `items` are the texts of its items, which are looked at only if the list is of
    /// another kind than expected: some definitions name their own, and items of custom resources say what they are.
    pub(crate) fn check_list<'a>(
        &self,
        list: ListHeader<'_>,
        items: impl FnOnce() -> Vec<&'a str>,
    ) -> Result<(), Mismatch> {
        let described = || described(list.api_version, list.kind);
        if !list.has_items {
            return Err(self.not_a_list(format!("{} without `items`", described())));
        }
        let is_the_kind = list.kind == Some(&*self.list_kind);
        if list.api_version != Some(&*self.api_version) || list.kind.is_none() {
            return Err(self.not_a_list(described()));
        }
        if !is_the_kind && !self.are_items(&items()) {
            return Err(Mismatch {
                hint: "if the definition of the kind says that its lists are of this kind, name it with \
                       `.list_kind(...)`; else a proxy or another service may have answered",
                ..self.not_a_list(described())
            });
        }
        match list.resource_version {
            None | Some("") if self.has_versions => {
                Err(self.not_a_list(format!("{} without a resourceVersion", described())))
            }
            _ => Ok(()),
        }
    }

    /// Whether there are items, each of the kind.
    fn are_items(&self, items: &[&str]) -> bool {
        !items.is_empty() && items.iter().all(|item| self.check_text(item).is_ok())
    }

    fn not_a_list(&self, found: String) -> Mismatch {
        Mismatch {
            expected: described(Some(&self.api_version), Some(&self.list_kind)),
            ..self.mismatch(found)
        }
    }

    pub(crate) fn mismatch(&self, found: String) -> Mismatch {
        Mismatch::new(described(Some(&self.api_version), Some(&self.kind)), found)
    }
}

/// Kinds that are served from no store have lists without a resourceVersion: measurements, what the API server makes up,
/// and the catalogue of the operator lifecycle manager.
fn has_versions(group: &str, kind: &str) -> bool {
    let is_made_up = group.ends_with("metrics.k8s.io")
        || group == "packages.operators.coreos.com"
        || (group.is_empty() && kind == "ComponentStatus");
    !is_made_up
}

impl Mismatch {
    pub(crate) fn new(expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            found: found.into(),
            hint: "a proxy or another service may have answered in place of the API server",
        }
    }
}

/// Why a text is not what is expected.
#[derive(Debug)]
pub(crate) enum NotExpected {
    /// It is something else.
    Mismatch(Mismatch),
    /// It is no JSON.
    Malformed(serde_json::Error),
}

impl From<Mismatch> for NotExpected {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

impl<'a> Types<'a> {
    pub(crate) fn api_version(&self) -> Option<&str> {
        self.api_version.as_deref()
    }

    pub(crate) fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Whether this is what API servers say in place of an object.
    pub(crate) fn is_status(&self) -> bool {
        self.kind() == Some("Status") && self.api_version() == Some("v1")
    }

    /// Reads what an object says that it is.
    ///
    /// # Errors
    ///
    /// If it is no JSON. What stands behind `apiVersion` and `kind` need not be looked at.
    pub(crate) fn read(json: &'a str) -> Result<Self, serde_json::Error> {
        match Self::quick(json) {
            Some(types) => Ok(types),
            None => Self::slow(json),
        }
    }

    /// As API servers write objects: both come first.
    fn quick(json: &'a str) -> Option<Self> {
        let mut types = Self::default();
        let mut scan = Scan::new(json);
        scan.expect(b'{')?;
        for _ in 0..2 {
            let slot = match scan.key()? {
                "apiVersion" => &mut types.api_version,
                "kind" => &mut types.kind,
                _ => return None,
            };
            *slot = Some(Text(scan.text()?));
            scan.expect(b',')?;
        }
        (types.api_version.is_some() && types.kind.is_some()).then_some(types)
    }

    fn slow(json: &'a str) -> Result<Self, serde_json::Error> {
        match serde_json::from_str(json) {
            // Lists are structs, too, to serde.
            Ok(types) if is_object(json) => Ok(types),
            Err(error) if error.is_syntax() || error.is_eof() => Err(error),
            Ok(_) | Err(_) => Ok(Self::default()),
        }
    }
}

pub(crate) fn is_object(json: &str) -> bool {
    json.trim_start().starts_with('{')
}

/// What is no JSON object, in words.
pub(crate) fn no_object(text: &str) -> String {
    match text.trim_start().chars().next() {
        None => "empty".to_owned(),
        Some('<') => format!("no JSON object but markup of {} bytes", text.len()),
        Some(_) => format!("no JSON object but a text of {} bytes", text.len()),
    }
}

/// What says that it is this, as words: `a Status of v1`.
pub(crate) fn described(api_version: Option<&str>, kind: Option<&str>) -> String {
    match (kind, api_version) {
        (Some(kind), Some(version)) => format!("`{}` of `{}`", Word(kind), Word(version)),
        (Some(kind), None) => format!("`{}` without `apiVersion`", Word(kind)),
        (None, Some(version)) => format!("something of `{}` without `kind`", Word(version)),
        (None, None) => {
            "no object of Kubernetes: it has neither `apiVersion` nor `kind`".to_owned()
        }
    }
}

/// A word of an answer, if it can be one of Kubernetes: whoever answered may have written anything in its place.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '/');
        match self.0.len() <= LONGEST && self.0.chars().all(fits) {
            true => f.write_str(self.0),
            false => f.write_str("(not a name)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ComponentStatus, ConfigMap};
    use kube_core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};

    use super::*;

    fn configs() -> ExpectedTypes {
        ExpectedTypes::of::<ConfigMap>(&())
    }

    fn dynamic(group: &str, kind: &str) -> ExpectedTypes {
        let kind = GroupVersionKind::gvk(group, "v1", kind);
        ExpectedTypes::of::<DynamicObject>(&ApiResource::from_gvk(&kind))
    }

    fn list<'a>(api_version: &'a str, kind: &'a str) -> ListHeader<'a> {
        ListHeader {
            api_version: Some(api_version),
            kind: Some(kind),
            resource_version: Some("7"),
            has_items: true,
        }
    }

    fn message(mismatch: Result<(), Mismatch>) -> String {
        mismatch.unwrap_err().to_string()
    }

    #[test]
    fn objects_say_what_they_are() {
        for json in [
            r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}"#,
            r#"{ "apiVersion": "v1", "kind": "ConfigMap" }"#,
            r#"{"metadata":{"name":"a"},"data":{},"kind":"ConfigMap","apiVersion":"v1"}"#,
            r#"{"\u006bind":"Config\u004dap","apiVersion":"v1"}"#,
        ] {
            assert!(configs().check_text(json).is_ok(), "{json}");
        }
        for json in [
            "{}",
            "[]",
            "3",
            "null",
            r#"["v1","ConfigMap"]"#,
            r#"{"kind":"ConfigMap"}"#,
            r#"{"apiVersion":"v1"}"#,
            r#"{"kind":"Secret","apiVersion":"v1","data":{}}"#,
            r#"{"kind":"ConfigMap","apiVersion":"v2","data":{}}"#,
            r#"{"kind":3,"apiVersion":"v1"}"#,
            r#"{"kind":null,"apiVersion":"v1"}"#,
            r#"{"status":"ok"}"#,
            "",
            "ok",
            "<html>",
        ] {
            let error = configs().check_text(json).unwrap_err();
            assert!(matches!(error, NotExpected::Mismatch(_)), "{json}");
        }
        let cut_off = configs().check_text(r#"{"kind":"ConfigMap""#);
        assert!(matches!(cut_off, Err(NotExpected::Malformed(_))));
    }

    #[test]
    fn lists_are_of_the_list_kind() {
        let none = Vec::new;
        assert_eq!(
            configs().check_list(list("v1", "ConfigMapList"), none),
            Ok(())
        );
        let header = list("v1", "ConfigMapList");
        for odd in [
            ListHeader::default(),
            list("v1", "Status"),
            list("v1", "SecretList"),
            list("v2", "ConfigMapList"),
            ListHeader {
                has_items: false,
                ..header
            },
            ListHeader {
                resource_version: None,
                ..header
            },
            ListHeader {
                resource_version: Some(""),
                ..header
            },
            ListHeader {
                kind: None,
                ..header
            },
            ListHeader {
                api_version: None,
                ..header
            },
        ] {
            assert!(configs().check_list(odd, none).is_err(), "{odd:?}");
        }
    }

    #[test]
    fn lists_of_another_kind_have_items_that_say_what_they_are() {
        let geese = dynamic("example.com", "Goose");
        let item = r#"{"apiVersion":"example.com/v1","kind":"Goose","metadata":{}}"#;
        let other = r#"{"apiVersion":"example.com/v1","kind":"Duck","metadata":{}}"#;
        let gaggle = list("example.com/v1", "Gaggle");
        assert_eq!(geese.check_list(gaggle, || vec![item, item]), Ok(()));
        for items in [vec![], vec![item, other], vec!["{}"]] {
            let error = message(geese.check_list(gaggle, || items));
            assert!(error.contains("`.list_kind(...)`"), "{error}");
        }
        let named = geese.with_list_kind("Gaggle");
        assert_eq!(named.check_list(gaggle, Vec::new), Ok(()));
        let error = named.check_list(list("example.com/v1", "GooseList"), Vec::new);
        assert!(error.is_err());
    }

    #[test]
    fn metadata_has_a_kind_of_its_own() {
        let metadata = ExpectedTypes::of::<PartialObjectMeta<ConfigMap>>(&());
        let named = metadata.with_list_kind("Gaggle");
        let header = list("meta.k8s.io/v1", "PartialObjectMetadataList");
        assert_eq!(named.check_list(header, Vec::new), Ok(()));
        let object =
            r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{}}"#;
        assert!(metadata.check_text(object).is_ok());
    }

    #[test]
    fn what_is_made_up_has_no_version() {
        let pods = dynamic("metrics.k8s.io", "PodMetrics");
        let header = ListHeader {
            resource_version: None,
            ..list("metrics.k8s.io/v1", "PodMetricsList")
        };
        assert_eq!(pods.check_list(header, Vec::new), Ok(()));
        let components = ExpectedTypes::of::<ComponentStatus>(&());
        let header = ListHeader {
            resource_version: None,
            ..list("v1", "ComponentStatusList")
        };
        assert_eq!(components.check_list(header, Vec::new), Ok(()));
    }

    #[test]
    fn messages_name_types_and_nothing_else() {
        let error = message(configs().check_object(Some("v1"), Some("Status")));
        let expected = "expected `ConfigMap` of `v1`, but the answer is `Status` of `v1`; a proxy or another service may \
                        have answered in place of the API server";
        assert_eq!(error, expected);
        let error = message(configs().check_object(None, Some("a secret: \n")));
        assert!(
            error.contains("is `(not a name)` without `apiVersion`;"),
            "{error}"
        );
        let header = ListHeader {
            has_items: false,
            ..list("v1", "ConfigMapList")
        };
        let error = message(configs().check_list(header, Vec::new));
        let start = "expected `ConfigMapList` of `v1`, but the answer is `ConfigMapList` of `v1` without `items`;";
        assert!(error.starts_with(start), "{error}");
    }
}
