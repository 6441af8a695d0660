//! Legacy discovery, before Kubernetes 1.26: one request for each version of each group.

use std::{collections::HashMap, sync::Arc};

use futures_util::{StreamExt, stream};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions,
};
use kube_core::{GroupVersionKind, gvk::GroupVersion};

use super::{
    ApiResources, ServedGroup, ServedResource, ServedSubresource, ServedVersion, UnavailableGroup,
    fetch::{Level, RESOURCES, check_number, get, invalid_part, read, unexpected},
    resource::{or_lowercase, scope},
};
use crate::client::{Client, Error, request::check_path_part};

const MAX_CONCURRENT: usize = 16;

type FetchResult = Result<Vec<Arc<ServedResource>>, Error>;

/// Groups with the names of their versions, the preferred one first.
pub(super) fn core_group(versions: APIVersions) -> Vec<(String, Vec<String>)> {
    vec![(String::new(), versions.versions)]
}

pub(super) fn groups(list: APIGroupList) -> Vec<(String, Vec<String>)> {
    list.groups.into_iter().map(group).collect()
}

fn group(group: APIGroup) -> (String, Vec<String>) {
    let mut versions: Vec<_> = group.versions.into_iter().map(|version| version.version).collect();
    let preferred = group.preferred_version.map(|preferred| preferred.version);
    // A stable sort: the others keep the API server's order.
    versions.sort_by_key(|version| Some(version) != preferred.as_ref());
    (group.name, versions)
}

impl ApiResources {
    /// Requests each version. A version that does not respond does not affect the others.
    pub(super) async fn add_versions(&mut self, client: &Client, groups: Vec<(String, Vec<String>)>) {
        let mut requests = Vec::new();
        for (name, versions) in groups {
            let group = self.groups.len();
            let versions = versions.iter();
            requests.extend(versions.map(|version| (group, GroupVersion::gv(&name, version))));
            self.groups.push(ServedGroup { name, versions: Vec::new() });
        }
        let requests = requests.into_iter().enumerate().map(|(place, (group, version))| async move {
            let resources = resources(client, &version).await;
            (place, group, version, resources)
        });
        // In completion order, so that a hanging request does not delay the others.
        let mut answers: Vec<_> = stream::iter(requests).buffer_unordered(MAX_CONCURRENT).collect().await;
        answers.sort_by_key(|(place, ..)| *place);
        for (_, group, version, resources) in answers {
            self.add_version(group, version, resources);
        }
    }

    /// `place` is the index of the group.
    fn add_version(&mut self, place: usize, version: GroupVersion, resources: FetchResult) {
        let GroupVersion { group, version } = version;
        match resources {
            Ok(resources) => self.groups[place].versions.push(ServedVersion { name: version, resources }),
            Err(error) => self.unavailable.push(UnavailableGroup { group, version, reason: error.to_string() }),
        }
    }
}

async fn resources(client: &Client, version: &GroupVersion) -> FetchResult {
    let root = if version.group.is_empty() { "/api" } else { "/apis" };
    let path = format!("{root}/{}", version.api_version());
    let parts = Some(&version.group).filter(|group| !group.is_empty());
    for part in parts.into_iter().chain([&version.version]) {
        check_path_part(part).map_err(|reason| invalid_part(&path, part, reason))?;
    }
    let body = get(client, &path, Level::Version).await?;
    let list: APIResourceList = read(&path, &body, &RESOURCES)?;
    if list.group_version != version.api_version() {
        let expected = format!("the resources of `{}`", version.api_version());
        return Err(unexpected(&path, expected, "the resources of another version".to_owned()));
    }
    check_number(&path, "resources", list.resources.len())?;
    Ok(with_subresources(version, list.resources))
}

/// Returns the resources, each with its subresources.
fn with_subresources(version: &GroupVersion, all: Vec<APIResource>) -> Vec<Arc<ServedResource>> {
    let mut parts: HashMap<String, Vec<ServedSubresource>> = HashMap::new();
    let mut whole = Vec::new();
    for resource in all {
        match resource.name.split_once('/') {
            Some((plural, name)) => {
                let part = subresource(version, name, &resource);
                parts.entry(plural.to_owned()).or_default().push(part);
            }
            None => whole.push(resource),
        }
    }
    let resources = whole.into_iter().map(|resource| {
        let parts = parts.remove(&resource.name).unwrap_or_default();
        Arc::new(for_version(version, resource, parts))
    });
    resources.collect()
}

fn for_version(version: &GroupVersion, resource: APIResource, subresources: Vec<ServedSubresource>) -> ServedResource {
    ServedResource {
        group: version.group.clone(),
        version: version.version.clone(),
        plural: resource.name,
        singular: or_lowercase(Some(resource.singular_name), &resource.kind),
        kind: resource.kind,
        short_names: resource.short_names.unwrap_or_default(),
        categories: resource.categories.unwrap_or_default(),
        scope: scope(resource.namespaced),
        verbs: resource.verbs,
        subresources,
    }
}

fn subresource(version: &GroupVersion, name: &str, part: &APIResource) -> ServedSubresource {
    let group = part.group.clone().filter(|group| !group.is_empty());
    let own = part.version.clone().filter(|own| !own.is_empty());
    ServedSubresource {
        name: name.to_owned(),
        gvk: GroupVersionKind {
            group: group.unwrap_or_else(|| version.group.clone()),
            version: own.unwrap_or_else(|| version.version.clone()),
            kind: part.kind.clone(),
        },
        verbs: part.verbs.clone(),
    }
}

#[cfg(test)]
mod tests;
