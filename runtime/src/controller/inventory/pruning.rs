//! Deletes the members that a run has not applied, or all of them, and narrows the inventory.
//!
//! An inventory has everything that exists, and may have more: an object is in it before it is applied, and until it is known to be gone.
//! So a crash at any time leaves nothing that is not found again.

use std::collections::BTreeSet;

use super::{
    contents::{Contents, GroupKind, Member},
    deletion::{Candidate, Candidates, Deletion, Outcome},
    members::{CachedMember, MemberCaches},
    parent::Parent,
};
use crate::controller::apply_owned::{ApplyOwnedError, ChildKey};

/// The members of an inventory, and what a run has applied.
pub(super) struct MemberPruning<'a> {
    pub(super) deletion: Deletion<'a>,
    pub(super) parent: &'a dyn Parent,
    pub(super) caches: &'a MemberCaches,
    pub(super) wanted: &'a BTreeSet<Member>,
    /// Whether objects of a resource are deleted that the run has not applied.
    pub(super) is_pruned: &'a (dyn Fn(&str) -> bool + Sync),
}

/// What a run found out about members that it did not apply.
#[derive(Default)]
struct Found {
    surplus: Candidates,
    /// Members that stay: also those that wait for their end.
    staying: BTreeSet<Member>,
    /// Kinds of which nothing is decided.
    undecided: BTreeSet<GroupKind>,
    gone: BTreeSet<Member>,
    /// Objects of others that have the label, such as copies.
    foreign: BTreeSet<Member>,
}

impl MemberPruning<'_> {
    /// Deletes the surplus members, and returns what the inventory does not need any longer.
    pub(super) async fn prune(&self, recorded: &Contents) -> Result<(Contents, Vec<Member>), ApplyOwnedError> {
        let mut found = self.find_cached();
        match recorded {
            Contents::Entries(entries) => {
                for member in entries.keys() {
                    self.find_entry(member, &mut found).await?;
                }
            }
            Contents::ApplySet { group_kinds, namespaces } => {
                let namespaces = self.namespaces(namespaces);
                for kind in group_kinds {
                    self.find_kind(kind, &namespaces, &mut found).await?;
                }
            }
        }
        let outcomes = self.deletion.delete_all(std::mem::take(&mut found.surplus)).await?;
        let mut deleted = Vec::new();
        for (member, outcome) in outcomes {
            match outcome {
                Outcome::Remains => {
                    found.staying.insert(member);
                }
                Outcome::Gone | Outcome::NotOwn => {
                    found.gone.insert(member.clone());
                    deleted.push(member);
                }
            }
        }
        Ok((self.unneeded(recorded, &found).await?, deleted))
    }

    /// Looks through the cached members.
    fn find_cached(&self) -> Found {
        let mut found = Found::default();
        for cached in self.caches.all(&self.deletion.marks.id) {
            if self.wanted.contains(&cached.member) {
                continue;
            }
            let CachedMember { member, kind, .. } = &cached;
            let key = ChildKey::new(&kind.group, &kind.plural, member.object.clone());
            match self.deletion.is_kept(kind, member, cached.applied_by.as_deref(), false) {
                None => {
                    found.foreign.insert(cached.member);
                }
                Some(is_kept) if is_kept || cached.is_terminating || !(self.is_pruned)(&key.resource()) => {
                    found.staying.insert(cached.member);
                }
                Some(_) => {
                    found
                        .surplus
                        .insert(cached.member, Candidate { kind: cached.kind, read: None, is_recorded: false });
                }
            }
        }
        found
    }

    async fn find_entry(&self, member: &Member, found: &mut Found) -> Result<(), ApplyOwnedError> {
        let is_known = found.staying.contains(member) || found.surplus.contains_key(member);
        if is_known || self.wanted.contains(member) {
            return Ok(());
        }
        match self.deletion.resolve(&member.kind).await? {
            Some(kind) => {
                let key = ChildKey::new(&kind.group, &kind.plural, member.object.clone());
                if (self.is_pruned)(&key.resource()) {
                    found.surplus.insert(member.clone(), Candidate { kind, read: None, is_recorded: true });
                }
            }
            None => {
                found.gone.insert(member.clone());
            }
        }
        Ok(())
    }

    /// Lists the members of a kind if the inventory may not need it any longer: the cache may lag behind.
    async fn find_kind(&self, kind: &GroupKind, namespaces: &[&str], found: &mut Found) -> Result<(), ApplyOwnedError> {
        if self.wanted.iter().chain(&found.staying).any(|member| member.kind == *kind) {
            return Ok(());
        }
        let Some(served) = self.deletion.resolve(kind).await? else {
            return Ok(());
        };
        let resource =
            ChildKey::new(&served.group, &served.plural, crate::informer::ObjectKey::new(None, "")).resource();
        if !(self.is_pruned)(&resource) {
            found.undecided.insert(kind.clone());
            return Ok(());
        }
        for (member, object) in self.deletion.list(&served, namespaces).await? {
            let candidate = Candidate { kind: served.clone(), read: Some(object), is_recorded: false };
            found.surplus.insert(member, candidate);
        }
        Ok(())
    }

    /// Returns what the inventory does not need any longer.
    async fn unneeded(&self, recorded: &Contents, found: &Found) -> Result<Contents, ApplyOwnedError> {
        let (group_kinds, namespaces) = match recorded {
            Contents::Entries(entries) => {
                let gone = entries.iter().filter(|(member, _)| found.gone.contains(member));
                return Ok(Contents::Entries(
                    gone.map(|(member, version)| (member.clone(), version.clone())).collect(),
                ));
            }
            Contents::ApplySet { group_kinds, namespaces } => (group_kinds, namespaces),
        };
        let present = || self.wanted.iter().chain(&found.staying);
        let kinds: BTreeSet<_> = present().map(|member| &member.kind).chain(&found.undecided).collect();
        let unneeded_kinds = group_kinds.iter().filter(|kind| !kinds.contains(kind)).cloned().collect();
        let mut unneeded_namespaces = BTreeSet::new();
        if found.undecided.is_empty() {
            let needed: BTreeSet<_> = present().filter_map(|member| member.object.namespace()).collect();
            for namespace in namespaces.iter().filter(|namespace| !needed.contains(namespace.as_str())) {
                if self.is_empty(namespace, group_kinds, found).await? {
                    unneeded_namespaces.insert(namespace.clone());
                }
            }
        }
        Ok(Contents::ApplySet { group_kinds: unneeded_kinds, namespaces: unneeded_namespaces })
    }

    /// Whether a namespace has no members of some kinds, but for those that are gone or of others.
    async fn is_empty(
        &self,
        namespace: &str,
        kinds: &BTreeSet<GroupKind>,
        found: &Found,
    ) -> Result<bool, ApplyOwnedError> {
        for kind in kinds {
            let Some(served) = self.deletion.resolve(kind).await?.filter(|served| served.is_namespaced) else {
                continue;
            };
            let listed = self.deletion.list_in(&served, namespace).await?;
            if listed.iter().any(|member| !found.gone.contains(member) && !found.foreign.contains(member)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Deletes all members, and returns those that still exist.
    pub(super) async fn delete_all(&self, recorded: &Contents) -> Result<Vec<Member>, ApplyOwnedError> {
        let mut candidates = Candidates::new();
        for CachedMember { member, kind, .. } in self.caches.all(&self.deletion.marks.id) {
            candidates.insert(member, Candidate { kind, read: None, is_recorded: false });
        }
        match recorded {
            Contents::Entries(entries) => {
                for member in entries.keys() {
                    if let Some(kind) = self.deletion.resolve(&member.kind).await? {
                        candidates.insert(member.clone(), Candidate { kind, read: None, is_recorded: true });
                    }
                }
            }
            Contents::ApplySet { group_kinds, namespaces } => {
                let namespaces = self.namespaces(namespaces);
                for kind in group_kinds {
                    let Some(served) = self.deletion.resolve(kind).await? else { continue };
                    for (member, object) in self.deletion.list(&served, &namespaces).await? {
                        let candidate = Candidate { kind: served.clone(), read: Some(object), is_recorded: false };
                        candidates.insert(member, candidate);
                    }
                }
            }
        }
        let outcomes = self.deletion.delete_all(candidates).await?;
        let remaining = outcomes.into_iter().filter(|(_, outcome)| matches!(outcome, Outcome::Remains));
        Ok(remaining.map(|(member, _)| member).collect())
    }

    /// Returns all namespaces of the members of an ApplySet.
    fn namespaces<'a>(&'a self, additional: &'a BTreeSet<String>) -> Vec<&'a str> {
        self.parent.namespace().into_iter().chain(additional.iter().map(String::as_str)).collect()
    }
}
