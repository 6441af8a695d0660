//! The Kubernetes API server's rules for CustomResourceDefinitions.
//!
//! Each rule is one function in [`rules`]. The derives call it with literals, generated constants call it with types, and
//! `crdkit::validate` calls it with a finished definition. A rule takes the smallest input that decides it:
//!
//! | input | defined in or used by | read from |
//! |---|---|---|
//! | a string, such as a name, a path or a pattern | [`literal`] | a literal, or a finished definition |
//! | [`MergedKeywords`](merged_keywords::MergedKeywords): one value, with the keywords of its type and its field merged | [`rules::topology`] and others | a constant schema, or a finished one |
//! | [`SchemaProps`](schema::SchemaProps): a finished schema | [`rules::structural`] and others | a finished definition |
//!
//! A rule that is broken returns a [`Violation`]: crdkit's message and the error that the server returns.
#![no_std]
#![allow(clippy::result_large_err)] // const evaluation has no allocator, and errors are rare

extern crate alloc;

pub mod cel;
pub mod go;
mod id_map;
pub mod json;
pub mod literal;
pub mod merged_keywords;
pub mod message;
pub mod object_processing;
pub mod path;
pub mod rules;
pub mod schema;
pub mod shared_schema;
pub mod suggest;
pub mod text;
mod violation;
mod walk;

pub mod definition;

pub use message::{Message, require};
pub use violation::{Arg, ErrorType, Rule, ServerError, Severity, Stage, Text, Violation};
pub use walk::{Node, walk};
