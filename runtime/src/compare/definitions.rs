//! Comparison of definitions.

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion,
};

use super::{Pruning, SchemaChange, differences};
use crate::props::schema;

/// A breaking change of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DefinitionChange {
    /// The scope differs.
    Scope {
        /// The old scope.
        from: String,
        /// The new scope.
        to: String,
    },
    /// The kind differs.
    Kind {
        /// The old kind.
        from: String,
        /// The new kind.
        to: String,
    },
    /// A version is removed or no longer served.
    Version {
        /// The version.
        version: String,
    },
    /// The schema of a version accepts or keeps less.
    Schema {
        /// The version.
        version: String,
        /// The change.
        change: SchemaChange,
    },
}

/// Returns the breaking changes between two definitions with the same name.
///
/// Each served version of the old definition is compared with the version of the same name.
pub fn definition_changes(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Vec<DefinitionChange> {
    let mut changes = Vec::new();
    if old.spec.scope != new.spec.scope {
        changes.push(DefinitionChange::Scope { from: old.spec.scope.clone(), to: new.spec.scope.clone() });
    }
    if old.spec.names.kind != new.spec.names.kind {
        changes.push(DefinitionChange::Kind { from: old.spec.names.kind.clone(), to: new.spec.names.kind.clone() });
    }
    let pruning = Pruning::between(old, new);
    for version in served(old) {
        match served(new).find(|new| new.name == version.name) {
            Some(new) => changes.extend(of_version(version, new, pruning)),
            None => changes.push(DefinitionChange::Version { version: version.name.clone() }),
        }
    }
    changes
}

fn served(crd: &CustomResourceDefinition) -> impl Iterator<Item = &CustomResourceDefinitionVersion> {
    crd.spec.versions.iter().filter(|version| version.served)
}

fn of_version(
    old: &CustomResourceDefinitionVersion,
    new: &CustomResourceDefinitionVersion,
    pruning: Pruning,
) -> Vec<DefinitionChange> {
    let (Some(schema), Some(other)) = (schema(old), schema(new)) else {
        return Vec::new();
    };
    let differences = differences(schema, other, pruning).into_iter();
    let changes =
        differences.map(|difference| DefinitionChange::Schema { version: old.name.clone(), change: difference.change });
    changes.collect()
}

impl Pruning {
    pub(crate) fn between(old: &CustomResourceDefinition, new: &CustomResourceDefinition) -> Self {
        let keeps_all = |crd: &CustomResourceDefinition| crd.spec.preserve_unknown_fields == Some(true);
        Self { old_keeps_all: keeps_all(old), new_keeps_all: keeps_all(new) }
    }
}

impl fmt::Display for DefinitionChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scope { from, to } => write!(f, "the scope changes from {from} to {to}"),
            Self::Kind { from, to } => write!(f, "the kind changes from {from} to {to}"),
            Self::Version { version } => write!(f, "version `{version}` is no longer served"),
            Self::Schema { version, change } => write!(f, "version `{version}`: {change}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn crd(scope: &str, kind: &str, versions: &[(&str, bool, &str)]) -> CustomResourceDefinition {
        let versions = versions.iter().map(|(name, served, type_)| {
            let spec = json!({ "type": "object", "properties": { "size": { "type": type_ } } });
            let schema = json!({ "type": "object", "properties": { "spec": spec } });
            json!({
                "name": name, "served": served, "storage": false, "schema": { "openAPIV3Schema": schema },
            })
        });
        serde_json::from_value(json!({ "spec": {
            "group": "example.com", "scope": scope, "names": { "plural": "vms", "kind": kind },
            "versions": versions.collect::<Vec<_>>(),
        } }))
        .unwrap()
    }

    #[test]
    fn changes_of_definitions() {
        let old = crd(
            "Cluster",
            "Vm",
            &[("v1", true, "integer"), ("v2", true, "integer"), ("v3", true, "integer"), ("v4", false, "integer")],
        );
        let new = crd("Namespaced", "VM", &[("v1", true, "string"), ("v2", false, "integer"), ("v5", true, "string")]);
        let changes = definition_changes(&old, &new).into_iter();
        let changes: Vec<_> = changes.map(|change| change.to_string()).collect();
        assert_eq!(
            changes,
            [
                "the scope changes from Cluster to Namespaced",
                "the kind changes from Vm to VM",
                "version `v1`: the type of `.spec.size` changes from integer to string",
                "version `v2` is no longer served",
                "version `v3` is no longer served",
            ]
        );
        assert_eq!(definition_changes(&old, &old), []);
    }
}
