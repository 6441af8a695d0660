//! Two custom resources, complete: what a user of crdkit writes.
//!
//! They are a crate of their own, so that a build script or a binary that writes their
//! CustomResourceDefinitions can depend on them.

pub mod at;
pub mod virtual_machine;
