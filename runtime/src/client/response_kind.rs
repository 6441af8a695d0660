//! Checks that a response has the requested `apiVersion` and `kind`.

mod mismatch;
mod types;

use std::borrow::Cow;

use kube_core::Resource;

use crate::resource::list_kind;

pub use mismatch::Mismatch;
pub(crate) use mismatch::{NotExpected, describe, describe_non_object};
pub(crate) use types::{Types, is_object};

const METADATA_VERSION: &str = "meta.k8s.io/v1";
const METADATA: &str = "PartialObjectMetadata";

/// The `apiVersion` and `kind` of a kind's objects, and of their lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExpectedTypes {
    api_version: Cow<'static, str>,
    kind: Cow<'static, str>,
    list_kind: Cow<'static, str>,
    /// Whether lists have a resourceVersion.
    has_versions: bool,
}

/// The fields of a list other than its items.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListHeader<'a> {
    pub(crate) api_version: Option<&'a str>,
    pub(crate) kind: Option<&'a str>,
    pub(crate) resource_version: Option<&'a str>,
    /// Whether the field `items` is present, even if it is `null`.
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

    /// The type of a kind that has no lists.
    pub(crate) const fn for_objects(api_version: &'static str, kind: &'static str) -> Self {
        Self {
            api_version: Cow::Borrowed(api_version),
            kind: Cow::Borrowed(kind),
            list_kind: Cow::Borrowed(""),
            has_versions: false,
        }
    }

    /// Returns the same types with another list kind.
    pub(crate) fn with_list_kind(&self, list_kind: &str) -> Self {
        if self.kind == METADATA {
            self.clone()
        } else {
            Self { list_kind: list_kind.to_owned().into(), ..self.clone() }
        }
    }

    /// Checks that an object is of the kind. API servers send both fields, except in the items of lists of built-in
    /// kinds.
    pub(crate) fn check_object(&self, api_version: Option<&str>, kind: Option<&str>) -> Result<(), Mismatch> {
        if api_version == Some(&*self.api_version) && kind == Some(&*self.kind) {
            return Ok(());
        }
        Err(self.mismatch(describe(api_version, kind)))
    }

    /// Checks that the JSON of an object is of the kind.
    pub(crate) fn check_text(&self, json: &str) -> Result<(), NotExpected> {
        match Types::read(json) {
            Ok(types) => Ok(self.check_object(types.api_version(), types.kind())?),
            Err(_) if !is_object(json) => Err(self.mismatch(describe_non_object(json)).into()),
            Err(error) => Err(NotExpected::Malformed(error)),
        }
    }

    /// Returns the same types, whose lists need no resourceVersion.
    pub(crate) fn without_versions(&self) -> Self {
        Self { has_versions: false, ..self.clone() }
    }

    /// Checks that a list is of the kind. `items` returns the JSON of its items. It is called only if the list kind is
    /// not the expected one: some definitions set their own `listKind`, and the items of custom resources contain their
    /// kind.
    pub(crate) fn check_list<'a>(
        &self,
        list: ListHeader<'_>,
        items: impl FnOnce() -> Vec<&'a str>,
    ) -> Result<(), Mismatch> {
        let describe = || describe(list.api_version, list.kind);
        if !list.has_items {
            return Err(self.not_a_list(format!("{} without `items`", describe())));
        }
        let is_the_kind = list.kind == Some(&*self.list_kind);
        if list.api_version != Some(&*self.api_version) || list.kind.is_none() {
            return Err(self.not_a_list(describe()));
        }
        if !is_the_kind && !self.all_items_match(&items()) {
            return Err(Mismatch {
                hint: "if this is the list kind in the definition, set it with `.list_kind(...)`; otherwise a proxy or another \
                       service may have responded",
                ..self.not_a_list(describe())
            });
        }
        match list.resource_version {
            None | Some("") if self.has_versions => {
                Err(self.not_a_list(format!("{} without a resourceVersion", describe())))
            }
            _ => Ok(()),
        }
    }

    /// Returns whether there are items, and all of them are of the kind.
    fn all_items_match(&self, items: &[&str]) -> bool {
        !items.is_empty() && items.iter().all(|item| self.check_text(item).is_ok())
    }

    fn not_a_list(&self, found: String) -> Mismatch {
        Mismatch { expected: describe(Some(&self.api_version), Some(&self.list_kind)), ..self.mismatch(found) }
    }

    pub(crate) fn mismatch(&self, found: String) -> Mismatch {
        Mismatch::new(describe(Some(&self.api_version), Some(&self.kind)), found)
    }
}

/// The lists of kinds that are not stored in etcd have no resourceVersion: metrics, virtual resources of the API
/// server, and the package manifests of the Operator Lifecycle Manager.
fn has_versions(group: &str, kind: &str) -> bool {
    let is_virtual = group.ends_with("metrics.k8s.io")
        || group == "packages.operators.coreos.com"
        || (group.is_empty() && kind == "ComponentStatus");
    !is_virtual
}

#[cfg(test)]
mod tests;
