use std::sync::Arc;

/// A change of an object, or of the store as a whole.
#[derive(Debug)]
pub enum Event<K: ?Sized> {
    /// The object was created, or now matches the selection.
    Added(Arc<K>),
    /// The object was updated.
    Updated {
        /// The previous state.
        old: Arc<K>,
        /// The current state.
        new: Arc<K>,
    },
    /// The object was deleted, or no longer matches the selection. Contains its last state.
    Deleted(Arc<K>),
    /// All objects of the initial list have been delivered.
    Synced,
}

impl<K: ?Sized> Event<K> {
    /// Returns the current or last state of the object; `None` for [`Event::Synced`].
    pub fn object(&self) -> Option<&Arc<K>> {
        match self {
            Self::Added(object) | Self::Updated { new: object, .. } | Self::Deleted(object) => Some(object),
            Self::Synced => None,
        }
    }
}

impl<K: ?Sized> Clone for Event<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added(object) => Self::Added(object.clone()),
            Self::Updated { old, new } => Self::Updated { old: old.clone(), new: new.clone() },
            Self::Deleted(object) => Self::Deleted(object.clone()),
            Self::Synced => Self::Synced,
        }
    }
}
