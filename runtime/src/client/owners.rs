//! Sets owner references, so that dependents are deleted with their owners.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_core::{ClusterResourceScope, DynamicResourceScope, NamespaceResourceScope, Resource};

use super::error::OwnerError;
use crate::client::sealed::Sealed;

/// The scope of an owner `O` that may own objects of `C`.
#[diagnostic::on_unimplemented(
    message = "`{O}` cannot own a `{C}`",
    note = "a namespaced owner can own only objects in its namespace"
)]
pub trait OwnerScope<O, C>: Sealed {}

impl<O, C> OwnerScope<O, C> for ClusterResourceScope {}
impl<O, C> OwnerScope<O, C> for DynamicResourceScope {}
impl<O, C: Resource> OwnerScope<O, C> for NamespaceResourceScope where C::Scope: OwnedScope<O, C> {}

/// The scope of objects of `C` that a namespaced owner `O` may own.
#[diagnostic::on_unimplemented(
    message = "`{O}` is namespaced and cannot own a `{C}`, which is cluster-scoped",
    label = "a `{O}` cannot own this",
    note = "the garbage collector would treat such an owner as absent and delete the `{C}`",
    note = "a controller can own it by an inventory: `ControllerBuilder::owns_by_inventory`"
)]
pub trait OwnedScope<O, C>: Sealed {}

impl<O, C> OwnedScope<O, C> for NamespaceResourceScope {}
impl<O, C> OwnedScope<O, C> for DynamicResourceScope {}

/// Makes `owner` the controller of `child`: the child is deleted with its owner, and no other object may be its
/// controller.
///
/// Both must be in the same namespace, unless the owner is cluster-scoped.
///
/// ```
/// use crdkit::client::set_controller_reference;
/// use k8s_openapi::api::core::v1::{ConfigMap, Pod};
///
/// let mut owner = ConfigMap::default();
/// owner.metadata.name = Some("web".into());
/// owner.metadata.namespace = Some("default".into());
/// owner.metadata.uid = Some("5f0d".into()); // as the API server gave it
///
/// let mut child = Pod::default();
/// child.metadata.namespace = Some("default".into());
/// set_controller_reference(&mut child, &owner)?;
/// assert_eq!(child.metadata.owner_references.unwrap()[0].name, "web");
/// # Ok::<(), crdkit::client::OwnerError>(())
/// ```
///
/// A namespaced object cannot own a cluster-scoped one:
///
/// ```compile_fail,E0277
/// # use k8s_openapi::api::core::v1::{ConfigMap, Node};
/// crdkit::client::set_controller_reference(&mut Node::default(), &ConfigMap::default());
/// ```
///
/// # Errors
///
/// If the owner has no name or `uid` from the API server yet, the namespaces differ, or another object is the
/// controller of the child.
#[doc(alias("SetControllerReference", "owner reference", "ownerReferences"))]
pub fn set_controller_reference<C, O>(child: &mut C, owner: &O) -> Result<(), OwnerError>
where
    C: Resource,
    O: Resource<DynamicType = ()>,
    O::Scope: OwnerScope<O, C>,
{
    set_controller_reference_dyn(child, owner, &())
}

/// Like [`set_controller_reference`], for an owner of a kind that is specified at run time.
///
/// ```
/// use crdkit::{client::{dynamic::Unstructured, set_controller_reference_dyn}, kube::core::{ApiResource, GroupVersionKind}};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let kind = GroupVersionKind::gvk("infra.example.com", "v1", "VirtualMachine");
/// let mut owner = Unstructured::new("web", &kind).within("default");
/// owner.metadata.uid = Some("5f0d".into()); // as the API server gave it
///
/// let mut child = Pod::default();
/// child.metadata.namespace = Some("default".into());
/// set_controller_reference_dyn(&mut child, &owner, &ApiResource::from_gvk(&kind))?;
/// assert_eq!(child.metadata.owner_references.unwrap()[0].kind, "VirtualMachine");
/// # Ok::<(), crdkit::client::OwnerError>(())
/// ```
///
/// # Errors
///
/// The same as for [`set_controller_reference`].
pub fn set_controller_reference_dyn<C, O>(child: &mut C, owner: &O, kind: &O::DynamicType) -> Result<(), OwnerError>
where
    C: Resource,
    O: Resource,
    O::Scope: OwnerScope<O, C>,
{
    let reference = OwnerReference {
        controller: Some(true),
        block_owner_deletion: Some(true),
        ..owner_reference_dyn(child, owner, kind)?
    };
    add(child.meta_mut(), reference)
}

/// Makes `owner` one of the owners of `child`: the child is deleted when all its owners are gone.
///
/// # Errors
///
/// If the owner has no name or `uid` from the API server yet, or the namespaces differ.
#[doc(alias("SetOwnerReference", "owner reference"))]
pub fn set_owner_reference<C, O>(child: &mut C, owner: &O) -> Result<(), OwnerError>
where
    C: Resource,
    O: Resource<DynamicType = ()>,
    O::Scope: OwnerScope<O, C>,
{
    set_owner_reference_dyn(child, owner, &())
}

/// Like [`set_owner_reference`], for an owner of a kind that is specified at run time.
///
/// # Errors
///
/// The same as for [`set_owner_reference`].
pub fn set_owner_reference_dyn<C, O>(child: &mut C, owner: &O, kind: &O::DynamicType) -> Result<(), OwnerError>
where
    C: Resource,
    O: Resource,
    O::Scope: OwnerScope<O, C>,
{
    let reference = owner_reference_dyn(child, owner, kind)?;
    add(child.meta_mut(), reference)
}

/// Returns the reference from `child` to `owner`.
///
/// # Errors
///
/// If the owner has no name or `uid` from the API server yet, or the namespaces differ.
pub fn owner_reference<C, O>(child: &C, owner: &O) -> Result<OwnerReference, OwnerError>
where
    C: Resource,
    O: Resource<DynamicType = ()>,
    O::Scope: OwnerScope<O, C>,
{
    owner_reference_dyn(child, owner, &())
}

/// Like [`owner_reference`], for an owner of a kind that is specified at run time.
///
/// # Errors
///
/// The same as for [`owner_reference`].
pub fn owner_reference_dyn<C, O>(child: &C, owner: &O, kind: &O::DynamicType) -> Result<OwnerReference, OwnerError>
where
    C: Resource,
    O: Resource,
    O::Scope: OwnerScope<O, C>,
{
    check_namespaces(child.meta(), owner.meta())?;
    owner.owner_ref(kind).ok_or_else(|| OwnerError::NotCreated { kind: O::kind(kind).into_owned() })
}

fn check_namespaces(child: &ObjectMeta, owner: &ObjectMeta) -> Result<(), OwnerError> {
    match (&owner.namespace, &child.namespace) {
        (Some(owner), child) if child.as_ref() != Some(owner) => {
            Err(OwnerError::NamespaceMismatch { owner: owner.clone(), child: child.clone() })
        }
        _ => Ok(()),
    }
}

/// Adds a reference, or replaces the one to the same owner.
fn add(child: &mut ObjectMeta, reference: OwnerReference) -> Result<(), OwnerError> {
    let owners = child.owner_references.get_or_insert_default();
    let others = || owners.iter().filter(|other| other.uid != reference.uid);
    let controller = others().find(|other| other.controller == Some(true));
    if let (Some(true), Some(controller)) = (reference.controller, controller) {
        return Err(OwnerError::AlreadyOwned { kind: controller.kind.clone(), name: controller.name.clone() });
    }
    match owners.iter_mut().find(|other| other.uid == reference.uid) {
        Some(same) => *same = reference,
        None => owners.push(reference),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
