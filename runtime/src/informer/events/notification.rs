use std::sync::Arc;

use crate::informer::{CacheObject, Event, stored_object::Stored};

/// An event, and the previously delivered state of its object.
#[derive(Clone)]
pub(crate) struct Notification {
    pub(super) event: Event<Stored>,
    /// The previously delivered state, if the event does not contain it.
    pub(super) previous: Option<Arc<Stored>>,
}

impl Notification {
    /// Creates the notification of a deletion. The last state may never have been delivered.
    pub(crate) fn deleted(previous: Arc<Stored>, last: Option<Arc<Stored>>) -> Self {
        match last {
            Some(last) => Self { event: Event::Deleted(last), previous: Some(previous) },
            None => Event::Deleted(previous).into(),
        }
    }
}

/// The previous state is the `old` of an update, and the object of a deletion.
impl<K: CacheObject> From<Event<K>> for Notification {
    fn from(event: Event<K>) -> Self {
        let event: Event<Stored> = match event {
            Event::Added(object) => Event::Added(object),
            Event::Updated { old, new } => Event::Updated { old, new },
            Event::Deleted(object) => Event::Deleted(object),
            Event::Synced => Event::Synced,
        };
        event.into()
    }
}

impl From<Event<Stored>> for Notification {
    fn from(event: Event<Stored>) -> Self {
        Self { event, previous: None }
    }
}
