//! The types, as kube and schemars derive them.

pub(crate) mod derives {
    pub(crate) use kube::{CustomResource, KubeSchema, Resource};
    pub(crate) use schemars::JsonSchema;
}

#[path = "enums.rs"]
pub(crate) mod enums;
#[path = "operators.rs"]
pub(crate) mod operators;
#[path = "refused_types.rs"]
pub(crate) mod refused_types;
#[path = "specs.rs"]
pub(crate) mod specs;
#[allow(dead_code)]
#[path = "types.rs"]
pub(crate) mod types;
#[path = "values.rs"]
pub(crate) mod values;
