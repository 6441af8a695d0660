//! Types written for kube-derive have the same meaning with crdkit, after the imports are changed.

#![allow(clippy::duplicate_mod)] // the types are derived twice

mod comparison;
mod crdkit_types;
mod differences;
mod enum_descriptions;
mod enum_differences;
mod kube_types;
mod kubernetes;
mod kubernetes_differences;
mod preserved_schemas;
mod resources;
mod schema_differences;
#[allow(dead_code, unused_imports)]
#[path = "../served_fields/mod.rs"]
mod served_fields;
mod shapes;
mod transforms;
mod verdicts;
