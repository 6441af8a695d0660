//! Pages of the documentation.

pub mod attributes;
pub mod guide;
#[doc(alias("marker", "controller-gen"))]
pub mod kubebuilder;
pub mod migration;
pub mod size;
