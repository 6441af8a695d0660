use std::sync::Arc;

use crate::informer::Event;

/// An event, and what its subscribers were told of the object before.
#[derive(Clone)]
pub(crate) struct Notification<K> {
    pub(super) event: Event<K>,
    /// The object as it was told before, where the event itself does not say it.
    pub(super) before: Option<Arc<K>>,
}

impl<K> Notification<K> {
    /// The object is gone. Its last state may be one that was never told.
    pub(crate) fn deleted(before: Arc<K>, last: Option<Arc<K>>) -> Self {
        match last {
            Some(last) => Self {
                event: Event::Deleted(last),
                before: Some(before),
            },
            None => Event::Deleted(before).into(),
        }
    }
}

/// What went before is the `old` of an update, and what a deletion deletes.
impl<K> From<Event<K>> for Notification<K> {
    fn from(event: Event<K>) -> Self {
        Self {
            event,
            before: None,
        }
    }
}
