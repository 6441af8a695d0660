//! What controllers use of the API server: kinds and permissions.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Access, StaticKind,
    kind::{has_status, is_custom, is_namespaced},
    permissions::{PermissionScope, Permissions},
};
use crate::{client::Verb, informer::InformerBuilder};

const READS: &[Verb] = &[Verb::Get, Verb::List, Verb::Watch];

/// What a controller, or a manager with all its controllers, uses.
#[derive(Clone, Debug, Default)]
pub(super) struct Requirements {
    pub(super) permissions: Permissions,
    pub(super) kinds: BTreeSet<RequiredKind>,
    /// The custom resources that are reconciled, by group and plural: whether they have a status.
    pub(super) reconciled: BTreeMap<(String, String), bool>,
}

/// A kind, as the types of the program declare it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RequiredKind {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) is_namespaced: bool,
    /// The subresources that are used.
    pub(super) subresources: BTreeSet<String>,
}

impl RequiredKind {
    pub(super) fn of<K: StaticKind>() -> Self {
        Self {
            group: K::group(&()).into_owned(),
            version: K::version(&()).into_owned(),
            kind: K::kind(&()).into_owned(),
            plural: K::plural(&()).into_owned(),
            is_namespaced: is_namespaced::<K>(),
            subresources: BTreeSet::new(),
        }
    }
}

impl Requirements {
    pub(super) fn extend(&mut self, other: Self) {
        self.permissions.extend(other.permissions);
        self.kinds.extend(other.kinds);
        self.reconciled.extend(other.reconciled);
    }

    /// Adds the requests for the certificates of webhooks.
    #[cfg(feature = "webhook")]
    pub(super) fn certify(&mut self, requests: &[crate::webhook::certificates::CertificateRequest]) {
        for request in requests {
            let place = request.namespace.clone().map_or(PermissionScope::Cluster, PermissionScope::Namespace);
            let name = request.name.as_deref();
            self.permissions.allow_named(&[place], request.group, request.resource, name, request.verbs);
        }
    }

    /// Adds the access that a program declares.
    pub(super) fn require(&mut self, access: &Access, places: &[PermissionScope]) {
        access.allow(places, &mut self.permissions);
        self.kinds.extend(access.kind());
    }

    /// Adds the lease of an election.
    pub(super) fn elect(&mut self, lease: &str, place: PermissionScope) {
        let (places, group, leases) = ([place], "coordination.k8s.io", "leases");
        // The name of an object that does not exist yet is not checked.
        self.permissions.allow(&places, group, leases, &[Verb::Create]);
        self.permissions.allow_named(&places, group, leases, Some(lease), &[Verb::Get, Verb::Update]);
    }

    /// Adds the leases of replicas and shards.
    pub(super) fn share(&mut self, place: PermissionScope) {
        let verbs = [Verb::Get, Verb::List, Verb::Create, Verb::Update, Verb::Delete];
        self.permissions.allow(&[place], "coordination.k8s.io", "leases", &verbs);
    }

    fn read<K: StaticKind>(&mut self, places: &[PermissionScope]) {
        let kind = RequiredKind::of::<K>();
        self.permissions.allow(places, &kind.group, &kind.plural, READS);
        self.kinds.insert(kind);
    }
}

/// What a controller uses, while it is built.
pub(super) struct ControllerUses {
    uses: Requirements,
    /// The kind that is reconciled, and the places of its objects.
    kind: RequiredKind,
    places: Vec<PermissionScope>,
    /// The namespaces of its objects; `None` for all, and for cluster-scoped ones.
    namespaces: Option<Vec<String>>,
}

impl ControllerUses {
    pub(super) fn new<K: StaticKind>(objects: &InformerBuilder<K>) -> Self {
        let (mut uses, mut kind, places) = (Requirements::default(), RequiredKind::of::<K>(), places(objects));
        uses.read::<K>(&places);
        let events = if kind.is_namespaced { &*places } else { &[PermissionScope::Namespace("default".to_owned())] };
        uses.permissions.allow(events, "events.k8s.io", "events", &[Verb::Create, Verb::Patch]);
        if is_custom(&kind.group) {
            let has_status = has_status::<K>();
            if has_status {
                kind.subresources.insert("status".to_owned());
                let status = format!("{}/status", kind.plural);
                uses.permissions.allow(&places, &kind.group, &status, &[Verb::Patch]);
                uses.kinds.insert(kind.clone());
            }
            uses.reconciled.insert((kind.group.clone(), kind.plural.clone()), has_status);
        }
        Self { uses, kind, places, namespaces: objects.selected_namespaces().map(<[_]>::to_vec) }
    }

    /// Returns the namespaces of the objects that are reconciled; `None` for all, and for cluster-scoped ones.
    pub(super) fn namespaces(&self) -> Option<&[String]> {
        self.namespaces.as_deref()
    }

    /// Adds the changes of finalizers.
    pub(super) fn patch_finalizers(&mut self) {
        self.uses.permissions.allow(&self.places, &self.kind.group, &self.kind.plural, &[Verb::Patch]);
    }

    /// Adds a kind that is cached.
    pub(super) fn read<C: StaticKind>(&mut self, objects: &InformerBuilder<C>) {
        self.uses.read::<C>(&places(objects));
    }

    /// Adds a kind that is cached and applied.
    pub(super) fn own<C: StaticKind>(&mut self, objects: &InformerBuilder<C>) {
        self.read(objects);
        let places = narrower(&places(objects), &self.places);
        let verbs = [Verb::Create, Verb::Patch, Verb::Delete];
        self.uses.permissions.allow(&places, &C::group(&()), &C::plural(&()), &verbs);
        // `blockOwnerDeletion` of owner references requires it.
        let finalizers = format!("{}/finalizers", self.kind.plural);
        self.uses.permissions.allow(&self.places, &self.kind.group, &finalizers, &[Verb::Update]);
    }

    /// Adds a kind that is cached, and applied by inventory.
    pub(super) fn own_by_inventory<C: StaticKind>(&mut self, objects: &InformerBuilder<C>) {
        self.read(objects);
        let verbs = [Verb::Create, Verb::Patch, Verb::Delete];
        self.uses.permissions.allow(&places(objects), &C::group(&()), &C::plural(&()), &verbs);
    }

    /// Adds a kind that is cached, and was applied by earlier versions of the program.
    pub(super) fn formerly_own<C: StaticKind>(&mut self, objects: &InformerBuilder<C>) {
        self.read(objects);
        let places = narrower(&places(objects), &self.places);
        self.uses.permissions.allow(&places, &C::group(&()), &C::plural(&()), &[Verb::Delete]);
    }

    pub(super) fn require(&mut self, access: &Access) {
        self.uses.require(access, &self.places);
    }

    pub(super) fn into_uses(self) -> Requirements {
        self.uses
    }
}

fn places<K: StaticKind>(objects: &InformerBuilder<K>) -> Vec<PermissionScope> {
    match objects.selected_namespaces() {
        None => vec![PermissionScope::Cluster],
        Some(namespaces) => namespaces.iter().cloned().map(PermissionScope::Namespace).collect(),
    }
}

/// Returns the places of owned objects, which are in the namespaces of their owners.
fn narrower(owned: &[PermissionScope], owners: &[PermissionScope]) -> Vec<PermissionScope> {
    let is_cluster = |places: &[PermissionScope]| places.contains(&PermissionScope::Cluster);
    match (is_cluster(owned), is_cluster(owners)) {
        (true, _) => owners.to_vec(),
        (false, true) => owned.to_vec(),
        (false, false) => owned.iter().filter(|place| owners.contains(place)).cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owned_objects_are_in_the_namespaces_of_their_owners() {
        let both = ["a", "b"].map(|name| PermissionScope::Namespace(name.to_owned()));
        let (a, b) = (&both[..1], &both[1..]);
        let cluster = [PermissionScope::Cluster];
        assert_eq!(narrower(&cluster, &cluster), cluster);
        assert_eq!(narrower(&cluster, a), a);
        assert_eq!(narrower(a, &cluster), a);
        assert_eq!(narrower(&both, b), b);
    }
}
