//! Rules that range over several types, checked in const evaluation.
//!
//! Generated code calls these on the span of the token that they are about.

#![allow(clippy::result_large_err)] // const evaluation has no allocator, and pays for it alone

pub mod alternatives;
pub mod apply;
pub mod embed;
mod facts;
pub mod field;
pub mod flatten;
mod join;
pub mod keyword;
pub mod markers;
mod nearest;
pub mod path;
pub mod relations;
pub mod root;
pub mod topology;

pub use crdkit_core::{Message, require};

pub use crate::schema::walk::{MISTAKEN, Step};
use crate::schema::{ForeignSchema, Schema};

/// The schema of a unit struct. Such a type can be an argument that is never written, or flattened; what asks for the form of
/// a field is an error.
pub const fn unit_struct() -> Schema {
    Schema::formless(ForeignSchema::of::<()>())
}
