//! What is written for kube-derive means the same with crdkit, after the imports are changed.

#![allow(clippy::duplicate_mod)] // the types are derived twice

mod comparison;
mod described;
mod differences;
mod kept;
mod kubernetes;
mod mended;
mod mended_enums;
mod mended_kubernetes;
mod of_crdkit;
mod of_kube;
mod resources;
mod shapes;
mod transforms;
mod verdicts;
#[allow(dead_code, unused_imports)]
#[path = "../zoo/mod.rs"]
mod zoo;
