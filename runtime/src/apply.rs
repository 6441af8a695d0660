//! Partial objects for server-side apply: only the fields that a program sets.
//!
//! `#[derive(Apply)]` on a spec generates a type for the part of its resource that a program applies. All of its fields
//! are optional, and only fields that are set are sent.
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
//! [`derive(Apply)`](derive@crate::Apply) describes the generated types. The fields that a manager owns can be
//! extracted in the same form:
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

pub(crate) mod extract;
pub(crate) mod fields;
pub(crate) mod full_json;
mod owned;
#[cfg(test)]
mod tests;
mod topology;
pub(crate) mod traits;
pub(crate) mod value;

pub use extract::ExtractError;
pub use traits::Unchecked;
pub use value::ApplyValue;
