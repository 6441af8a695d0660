//! Where the keys of a queue come from.

use std::sync::Arc;

use super::{ObjectKey, trigger::Trigger};
use crate::informer::{CacheObject, Event};

/// Receives the changes that add keys to a queue.
pub(crate) trait EventObserver: Send + Sync {
    fn observed(&self, key: &ObjectKey, change: &ObservedChange<'_>);
}

/// A change of an object.
pub(crate) struct ObservedChange<'a> {
    /// Plural and group, such as `replicasets.apps`.
    pub(crate) resource: &'a str,
    pub(crate) namespace: Option<&'a str>,
    pub(crate) name: &'a str,
    /// The resourceVersion, or the uid of a deleted object.
    pub(crate) state: &'a str,
    pub(crate) is_deletion: bool,
}

/// An informer that adds keys to a queue.
pub(in crate::informer) struct QueueSource {
    pub(in crate::informer) resource: Arc<str>,
    /// The trigger of changes.
    pub(in crate::informer) change: Trigger,
    pub(in crate::informer) observer: Option<Arc<dyn EventObserver>>,
}

impl QueueSource {
    /// Passes a change to the observer.
    pub(super) fn observe<K: CacheObject>(&self, key: &ObjectKey, event: &Event<K>) {
        let (Some(observer), Some(object)) = (&self.observer, event.object()) else {
            return;
        };
        let is_deletion = matches!(event, Event::Deleted(_));
        let state = if is_deletion { object.uid() } else { object.resource_version() };
        let change = ObservedChange {
            resource: &self.resource,
            namespace: object.namespace(),
            name: object.name(),
            state: state.unwrap_or_default(),
            is_deletion,
        };
        observer.observed(key, &change);
    }
}
