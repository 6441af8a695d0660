//! Where objects live: a namespace, all namespaces, or the cluster.
//!
//! What a place lets one do is checked while compiling.

use kube::Api;
use kube_core::{ClusterResourceScope, DynamicResourceScope, NamespaceResourceScope, Resource};

/// No place is chosen: all there is to a kind of the cluster, and what a kind in namespaces begins with.
#[derive(Clone, Copy, Debug)]
pub enum Unscoped {}

/// One namespace.
#[derive(Clone, Copy, Debug)]
pub enum InNamespace {}

/// All namespaces: there objects can be listed, watched and deleted together, and those at hand can be changed, but none
/// can be named.
#[derive(Clone, Copy, Debug)]
pub enum AllNamespaces {}

/// The scope of kinds whose objects live in namespaces.
#[diagnostic::on_unimplemented(
    message = "`{K}` is cluster-scoped: it has no namespaces",
    label = "`{K}` lives in no namespace",
    note = "leave the namespace out: `client.resources::<{K}>().get(...)`"
)]
pub trait NamespacedScope<K> {}

impl<K> NamespacedScope<K> for NamespaceResourceScope {}
impl<K> NamespacedScope<K> for DynamicResourceScope {}

/// The scope of kinds whose objects live in no namespace.
#[diagnostic::on_unimplemented(
    message = "objects of `{K}` live in namespaces: choose one with `.namespace(...)`",
    label = "which namespace?",
    note = "`.default_namespace()` is that of the context; `.all_namespaces()` can list, watch and delete collections; a lister has `.find(namespace, name)`"
)]
pub trait ClusterScope<K> {}

impl<K> ClusterScope<K> for ClusterResourceScope {}
impl<K> ClusterScope<K> for DynamicResourceScope {}

/// A place in which a name means one object of `K`.
#[diagnostic::on_unimplemented(
    message = "objects of `{K}` live in namespaces: choose one with `.namespace(...)`",
    label = "`{Self}` has many objects of one name",
    note = "`.all_namespaces()` can list, watch and delete collections, and change objects at hand with `update_from`"
)]
pub trait SingleObject<K> {}

impl<K> SingleObject<K> for InNamespace {}
impl<K: Resource> SingleObject<K> for Unscoped where K::Scope: ClusterScope<K> {}

/// A place whose objects of `K` can be listed, and changed where they are at hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no place for objects of `{K}`",
    note = "choose one with `.namespace(...)` or `.all_namespaces()`"
)]
pub trait Listable<K> {
    /// Whether the objects are of more than one namespace.
    const OF_MANY_NAMESPACES: bool = false;
}

impl<K> Listable<K> for InNamespace {}
impl<K> Listable<K> for AllNamespaces {
    const OF_MANY_NAMESPACES: bool = true;
}
impl<K: Resource> Listable<K> for Unscoped where K::Scope: ClusterScope<K> {}

/// A scope for which there is a handle of kube's.
pub trait KubeScope<K: Resource> {
    /// The handle to the objects of `K`, in a namespace where there is one.
    fn api(kube: kube::Client, kind: &K::DynamicType, namespace: Option<&str>) -> Api<K>;
}

impl<K: Resource> KubeScope<K> for ClusterResourceScope {
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
