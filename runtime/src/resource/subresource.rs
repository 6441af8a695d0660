//! Subresources: the status and scale of objects.
//!
//! `#[derive(CustomResource)]` implements these traits if the attributes `status` and `scale` declare the subresources.
//! With the feature `client`, Kubernetes' own types implement them too.

/// A kind whose status is written separately from the rest of the object.
///
/// ```
/// # use crdkit::{CustomResource, KubeSchema};
/// # use serde::{Deserialize, Serialize};
/// use crdkit::subresource::StatusSubresource;
///
/// #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// #[crd(group = "example.com", version = "v1", kind = "Foo", status = "FooStatus")]
/// struct FooSpec {}
///
/// #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// struct FooStatus {
///     phase: String,
/// }
///
/// let mut foo = Foo::new("a", FooSpec {});
/// *StatusSubresource::status_mut(&mut foo) = Some(FooStatus { phase: "Ready".into() });
/// assert_eq!(foo.status.unwrap().phase, "Ready");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no status subresource",
    label = "no status is declared on `{Self}`",
    note = "on the spec of a custom resource, `#[crd(status = \"...\")]` declares one"
)]
pub trait StatusSubresource: kube_core::Resource {
    /// The type of the status.
    type Status;

    /// Returns the status, if there is one yet.
    fn status(&self) -> Option<&Self::Status>;

    /// Returns the status for modification.
    fn status_mut(&mut self) -> &mut Option<Self::Status>;
}

/// A kind with a desired number of replicas.
///
/// ```
/// # use crdkit::{CustomResource, KubeSchema};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// # #[crd(group = "example.com", version = "v1", kind = "Foo", status = "FooStatus")]
/// #[crd(scale(spec_replicas_path = ".spec.replicas", status_replicas_path = ".status.replicas"))]
/// struct FooSpec {
///     replicas: i32,
/// }
/// # #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
/// # struct FooStatus {
/// #     replicas: i32,
/// # }
///
/// fn autoscale<K: crdkit::subresource::ScaleSubresource>() {}
/// autoscale::<Foo>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no scale subresource",
    label = "no scale is declared on `{Self}`",
    note = "on the spec of a custom resource, `#[crd(scale)]` declares one, and `#[crd(scale(replicas))]` and \
            `#[crd(scale(status_replicas))]` mark the fields that it reads and writes"
)]
pub trait ScaleSubresource: kube_core::Resource {}
