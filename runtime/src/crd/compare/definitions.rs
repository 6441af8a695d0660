//! Comparison of definitions.

use std::collections::BTreeSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceConversion as Conversion, CustomResourceDefinition, CustomResourceDefinitionNames as Names,
    CustomResourceDefinitionVersion as Version,
};

use crate::crd::{
    compare::{Change, ChangeKind, Check, Pruning, schemas, versions},
    crd_accessors::{read, schema, storage_version, stored_versions},
};

/// The changes of one definition in a set.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DefinitionChanges {
    /// The name of the definition, such as `ats.example.com`.
    pub name: String,
    /// The changes; never empty.
    pub changes: Vec<Change>,
}

/// Returns the changes between two sets of definitions, for each definition that changes, sorted by name.
pub fn set_changes(old: &[CustomResourceDefinition], new: &[CustomResourceDefinition]) -> Vec<DefinitionChanges> {
    let names: BTreeSet<_> = old.iter().chain(new).map(name).collect();
    let find = |set: &'_ [CustomResourceDefinition], wanted: &str| set.iter().position(|crd| name(crd) == wanted);
    let all = names.into_iter().map(|name| {
        let changes = match (find(old, name), find(new, name)) {
            (Some(before), Some(after)) => definition_changes(&old[before], &new[after]),
            (None, _) => vec![Change::new(Check::Definition, ChangeKind::Added)],
            (_, None) => vec![Change::new(Check::Definition, ChangeKind::Removed)],
        };
        DefinitionChanges { name: name.to_owned(), changes }
    });
    all.filter(|definition| !definition.changes.is_empty()).collect()
}

fn name(crd: &CustomResourceDefinition) -> &str {
    crd.metadata.name.as_deref().unwrap_or_default()
}

/// Returns the changes between two definitions with the same name.
///
/// Each version of the old definition is compared with the version of the same name. If another version becomes the
/// storage version and the definition has no conversion, the old storage version is compared with it too.
pub fn definition_changes(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Vec<Change> {
    let mut changes = Vec::new();
    let text = |check, from: &String, to: &String| {
        (from != to).then(|| Change::new(check, ChangeKind::Changed).between(Some(from.clone()), Some(to.clone())))
    };
    changes.extend(text(Check::Scope, &old.spec.scope, &new.spec.scope));
    changes.extend(text(Check::Kind, &old.spec.names.kind, &new.spec.names.kind));
    changes.extend(names(&old.spec.names, &new.spec.names));
    changes.extend(conversion(old, new));
    changes.extend(stored(old, new));
    let pruning = Pruning::between(old, new);
    let is_stored = |version: &Version| version.storage || stored_versions(old).any(|name| *name == version.name);
    for version in &old.spec.versions {
        let is_unused = !version.served && !is_stored(version);
        match find(new, &version.name) {
            Some(after) => {
                let of_version = versions::changes(version, after, pruning).into_iter();
                changes.extend(of_version.map(|change| Change { is_unused, ..change.of_version(&version.name) }));
            }
            None if version.served => {
                changes.push(Change::new(Check::ServedVersionRemoval, ChangeKind::Removed).of_version(&version.name));
            }
            None => {}
        }
    }
    let added = new.spec.versions.iter().filter(|version| find(old, &version.name).is_none());
    changes.extend(
        added.map(|version| Change::new(Check::ServedVersionRemoval, ChangeKind::Added).of_version(&version.name)),
    );
    changes.extend(between_served(old, new));
    changes
}

fn find<'a>(crd: &'a CustomResourceDefinition, name: &str) -> Option<&'a Version> {
    crd.spec.versions.iter().find(|version| version.name == name)
}

fn names(old: &Names, new: &Names) -> Vec<Change> {
    let mut changes = Vec::new();
    let [before, after] = [old, new].map(read::names);
    let singular = |names: &crdkit_core::definition::Names<'_>| {
        let kind = names.kind.to_lowercase();
        names.singular.as_deref().map_or(kind, str::to_owned)
    };
    let list_kind = |names: &_| crdkit_core::rules::names::list_kind(names).to_string();
    for (role, from, to) in
        [("singular", singular(&before), singular(&after)), ("list kind", list_kind(&before), list_kind(&after))]
    {
        if from != to && old.kind == new.kind {
            changes.push(Change::new(Check::Names, ChangeKind::Changed).at(role).between(Some(from), Some(to)));
        }
    }
    for (role, old, new) in
        [("short name", &old.short_names, &new.short_names), ("category", &old.categories, &new.categories)]
    {
        changes.extend(elements(Check::Names, old.iter().flatten(), new.iter().flatten()).map(|it| it.at(role)));
    }
    changes
}

/// Returns the elements that only one of two lists has.
pub(super) fn elements<'a>(
    check: Check,
    old: impl IntoIterator<Item = &'a String>,
    new: impl IntoIterator<Item = &'a String>,
) -> impl Iterator<Item = Change> {
    let (old, new): (Vec<_>, Vec<_>) = (old.into_iter().collect(), new.into_iter().collect());
    let removed = old
        .iter()
        .filter(|name| !new.contains(name))
        .map(|name| Change::new(check, ChangeKind::Removed).between(Some((*name).clone()), None));
    let added = new
        .iter()
        .filter(|name| !old.contains(name))
        .map(|name| Change::new(check, ChangeKind::Added).between(None, Some((*name).clone())));
    removed.chain(added).collect::<Vec<_>>().into_iter()
}

/// Whether objects are converted between versions.
pub(crate) fn has_conversion(crd: &CustomResourceDefinition) -> bool {
    crd.spec.conversion.as_ref().is_some_and(|conversion| conversion.strategy != "None")
}

fn conversion(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Option<Change> {
    let text = |of: Option<&Conversion>| of.map_or("None", |conversion| &conversion.strategy).to_owned();
    let (from, to) = (text(old.spec.conversion.as_ref()), text(new.spec.conversion.as_ref()));
    let kind = match (has_conversion(old), has_conversion(new)) {
        (false, true) => ChangeKind::Added,
        (true, false) => ChangeKind::Removed,
        _ => return None,
    };
    Some(Change::new(Check::Conversion, kind).between(Some(from), Some(to)))
}

/// Returns the changes of the versions in which objects are stored.
fn stored(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Vec<Change> {
    let mut changes = Vec::new();
    let recorded: Vec<_> = stored_versions(old).map(String::as_str).collect();
    let storage = storage_version(old).map(|version| version.name.as_str());
    let removed: Vec<_> = if recorded.is_empty() { storage.into_iter().collect() } else { recorded };
    for version in removed.into_iter().filter(|version| find(new, version).is_none()) {
        changes.push(Change::new(Check::StoredVersionRemoval, ChangeKind::Removed).of_version(version));
    }
    if let (Some(from), Some(to)) = (storage, storage_version(new).map(|version| version.name.as_str()))
        && from != to
    {
        let names = (Some(from.to_owned()), Some(to.to_owned()));
        changes.push(Change::new(Check::StorageVersion, ChangeKind::Changed).between(names.0, names.1));
    }
    changes
}

/// Returns the pairs of versions whose schemas differ although objects of one are read as the other, without a
/// conversion, where they did not differ in this way before.
fn between_served(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Vec<Change> {
    if has_conversion(new) {
        return Vec::new();
    }
    let known = conflicts(old);
    let found = conflicts(new).into_iter().filter(|conflict| !known.contains(conflict));
    let changes = found.map(|(from, to, conflict)| {
        let change = Change::new(Check::ServedVersions, ChangeKind::Changed).at(conflict.path.clone());
        change.of_version(&to).between(Some(from), Some(conflict.summary()))
    });
    changes.collect()
}

/// Returns what each version accepts or keeps that another one does not, from each older entry of the list to each
/// later one and back.
fn conflicts(crd: &CustomResourceDefinition) -> Vec<(String, String, Change)> {
    let served: Vec<_> = crd.spec.versions.iter().filter(|version| version.served).collect();
    let pruning = Pruning::between(crd, crd);
    let mut found = Vec::new();
    for from in &served {
        for to in served.iter().filter(|to| to.name != from.name) {
            let (Some(old), Some(new)) = (schema(from), schema(to)) else { continue };
            let changes = schemas::conflicts(old, new, pruning).into_iter();
            found.extend(changes.map(|change| (from.name.clone(), to.name.clone(), change)));
        }
    }
    found
}

impl Pruning {
    pub(crate) fn between(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Self {
        let keeps_all = |crd: &CustomResourceDefinition| crd.spec.preserve_unknown_fields == Some(true);
        Self { old_keeps_all: keeps_all(old), new_keeps_all: keeps_all(new) }
    }
}
