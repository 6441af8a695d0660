//! Rules that range over several types, checked in const evaluation.
//!
//! Generated code calls these on the span of the token that they are about.

#![allow(clippy::result_large_err)] // const evaluation has no allocator, and pays for it alone

pub mod alternatives;
pub mod apply;
pub mod embed;
pub mod field;
pub mod flatten;
#[cfg(feature = "client")]
pub mod group;
pub mod keys;
pub mod keyword;
pub mod markers;
mod message;
pub(crate) mod nearest;
pub mod path;
pub mod relations;
mod rules;
#[cfg(feature = "client")]
pub mod selector;
pub(crate) mod text;
pub mod topology;
#[cfg(test)]
mod verdicts;
pub(crate) mod walk;

pub use message::Message;

use crate::schema::Schema;

/// The schema of what a derive could not read: it has reported an error, from which no other one shall follow.
pub const MISTAKEN: Schema = Schema::any().named("a type with mistakes");

/// The schema of a unit struct. Such a type can be an argument that is never written; where it is, this does not compile.
#[track_caller]
pub const fn unit_struct() -> Schema {
    panic!(
        "a unit struct is `null` in JSON, which has no structural schema: write `struct Name {{}}` for an object without fields"
    )
}

/// Fails to compile with a message, on the span of the call.
#[track_caller]
pub const fn require(result: Result<(), Message>) {
    if let Err(message) = result {
        panic!("{}", message.as_str())
    }
}

/// A step of a path.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// To a field of an object, or an entry of a map.
    Field(&'static str),
    /// To the items of a list.
    Items,
    /// To a place that a schema cannot tell: the rest of the path is not followed.
    Unknown,
}
