//! crdkit turns a Rust struct into a Kubernetes custom resource.

// Generated code names this crate `::crdkit`, in here too.
extern crate self as crdkit;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod attributes;
mod cel;
#[doc(hidden)]
pub mod check;
pub mod definition;
pub mod emit;
mod json_schema;
mod mark;
pub mod merge;
mod probe;
pub mod render;
#[doc(hidden)]
pub mod root;
pub mod schema;
mod structural;
pub mod testing;
pub mod validate;

pub use crdkit_macros::{CustomResource, JsonSchema, KubeSchema, Resource};
pub use definition::CustomResource;
pub use kube_core::{CustomResourceExt, Resource};
pub use schema::KubeSchema;
pub use schemars_trait::*;

/// Schemars' trait, without the derive that may stand beside it under the same name: ours takes its place.
mod schemars_trait {
    pub use schemars::JsonSchema;
}
