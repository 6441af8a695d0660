//! What this process knows about inventories besides the cache, which may lag behind.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::contents::Contents;
use crate::informer::ObjectKey;

/// The inventories that were written last, by their parent.
#[derive(Default)]
pub(in crate::controller) struct KnownInventories(Mutex<HashMap<ObjectKey, Known>>);

struct Known {
    uid: String,
    /// What was stored; `None` if it is not known whether a write was processed.
    stored: Option<Contents>,
}

/// What is known about the inventory of one parent.
#[derive(Debug)]
pub(super) enum State {
    /// The cache has it.
    Cached,
    /// It was stored in this state, and the cache has another one.
    Stored(Contents),
    /// The outcome of the last write is not known.
    Uncertain,
}

impl KnownInventories {
    /// Returns what is known about an inventory besides its state in the cache.
    pub(super) fn state(&self, parent: &ObjectKey, uid: &str, cached: &Contents) -> State {
        let mut all = self.lock();
        let Some(known) = all.get(parent).filter(|known| known.uid == uid) else {
            return State::Cached;
        };
        match &known.stored {
            None => State::Uncertain,
            Some(stored) if stored == cached => {
                all.remove(parent);
                State::Cached
            }
            Some(stored) => State::Stored(stored.clone()),
        }
    }

    /// Records a write that is about to be sent.
    pub(super) fn begin(&self, parent: &ObjectKey, uid: &str) {
        self.lock().insert(parent.clone(), Known { uid: uid.to_owned(), stored: None });
    }

    /// Records what was stored.
    pub(super) fn stored(&self, parent: &ObjectKey, uid: &str, contents: Contents) {
        self.lock().insert(parent.clone(), Known { uid: uid.to_owned(), stored: Some(contents) });
    }

    /// Forgets an object that is gone.
    pub(in crate::controller) fn forget(&self, parent: &ObjectKey) {
        self.lock().remove(parent);
    }

    /// Forgets all objects but some.
    pub(in crate::controller) fn retain(&self, is_kept: impl Fn(&ObjectKey) -> bool) {
        self.lock().retain(|parent, _| is_kept(parent));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ObjectKey, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
