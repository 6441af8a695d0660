//! The errors of an apply that conflicts with other managers.

use std::collections::BTreeMap;

use crdkit_core::go;

use super::{
    ApplyError, ConflictCause,
    entries::{Entry, Operation},
    field_set::FieldSet,
};

/// A field that another manager owns.
struct Conflict {
    manager: String,
    path: String,
}

/// Returns the error for fields that other managers own.
pub(super) fn apply_error(conflicts: &[(Entry<'_>, FieldSet<'_>)]) -> ApplyError {
    let mut by_identity = BTreeMap::new();
    for (entry, fields) in conflicts {
        by_identity.insert(entry.identity(), (display(entry), fields));
    }
    let mut all = Vec::new();
    for (manager, fields) in by_identity.values() {
        fields.for_each_path("", &mut |path| all.push(Conflict { manager: manager.clone(), path }));
    }
    let causes = all.iter().map(|conflict| ConflictCause {
        message: format!("conflict with {}", conflict.manager),
        field: conflict.path.clone(),
    });
    ApplyError::Conflict { message: message(&all), causes: causes.collect() }
}

fn message(conflicts: &[Conflict]) -> String {
    if let [Conflict { manager, path }] = conflicts {
        return format!("Apply failed with 1 conflict: conflict with {manager}: {path}");
    }
    let mut lines = Vec::new();
    let mut last = None;
    for conflict in conflicts {
        if last != Some(&conflict.manager) {
            lines.push(format!("conflicts with {}:", conflict.manager));
            last = Some(&conflict.manager);
        }
        lines.push(format!("- {}", conflict.path));
    }
    format!("Apply failed with {} conflicts: {}", conflicts.len(), lines.join("\n"))
}

/// Formats a manager as errors name it.
fn display(entry: &Entry<'_>) -> String {
    let mut text = go::quote(&entry.manager);
    if !entry.subresource.is_empty() {
        text += &format!(" with subresource {}", go::quote(&entry.subresource));
    }
    if entry.operation == Operation::Update {
        text += &format!(" using {}", entry.api_version);
    }
    text
}
