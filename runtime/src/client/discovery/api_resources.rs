use std::{collections::HashSet, sync::Arc};

use kube_core::{
    discovery::v2::{APIGroupDiscovery, APIVersionDiscovery},
    gvk::GroupVersion,
};

use super::ServedResource;

/// All resources that an API server serves at one time, in its order of preference.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ApiResources {
    /// The groups, the core group first.
    pub groups: Vec<ServedGroup>,
    /// The versions without resources or with outdated ones, because the service behind them does not respond.
    pub unavailable: Vec<UnavailableGroup>,
}

/// An API group with its versions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServedGroup {
    /// The name; empty for the core group.
    pub name: String,
    /// The versions, the preferred one first.
    pub versions: Vec<ServedVersion>,
}

/// A version of an API group with its resources.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServedVersion {
    /// The name.
    pub name: String,
    /// The resources.
    pub resources: Vec<Arc<ServedResource>>,
}

/// A version without resources or with outdated ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnavailableGroup {
    /// The API group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The reason.
    pub reason: String,
}

impl ApiResources {
    /// Returns all resources in all versions.
    pub fn resources(&self) -> impl Iterator<Item = &Arc<ServedResource>> {
        let versions = self.groups.iter().flat_map(|group| &group.versions);
        versions.flat_map(|version| &version.resources)
    }

    /// Returns all resources, each in its preferred version.
    pub fn preferred_resources(&self) -> impl Iterator<Item = &Arc<ServedResource>> {
        preferred(self.resources())
    }

    /// Returns whether a version of a resource is served.
    pub fn has(&self, group: &str, version: &str, plural: &str) -> bool {
        self.resources()
            .any(|resource| resource.group == group && resource.version == version && resource.plural == plural)
    }

    pub(super) fn add_aggregated(&mut self, groups: Vec<APIGroupDiscovery>) {
        for group in groups {
            let metadata = group.metadata.unwrap_or_default();
            let name = metadata.name.unwrap_or_default();
            let versions =
                group.versions.into_iter().map(|version| self.add_aggregated_version(&name, version)).collect();
            self.groups.push(ServedGroup { name, versions });
        }
    }

    fn add_aggregated_version(&mut self, group: &str, version: APIVersionDiscovery) -> ServedVersion {
        let group_version = GroupVersion::gv(group, &version.version.unwrap_or_default());
        if version.freshness.as_deref() == Some("Stale") {
            let reason = "its service does not respond: its resources may be outdated";
            self.unavailable.push(UnavailableGroup {
                group: group_version.group.clone(),
                version: group_version.version.clone(),
                reason: reason.to_owned(),
            });
        }
        let resources = version
            .resources
            .into_iter()
            .filter_map(|resource| ServedResource::from_aggregated(&group_version, resource));
        ServedVersion { resources: resources.map(Arc::new).collect(), name: group_version.version }
    }
}

/// Returns each resource in the version that comes first.
pub(super) fn preferred<'a>(
    resources: impl Iterator<Item = &'a Arc<ServedResource>>,
) -> impl Iterator<Item = &'a Arc<ServedResource>> {
    let mut seen = HashSet::new();
    resources.filter(move |resource| seen.insert((&resource.group, &resource.plural)))
}
