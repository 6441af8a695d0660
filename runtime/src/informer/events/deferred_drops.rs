use std::sync::Arc;

use super::{channel::Channel, notification::Notification};

/// Values to drop when no lock is held.
///
/// They may contain the last pointer to an object, whose `Drop` is user code.
pub(crate) struct DeferredDrops<K> {
    pub(super) events: Vec<Notification<K>>,
    pub(super) batches: Vec<Arc<[Notification<K>]>>,
    pub(super) objects: Vec<Arc<K>>,
    pub(super) channels: Vec<Arc<Channel<K>>>,
}

impl<K> Default for DeferredDrops<K> {
    fn default() -> Self {
        Self { events: Vec::new(), batches: Vec::new(), objects: Vec::new(), channels: Vec::new() }
    }
}
