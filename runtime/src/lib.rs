//! crdkit turns a Rust struct into a Kubernetes custom resource.

// Generated code names this crate `::crdkit`, in here too.
extern crate self as crdkit;

pub mod definition;
pub mod emit;
pub mod merge;
pub mod render;
pub mod schema;

pub use definition::CustomResource;
pub use schema::KubeSchema;
