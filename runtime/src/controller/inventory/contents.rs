//! What an inventory has, in either form.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::store::Form;
use crate::{
    controller::StaticKind,
    informer::ObjectKey,
    inventory::{Inventory, InventoryEntry},
};

/// A group and a kind. It displays as in `contains-group-kinds` of an ApplySet: `Deployment.apps`, `ConfigMap`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::controller) struct GroupKind {
    pub(super) group: String,
    pub(super) kind: String,
}

impl GroupKind {
    pub(in crate::controller) fn new(group: &str, kind: &str) -> Self {
        Self { group: group.to_owned(), kind: kind.to_owned() }
    }

    pub(super) fn parse(text: &str) -> Self {
        let (kind, group) = text.split_once('.').unwrap_or((text, ""));
        Self::new(group, kind)
    }
}

impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if self.group.is_empty() { Ok(()) } else { write!(f, ".{}", self.group) }
    }
}

/// An object in an inventory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::controller) struct Member {
    pub(super) kind: GroupKind,
    pub(super) object: ObjectKey,
}

impl Member {
    pub(in crate::controller) fn new(kind: GroupKind, object: ObjectKey) -> Self {
        Self { kind, object }
    }

    pub(in crate::controller) fn of<C: StaticKind>(object: ObjectKey) -> Self {
        Self::new(GroupKind::new(&C::group(&()), &C::kind(&())), object)
    }
}

/// What an inventory has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::controller) enum Contents {
    /// The kinds of the members, and their namespaces without that of the parent.
    ApplySet { group_kinds: BTreeSet<GroupKind>, namespaces: BTreeSet<String> },
    /// The members, with the version in which each was applied.
    Entries(BTreeMap<Member, String>),
}

impl Contents {
    /// Returns an inventory with some members, whose parent is in a namespace.
    pub(super) fn of(form: Form, members: impl IntoIterator<Item = (Member, String)>, namespace: Option<&str>) -> Self {
        match form {
            Form::Status => Self::Entries(members.into_iter().collect()),
            Form::ApplySet => {
                let (mut group_kinds, mut namespaces) = (BTreeSet::new(), BTreeSet::new());
                for (member, _) in members {
                    let elsewhere = member.object.namespace().filter(|own| Some(*own) != namespace);
                    namespaces.extend(elsewhere.map(str::to_owned));
                    group_kinds.insert(member.kind);
                }
                Self::ApplySet { group_kinds, namespaces }
            }
        }
    }

    pub(super) fn empty(form: Form) -> Self {
        Self::of(form, [], None)
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::ApplySet { group_kinds, namespaces } => group_kinds.is_empty() && namespaces.is_empty(),
            Self::Entries(entries) => entries.is_empty(),
        }
    }

    /// Whether it has everything that another one has.
    pub(super) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::ApplySet { group_kinds, namespaces },
                Self::ApplySet { group_kinds: other_kinds, namespaces: other_namespaces },
            ) => group_kinds.is_superset(other_kinds) && namespaces.is_superset(other_namespaces),
            (Self::Entries(entries), Self::Entries(others)) => {
                others.iter().all(|(member, version)| entries.get(member) == Some(version))
            }
            _ => false,
        }
    }

    /// Adds what another one has.
    pub(super) fn add(&mut self, other: &Self) {
        match (self, other) {
            (
                Self::ApplySet { group_kinds, namespaces },
                Self::ApplySet { group_kinds: other_kinds, namespaces: other_namespaces },
            ) => {
                group_kinds.extend(other_kinds.iter().cloned());
                namespaces.extend(other_namespaces.iter().cloned());
            }
            (Self::Entries(entries), Self::Entries(others)) => {
                entries.extend(others.iter().map(|(member, version)| (member.clone(), version.clone())));
            }
            _ => {}
        }
    }

    /// Removes what another one has.
    pub(super) fn remove(&mut self, other: &Self) {
        match (self, other) {
            (
                Self::ApplySet { group_kinds, namespaces },
                Self::ApplySet { group_kinds: other_kinds, namespaces: other_namespaces },
            ) => {
                group_kinds.retain(|kind| !other_kinds.contains(kind));
                namespaces.retain(|namespace| !other_namespaces.contains(namespace));
            }
            (Self::Entries(entries), Self::Entries(others)) => {
                entries.retain(|member, _| !others.contains_key(member));
            }
            _ => {}
        }
    }
}

impl From<&Inventory> for Contents {
    fn from(inventory: &Inventory) -> Self {
        let entries = inventory.entries.iter().map(|entry| {
            let InventoryEntry { group, version, kind, namespace, name } = entry;
            let object = ObjectKey::new(namespace.as_deref(), name);
            (Member::new(GroupKind::new(group, kind), object), version.clone())
        });
        Self::Entries(entries.collect())
    }
}

/// Returns the field of a status.
pub(super) fn to_inventory(contents: &Contents) -> Inventory {
    let Contents::Entries(entries) = contents else {
        return Inventory::default();
    };
    let entries = entries.iter().map(|(Member { kind, object }, version)| InventoryEntry {
        group: kind.group.clone(),
        version: version.clone(),
        kind: kind.kind.clone(),
        namespace: object.namespace().map(str::to_owned),
        name: object.name().to_owned(),
    });
    Inventory { entries: entries.collect() }
}

/// A change of an inventory, which applies to any state of it.
#[derive(Clone, Debug)]
pub(super) enum Edit {
    Add(Contents),
    Remove(Contents),
}

impl Edit {
    pub(super) fn apply(&self, contents: &mut Contents) {
        match self {
            Self::Add(added) => contents.add(added),
            Self::Remove(removed) => contents.remove(removed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(kind: &str, namespace: Option<&str>, name: &str) -> (Member, String) {
        (Member::new(GroupKind::parse(kind), ObjectKey::new(namespace, name)), "v1".to_owned())
    }

    #[test]
    fn group_kinds_are_written_as_they_are_read() {
        for text in ["ConfigMap", "ClusterRole.rbac.authorization.k8s.io"] {
            assert_eq!(GroupKind::parse(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_added_is_covered_until_it_is_removed() {
        let members = [member("ConfigMap", Some("b"), "x"), member("Namespace", None, "y")];
        for form in [Form::ApplySet, Form::Status] {
            let all = Contents::of(form, members.clone(), Some("a"));
            let mut contents = Contents::empty(form);
            assert!(contents.is_empty() && !contents.covers(&all));
            contents.add(&all);
            assert!(contents.covers(&all) && contents == all);
            contents.remove(&Contents::of(form, members[..1].to_vec(), Some("a")));
            assert_eq!(contents, Contents::of(form, members[1..].to_vec(), Some("a")));
        }
    }

    #[test]
    fn the_namespace_of_the_parent_is_not_an_additional_one() {
        let contents = Contents::of(Form::ApplySet, [member("ConfigMap", Some("a"), "x")], Some("a"));
        let Contents::ApplySet { namespaces, .. } = contents else { panic!() };
        assert!(namespaces.is_empty());
    }

    #[test]
    fn an_entry_of_another_version_is_recorded_again() {
        let entry = member("ConfigMap", None, "x");
        let mut contents = Contents::of(Form::Status, [(entry.0.clone(), "v1beta1".to_owned())], None);
        let needed = Contents::of(Form::Status, [entry], None);
        assert!(!contents.covers(&needed));
        contents.add(&needed);
        assert_eq!(contents, needed);
        assert_eq!(Contents::from(&to_inventory(&contents)), needed);
    }
}
