use kube_core::{
    ApiResource, GroupVersionKind,
    discovery::v2::{APIResourceDiscovery, APISubresourceDiscovery},
    gvk::GroupVersion,
};

use super::GroupVersionResource;
use crate::definition::Scope;

/// A resource that the API server serves, in one version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedResource {
    /// The API group, empty for Kubernetes' core.
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
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// What can be done, such as `list`.
    pub verbs: Vec<String>,
    /// Parts of objects that are served for themselves, such as `status`.
    pub subresources: Vec<ServedSubresource>,
}

/// A part of objects that is served for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServedSubresource {
    /// The name in URLs, such as `scale`.
    pub name: String,
    /// What it is, such as `Scale` of `autoscaling/v1`.
    pub gvk: GroupVersionKind,
    /// What can be done, such as `patch`.
    pub verbs: Vec<String>,
}

impl ServedResource {
    /// The group, version and kind.
    pub fn gvk(&self) -> GroupVersionKind {
        GroupVersionKind::gvk(&self.group, &self.version, &self.kind)
    }

    /// The group, version and name in URLs.
    pub fn gvr(&self) -> GroupVersionResource {
        GroupVersionResource::new(&self.group, &self.version, &self.plural)
    }

    /// The resource as kube's types want it.
    pub fn api_resource(&self) -> ApiResource {
        ApiResource::from_gvk_with_plural(&self.gvk(), &self.plural)
    }

    /// Whether objects live in namespaces.
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// Whether something such as `list` can be done.
    pub fn supports(&self, verb: &str) -> bool {
        self.verbs.iter().any(|supported| supported == verb)
    }

    /// The part of the name, such as `status`.
    pub fn subresource(&self, name: &str) -> Option<&ServedSubresource> {
        self.subresources.iter().find(|part| part.name == name)
    }

    /// The name with its group, such as `virtualmachines.infra.example.com`: it means nothing else.
    pub fn qualified_name(&self) -> String {
        match self.group.as_str() {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }

    /// `None` if it says neither name nor kind.
    pub(super) fn from_aggregated(
        group_version: &GroupVersion,
        resource: APIResourceDiscovery,
    ) -> Option<Self> {
        let kind = resource.response_kind?.kind?;
        let parts = resource.subresources.into_iter();
        let parts =
            parts.filter_map(|part| ServedSubresource::from_aggregated(group_version, part));
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
    fn from_aggregated(
        group_version: &GroupVersion,
        part: APISubresourceDiscovery,
    ) -> Option<Self> {
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
    match namespaced {
        true => Scope::Namespaced,
        false => Scope::Cluster,
    }
}

/// The singular name, which old API servers leave empty.
pub(super) fn or_lowercase(singular: Option<String>, kind: &str) -> String {
    singular
        .filter(|singular| !singular.is_empty())
        .unwrap_or_else(|| kind.to_lowercase())
}
