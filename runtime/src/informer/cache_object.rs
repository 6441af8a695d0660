//! Metadata access shared by full and compact objects.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_core::Resource;

use super::queue::{ObjectKey, StaticScope, owner_keys};

/// An object that an informer can store.
///
/// Every resource implements it, and so do other forms of a resource, such as [`Compact`](super::Compact).
pub trait CacheObject: Send + Sync + 'static {
    /// The Kubernetes kind.
    type Kind: Resource;

    /// Returns the namespace; `None` for cluster-scoped kinds.
    fn namespace(&self) -> Option<&str>;

    /// Returns the name, which is unique for the kind within its namespace.
    ///
    /// It is empty if the object has none. Objects from the API server always have one.
    fn name(&self) -> &str;

    /// Returns the uid, which distinguishes the object from earlier and later objects with the same name.
    fn uid(&self) -> Option<&str>;

    /// Returns the resourceVersion, which identifies this state of the object.
    fn resource_version(&self) -> Option<&str>;

    /// Returns the generation, which counts changes of the desired state.
    fn generation(&self) -> Option<i64>;

    /// Whether the object has a deletion timestamp and waits for its finalizers.
    fn is_terminating(&self) -> bool;

    /// Returns the labels, sorted by key.
    fn labels(&self) -> impl Iterator<Item = (&str, &str)>;

    /// Returns the annotations, sorted by key.
    fn annotations(&self) -> impl Iterator<Item = (&str, &str)>;

    /// Returns the finalizers.
    fn finalizers(&self) -> impl Iterator<Item = &str>;

    /// Returns the owner references.
    fn owners(&self) -> impl Iterator<Item = Owner<'_>>;

    /// Whether a part that is decoded when it is read, as in [`Compact`](super::Compact), has been read and could not be decoded. An
    /// informer requests such an object again now and then, in case the API server sends the same version otherwise.
    fn has_undecodable_part(&self) -> bool {
        false
    }

    /// Whether [`has_undecodable_part`](Self::has_undecodable_part) may hold for some object of the type. Otherwise the objects are not
    /// looked through.
    fn may_have_undecodable_parts() -> bool {
        false
    }

    /// Returns the keys of the owners of kind `O`, in any version.
    fn owners_of_kind<O>(&self) -> Vec<ObjectKey>
    where
        Self: Sized,
        O: Resource<DynamicType = (), Scope: StaticScope<O>>,
    {
        owner_keys::<O>(self, |_| true)
    }
}

/// An owner of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Owner<'a> {
    /// The group and version, or only the version for the core group.
    pub api_version: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// The name. The owner of a namespaced object is in the same namespace or cluster-scoped.
    pub name: &'a str,
    /// The uid.
    pub uid: &'a str,
    /// Whether this owner is the managing controller.
    pub controller: bool,
}

impl<'a> Owner<'a> {
    /// Creates an owner that is not the controller.
    pub fn new(api_version: &'a str, kind: &'a str, name: &'a str, uid: &'a str) -> Self {
        Self { api_version, kind, name, uid, controller: false }
    }

    /// Returns the group; empty for the core group.
    pub(super) fn group(&self) -> &'a str {
        self.api_version.rsplit_once('/').map_or("", |(group, _)| group)
    }
}

impl<'a> From<&'a OwnerReference> for Owner<'a> {
    fn from(reference: &'a OwnerReference) -> Self {
        Self {
            api_version: &reference.api_version,
            kind: &reference.kind,
            name: &reference.name,
            uid: &reference.uid,
            controller: reference.controller == Some(true),
        }
    }
}

impl<K: Resource + Send + Sync + 'static> CacheObject for K {
    type Kind = K;

    fn namespace(&self) -> Option<&str> {
        self.meta().namespace.as_deref()
    }

    fn name(&self) -> &str {
        self.meta().name.as_deref().unwrap_or_default()
    }

    fn uid(&self) -> Option<&str> {
        self.meta().uid.as_deref()
    }

    fn resource_version(&self) -> Option<&str> {
        self.meta().resource_version.as_deref()
    }

    fn generation(&self) -> Option<i64> {
        self.meta().generation
    }

    fn is_terminating(&self) -> bool {
        self.meta().deletion_timestamp.is_some()
    }

    fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(self.meta(), |meta| meta.labels.as_ref())
    }

    fn annotations(&self) -> impl Iterator<Item = (&str, &str)> {
        pairs(self.meta(), |meta| meta.annotations.as_ref())
    }

    fn finalizers(&self) -> impl Iterator<Item = &str> {
        self.meta().finalizers.iter().flatten().map(String::as_str)
    }

    fn owners(&self) -> impl Iterator<Item = Owner<'_>> {
        self.meta().owner_references.iter().flatten().map(Owner::from)
    }
}

type Map = std::collections::BTreeMap<String, String>;

fn pairs<'a>(
    meta: &'a ObjectMeta,
    map: impl FnOnce(&'a ObjectMeta) -> Option<&'a Map>,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let map = map(meta).into_iter().flatten();
    map.map(|(key, value)| (key.as_str(), value.as_str()))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_is_read_from_resources() {
        let owner = json!({ "apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u", "controller": true });
        let config: ConfigMap = serde_json::from_value(json!({
            "metadata": {
                "name": "web", "namespace": "prod", "uid": "1", "resourceVersion": "7", "generation": 2,
                "labels": { "b": "2", "a": "1" }, "annotations": { "c": "3" }, "finalizers": ["f"],
                "ownerReferences": [owner], "deletionTimestamp": "2026-01-01T00:00:00Z",
            },
        }))
        .unwrap();
        assert_eq!((config.namespace(), config.name()), (Some("prod"), "web"));
        assert_eq!((config.uid(), config.resource_version()), (Some("1"), Some("7")));
        assert_eq!((config.generation(), config.is_terminating()), (Some(2), true));
        assert_eq!(config.labels().collect::<Vec<_>>(), [("a", "1"), ("b", "2")]);
        assert_eq!(config.annotations().collect::<Vec<_>>(), [("c", "3")]);
        assert_eq!(config.finalizers().collect::<Vec<_>>(), ["f"]);
        let owners: Vec<_> = config.owners().collect();
        let owner = Owner::new("v1", "Node", "n", "u");
        assert_eq!(owners, [Owner { controller: true, ..owner }]);
    }
}
