//! Selectors that are checked before a request is sent.

//! [`selector!`](crate::selector) creates a [`FieldSelector`], whose fields are checked at compile time. [`Labels`] are
//! checked when they are built.

#[allow(clippy::result_large_err)] // const evaluation has no allocator
pub(crate) mod check;
pub(crate) mod declared;
pub(crate) mod fields;
mod kubernetes;
mod labels;
pub(crate) mod value;

pub use declared::{FieldKind, Selectable, SelectableField, SelectableFields};
pub use fields::{FieldSelector, Selects};
pub use labels::{InvalidLabel, Labels};
pub use value::FieldValueError;

/// Creates a [`FieldSelector`] for a kind: `selector!(Kind, field == value && field != value)`.
///
/// A field is a path of JSON names; names that are not Rust identifiers are written in quotes. The API server must
/// support the field in selectors: `metadata.name`, `metadata.namespace`, the fields that the custom resource
/// [declares](crate::attributes::resource#selectable-fields), and for Kubernetes' own types the built-in ones. A value is a
/// string, an integer or a boolean, or an enum that is a string in JSON. All this is checked at compile time, except
/// for types whose JSON form only their `Serialize` implementation defines: these are checked before the request is
/// sent.
///
/// ```
/// use crdkit::{CustomResource, KubeSchema, selector};
/// use k8s_openapi::api::core::v1::Pod;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "VirtualMachine", namespaced, status = "Status")]
/// struct VirtualMachineSpec {
///     #[crd(selectable)]
///     image: String,
/// }
///
/// #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// struct Status {
///     #[crd(selectable)]
///     phase: Phase,
/// }
///
/// #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// enum Phase {
///     Starting,
///     Running,
/// }
///
/// let image = "ubuntu,24.04".to_owned();
/// let running = selector!(VirtualMachine, status.phase == Phase::Running && spec.image != image);
/// assert_eq!(running.to_string(), r"status.phase=Running,spec.image!=ubuntu\,24.04");
///
/// let on_host = selector!(Pod, spec.hostNetwork == true && metadata.namespace != "kube-system");
/// assert_eq!(on_host.to_string(), "spec.hostNetwork=true,metadata.namespace!=kube-system");
/// ```
///
/// Pass it to `matching` of [`list`](crate::client::Resources::list), [`watch`](crate::client::Resources::watch) or
/// [`delete_collection`](crate::client::Resources::delete_collection). It is accepted only for objects of its kind:
///
/// ```no_run
/// # use crdkit::selector;
/// # use k8s_openapi::api::core::v1::Pod;
/// # async fn example(client: crdkit::Client) -> Result<(), crdkit::client::Error> {
/// let pods = client.resources::<Pod>().all_namespaces();
/// let running = pods.list().matching(selector!(Pod, status.phase == "Running")).await?;
/// # Ok(())
/// # }
/// ```
///
/// A field that is not selectable is an error at its position:
///
/// ```compile_fail,E0080
/// # use k8s_openapi::api::core::v1::Pod;
/// crdkit::selector!(Pod, spec.nodename == "n1"); // did you mean `spec.nodeName`?
/// ```
#[macro_export]
macro_rules! selector {
    ($($tokens:tt)*) => {
        $crate::__private::selector::selector! { $crate $($tokens)* }
    };
}
