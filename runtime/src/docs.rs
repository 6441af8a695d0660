//! Pages of the documentation.

pub mod attributes;
#[doc(alias = "trybuild")]
pub mod compile_tests;
pub mod guide;
#[doc(alias("marker", "controller-gen"))]
pub mod kubebuilder;
pub mod migration;
pub mod size;
