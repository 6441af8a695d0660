//! The types, as crdkit derives them.

pub(crate) mod derives {
    pub(crate) use crdkit::{CustomResource, JsonSchema, KubeSchema, Resource};
}

#[path = "enums.rs"]
pub(crate) mod enums;
#[path = "operators.rs"]
pub(crate) mod operators;
#[path = "specs.rs"]
pub(crate) mod specs;
#[path = "types.rs"]
pub(crate) mod types;
#[path = "values.rs"]
pub(crate) mod values;
