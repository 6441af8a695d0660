//! What changes from one definition to the next that objects or clients of the old one may not survive.
//!
//! [`schema_changes`] compares two schemas, and [`definition_changes`] two definitions with all that they serve. Only what
//! accepts or keeps less is a change: descriptions, relaxed bounds, new optional fields, other defaults and another order
//! are none.
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

/// A change of a schema by which it accepts or keeps less than before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaChange {
    /// The place, such as `.spec.note`, `.spec.disks[*].size` for all items of a list, or `.spec.labels.*` for all fields
    /// that have no name in the schema.
    pub path: String,
    /// What changes there.
    pub kind: ChangeKind,
}

/// What changes at a place of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChangeKind {
    /// What was kept there is dropped.
    Removed,
    /// The field is required and has no default; before, it could be left out.
    Required,
    /// Not all of the types that the value could have are accepted.
    Type {
        /// The old type, such as `integer`, `int-or-string` or `any`.
        from: String,
        /// The new type.
        to: String,
    },
    /// Another keyword accepts less.
    Narrowed {
        /// The keyword, such as `maximum`.
        keyword: &'static str,
        /// What it was; `none` if it was not there.
        from: String,
        /// What it is.
        to: String,
    },
}

/// The changes by which the schema of an object accepts or keeps less than before.
///
/// Whether a value passes both of two patterns, or of two `oneOf`, is not computed: another pattern is a change, and so
/// are other schemas in `allOf`, `anyOf`, `oneOf` and `not`, unless it is plain that they accept more. Rules of CEL are
/// not compared.
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
