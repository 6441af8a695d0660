//! Makes objects belong to others, so that they go when their owner goes.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube_core::{ClusterResourceScope, DynamicResourceScope, NamespaceResourceScope, Resource};

use super::error::OwnerError;

/// The scope of an owner `O` that may own objects of `C`.
#[diagnostic::on_unimplemented(
    message = "`{O}` cannot own a `{C}`",
    note = "an owner in a namespace owns objects of its namespace only"
)]
pub trait OwnerScope<O, C> {}

impl<O, C> OwnerScope<O, C> for ClusterResourceScope {}
impl<O, C> OwnerScope<O, C> for DynamicResourceScope {}
impl<O, C: Resource> OwnerScope<O, C> for NamespaceResourceScope where C::Scope: OwnedScope<O, C> {}

/// The scope of objects of `C` that an owner `O` in a namespace may own.
#[diagnostic::on_unimplemented(
    message = "`{O}` lives in a namespace and cannot own a `{C}`, which is cluster-scoped",
    label = "no `{O}` can own this",
    note = "the garbage collector would take such an owner for gone, and delete the `{C}`"
)]
pub trait OwnedScope<O, C> {}

impl<O, C> OwnedScope<O, C> for NamespaceResourceScope {}
impl<O, C> OwnedScope<O, C> for DynamicResourceScope {}

/// Makes `owner` the controller of `child`: the child goes when the owner goes, and no other may control it.
///
/// Both must be in the same namespace, unless the owner is of the cluster.
///
/// ```
/// use crdkit::client::set_controller;
/// use k8s_openapi::api::core::v1::{ConfigMap, Pod};
///
/// let mut owner = ConfigMap::default();
/// owner.metadata.name = Some("web".into());
/// owner.metadata.namespace = Some("default".into());
/// owner.metadata.uid = Some("5f0d".into()); // as the API server gave it
///
/// let mut child = Pod::default();
/// child.metadata.namespace = Some("default".into());
/// set_controller(&mut child, &owner)?;
/// assert_eq!(child.metadata.owner_references.unwrap()[0].name, "web");
/// # Ok::<(), crdkit::client::OwnerError>(())
/// ```
///
/// What lives in a namespace cannot own what does not:
///
/// ```compile_fail,E0277
/// # use k8s_openapi::api::core::v1::{ConfigMap, Node};
/// crdkit::client::set_controller(&mut Node::default(), &ConfigMap::default());
/// ```
///
/// # Errors
///
/// If the owner is not of the API server yet, the namespaces differ, or another object controls the child.
#[doc(alias("SetControllerReference", "owner reference", "ownerReferences"))]
pub fn set_controller<C, O>(child: &mut C, owner: &O) -> Result<(), OwnerError>
where
    C: Resource,
    O: Resource<DynamicType = ()>,
    O::Scope: OwnerScope<O, C>,
{
    set_controller_with(child, owner, &())
}

/// As [`set_controller`], for an owner of a kind that is known at run time.
///
/// ```
/// use crdkit::{client::{Unstructured, set_controller_with}, kube::core::{ApiResource, GroupVersionKind}};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let kind = GroupVersionKind::gvk("infra.example.com", "v1", "VirtualMachine");
/// let mut owner = Unstructured::new("web", &kind).within("default");
/// owner.metadata.uid = Some("5f0d".into()); // as the API server gave it
///
/// let mut child = Pod::default();
/// child.metadata.namespace = Some("default".into());
/// set_controller_with(&mut child, &owner, &ApiResource::from_gvk(&kind))?;
/// assert_eq!(child.metadata.owner_references.unwrap()[0].kind, "VirtualMachine");
/// # Ok::<(), crdkit::client::OwnerError>(())
/// ```
///
/// # Errors
///
/// As for [`set_controller`].
pub fn set_controller_with<C, O>(
    child: &mut C,
    owner: &O,
    kind: &O::DynamicType,
) -> Result<(), OwnerError>
where
    C: Resource,
    O: Resource,
    O::Scope: OwnerScope<O, C>,
{
    let reference = OwnerReference {
        controller: Some(true),
        block_owner_deletion: Some(true),
        ..owner_reference_with(child, owner, kind)?
    };
    add(child.meta_mut(), reference)
}

/// Makes `owner` one of the owners of `child`: the child goes when all its owners are gone.
///
/// # Errors
///
/// If the owner is not of the API server yet, or the namespaces differ.
#[doc(alias("SetOwnerReference", "owner reference"))]
pub fn set_owner<C, O>(child: &mut C, owner: &O) -> Result<(), OwnerError>
where
    C: Resource,
    O: Resource<DynamicType = ()>,
    O::Scope: OwnerScope<O, C>,
{
    set_owner_with(child, owner, &())
}

/// As [`set_owner`], for an owner of a kind that is known at run time.
///
/// # Errors
///
/// As for [`set_owner`].
pub fn set_owner_with<C, O>(
    child: &mut C,
    owner: &O,
    kind: &O::DynamicType,
) -> Result<(), OwnerError>
where
    C: Resource,
    O: Resource,
    O::Scope: OwnerScope<O, C>,
{
    let reference = owner_reference_with(child, owner, kind)?;
    add(child.meta_mut(), reference)
}

/// The reference by which `child` says that it belongs to `owner`.
///
/// # Errors
///
/// If the owner is not of the API server yet, or the namespaces differ.
pub fn owner_reference<C, O>(child: &C, owner: &O) -> Result<OwnerReference, OwnerError>
where
    C: Resource,
    O: Resource<DynamicType = ()>,
    O::Scope: OwnerScope<O, C>,
{
    owner_reference_with(child, owner, &())
}

/// As [`owner_reference`], for an owner of a kind that is known at run time.
///
/// # Errors
///
/// As for [`owner_reference`].
pub fn owner_reference_with<C, O>(
    child: &C,
    owner: &O,
    kind: &O::DynamicType,
) -> Result<OwnerReference, OwnerError>
where
    C: Resource,
    O: Resource,
    O::Scope: OwnerScope<O, C>,
{
    check_namespaces(child.meta(), owner.meta())?;
    owner.owner_ref(kind).ok_or_else(|| OwnerError::Unsaved {
        kind: O::kind(kind).into_owned(),
    })
}

fn check_namespaces(child: &ObjectMeta, owner: &ObjectMeta) -> Result<(), OwnerError> {
    match (&owner.namespace, &child.namespace) {
        (Some(owner), child) if child.as_ref() != Some(owner) => Err(OwnerError::OtherNamespace {
            owner: owner.clone(),
            child: child.clone(),
        }),
        _ => Ok(()),
    }
}

/// Adds a reference, or replaces that to the same owner.
fn add(child: &mut ObjectMeta, reference: OwnerReference) -> Result<(), OwnerError> {
    let owners = child.owner_references.get_or_insert_default();
    let others = || owners.iter().filter(|other| other.uid != reference.uid);
    let controller = others().find(|other| other.controller == Some(true));
    if let (Some(true), Some(controller)) = (reference.controller, controller) {
        return Err(OwnerError::Controlled {
            kind: controller.kind.clone(),
            name: controller.name.clone(),
        });
    }
    match owners.iter_mut().find(|other| other.uid == reference.uid) {
        Some(same) => *same = reference,
        None => owners.push(reference),
    }
    Ok(())
}

#[cfg(test)]
mod tests;
