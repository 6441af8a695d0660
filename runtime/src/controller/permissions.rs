//! Permissions, one for each verb, and the rules that grant them.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::api::rbac::v1::PolicyRule;

use crate::client::Verb;

/// Where a permission applies.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PermissionScope {
    /// The cluster: objects without a namespace, and those of all namespaces.
    Cluster,
    Namespace(String),
    /// The namespaces to which the manager is limited: the cluster, if it is not.
    Watched,
    /// The namespace in which the program runs.
    Own,
}

impl PermissionScope {
    pub(super) fn namespace(&self) -> Option<&str> {
        match self {
            Self::Namespace(namespace) => Some(namespace),
            Self::Cluster | Self::Watched | Self::Own => None,
        }
    }
}

/// What a request requires.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Permission {
    pub(super) place: PermissionScope,
    /// The API group; empty for the core group.
    pub(super) group: String,
    /// The plural name, followed by `/` and the subresource if there is one.
    pub(super) resource: String,
    /// The only object; `None` for all objects.
    pub(super) name: Option<String>,
    pub(super) verb: &'static str,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Permissions(BTreeSet<Permission>);

impl Permissions {
    pub(super) fn allow(&mut self, places: &[PermissionScope], group: &str, resource: &str, verbs: &[Verb]) {
        self.allow_named(places, group, resource, None, verbs);
    }

    /// Allows requests for one object, or for all.
    pub(super) fn allow_named(
        &mut self,
        places: &[PermissionScope],
        group: &str,
        resource: &str,
        name: Option<&str>,
        verbs: &[Verb],
    ) {
        let pairs = places.iter().flat_map(|place| verbs.iter().map(move |verb| (place, verb)));
        self.0.extend(pairs.map(|(place, verb)| Permission {
            place: place.clone(),
            group: group.to_owned(),
            resource: resource.to_owned(),
            name: name.map(str::to_owned),
            verb: verb.as_str(),
        }));
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Permission> {
        self.0.iter()
    }

    /// Returns the permissions of a program that runs in a namespace and is limited to others, or not, without those that others
    /// include.
    pub(super) fn placed(&self, own: &str, watched: Option<&[String]>) -> Self {
        let watched = match watched {
            None => vec![PermissionScope::Cluster],
            Some(names) => names.iter().cloned().map(PermissionScope::Namespace).collect(),
        };
        let own = [PermissionScope::Namespace(own.to_owned())];
        let placed = self.0.iter().flat_map(|permission| {
            let places = match &permission.place {
                PermissionScope::Own => &own[..],
                PermissionScope::Watched => &watched[..],
                place @ (PermissionScope::Cluster | PermissionScope::Namespace(_)) => std::slice::from_ref(place),
            };
            places.iter().map(move |place| Permission { place: place.clone(), ..permission.clone() })
        });
        let all: BTreeSet<_> = placed.collect();
        Self(all.iter().filter(|permission| !is_included(permission, &all)).cloned().collect())
    }

    /// Whether all of these permissions are required for other namespaces as well, of which at least one lacks none: then these
    /// namespaces are a part of those of the program.
    pub(super) fn is_part_of(&self, required: &Self) -> bool {
        let lost = self.places();
        let is_elsewhere = |permission: &Permission, other: &Permission| {
            let moved = Permission { place: other.place.clone(), ..permission.clone() };
            moved == *other && other.place.namespace().is_some() && !lost.contains(&other.place)
        };
        self.iter().all(|permission| {
            permission.place.namespace().is_some() && required.iter().any(|other| is_elsewhere(permission, other))
        })
    }

    /// Returns the places of the permissions, in their order.
    pub(super) fn places(&self) -> BTreeSet<&PermissionScope> {
        self.0.iter().map(|permission| &permission.place).collect()
    }

    /// Returns the resources of one place with their groups, such as `deployments.apps`.
    pub(super) fn resources(&self, place: &PermissionScope) -> Vec<String> {
        let of_place = self.0.iter().filter(|permission| permission.place == *place);
        let names: BTreeSet<_> = of_place
            .map(
                |Permission { group, resource, .. }| {
                    if group.is_empty() { resource.clone() } else { format!("{resource}.{group}") }
                },
            )
            .collect();
        names.into_iter().collect()
    }

    /// Returns the rules that grant the permissions of one place: as few as possible, in a fixed order.
    pub(super) fn rules(&self, place: &PermissionScope) -> Vec<PolicyRule> {
        let mut verbs_by_resource = BTreeMap::<_, BTreeSet<_>>::new();
        for permission in self.0.iter().filter(|permission| permission.place == *place) {
            let Permission { group, resource, name, verb, .. } = permission;
            verbs_by_resource.entry((group, resource, name)).or_default().insert(*verb);
        }
        let mut resources_by_verbs = BTreeMap::<_, Vec<_>>::new();
        for ((group, resource, name), verbs) in verbs_by_resource {
            resources_by_verbs.entry((group, name, verbs)).or_default().push(resource.clone());
        }
        let mut rules: Vec<_> = resources_by_verbs
            .into_iter()
            .map(|((group, name, verbs), resources)| PolicyRule {
                api_groups: Some(vec![group.clone()]),
                resources: Some(resources),
                resource_names: name.clone().map(|name| vec![name]),
                verbs: verbs.into_iter().map(str::to_owned).collect(),
                non_resource_urls: None,
            })
            .collect();
        let key = |rule: &PolicyRule| (rule.api_groups.clone(), rule.resources.clone(), rule.resource_names.clone());
        rules.sort_by_key(key);
        rules
    }
}

impl FromIterator<Permission> for Permissions {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        Self(permissions.into_iter().collect())
    }
}

/// Whether another permission, for all objects or for the cluster, includes this one.
fn is_included(permission: &Permission, all: &BTreeSet<Permission>) -> bool {
    let wider = [
        Permission { place: PermissionScope::Cluster, name: None, ..permission.clone() },
        Permission { place: PermissionScope::Cluster, ..permission.clone() },
        Permission { name: None, ..permission.clone() },
    ];
    wider.iter().any(|wider| wider != permission && all.contains(wider))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(permissions: &Permissions, place: &PermissionScope) -> Vec<String> {
        let line = |rule: &PolicyRule| {
            let [groups, resources, names] = [&rule.api_groups, &rule.resources, &rule.resource_names]
                .map(|it| it.clone().unwrap_or_default().join(","));
            format!("{groups}: {resources} {names}: {}", rule.verbs.join(","))
        };
        permissions.rules(place).iter().map(line).collect()
    }

    #[test]
    fn rules_are_merged_and_sorted() {
        let mut permissions = Permissions::default();
        permissions.allow(&[PermissionScope::Cluster], "apps", "deployments", &[Verb::Watch, Verb::List]);
        permissions.allow(&[PermissionScope::Cluster], "", "pods", &[Verb::List]);
        permissions.allow(&[PermissionScope::Cluster], "", "configmaps", &[Verb::List, Verb::Watch]);
        permissions.allow(&[PermissionScope::Cluster], "", "pods", &[Verb::Watch]);
        permissions.allow(&[PermissionScope::Cluster], "", "pods/log", &[Verb::Get]);
        let expected = [": configmaps,pods : list,watch", ": pods/log : get", "apps: deployments : list,watch"];
        assert_eq!(lines(&permissions, &PermissionScope::Cluster), expected);
    }

    #[test]
    fn some_of_several_namespaces_are_a_part() {
        let place = |name: &str| PermissionScope::Namespace(name.to_owned());
        let pods = |permissions: &mut Permissions, places: &[PermissionScope], verb| {
            permissions.allow(places, "", "pods", &[verb]);
        };
        let mut required = Permissions::default();
        pods(&mut required, &["a", "b", "c"].map(place), Verb::List);
        pods(&mut required, &["a", "b", "c"].map(place), Verb::Patch);
        required.allow(&[place("a")], "", "secrets", &[Verb::Get]);
        required.allow(&[PermissionScope::Cluster], "", "nodes", &[Verb::List]);
        let is_part = |missing: &[(&str, &str, Verb)]| {
            let mut permissions = Permissions::default();
            for (namespace, resource, verb) in missing {
                let place = if namespace.is_empty() { PermissionScope::Cluster } else { place(namespace) };
                permissions.allow(&[place], "", resource, &[*verb]);
            }
            permissions.is_part_of(&required)
        };
        assert!(is_part(&[("a", "pods", Verb::List), ("a", "pods", Verb::Patch)]));
        assert!(is_part(&[("a", "pods", Verb::List), ("b", "pods", Verb::Patch)]));
        // Each of the three lacks something.
        assert!(!is_part(&[("a", "pods", Verb::List), ("b", "pods", Verb::Patch), ("c", "pods", Verb::List)]));
        // Required in one place only.
        assert!(!is_part(&[("a", "secrets", Verb::Get)]));
        assert!(!is_part(&[("", "nodes", Verb::List)]));
    }

    #[test]
    fn what_is_granted_for_the_cluster_is_not_granted_again() {
        let mut permissions = Permissions::default();
        let (own, vm) = (PermissionScope::Own, PermissionScope::Namespace("vm".to_owned()));
        permissions.allow(&[PermissionScope::Cluster], "events.k8s.io", "events", &[Verb::Create]);
        permissions.allow(std::slice::from_ref(&own), "events.k8s.io", "events", &[Verb::Create, Verb::Patch]);
        permissions.allow_named(&[own.clone(), vm.clone()], "", "secrets", Some("key"), &[Verb::Get]);
        permissions.allow(&[own], "", "secrets", &[Verb::Get]);
        let placed = permissions.placed("vm", None);
        assert_eq!(lines(&placed, &PermissionScope::Cluster), ["events.k8s.io: events : create"]);
        assert_eq!(lines(&placed, &vm), [": secrets : get", "events.k8s.io: events : patch"]);
        assert_eq!(placed.places().len(), 2);
    }

    #[test]
    fn what_is_watched_is_granted_in_the_namespaces_of_the_manager() {
        let mut permissions = Permissions::default();
        permissions.allow(&[PermissionScope::Watched], "", "pods", &[Verb::List]);
        permissions.allow(&[PermissionScope::Cluster], "", "nodes", &[Verb::List]);
        let limited = permissions.placed("vm", Some(&["a".to_owned(), "b".to_owned()]));
        for name in ["a", "b"] {
            assert_eq!(lines(&limited, &PermissionScope::Namespace(name.to_owned())), [": pods : list"]);
        }
        assert_eq!(lines(&limited, &PermissionScope::Cluster), [": nodes : list"]);
        assert_eq!(lines(&permissions.placed("vm", None), &PermissionScope::Cluster), [": nodes,pods : list"]);
        assert_eq!(permissions.placed("vm", Some(&[])).places().len(), 1);
    }
}
