//! Checks across types, in const evaluation.
//!
//! Generated code calls them with the span of the offending token.

#![allow(clippy::result_large_err)] // const evaluation has no allocator

pub mod apply;
pub mod cel;
pub mod field;
pub mod field_markers;
pub mod flatten;
pub mod keyword;
pub mod kubernetes_type;
mod merged_keywords;
pub mod path;
pub mod relations;
pub mod root;
mod shared_schema;
pub(crate) mod suggest;
pub mod topology;
pub mod variants;

use crdkit_core::Violation;
pub use crdkit_core::{Message, require};

pub use crate::schema::walk::{ERRONEOUS, PathStep};
use crate::schema::{ForeignSchema, Schema};

/// Returns the result of a rule, with its message.
const fn of_rule(result: Result<(), Violation<'_>>) -> Result<(), Message> {
    match result {
        Ok(()) => Ok(()),
        Err(violation) => Err(violation.message.message()),
    }
}

/// Returns the schema of a unit struct. Such a type can be flattened or a type argument that is never serialized; as
/// the type of a field it is an error.
pub const fn unit_struct() -> Schema {
    Schema::nonstructural(ForeignSchema::of::<()>())
}
