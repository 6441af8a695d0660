//! What objects lose between versions without a conversion, and what one version does not accept of the other.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;

use crate::crd::{
    compare::{self, Change, ChangeKind, Check},
    crd_accessors,
    merge::{
        Warning,
        versions::{Version, VersionList},
    },
};

/// Compares each served version with the storage version, which every object passes through. Nothing is reported at the allowed paths.
pub(super) fn warnings(versions: &VersionList, allowed: &[String]) -> Vec<Warning> {
    let Some(storage) = versions.storage() else {
        return Vec::new();
    };
    let others = versions.served_not_stored();
    let warnings = others
        .flat_map(|other| field_loss(storage, other, allowed).into_iter().chain(mismatch(storage, other, allowed)));
    warnings.collect()
}

fn mismatch(storage: &Version, other: &Version, allowed: &[String]) -> Option<Warning> {
    let (stored, written) = (crd_accessors::schema(&storage.spec)?, crd_accessors::schema(&other.spec)?);
    let conflicts = |first, second| {
        let conflicts = unallowed(compare::schema_conflicts(first, second), allowed);
        let accepted = conflicts.filter(|change| change.check != Check::ExistingFieldRemoval);
        accepted.map(|change| change.summary()).collect::<Vec<_>>()
    };
    let (to_other, to_storage) = (conflicts(stored, written), conflicts(written, stored));
    let differ = !to_other.is_empty() || !to_storage.is_empty();
    differ.then(|| Warning::Mismatch {
        storage: storage.type_name.clone(),
        other: other.type_name.clone(),
        to_other,
        to_storage,
    })
}

fn unallowed(changes: Vec<Change>, allowed: &[String]) -> impl Iterator<Item = Change> {
    changes.into_iter().filter(|change| !allowed.iter().any(|path| compare::is_at(path, &change.path)))
}

fn field_loss(storage: &Version, other: &Version, allowed: &[String]) -> Option<Warning> {
    let (stored, written) = (crd_accessors::schema(&storage.spec)?, crd_accessors::schema(&other.spec)?);
    let only_storage = only_first(stored, written, allowed);
    let only_other = only_first(written, stored, allowed);
    let differ = !only_storage.is_empty() || !only_other.is_empty();
    differ.then(|| Warning::FieldLoss {
        storage: storage.type_name.clone(),
        other: other.type_name.clone(),
        only_storage,
        only_other,
    })
}

/// Returns the paths that the first schema keeps and the second one prunes.
fn only_first(first: &Props, second: &Props, allowed: &[String]) -> Vec<String> {
    let changes = unallowed(compare::schema_changes(first, second), allowed);
    let pruned = changes.filter(|change| match change.check {
        Check::ExistingFieldRemoval => true,
        Check::Type => {
            change.kind != ChangeKind::Loosened && matches!(change.from.as_deref(), Some("object" | "array"))
        }
        _ => false,
    });
    pruned.map(|change| change.path).collect()
}
