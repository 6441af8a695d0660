use std::sync::Arc;

use crate::informer::Event;

/// An event, and the previously delivered state of its object.
#[derive(Clone)]
pub(crate) struct Notification<K> {
    pub(super) event: Event<K>,
    /// The previously delivered state, if the event does not contain it.
    pub(super) previous: Option<Arc<K>>,
}

impl<K> Notification<K> {
    /// Creates the notification of a deletion. The last state may never have been delivered.
    pub(crate) fn deleted(previous: Arc<K>, last: Option<Arc<K>>) -> Self {
        match last {
            Some(last) => Self { event: Event::Deleted(last), previous: Some(previous) },
            None => Event::Deleted(previous).into(),
        }
    }
}

/// The previous state is the `old` of an update, and the object of a deletion.
impl<K> From<Event<K>> for Notification<K> {
    fn from(event: Event<K>) -> Self {
        Self { event, previous: None }
    }
}
