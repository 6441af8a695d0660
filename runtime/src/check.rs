//! Rules that range over several types, checked in const evaluation.
//!
//! Generated code calls these on the span of the token that they are about.

#![allow(clippy::result_large_err)] // const evaluation has no allocator, and pays for it alone

pub mod apply;
pub mod embed;
mod facts;
pub mod field;
pub mod flatten;
mod join;
pub mod keyword;
pub mod markers;
pub mod path;
pub mod relations;
pub mod root;
mod suggest;
pub mod topology;
pub mod variants;

pub use crdkit_core::{Message, require};

pub use crate::schema::walk::{ERRONEOUS, Step};
use crate::schema::{ForeignSchema, Schema};

/// The schema of a unit struct. Such a type can be an argument that is never written, or flattened; what asks for the form of
/// a field is an error.
pub const fn unit_struct() -> Schema {
    Schema::nonstructural(ForeignSchema::of::<()>())
}
