//! Scopes of handles: one namespace, all namespaces, or the cluster.
//!
//! Which operations a scope permits is checked at compile time.

use std::borrow::Cow;

use kube::Api;
use kube_core::{ClusterResourceScope, DynamicResourceScope, NamespaceResourceScope, Resource};

use crate::client::sealed::Sealed;

/// No namespace is selected: the only scope of a cluster-scoped kind, and the initial scope of a namespaced kind.
#[derive(Clone, Copy, Debug)]
pub enum Unscoped {}

/// One namespace.
#[derive(Clone, Copy, Debug)]
pub enum InNamespace {}

/// All namespaces: objects can be listed, watched and deleted as a collection, and objects that you already have can be
/// changed, but a name does not identify an object.
#[derive(Clone, Copy, Debug)]
pub enum AllNamespaces {}

impl Sealed for Unscoped {}
impl Sealed for InNamespace {}
impl Sealed for AllNamespaces {}

/// The name of a namespace, or the namespace of an object: `Option<String>` or `Option<&str>`.
///
/// Objects of namespaced kinds have a namespace. Without one, each request fails with
/// [`Error::InvalidName`](crate::client::Error::InvalidName), and a lister has no objects.
///
/// ```no_run
/// use crdkit::prelude::*;
/// use k8s_openapi::api::{batch::v1::{CronJob, Job}};
///
/// # async fn example(client: crdkit::Client, cron: CronJob) -> Result<(), crdkit::client::Error> {
/// let jobs = client.resources::<Job>().namespace(cron.namespace()).list().await?;
/// let same = client.resources::<Job>().namespace(cron.metadata.namespace.as_deref());
/// let other = client.resources::<Job>().namespace("default");
/// # Ok(())
/// # }
/// ```
pub trait NamespaceName<'a> {
    /// Returns the name; empty if there is none.
    fn into_name(self) -> Cow<'a, str>;
}

impl<'a, T: AsRef<str> + ?Sized> NamespaceName<'a> for &'a T {
    fn into_name(self) -> Cow<'a, str> {
        self.as_ref().into()
    }
}

impl NamespaceName<'_> for String {
    fn into_name(self) -> Cow<'static, str> {
        self.into()
    }
}

impl<'a, N: NamespaceName<'a>> NamespaceName<'a> for Option<N> {
    fn into_name(self) -> Cow<'a, str> {
        self.map(N::into_name).unwrap_or_default()
    }
}

/// The scope of namespaced kinds.
#[diagnostic::on_unimplemented(
    message = "`{K}` is cluster-scoped and has no namespaces",
    label = "`{K}` is not namespaced",
    note = "remove the namespace: `client.resources::<{K}>().get(...)`"
)]
pub trait NamespacedScope<K>: Sealed {}

impl<K> NamespacedScope<K> for NamespaceResourceScope {}
impl<K> NamespacedScope<K> for DynamicResourceScope {}

/// The scope of cluster-scoped kinds.
#[diagnostic::on_unimplemented(
    message = "`{K}` is namespaced: choose a namespace with `.namespace(...)`",
    label = "no namespace is chosen",
    note = "`.default_namespace()` chooses the namespace of the context; `.all_namespaces()` supports list, watch and delete_collection; a lister has `.find(namespace, name)`"
)]
pub trait ClusterScope<K>: Sealed {}

impl<K> ClusterScope<K> for ClusterResourceScope {}
impl<K> ClusterScope<K> for DynamicResourceScope {}

/// A scope in which a name identifies one object of `K`.
#[diagnostic::on_unimplemented(
    message = "`{K}` is namespaced: choose a namespace with `.namespace(...)`",
    label = "a name is ambiguous in `{Self}`",
    note = "`.all_namespaces()` supports list, watch and delete_collection, and `update_from` for objects that you already have"
)]
pub trait SingleObject<K>: Sealed {}

impl<K> SingleObject<K> for InNamespace {}
impl<K: Resource> SingleObject<K> for Unscoped where K::Scope: ClusterScope<K> {}

/// A scope whose objects of `K` can be listed, and changed if you already have them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scope for objects of `{K}`",
    note = "choose a scope with `.namespace(...)` or `.all_namespaces()`"
)]
pub trait Listable<K>: Sealed {
    /// Whether the objects belong to more than one namespace.
    const SPANS_NAMESPACES: bool = false;
}

impl<K> Listable<K> for InNamespace {}
impl<K> Listable<K> for AllNamespaces {
    const SPANS_NAMESPACES: bool = true;
}
impl<K: Resource> Listable<K> for Unscoped where K::Scope: ClusterScope<K> {}

/// A scope that has a corresponding handle in kube.
pub trait KubeScope<K: Resource>: Sealed {
    /// Whether the objects belong to namespaces.
    const IS_NAMESPACED: bool = true;

    /// Returns the handle to the objects of `K`, in a namespace if there is one.
    fn api(kube: kube::Client, kind: &K::DynamicType, namespace: Option<&str>) -> Api<K>;
}

impl<K: Resource> KubeScope<K> for ClusterResourceScope {
    const IS_NAMESPACED: bool = false;

    fn api(kube: kube::Client, kind: &K::DynamicType, _: Option<&str>) -> Api<K> {
        Api::all_with(kube, kind)
    }
}

impl<K: Resource<Scope = Self>> KubeScope<K> for NamespaceResourceScope {
    fn api(kube: kube::Client, kind: &K::DynamicType, namespace: Option<&str>) -> Api<K> {
        constrained(Api::all_with(kube, kind), namespace)
    }
}

impl<K: Resource<Scope = Self>> KubeScope<K> for DynamicResourceScope {
    fn api(kube: kube::Client, kind: &K::DynamicType, namespace: Option<&str>) -> Api<K> {
        constrained(Api::all_with(kube, kind), namespace)
    }
}

fn constrained<K>(api: Api<K>, namespace: Option<&str>) -> Api<K>
where
    K: Resource<Scope: kube_core::NamespaceScope>,
{
    match namespace {
        Some(namespace) => api.constrain(namespace),
        None => api,
    }
}
