//! The types, as crdkit derives them.

pub(crate) mod derives {
    pub(crate) use crdkit::{CustomResource, JsonSchema, KubeSchema};
}

#[path = "types.rs"]
pub(crate) mod types;
