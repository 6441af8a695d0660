//! The change of an object since its last delivered state.

use std::sync::Arc;

use super::{buffer::DeferredDrop, notification::Notification};
use crate::informer::{CacheObject, Event};

pub(super) enum PendingChange<K> {
    Added(Arc<K>),
    Updated {
        received: Arc<K>,
        latest: Arc<K>,
    },
    /// Retains the received state, because the same object may be added again.
    Deleted {
        received: Arc<K>,
        last: Arc<K>,
    },
}

/// The result of merging two changes of an object.
pub(super) enum MergedChange<K> {
    Nothing,
    One(PendingChange<K>),
    Two(PendingChange<K>, PendingChange<K>),
}

impl<K: CacheObject> PendingChange<K> {
    /// Creates the change of an event for a subscriber that received all earlier events.
    pub(super) fn from_notification(notification: &Notification<K>) -> Option<Self> {
        match &notification.event {
            Event::Added(object) => Some(Self::Added(object.clone())),
            Event::Updated { old, new } => Some(Self::Updated { received: old.clone(), latest: new.clone() }),
            Event::Deleted(last) => Some(Self::Deleted {
                received: notification.previous.as_ref().unwrap_or(last).clone(),
                last: last.clone(),
            }),
            Event::Synced => None,
        }
    }

    pub(super) fn into_event(self) -> (Event<K>, DeferredDrop<K>) {
        let event = match self {
            Self::Added(object) => Event::Added(object),
            Self::Updated { received, latest } => Event::Updated { old: received, new: latest },
            Self::Deleted { last, received } => {
                return (Event::Deleted(last), DeferredDrop::Object(received));
            }
        };
        (event, DeferredDrop::Nothing)
    }

    /// Returns the state of the object after the change.
    pub(super) fn object(&self) -> &Arc<K> {
        match self {
            Self::Added(object) | Self::Updated { latest: object, .. } | Self::Deleted { last: object, .. } => object,
        }
    }

    /// Merges this change with the next one for the same name.
    pub(super) fn merge(self, later: Self) -> MergedChange<K> {
        use MergedChange::{Nothing, One, Two};
        use PendingChange::{Added, Deleted, Updated};
        match (self, later) {
            (Added(_), Added(latest) | Updated { latest, .. }) => One(Added(latest)),
            (Added(_), Deleted { .. }) => Nothing,
            (Updated { received, .. }, Added(latest) | Updated { latest, .. }) => One(Updated { received, latest }),
            (Updated { received, .. } | Deleted { received, .. }, Deleted { last, .. }) => {
                One(Deleted { received, last })
            }
            (Deleted { received, last }, Added(latest) | Updated { latest, .. }) => {
                if is_same(&*last, &*latest) {
                    One(Updated { received, latest })
                } else {
                    Two(Deleted { received, last }, Added(latest))
                }
            }
        }
    }
}

fn is_same<K: CacheObject>(one: &K, other: &K) -> bool {
    one.uid().is_some() && one.uid() == other.uid()
}
