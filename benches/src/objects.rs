//! The kinds of objects that are listed and watched.

mod machines;
pub mod old;
mod policy;
mod text;

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

pub use machines::{fast::VirtualMachine as FastVirtualMachine, plain::VirtualMachine};
pub use policy::{problems, set_defaults};
pub use text::{APPS, NAMESPACES, Shape, app, name_of, namespace, namespace_of};

/// An object so small that a million of them can be kept anywhere.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "vm.test", version = "v1", kind = "Volume", namespaced, status = "VolumeStatus")]
pub struct VolumeSpec {
    gigabytes: i32,
    class: String,
}

/// What is known of a volume.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub struct VolumeStatus {
    ready: bool,
}
