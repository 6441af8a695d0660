//! Random schemas, values of them, and rules in CEL that mostly compile.
//!
//! The expressions are made of the table of functions: each has an overload as its target, so that all of them are reached. What
//! an expression evaluates to is mostly shown by the error of a missing key, whose text has the value.

mod expression;
mod functions;
mod macros;
mod node;
mod ruled;
mod texts;
mod types;
mod values;
mod writer;

pub use expression::Expression;
pub use functions::{Function, targets};
pub use node::{Field, Kind, ListKind, Node, Scope, random_root};
pub use ruled::ruled_schema;
pub use texts::Flavor;
pub use types::Type;
pub use values::with_changes;
pub use writer::{Target, Writer};
