//! Fields that objects lose between versions without a conversion.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;

use super::Warning;
use super::versions::{Version, VersionList};
use crate::{
    compare::{self, ChangeKind, Check},
    props,
};

/// Compares each served version with the storage version, which every object passes through.
pub(super) fn warnings(versions: &VersionList) -> Vec<Warning> {
    let Some(storage) = versions.storage() else {
        return Vec::new();
    };
    let others = versions.served_not_stored();
    others.filter_map(|other| warning(storage, other)).collect()
}

fn warning(storage: &Version, other: &Version) -> Option<Warning> {
    let (stored, written) = (props::schema(&storage.spec)?, props::schema(&other.spec)?);
    let only_storage = only_first(stored, written);
    let only_other = only_first(written, stored);
    let differ = !only_storage.is_empty() || !only_other.is_empty();
    differ.then(|| Warning::FieldLoss {
        storage: storage.type_name.clone(),
        other: other.type_name.clone(),
        only_storage,
        only_other,
    })
}

/// Returns the paths that the first schema keeps and the second one prunes.
fn only_first(first: &Props, second: &Props) -> Vec<String> {
    let changes = compare::schema_changes(first, second).into_iter();
    let pruned = changes.filter(|change| match change.check {
        Check::ExistingFieldRemoval => true,
        Check::Type => {
            change.kind != ChangeKind::Loosened && matches!(change.from.as_deref(), Some("object" | "array"))
        }
        _ => false,
    });
    pruned.map(|change| change.path).collect()
}
