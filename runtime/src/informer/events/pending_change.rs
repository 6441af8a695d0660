//! The change of an object since its last delivered state.

use std::sync::Arc;

use super::{buffer::DeferredDrop, notification::Notification};
use crate::informer::{Event, stored_object::Stored};

pub(super) enum PendingChange {
    Added(Arc<Stored>),
    Updated {
        received: Arc<Stored>,
        latest: Arc<Stored>,
    },
    /// Retains the received state, because the same object may be added again.
    Deleted {
        received: Arc<Stored>,
        last: Arc<Stored>,
    },
}

/// The result of merging two changes of an object.
pub(super) enum MergedChange {
    Nothing,
    One(PendingChange),
    Two(PendingChange, PendingChange),
}

impl PendingChange {
    /// Creates the change of an event for a subscriber that received all earlier events.
    pub(super) fn from_notification(notification: &Notification) -> Option<Self> {
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

    pub(super) fn into_event(self) -> (Event<Stored>, DeferredDrop) {
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
    pub(super) fn object(&self) -> &Arc<Stored> {
        match self {
            Self::Added(object) | Self::Updated { latest: object, .. } | Self::Deleted { last: object, .. } => object,
        }
    }

    /// Merges this change with the next one for the same name.
    pub(super) fn merge(self, later: Self) -> MergedChange {
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

fn is_same(one: &Stored, other: &Stored) -> bool {
    one.uid().is_some() && one.uid() == other.uid()
}
