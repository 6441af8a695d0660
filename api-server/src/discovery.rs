//! The discovery documents.
//!
//! `storageVersionHash`, which clients treat as opaque, is absent.

use std::collections::BTreeSet;

use crdkit::__internal::merge::sort_by_priority;
use serde_json::{Map, Value, json};

use super::{
    builtin,
    resource::{Resource, Version},
    subresources::{self, OwnKind, PART},
};

/// The media type of aggregated discovery.
pub(super) const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// The version of Kubernetes.
pub(super) const GIT_VERSION: &str = "v1.37.1";

/// A subresource, with its verbs and the kind of its documents.
struct Listed {
    name: &'static str,
    verbs: &'static [&'static str],
    kind: Option<OwnKind>,
}

/// The resources that the server serves, in the order of discovery.
pub(super) struct Discovery<'r> {
    resources: Vec<&'r Resource>,
}

/// A version of a resource.
pub(super) type Served<'r> = (&'r Resource, &'r Version);

impl<'r> Discovery<'r> {
    pub(super) fn new(resources: impl Iterator<Item = &'r Resource>) -> Self {
        let is_served = |it: &&Resource| it.versions.iter().any(|version| version.spec.served);
        let mut resources: Vec<_> = resources.filter(is_served).collect();
        resources.sort_by_cached_key(|it| (position(&it.group), it.group.clone(), it.names.plural.clone()));
        Self { resources }
    }

    /// Returns the groups except the core group.
    pub(super) fn groups(&self) -> Vec<&'r str> {
        let mut groups: Vec<_> = self.resources.iter().map(|resource| resource.group.as_str()).collect();
        groups.dedup();
        groups.retain(|group| !group.is_empty());
        groups
    }

    /// Returns the served versions of a group; the first one is preferred.
    pub(super) fn versions(&self, group: &str) -> Vec<&'r str> {
        let resources = self.resources.iter().filter(|resource| resource.group == group);
        let names: BTreeSet<_> = resources
            .flat_map(|resource| &resource.versions)
            .filter(|version| version.spec.served)
            .map(|version| version.spec.name.as_str())
            .collect();
        let mut versions: Vec<_> = names.into_iter().collect();
        sort_by_priority(&mut versions, |version| version);
        versions
    }

    /// Returns the resources of a version of a group.
    pub(super) fn resources(&self, group: &str, version: &str) -> Vec<Served<'r>> {
        let resources = self.resources.iter().filter(|resource| resource.group == group);
        let served = |resource: &&'r Resource| resource.version(version).filter(|version| version.spec.served);
        resources.filter_map(|resource| Some((*resource, served(resource)?))).collect()
    }

    /// Returns the document of `/api` or `/apis` in the aggregated form.
    pub(super) fn aggregated(&self, path: &str) -> Value {
        let groups = if path == "/api" { vec![""] } else { self.groups() };
        let items: Vec<_> = groups.into_iter().map(|group| self.aggregated_group(group)).collect();
        json!({ "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items })
    }

    fn aggregated_group(&self, group: &str) -> Value {
        let versions = self.versions(group).into_iter().map(|version| {
            let resources = self.resources(group, version).into_iter().map(aggregated_resource);
            json!({ "version": version, "resources": resources.collect::<Vec<_>>(), "freshness": "Current" })
        });
        let mut metadata = Map::new();
        if !group.is_empty() {
            metadata.insert("name".to_owned(), group.into());
        }
        json!({ "metadata": metadata, "versions": versions.collect::<Vec<_>>() })
    }

    /// Returns the document of `/apis`. Here, custom groups are in the order of their preferred versions.
    pub(super) fn group_list(&self) -> Value {
        let mut groups = self.groups();
        let version = |group: &str| self.versions(group).first().copied().filter(|_| position(group) == usize::MAX);
        groups.sort_by_cached_key(|group| (position(group), version(group)));
        let groups: Vec<_> = groups.into_iter().map(|group| self.group_fields(group)).collect();
        json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups })
    }

    /// Returns the document of `/apis/GROUP`.
    pub(super) fn group(&self, group: &str) -> Option<Value> {
        let mut document = self.groups().contains(&group).then(|| self.group_fields(group))?;
        document["kind"] = "APIGroup".into();
        document["apiVersion"] = "v1".into();
        Some(document)
    }

    fn group_fields(&self, group: &str) -> Value {
        let versions: Vec<_> = self
            .versions(group)
            .into_iter()
            .map(|version| json!({ "groupVersion": format!("{group}/{version}"), "version": version }))
            .collect();
        json!({ "name": group, "versions": versions, "preferredVersion": versions.first() })
    }

    /// Returns the document of `/api/VERSION` or `/apis/GROUP/VERSION`.
    pub(super) fn resource_list(&self, group: &str, version: &str) -> Option<Value> {
        let served = self.resources(group, version);
        let (first, _) = served.first()?;
        let mut document = json!({
            "kind": "APIResourceList",
            "groupVersion": first.api_version(version),
            "resources": served.iter().flat_map(|served| resource_entries(*served)).collect::<Vec<_>>(),
        });
        // The real server omits it here.
        if !group.is_empty() {
            document["apiVersion"] = "v1".into();
        }
        Some(document)
    }
}

/// Returns the position of a built-in group; other groups are behind them.
fn position(group: &str) -> usize {
    builtin::groups().iter().position(|other| other == group).unwrap_or(usize::MAX)
}

/// Returns the document of `/api`.
pub(super) fn api_versions() -> Value {
    json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{ "clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:443" }],
    })
}

/// Returns the document of `/version`.
pub(super) fn version() -> Value {
    json!({
        "major": "1",
        "minor": "37",
        "emulationMajor": "1",
        "emulationMinor": "37",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "36",
        "gitVersion": GIT_VERSION,
        "gitCommit": "none",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    })
}

fn singular(resource: &Resource) -> &str {
    resource.names.singular.as_deref().unwrap_or_default()
}

/// Sets a list that discovery omits if it is empty.
fn set_list(document: &mut Value, name: &str, list: Option<&Vec<String>>) {
    if let Some(list) = list.filter(|list| !list.is_empty()) {
        document[name] = json!(list);
    }
}

fn aggregated_resource((resource, version): Served<'_>) -> Value {
    let scope = if resource.is_namespaced { "Namespaced" } else { "Cluster" };
    // The real server leaves out the group and the version of built-in kinds.
    let (group, version_name) =
        if resource.is_custom { (resource.group.as_str(), version.spec.name.as_str()) } else { ("", "") };
    let kind = json!({ "group": group, "version": version_name, "kind": resource.names.kind });
    let mut document = json!({
        "resource": resource.names.plural,
        "responseKind": kind,
        "scope": scope,
        "singularResource": singular(resource),
        "verbs": version.verbs,
    });
    set_list(&mut document, "shortNames", resource.names.short_names.as_ref());
    set_list(&mut document, "categories", resource.names.categories.as_ref());
    let entries: Vec<_> = subresources(resource, version)
        .into_iter()
        .map(|Listed { name, verbs, kind: own }| {
            let kind = own.map_or_else(|| kind.clone(), |own| response_kind(own, resource));
            json!({ "subresource": name, "responseKind": kind, "verbs": verbs })
        })
        .collect();
    if !entries.is_empty() {
        document["subresources"] = entries.into();
    }
    document
}

/// Returns the kind of the documents of a subresource. The real server leaves out a group and a version that are those of the resource.
fn response_kind(own: OwnKind, resource: &Resource) -> Value {
    let (group, version) = if is_in_group(own, resource) { ("", "") } else { (own.group, own.version) };
    json!({ "group": group, "version": version, "kind": own.kind })
}

fn is_in_group(own: OwnKind, resource: &Resource) -> bool {
    own.group == resource.group
}

/// Returns the subresources in the order of discovery, which differs between custom and built-in resources.
fn subresources(resource: &Resource, version: &Version) -> Vec<Listed> {
    let status = version.has_status().then_some(Listed { name: "status", verbs: PART, kind: None });
    let scale = version.has_scale().then_some(Listed { name: "scale", verbs: PART, kind: Some(OwnKind::SCALE) });
    let mut listed: Vec<_> = status.into_iter().chain(scale).collect();
    if !resource.is_custom {
        let own = subresources::of_resource(resource);
        listed.extend(own.map(|it| Listed { name: it.name, verbs: it.verbs, kind: it.kind }));
        listed.sort_by_key(|it| it.name);
    }
    listed
}

fn resource_entries((resource, version): Served<'_>) -> Vec<Value> {
    let names = &resource.names;
    let mut main = json!({
        "name": names.plural,
        "singularName": singular(resource),
        "namespaced": resource.is_namespaced,
        "kind": names.kind,
        "verbs": version.verbs,
    });
    set_list(&mut main, "shortNames", names.short_names.as_ref());
    set_list(&mut main, "categories", names.categories.as_ref());
    let others = subresources(resource, version).into_iter().map(|Listed { name, verbs, kind: own }| {
        let mut entry = json!({
            "name": format!("{}/{name}", names.plural),
            "singularName": "",
            "namespaced": resource.is_namespaced,
            "kind": own.map_or(names.kind.as_str(), |own| own.kind),
            "verbs": verbs,
        });
        if let Some(own) = own.filter(|own| !is_in_group(*own, resource)) {
            entry["group"] = own.group.into();
            entry["version"] = own.version.into();
        }
        entry
    });
    [main].into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::{conversion::Conversion, store::SchemaId},
        *,
    };

    #[test]
    fn order_of_groups_and_versions() {
        let mut resources = builtin::resources();
        let mut custom = builtin::resources().remove(0);
        custom.is_custom = true;
        for (group, versions) in [("b.example.com", ["v1beta1", "v2"]), ("a.example.com", ["v1", "v10"])] {
            let version = |name: &str| {
                let mut version = builtin::resources().remove(0).versions.remove(0);
                version.spec.name = name.to_owned();
                version
            };
            custom.group = group.to_owned();
            let versions = versions.iter().map(|name| version(name)).collect();
            let names = custom.names.clone();
            resources.push(Resource {
                group: group.to_owned(),
                names,
                is_namespaced: true,
                versions,
                is_custom: true,
                conversion: Conversion::None,
                schema: SchemaId::default(),
                is_terminating: false,
            });
        }
        resources.last_mut().unwrap().versions[0].spec.served = false;
        let discovery = Discovery::new(resources.iter());
        let groups = discovery.groups();
        assert_eq!(groups[..3], ["apiregistration.k8s.io", "apps", "events.k8s.io"]);
        assert_eq!(groups[groups.len() - 2..], ["a.example.com", "b.example.com"]);
        assert_eq!(discovery.versions("b.example.com"), ["v2", "v1beta1"]);
        assert_eq!(discovery.versions("a.example.com"), ["v10"]);
        assert_eq!(discovery.versions("autoscaling"), ["v2", "v1"]);
        assert!(discovery.group("").is_none());
        assert!(discovery.resource_list("a.example.com", "v1").is_none());
    }
}
