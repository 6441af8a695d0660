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

use crate::schema::Schema;
pub use crate::schema::walk::{MISTAKEN, Step};

/// The schema of a unit struct. Such a type can be an argument that is never written; where it is, this does not compile.
#[track_caller]
pub const fn unit_struct() -> Schema {
    panic!(
        "a unit struct is `null` in JSON, which has no structural schema: write `struct Name {{}}` for an object without fields"
    )
}
