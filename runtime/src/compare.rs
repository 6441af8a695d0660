//! Breaking changes between two versions of a definition.
//!
//! [`schema_changes`] compares two schemas, and [`definition_changes`] compares two definitions with all served
//! versions. A change is breaking if the new schema accepts or keeps less than the old one. Changes of descriptions,
//! defaults or order, relaxed bounds and new optional fields are not.
//!
//! ```
//! use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
//! use serde_json::json;
//!
//! let schema = |properties| -> Result<JSONSchemaProps, serde_json::Error> {
//!     serde_json::from_value(json!({ "type": "object", "properties": { "spec": {
//!         "type": "object", "properties": properties,
//!     } } }))
//! };
//! let old = schema(json!({ "size": { "type": "integer" }, "note": { "type": "string" } }))?;
//! let new = schema(json!({ "size": { "type": "string" }, "image": { "type": "string" } }))?;
//!
//! let changes: Vec<_> = crdkit::compare::schema_changes(&old, &new).iter().map(ToString::to_string).collect();
//! assert_eq!(changes, ["`.spec.note` is removed", "the type of `.spec.size` changes from integer to string"]);
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

mod branches;
mod definitions;
mod keywords;
#[cfg(any(feature = "client", test))]
mod objects;
mod parts;
mod walk;

pub use definitions::{DefinitionChange, definition_changes};
#[cfg(any(feature = "client", test))]
pub(crate) use walk::Difference;
pub(crate) use walk::{Pruning, differences};

/// A breaking change of a schema: it accepts or keeps less than before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaChange {
    /// The path, such as `.spec.note`, `.spec.disks[*].size` for all items of a list, or `.spec.labels.*` for all
    /// fields that the schema does not declare.
    pub path: String,
    /// The kind of change.
    pub kind: ChangeKind,
}

/// The kind of a breaking change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The value is no longer kept.
    Removed,
    /// The field was optional, and is now required without a default.
    Required,
    /// Some types of the value are no longer accepted.
    Type {
        /// The old type, such as `integer`, `int-or-string` or `any`.
        from: String,
        /// The new type.
        to: String,
    },
    /// Another keyword is stricter.
    Narrowed {
        /// The keyword, such as `maximum`.
        keyword: &'static str,
        /// The old value; `none` if there was none.
        from: String,
        /// The new value.
        to: String,
    },
}

/// Returns the breaking changes between two schemas.
///
/// Patterns and the schemas in `allOf`, `anyOf`, `oneOf` and `not` are not analyzed: if they differ, this is reported
/// as a breaking change, except in simple cases that obviously accept more. CEL rules are not compared.
pub fn schema_changes(old: &JSONSchemaProps, new: &JSONSchemaProps) -> Vec<SchemaChange> {
    let differences = differences(old, new, Pruning::default()).into_iter();
    differences.map(|difference| difference.change).collect()
}

impl fmt::Display for SchemaChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, kind } = self;
        match kind {
            ChangeKind::Removed => write!(f, "`{path}` is removed"),
            ChangeKind::Required => write!(f, "`{path}` is required, without a default"),
            ChangeKind::Type { from, to } => {
                write!(f, "the type of `{path}` changes from {from} to {to}")
            }
            ChangeKind::Narrowed { keyword, from, to } => {
                write!(f, "`{keyword}` of `{path}` changes from {from} to {to}")
            }
        }
    }
}

#[cfg(test)]
mod tests;
