//! What controllers use of the API server: kinds and permissions.

use std::collections::{BTreeMap, BTreeSet};

use kube_core::Resource;

use super::{
    Access, ReconciledKind, StaticKind,
    kind::{KindData, is_custom, is_namespaced},
    permissions::{PermissionScope, Permissions},
};
use crate::{
    client::Verb,
    informer::{InformerBuilder, places::Places, sharding::ShardKey},
};

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
        Self::of_kind::<K>(&(), is_namespaced::<K>())
    }

    pub(super) fn of_kind<K: Resource>(kind: &K::DynamicType, is_namespaced: bool) -> Self {
        Self {
            group: K::group(kind).into_owned(),
            version: K::version(kind).into_owned(),
            kind: K::kind(kind).into_owned(),
            plural: K::plural(kind).into_owned(),
            is_namespaced,
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

    fn read(&mut self, kind: RequiredKind, places: &[PermissionScope]) {
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
    /// Where the namespaced objects are that belong to its own.
    related: Places,
}

impl ControllerUses {
    pub(super) fn new<K: ReconciledKind>(kind: &KindData<K>, objects: &InformerBuilder<K>) -> Self {
        let has_status = kind.has_status();
        let (mut uses, mut kind, places) = (Requirements::default(), kind.required(), scopes(objects.places()));
        uses.read(kind.clone(), &places);
        let events = if kind.is_namespaced { &*places } else { &[PermissionScope::Namespace("default".to_owned())] };
        uses.permissions.allow(events, "events.k8s.io", "events", &[Verb::Create, Verb::Patch]);
        if is_custom(&kind.group) {
            if has_status {
                kind.subresources.insert("status".to_owned());
                let status = format!("{}/status", kind.plural);
                uses.permissions.allow(&places, &kind.group, &status, &[Verb::Patch]);
                uses.kinds.insert(kind.clone());
            }
            uses.reconciled.insert((kind.group.clone(), kind.plural.clone()), has_status);
        }
        let related = if kind.is_namespaced { objects.places().clone() } else { Places::OfFactory };
        Self { uses, kind, places, related }
    }

    /// Returns where the objects of other namespaced kinds are, unless they are selected elsewhere: in the namespaces of those that are
    /// reconciled.
    pub(super) fn related(&self) -> &Places {
        &self.related
    }

    /// Returns what determines the shard of an object that is owned.
    pub(super) fn shard_key_of_owned(&self) -> ShardKey {
        ShardKey::Controller { group: self.kind.group.clone(), kind: self.kind.kind.clone() }
    }

    /// Adds the changes of finalizers.
    pub(super) fn patch_finalizers(&mut self) {
        self.uses.permissions.allow(&self.places, &self.kind.group, &self.kind.plural, &[Verb::Patch]);
    }

    /// Adds a kind that is cached.
    pub(super) fn read<C: StaticKind>(&mut self, objects: &InformerBuilder<C>) {
        self.uses.read(RequiredKind::of::<C>(), &places(objects));
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
        let related = scopes(&self.related);
        // Otherwise the scope of the resource is unknown.
        let places = if access.kind().is_some() { &related } else { &self.places };
        self.uses.require(access, places);
    }

    pub(super) fn into_uses(self) -> Requirements {
        self.uses
    }
}

fn places<K: StaticKind>(objects: &InformerBuilder<K>) -> Vec<PermissionScope> {
    scopes(objects.places())
}

fn scopes(places: &Places) -> Vec<PermissionScope> {
    match places {
        Places::All => vec![PermissionScope::Cluster],
        Places::OfFactory => vec![PermissionScope::Watched],
        Places::Namespaces(namespaces) => namespaces.iter().cloned().map(PermissionScope::Namespace).collect(),
    }
}

/// Returns the places of owned objects, which are in the namespaces of their owners.
fn narrower(owned: &[PermissionScope], owners: &[PermissionScope]) -> Vec<PermissionScope> {
    for wide in [PermissionScope::Cluster, PermissionScope::Watched] {
        if owned.contains(&wide) {
            return owners.to_vec();
        }
        if owners.contains(&wide) {
            return owned.to_vec();
        }
    }
    owned.iter().filter(|place| owners.contains(place)).cloned().collect()
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
        let watched = [PermissionScope::Watched];
        assert_eq!(narrower(&watched, &cluster), watched);
        assert_eq!(narrower(&cluster, &watched), watched);
        assert_eq!(narrower(a, &watched), a);
    }
}
