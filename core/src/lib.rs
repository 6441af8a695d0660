//! The rules of the Kubernetes API server about CustomResourceDefinitions.
//!
//! Each rule is one function in [`rules`], whoever calls it: the derives about literals, generated constants about types,
//! `crdkit::validate` about a finished definition. What a rule looks at is the smallest part that decides it:
//!
//! | part | of | read from |
//! |---|---|---|
//! | a text, such as a name, a path or a pattern | [`literal`] | a literal, or a finished definition |
//! | [`Facts`](facts::Facts): one value, with all that its type and its field say of it | [`rules::topology`] and others | a constant schema, or a finished one |
//! | [`SchemaProps`](schema::SchemaProps): a finished schema | [`rules::structural`] and others | a finished definition |
//!
//! A rule that is broken gives a [`Violation`]: crdkit's sentence, and what the server answers.
#![no_std]
#![allow(clippy::result_large_err)] // const evaluation has no allocator, and a rule is broken seldom

extern crate alloc;

pub mod admission;
pub mod cel;
pub mod facts;
pub mod join;
pub mod json;
pub mod literal;
pub mod message;
pub mod path;
pub mod rules;
pub mod schema;
pub mod suggest;
pub mod text;
mod violation;
mod walk;

pub mod definition;

pub use message::{Message, require};
pub use violation::{Arg, ErrorType, Rule, ServerError, Severity, Stage, Text, Violation};
pub use walk::{Node, walk};
