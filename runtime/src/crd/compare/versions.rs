//! Comparison of two versions.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceColumnDefinition as Column, CustomResourceDefinitionVersion as Version,
    CustomResourceSubresourceScale as Scale,
};
use serde_json::json;

use crate::crd::{
    compare::{Change, ChangeKind, Check, Pruning, definitions::elements, schemas},
    crd_accessors::schema,
};

/// Returns the changes between two versions.
pub(super) fn changes(old: &Version, new: &Version, pruning: Pruning) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.served && !new.served {
        changes.push(Change::new(Check::ServedVersionRemoval, ChangeKind::Removed));
    } else if !old.served && new.served {
        changes.push(Change::new(Check::ServedVersionRemoval, ChangeKind::Added));
    }
    changes.extend(presence(Check::Deprecation, old.deprecated == Some(true), new.deprecated == Some(true)));
    let has_status = |of: &Version| of.subresources.as_ref().is_some_and(|it| it.status.is_some());
    changes.extend(presence(Check::Status, has_status(old), has_status(new)));
    changes.extend(scale(old, new));
    changes.extend(columns(old, new));
    let paths = |of: &Version| -> Vec<String> {
        of.selectable_fields.iter().flatten().map(|field| field.json_path.clone()).collect()
    };
    changes.extend(elements(Check::SelectableFields, &paths(old), &paths(new)));
    if let (Some(old), Some(new)) = (schema(old), schema(new)) {
        changes.extend(schemas::changes(old, new, pruning));
    }
    changes
}

fn presence(check: Check, before: bool, after: bool) -> Option<Change> {
    match (before, after) {
        (false, true) => Some(Change::new(check, ChangeKind::Added)),
        (true, false) => Some(Change::new(check, ChangeKind::Removed)),
        _ => None,
    }
}

fn scale(old: &Version, new: &Version) -> Vec<Change> {
    let scale = |of: &'_ Version| -> Option<Scale> { of.subresources.as_ref()?.scale.clone() };
    let (Some(old), Some(new)) = (scale(old), scale(new)) else {
        return presence(Check::Scale, scale(old).is_some(), scale(new).is_some()).into_iter().collect();
    };
    let paths = [
        ("specReplicasPath", Some(old.spec_replicas_path), Some(new.spec_replicas_path)),
        ("statusReplicasPath", Some(old.status_replicas_path), Some(new.status_replicas_path)),
        ("labelSelectorPath", old.label_selector_path, new.label_selector_path),
    ];
    let changed = paths.into_iter().filter(|(_, from, to)| from != to);
    let changes =
        changed.map(|(name, from, to)| Change::new(Check::Scale, ChangeKind::Changed).at(name).between(from, to));
    changes.collect()
}

fn columns(old: &Version, new: &Version) -> Vec<Change> {
    let all = |of: &Version| of.additional_printer_columns.clone().unwrap_or_default();
    let (old, new) = (all(old), all(new));
    let names = |of: &[Column]| -> Vec<String> { of.iter().map(|column| column.name.clone()).collect() };
    let mut changes: Vec<_> = elements(Check::Columns, &names(&old), &names(&new)).collect();
    for (at, column) in old.iter().enumerate() {
        // Columns may share a name.
        let has_name = |other: &&Column| other.name == column.name;
        let nth = old[..at].iter().filter(has_name).count();
        let Some(other) = new.iter().filter(has_name).nth(nth) else { continue };
        let [from, to] = [column, other].map(|column| {
            let mut column = json!(column);
            if let Some(fields) = column.as_object_mut() {
                fields.retain(|name, _| name != "description" && name != "name");
            }
            column.to_string()
        });
        if from != to {
            let change = Change::new(Check::Columns, ChangeKind::Changed).at(column.name.clone());
            changes.push(change.between(Some(from), Some(to)));
        }
    }
    changes
}
