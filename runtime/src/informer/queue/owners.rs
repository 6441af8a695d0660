use std::{borrow::Cow, sync::Arc};

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
        owners(event, &OwnerKind::of::<O>(), |owner| owner.controller)
    }

    /// Returns the keys of all owners of kind `O` of an object, before and after the event.
    pub fn of_owners<O, K>(event: &Event<K>) -> Vec<Self>
    where
        O: Resource<DynamicType = (), Scope: StaticScope<O>>,
        K: CacheObject,
    {
        owners(event, &OwnerKind::of::<O>(), |_| true)
    }
}

/// A kind of owners.
#[derive(Clone)]
pub(crate) struct OwnerKind<'a> {
    pub(crate) group: Cow<'a, str>,
    pub(crate) kind: Cow<'a, str>,
    /// Whether owners are in the namespace of their dependents; otherwise they are cluster-scoped.
    pub(crate) is_namespaced: bool,
}

impl OwnerKind<'static> {
    fn of<O: Resource<DynamicType = (), Scope: StaticScope<O>>>() -> Self {
        Self { group: O::group(&()), kind: O::kind(&()), is_namespaced: O::Scope::IN_NAMESPACE }
    }
}

impl OwnerKind<'_> {
    /// Returns the key of the controller of this kind of an object; both keys if the controller changed.
    pub(crate) fn keys_of_controller<K: CacheObject>(&self, event: &Event<K>) -> Vec<ObjectKey> {
        owners(event, self, |owner| owner.controller)
    }

    /// Whether an owner is of this kind, in any version.
    fn includes(&self, owner: &Owner<'_>) -> bool {
        owner.kind == self.kind && owner.group() == self.group
    }
}

fn owners<K: CacheObject>(
    event: &Event<K>,
    kind: &OwnerKind<'_>,
    is_selected: impl Fn(&Owner<'_>) -> bool,
) -> Vec<ObjectKey> {
    let mut keys = Vec::new();
    for key in states(event).flat_map(|object| keys_of_owners(&**object, kind, &is_selected)) {
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
    keys_of_owners(object, &OwnerKind::of::<O>(), is_selected)
}

fn keys_of_owners(
    object: &impl CacheObject,
    kind: &OwnerKind<'_>,
    is_selected: impl Fn(&Owner<'_>) -> bool,
) -> Vec<ObjectKey> {
    let namespace = object.namespace().filter(|_| kind.is_namespaced);
    let owners = object.owners().filter(|owner| kind.includes(owner) && is_selected(owner));
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
