use std::sync::Arc;

use kube_core::{ClusterResourceScope, NamespaceResourceScope, Resource};

use super::ObjectKey;
use crate::{
    client::sealed::Sealed,
    informer::{CacheObject, Event, Owner},
};

/// The scope of a kind `O` that is known at compile time, which determines the namespace of an owner's key.
#[diagnostic::on_unimplemented(
    message = "the scope of `{O}` is unknown at compile time",
    note = "map events to keys with a function that reads `object.owners()`"
)]
pub trait StaticScope<O>: Sealed {
    /// Whether owners are in the namespace of their dependents; otherwise they are cluster-scoped.
    const IN_NAMESPACE: bool;
}

impl<O> StaticScope<O> for NamespaceResourceScope {
    const IN_NAMESPACE: bool = true;
}

impl<O> StaticScope<O> for ClusterResourceScope {
    const IN_NAMESPACE: bool = false;
}

/// Functions from events to keys, for [`Queue::feed`](super::Queue::feed).
impl ObjectKey {
    /// Returns the key of the object of an event.
    pub fn of_object<K: CacheObject>(event: &Event<K>) -> Option<Self> {
        event.object().map(|object| Self::of(&**object))
    }

    /// Returns the key of the controller of kind `O` of an object; both keys if the controller changed.
    ///
    /// ```
    /// # use crdkit::informer::{ObjectKey, Queue, Subscription};
    /// use k8s_openapi::api::{apps::v1::ReplicaSet, core::v1::Pod};
    ///
    /// async fn pods_of_replica_sets(queue: Queue<ObjectKey>, pods: Subscription<Pod>) {
    ///     queue.feed(pods, ObjectKey::of_controller::<ReplicaSet, _>).await;
    /// }
    /// ```
    pub fn of_controller<O, K>(event: &Event<K>) -> Vec<Self>
    where
        O: Resource<DynamicType = (), Scope: StaticScope<O>>,
        K: CacheObject,
    {
        owners::<O, K>(event, |owner| owner.controller)
    }

    /// Returns the keys of all owners of kind `O` of an object, before and after the event.
    pub fn of_owners<O, K>(event: &Event<K>) -> Vec<Self>
    where
        O: Resource<DynamicType = (), Scope: StaticScope<O>>,
        K: CacheObject,
    {
        owners::<O, K>(event, |_| true)
    }
}

fn owners<O, K>(event: &Event<K>, is_selected: impl Fn(&Owner<'_>) -> bool) -> Vec<ObjectKey>
where
    O: Resource<DynamicType = (), Scope: StaticScope<O>>,
    K: CacheObject,
{
    let mut keys = Vec::new();
    for key in states(event).flat_map(|object| owner_keys::<O>(&**object, &is_selected)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// Returns the keys of the owners of kind `O` of an object.
pub(in crate::informer) fn owner_keys<O>(
    object: &impl CacheObject,
    is_selected: impl Fn(&Owner<'_>) -> bool,
) -> Vec<ObjectKey>
where
    O: Resource<DynamicType = (), Scope: StaticScope<O>>,
{
    let namespace = object.namespace().filter(|_| O::Scope::IN_NAMESPACE);
    let owners = object.owners().filter(|owner| is_a::<O>(owner) && is_selected(owner));
    owners.map(|owner| ObjectKey::new(namespace, owner.name)).collect()
}

/// Returns the new and the old state of the object.
pub(crate) fn states<K>(event: &Event<K>) -> impl Iterator<Item = &Arc<K>> {
    let old = match event {
        Event::Updated { old, .. } => Some(old),
        _ => None,
    };
    event.object().into_iter().chain(old)
}

/// Whether an owner is of a kind, in any version.
fn is_a<O: Resource<DynamicType = ()>>(owner: &Owner<'_>) -> bool {
    owner.kind == O::kind(&()) && owner.group() == O::group(&())
}
