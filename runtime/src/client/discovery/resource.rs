use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_core::{
    ApiResource, GroupVersionKind,
    discovery::v2::{APIResourceDiscovery, APISubresourceDiscovery},
    gvk::GroupVersion,
};

use super::GroupVersionResource;
use crate::resource::definition::Scope;

/// A resource that the API server serves, in one version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedResource {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind, such as `VirtualMachine`.
    pub kind: String,
    /// The name in URLs, such as `virtualmachines`.
    pub plural: String,
    /// The singular name, such as `virtualmachine`.
    pub singular: String,
    /// Short names, such as `vm`.
    pub short_names: Vec<String>,
    /// Categories, such as `all`.
    pub categories: Vec<String>,
    /// Whether the resource is namespaced.
    pub scope: Scope,
    /// The supported verbs, such as `list`.
    pub verbs: Vec<String>,
    /// The subresources, such as `status`.
    pub subresources: Vec<ServedSubresource>,
}

/// A subresource.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedSubresource {
    /// The name in URLs, such as `scale`.
    pub name: String,
    /// Its group, version and kind, such as `Scale` of `autoscaling/v1`.
    pub gvk: GroupVersionKind,
    /// The supported verbs, such as `patch`.
    pub verbs: Vec<String>,
}

/// What an API server supports for custom resources, and for their subresources.
const VERBS: [&str; 8] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const SUBRESOURCE_VERBS: [&str; 3] = ["get", "patch", "update"];

impl ServedResource {
    /// Returns the group, version and kind.
    pub fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::gvk(&self.group, &self.version, &self.kind)
    }

    /// Returns what an API server serves of a definition, in the version in which it stores the objects.
    ///
    /// ```
    /// use crdkit::{CustomResource, KubeSchema, client::discovery::ServedResource, prelude::*};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    /// #[crd(group = "example.com", version = "v1", kind = "App", namespaced)]
    /// struct AppSpec {}
    ///
    /// let served = ServedResource::of_definition(&App::crd());
    /// assert_eq!((served.qualified_name(), served.is_namespaced()), ("apps.example.com".to_owned(), true));
    /// ```
    pub fn of_definition(definition: &CustomResourceDefinition) -> Self {
        let (spec, names) = (&definition.spec, &definition.spec.names);
        let stored = spec.versions.iter().find(|version| version.storage);
        let version = stored.map(|version| version.name.clone()).unwrap_or_default();
        let subresources = stored.and_then(|version| version.subresources.as_ref());
        let subresource = |name: &str, gvk: GroupVersionKind| ServedSubresource {
            name: name.to_owned(),
            gvk,
            verbs: SUBRESOURCE_VERBS.map(str::to_owned).into(),
        };
        let status = subresources
            .and_then(|all| all.status.as_ref())
            .map(|_| subresource("status", GroupVersionKind::gvk(&spec.group, &version, &names.kind)));
        let scale = subresources
            .and_then(|all| all.scale.as_ref())
            .map(|_| subresource("scale", GroupVersionKind::gvk("autoscaling", "v1", "Scale")));
        Self {
            group: spec.group.clone(),
            kind: names.kind.clone(),
            plural: names.plural.clone(),
            singular: or_lowercase(names.singular.clone(), &names.kind),
            short_names: names.short_names.clone().unwrap_or_default(),
            categories: names.categories.clone().unwrap_or_default(),
            scope: scope(spec.scope == "Namespaced"),
            verbs: VERBS.map(str::to_owned).into(),
            subresources: status.into_iter().chain(scale).collect(),
            version,
        }
    }

    /// Returns the group, version and name in URLs.
    pub fn gvr(&self) -> GroupVersionResource {
        GroupVersionResource::new(&self.group, &self.version, &self.plural)
    }

    /// Converts the resource to kube's type.
    pub fn api_resource(&self) -> ApiResource {
        ApiResource::from_gvk_with_plural(&self.gvk(), &self.plural)
    }

    /// Returns whether the resource is namespaced.
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// Returns whether the resource supports a verb such as `list`.
    pub fn supports(&self, verb: &str) -> bool {
        self.verbs.iter().any(|supported| supported == verb)
    }

    /// Returns the subresource with this name, such as `status`.
    pub fn subresource(&self, name: &str) -> Option<&ServedSubresource> {
        self.subresources.iter().find(|part| part.name == name)
    }

    /// Returns the name with its group, such as `virtualmachines.infra.example.com`, which is unambiguous.
    pub fn qualified_name(&self) -> String {
        match self.group.as_str() {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// Returns `None` if the name or the kind is missing.
    pub(super) fn from_aggregated(group_version: &GroupVersion, resource: APIResourceDiscovery) -> Option<Self> {
        let kind = resource.response_kind?.kind?;
        let parts = resource
            .subresources
            .into_iter()
            .filter_map(|part| ServedSubresource::from_aggregated(group_version, part));
        Some(Self {
            group: group_version.group.clone(),
            version: group_version.version.clone(),
            plural: resource.resource?,
            singular: or_lowercase(resource.singular_resource, &kind),
            kind,
            short_names: resource.short_names,
            categories: resource.categories,
            scope: scope(resource.scope.as_deref() == Some("Namespaced")),
            verbs: resource.verbs,
            subresources: parts.collect(),
        })
    }
}

impl ServedSubresource {
    fn from_aggregated(group_version: &GroupVersion, part: APISubresourceDiscovery) -> Option<Self> {
        let kind = part.response_kind.unwrap_or_default();
        let group = kind.group.filter(|group| !group.is_empty());
        let version = kind.version.filter(|version| !version.is_empty());
        Some(Self {
            name: part.subresource?,
            gvk: GroupVersionKind {
                group: group.unwrap_or_else(|| group_version.group.clone()),
                version: version.unwrap_or_else(|| group_version.version.clone()),
                kind: kind.kind.unwrap_or_default(),
            },
            verbs: part.verbs,
        })
    }
}

pub(super) fn scope(namespaced: bool) -> Scope {
    if namespaced { Scope::Namespaced } else { Scope::Cluster }
}

/// Returns the singular name, which old API servers leave empty.
pub(super) fn or_lowercase(singular: Option<String>, kind: &str) -> String {
    singular.filter(|singular| !singular.is_empty()).unwrap_or_else(|| kind.to_lowercase())
}
