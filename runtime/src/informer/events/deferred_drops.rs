use std::sync::Arc;

use crate::informer::stored_object::Stored;

use super::{channel::Channel, notification::Notification};

/// Values to drop when no lock is held.
///
/// They may contain the last pointer to an object, whose `Drop` is user code.
#[derive(Default)]
pub(crate) struct DeferredDrops {
    pub(super) events: Vec<Notification>,
    pub(super) batches: Vec<Arc<[Notification]>>,
    pub(super) objects: Vec<Arc<Stored>>,
    pub(super) channels: Vec<Arc<Channel>>,
}
