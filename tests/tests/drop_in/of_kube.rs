//! The types, as kube and schemars derive them.

pub(crate) mod derives {
    pub(crate) use kube::{CustomResource, KubeSchema};
    pub(crate) use schemars::JsonSchema;
}

#[allow(dead_code)]
#[path = "types.rs"]
pub(crate) mod types;
