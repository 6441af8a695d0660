//! What is known of an object in whatever form it is kept.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_core::Resource;

/// An object that can be kept in a store: every resource, and other forms of one such as compact ones.
pub trait CacheObject: Send + Sync + 'static {
    /// The kind that the API server knows.
    type Kind: Resource;

    /// Where the object lives; `None` for kinds of the cluster.
    fn namespace(&self) -> Option<&str>;

    /// The name, unique for the kind in its namespace. Empty if the API server sent none, which it never does.
    fn name(&self) -> &str;

    /// What tells the object from others of the same name before and after it.
    fn uid(&self) -> Option<&str>;

    /// Which state of the object this is.
    fn resource_version(&self) -> Option<&str>;

    /// How often the desired state has changed.
    fn generation(&self) -> Option<i64>;

    /// Whether the object is about to be deleted and waits for its finalizers.
    fn is_terminating(&self) -> bool;

    /// The labels, in the order of their keys.
    fn labels(&self) -> impl Iterator<Item = (&str, &str)>;

    /// The annotations, in the order of their keys.
    fn annotations(&self) -> impl Iterator<Item = (&str, &str)>;

    /// What keeps a deleted object from going away.
    fn finalizers(&self) -> impl Iterator<Item = &str>;

    /// The objects that this one belongs to.
    fn owners(&self) -> impl Iterator<Item = Owner<'_>>;
}

/// An object that another one belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Owner<'a> {
    /// Group and version, or the version alone for the core group.
    pub api_version: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// The name. The owner of a namespaced object lives in the same namespace or in none.
    pub name: &'a str,
    /// What tells the owner from others of its name.
    pub uid: &'a str,
    /// Whether this owner is the one that manages the object.
    pub controller: bool,
}

impl<'a> Owner<'a> {
    /// An owner that does not manage the object.
    pub fn new(api_version: &'a str, kind: &'a str, name: &'a str, uid: &'a str) -> Self {
        Self {
            api_version,
            kind,
            name,
            uid,
            controller: false,
        }
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
        self.meta()
            .owner_references
            .iter()
            .flatten()
            .map(Owner::from)
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
    fn resources_are_kept_as_they_are() {
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
        assert_eq!(
            (config.uid(), config.resource_version()),
            (Some("1"), Some("7"))
        );
        assert_eq!(
            (config.generation(), config.is_terminating()),
            (Some(2), true)
        );
        assert_eq!(
            config.labels().collect::<Vec<_>>(),
            [("a", "1"), ("b", "2")]
        );
        assert_eq!(config.annotations().collect::<Vec<_>>(), [("c", "3")]);
        assert_eq!(config.finalizers().collect::<Vec<_>>(), ["f"]);
        let owners: Vec<_> = config.owners().collect();
        let owner = Owner::new("v1", "Node", "n", "u");
        assert_eq!(
            owners,
            [Owner {
                controller: true,
                ..owner
            }]
        );
    }
}
