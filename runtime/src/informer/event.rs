use std::sync::Arc;

/// What happened to an object, or to the store as a whole.
#[derive(Debug)]
pub enum Event<K> {
    /// The object is new, or new among those that are watched.
    Added(Arc<K>),
    /// The object changed.
    Updated {
        /// As it was.
        old: Arc<K>,
        /// As it is.
        new: Arc<K>,
    },
    /// The object is gone, or no longer among those that are watched. It is as it was last.
    Deleted(Arc<K>),
    /// Everything that there was when the informer began has been told.
    Synced,
}

impl<K> Event<K> {
    /// The object as it is now, or was last; `None` for [`Event::Synced`].
    pub fn object(&self) -> Option<&Arc<K>> {
        match self {
            Self::Added(object) | Self::Updated { new: object, .. } | Self::Deleted(object) => {
                Some(object)
            }
            Self::Synced => None,
        }
    }
}

impl<K> Clone for Event<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Added(object) => Self::Added(object.clone()),
            Self::Updated { old, new } => Self::Updated {
                old: old.clone(),
                new: new.clone(),
            },
            Self::Deleted(object) => Self::Deleted(object.clone()),
            Self::Synced => Self::Synced,
        }
    }
}
