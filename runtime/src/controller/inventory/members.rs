//! The members of inventories in the caches of a controller.

use std::{any::Any, collections::HashSet, sync::Arc};

use super::{contents::Member, marks};
use crate::{
    controller::{APPLIED_BY_ANNOTATION, StaticKind, requirements::RequiredKind},
    informer::{CacheObject, Index, Lister, ObjectKey},
};

/// A cached object that is in an inventory.
pub(in crate::controller) struct CachedMember {
    pub(super) member: Member,
    pub(super) kind: RequiredKind,
    pub(super) applied_by: Option<String>,
    pub(super) is_terminating: bool,
}

/// The members in one cache.
pub(in crate::controller) trait MemberCache: Any + Send + Sync {
    /// Returns the members of the inventory with an id.
    fn members(&self, id: &str) -> Vec<CachedMember>;
    fn is_of_kind(&self, group: &str, plural: &str) -> bool;
}

/// The lister of a kind with an index by inventory.
pub(in crate::controller) struct MemberLister<C: StaticKind> {
    lister: Lister<C>,
    index: Index<C, String>,
}

impl<C: StaticKind> MemberLister<C> {
    pub(in crate::controller) fn new(lister: Lister<C>, index: Index<C, String>) -> Self {
        Self { lister, index }
    }

    /// Returns the index, for the informer.
    pub(in crate::controller) fn index() -> Index<C, String> {
        Index::new("inventory", |object: &C| {
            let mut ids: Vec<_> = marks::ids(object).map(str::to_owned).collect();
            ids.dedup();
            ids
        })
    }

    fn list(&self, id: &str) -> Vec<Arc<C>> {
        self.lister.by(&self.index, id)
    }
}

impl<C: StaticKind> MemberCache for MemberLister<C> {
    fn members(&self, id: &str) -> Vec<CachedMember> {
        let kind = RequiredKind::of::<C>();
        let members = self.list(id).into_iter().map(|object| CachedMember {
            member: Member::of::<C>(ObjectKey::of(&*object)),
            kind: kind.clone(),
            applied_by: object.annotations().find(|(key, _)| *key == APPLIED_BY_ANNOTATION).map(|it| it.1.to_owned()),
            is_terminating: object.is_terminating(),
        });
        members.collect()
    }

    fn is_of_kind(&self, group: &str, plural: &str) -> bool {
        C::group(&()) == group && C::plural(&()) == plural
    }
}

/// The members in the caches of a controller.
#[derive(Default)]
pub(in crate::controller) struct MemberCaches(Vec<Arc<dyn MemberCache>>);

impl MemberCaches {
    pub(in crate::controller) fn add<C: StaticKind>(&mut self, members: MemberLister<C>) {
        self.0.push(Arc::new(members));
    }

    /// Returns the members of all kinds, each once.
    pub(super) fn all(&self, id: &str) -> Vec<CachedMember> {
        let mut seen = HashSet::new();
        let mut all: Vec<_> = self.0.iter().flat_map(|cache| cache.members(id)).collect();
        all.retain(|cached| {
            seen.insert((cached.kind.group.clone(), cached.kind.kind.clone(), cached.member.object.clone()))
        });
        all
    }

    /// Whether members of a kind are cached, or their metadata.
    pub(in crate::controller) fn is_declared<C: StaticKind>(&self) -> bool {
        self.has::<C>() || self.0.iter().any(|cache| cache.is_of_kind(&C::group(&()), &C::plural(&())))
    }

    /// Whether members of a type are cached.
    pub(in crate::controller) fn has<C: StaticKind>(&self) -> bool {
        self.of_type::<C>().next().is_some()
    }

    /// Returns the members of a type. An object may be in several caches.
    pub(in crate::controller) fn of<C: StaticKind>(&self, id: &str) -> Vec<Arc<C>> {
        self.of_type::<C>().flat_map(|cache| cache.list(id)).collect()
    }

    fn of_type<C: StaticKind>(&self) -> impl Iterator<Item = &MemberLister<C>> {
        self.0.iter().filter_map(|cache| {
            let cache: &dyn Any = &**cache;
            cache.downcast_ref()
        })
    }
}
