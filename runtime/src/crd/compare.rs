//! Changes between two versions of a definition, judged as by an API reviewer.
//!
//! [`definition_changes`] compares two definitions, [`set_changes`] two sets of them, and [`schema_changes`] two schemas.
//! Each [`Change`] has a [severity](Change::severity), [whom it affects](Change::affects) and
//! [why](Change::reason). [`Check`] lists what is compared.
//!
//! ```
//! use crdkit::compare::{Audience, ChangeSeverity, schema_changes};
//! use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
//! use serde_json::json;
//!
//! let schema = |properties| -> Result<JSONSchemaProps, serde_json::Error> {
//!     serde_json::from_value(json!({ "type": "object", "properties": { "spec": {
//!         "type": "object", "properties": properties,
//!     } } }))
//! };
//! let old = schema(json!({ "note": { "type": "string" }, "size": { "type": "integer", "maximum": 8 } }))?;
//! let new = schema(json!({ "image": { "type": "string" }, "size": { "type": "integer", "maximum": 9 } }))?;
//!
//! let changes = schema_changes(&old, &new);
//! let summaries: Vec<_> = changes.iter().map(|change| (change.severity(), change.summary())).collect();
//! assert_eq!(summaries, [
//!     (ChangeSeverity::Compatible, "`.spec.image` is added".to_owned()),
//!     (ChangeSeverity::Breaking, "`.spec.note` is removed".to_owned()),
//!     (ChangeSeverity::Compatible, "`maximum` of `.spec.size` changes from 8 to 9".to_owned()),
//! ]);
//! assert!(changes[1].affects().contains(&Audience::StoredObjects));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! Patterns and the schemas in `allOf`, `anyOf`, `oneOf` and `not` are not analyzed: if they differ, this counts as less
//! being accepted, except in simple cases that obviously accept more. CEL rules are compared by their expression.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

mod branches;
mod change;
mod check;
mod definitions;
mod judgement;
mod keywords;
mod normalized;
mod objects;
mod parts;
mod schemas;
mod versions;
mod walk;

pub use change::{Change, ChangeKind};
pub use check::Check;
#[cfg(feature = "client")]
pub(crate) use definitions::has_conversion;
pub use definitions::{DefinitionChanges, definition_changes, set_changes};
pub use judgement::{Audience, ChangeSeverity};
pub(crate) use walk::Pruning;
#[cfg(any(feature = "client", test))]
pub(crate) use walk::{Difference, differences};

/// Returns the changes between two schemas, sorted by path.
pub fn schema_changes(old: &JSONSchemaProps, new: &JSONSchemaProps) -> Vec<Change> {
    schemas::changes(old, new, Pruning::default())
}

/// Returns what the new schema does not accept or keep of objects that the old one accepts, sorted by path.
pub(crate) fn schema_conflicts(old: &JSONSchemaProps, new: &JSONSchemaProps) -> Vec<Change> {
    schemas::conflicts(old, new, Pruning::default())
}

/// Whether a path is the expected one, or starts with it if it ends with `*`.
pub(crate) fn is_at(expected: &str, path: &str) -> bool {
    expected == path || expected.strip_suffix('*').is_some_and(|start| path.starts_with(start))
}

#[cfg(test)]
mod tests;
