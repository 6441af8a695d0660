//! The kind of the lists of a resource, for generic code that only has kube's [`Resource`].

use kube_core::Resource;

/// For this namespace, [`Resource::url_path`] of a type with a custom list kind returns that list kind. A namespace
/// cannot have this name, and no path starts like a kind.
const LIST_KIND: &str = "\0list-kind";

/// [`Resource::url_path`] of a custom resource with a custom list kind.
pub fn url_path<K: Resource<DynamicType = ()>>(namespace: Option<&str>, list_kind: &'static str) -> String {
    let (api_version, plural) = (K::api_version(&()), K::plural(&()));
    match namespace {
        Some(LIST_KIND) => list_kind.to_owned(),
        Some(namespace) => format!("/apis/{api_version}/namespaces/{namespace}/{plural}"),
        None => format!("/apis/{api_version}/{plural}"),
    }
}

/// Returns the kind of lists: the type's own, or the kind with the suffix `List`.
#[cfg(feature = "client")]
pub(crate) fn of<K: Resource>(kind: &K::DynamicType) -> String {
    let declared = K::url_path(kind, Some(LIST_KIND));
    if declared.starts_with('/') { format!("{}List", K::kind(kind)) } else { declared }
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube_core::{ApiResource, DynamicObject};
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::{CustomResource, KubeSchema};

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "example.com", version = "v1", kind = "Goose", plural = "geese")]
    #[crd(list_kind = "Gaggle", namespaced)]
    struct GooseSpec {}

    #[test]
    fn declared_list_kinds_are_found() {
        assert_eq!(of::<Goose>(&()), "Gaggle");
        assert_eq!(of::<ConfigMap>(&()), "ConfigMapList");
        let kind = ApiResource::erase::<Goose>(&());
        assert_eq!(of::<DynamicObject>(&kind), "GooseList");
    }

    #[test]
    fn paths_are_those_of_kube() {
        let kind = ApiResource::erase::<Goose>(&());
        for namespace in [None, Some("prod")] {
            let path = Goose::url_path(&(), namespace);
            assert_eq!(path, DynamicObject::url_path(&kind, namespace));
        }
    }
}
