//! Parts of objects, for server-side apply: what is to be set, and nothing else.
//!
//! `#[derive(Apply)]` on a spec makes a type for the part of its resource that a program applies. Every field is
//! optional there, and only what is set is sent.
//!
//! ```
//! use crdkit::{Apply, CustomResource, KubeSchema};
//! use serde::{Deserialize, Serialize};
//! use serde_json::json;
//!
//! #[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
//! #[crd(group = "example.com", version = "v1", kind = "VirtualMachine", namespaced)]
//! struct VirtualMachineSpec {
//!     cpu: String,
//!     #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
//!     disks: Vec<Disk>,
//!     replicas: Option<u32>,
//! }
//!
//! #[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
//! struct Disk {
//!     #[apply(key)]
//!     name: String,
//!     size: String,
//!     #[serde(default)]
//!     boot: bool,
//! }
//!
//! let vm = VirtualMachineApply::new()
//!     .labels([("app", "web")])
//!     .cpu("2")
//!     .disks([DiskApply::new("root").size("10Gi")]);
//! assert_eq!(
//!     serde_json::to_value(&vm)?,
//!     json!({
//!         "metadata": { "labels": { "app": "web" } },
//!         "spec": { "cpu": "2", "disks": [{ "name": "root", "size": "10Gi" }] },
//!     }),
//! );
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! [`derive(Apply)`](derive@crate::Apply) describes the types that it makes. What a manager owns of an object comes back
//! in the same form:
//!
//! ```
//! # use crdkit::{Apply, CustomResource, KubeSchema};
//! # use serde::{Deserialize, Serialize};
//! # use serde_json::json;
//! # #[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
//! # #[crd(group = "example.com", version = "v1", kind = "VirtualMachine", namespaced)]
//! # struct VirtualMachineSpec {
//! #     cpu: String,
//! #     replicas: Option<u32>,
//! # }
//! # let managed = json!([{
//! #     "manager": "scaler", "operation": "Apply", "apiVersion": "example.com/v1",
//! #     "fieldsType": "FieldsV1", "fieldsV1": { "f:spec": { "f:replicas": {} } },
//! # }]);
//! # let vm: VirtualMachine = serde_json::from_value(json!({
//! #     "apiVersion": "example.com/v1", "kind": "VirtualMachine",
//! #     "metadata": { "name": "web", "managedFields": managed },
//! #     "spec": { "cpu": "2", "replicas": 3 },
//! # }))?;
//! let mine = VirtualMachineApply::extract(&vm, "scaler")?;
//! assert_eq!(mine, VirtualMachineApply::new().replicas(3));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use serde::Serialize;
use serde_json::Value;

pub(crate) mod extract;
pub(crate) mod fields;
pub(crate) mod full_json;
mod owned;
#[cfg(test)]
mod tests;
mod topology;
pub(crate) mod value;

pub use extract::ExtractError;
pub use value::ApplyValue;

/// A part of an object of `K` that can be applied: it is written with what is to be set and nothing else.
///
/// [`derive(Apply)`](derive@crate::Apply) makes types that are one. Kubernetes' own types, such as `ConfigMap` and
/// `Deployment`, are parts of themselves: with the feature `client` they can be applied as they are, since they are written
/// with what is set and nothing else. An object of a derived `K` itself is none: it is written with all its fields, and
/// applying it would claim those that are empty or have their defaults. `serde_json::Value` is one, as is any other type
/// within [`Unchecked`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a part of a `{K}` that can be applied",
    label = "no part of a `{K}` with nothing but what is set",
    note = "`#[derive(Apply)]` on the spec of a `{K}` makes a type that is one, which writes only what is set; a \
            `serde_json::Value` such as `json!({{ \"spec\": ... }})` is another, as is a value of any type whose \
            `Serialize` leaves out what is not set, within `Unchecked(...)`"
)]
pub trait Apply<K>: Serialize {}

impl<K> Apply<K> for Value {}
impl<K, T: Apply<K> + ?Sized> Apply<K> for &T {}

/// A value that is applied as it is written: its `Serialize` must leave out what is not set.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(transparent)]
pub struct Unchecked<T>(pub T);

impl<K, T: Serialize> Apply<K> for Unchecked<T> {}
