//! What lists and watches say, in the order in which they say it, on its way to the cache.

use std::{collections::HashSet, sync::Arc};

use super::reader::{Change, ReadMode};
use crate::informer::{
    CacheObject, ObjectKey,
    cache::{Delta, Seen},
    decode::Bookmark,
    error::WatchError,
    shared::Shared,
};

pub(super) struct Batch<T: CacheObject> {
    shared: Arc<Shared<T>>,
    deltas: Vec<Delta<T>>,
    /// What a list has shown so far, while there is one.
    seen: Option<Seen>,
    /// Whether there were objects when the list began.
    knew_some: bool,
    /// The newest resourceVersion of this watch, where those are numbers.
    newest: Option<u64>,
    /// A resourceVersion of which the store was true when the list began, and since then up to its last deletion.
    settled: Option<u64>,
    /// While a watch repeats what happened before: the objects that came and have not gone yet.
    repeated: Option<HashSet<ObjectKey>>,
}

impl<T: CacheObject> Batch<T> {
    pub(super) fn new(shared: Arc<Shared<T>>) -> Self {
        Self {
            shared,
            deltas: Vec::new(),
            seen: None,
            knew_some: false,
            newest: None,
            settled: None,
            repeated: None,
        }
    }

    /// A list begins: what it does not show is gone.
    pub(super) fn begin_list(&mut self) {
        self.deltas.clear();
        (self.seen, self.repeated) = (Some(Seen::default()), None);
        self.knew_some = self.shared.cache.store.len() > 0;
        self.settled = self.newest.take().or(self.settled);
    }

    /// The list is complete. Says how many events there were.
    pub(super) fn end_list(&mut self, namespace: Option<&str>) -> usize {
        let changes = self.commit();
        self.settled = None;
        match self.seen.take() {
            Some(seen) => changes + self.shared.cache.sweep(namespace, &seen),
            None => changes,
        }
    }

    /// The API server has gone back in time: the next list may be older than the store.
    pub(super) fn distrust(&mut self) {
        (self.newest, self.settled) = (None, None);
    }

    /// A watch begins after a resourceVersion.
    pub(super) fn begin_watch(&mut self, after: &str) {
        self.deltas.clear();
        (self.seen, self.repeated) = (None, None);
        self.newest = after.parse().ok();
    }

    /// Whether there is a list, which has not come to its end.
    fn is_listing(&self) -> bool {
        self.seen.is_some()
    }

    /// What comes in next.
    pub(super) fn read_mode(&self) -> ReadMode {
        match self.knew_some {
            _ if !self.is_listing() => ReadMode::Changes,
            false => ReadMode::FirstList,
            true => ReadMode::List,
        }
    }

    /// An item of a list.
    pub(super) fn item(&mut self, delta: Delta<T>) {
        self.deltas.push(delta);
    }

    /// The watch begins with what happened before the store was as it is.
    pub(super) fn expect_repetition(&mut self) {
        self.repeated = Some(HashSet::new());
    }

    /// Whether a watch says again what led to the store as it is: objects came and went that are not there.
    ///
    /// # Errors
    ///
    /// If it says of others. Then the watch continues another history.
    pub(super) fn repeats(&mut self, change: &Change<'_, T>) -> Result<bool, WatchError> {
        let Some(left) = &mut self.repeated else {
            return Ok(false);
        };
        let version = change.version.parse::<u64>().ok();
        if version.is_none() || version > self.newest {
            self.end_repetition()?;
            return Ok(false);
        }
        let key = change.delta.key();
        let lister = self.shared.cache.store.lister();
        if lister.find(key.namespace(), key.name()).is_some() {
            return Err(WatchError::OtherHistory);
        }
        match &change.delta {
            Delta::Delete { .. } => left.remove(&key),
            _ => left.insert(key),
        };
        Ok(true)
    }

    /// What has been said again must have led to the store as it is: of what came, all is gone.
    fn end_repetition(&mut self) -> Result<(), WatchError> {
        match self.repeated.take() {
            Some(left) if !left.is_empty() => Err(WatchError::OtherHistory),
            _ => Ok(()),
        }
    }

    /// Whether what was said again so far has not led to the store as it is.
    pub(super) fn is_repetition_unfinished(&self) -> bool {
        let left = self.repeated.as_ref();
        left.is_some_and(|left| !left.is_empty())
    }

    /// Whether a bookmark is of what a watch repeats.
    pub(super) fn is_repeated(&self, bookmark: &Bookmark) -> bool {
        let version = bookmark.resource_version.parse().ok();
        self.repeated.is_some() && version.is_some() && version < self.newest
    }

    /// What a watch says of an object, at a resourceVersion.
    pub(super) fn change(&mut self, version: &str, delta: Delta<T>) -> Result<(), WatchError> {
        match self.is_listing() {
            true => self.check_listed(version, &delta)?,
            false => self.check_order(version)?,
        }
        self.deltas.push(delta);
        Ok(())
    }

    /// Nothing happened up to a resourceVersion.
    pub(super) fn bookmark(&mut self, bookmark: &Bookmark) -> Result<(), WatchError> {
        self.end_repetition()?;
        if bookmark.initial_events_end && self.is_listing() {
            self.newest = bookmark.resource_version.parse().ok();
        } else if !self.is_listing() {
            self.check_order(&bookmark.resource_version)?;
        }
        Ok(())
    }

    /// Makes the changes that have come in, and says how many events there were.
    pub(super) fn commit(&mut self) -> usize {
        if self.deltas.is_empty() {
            return 0;
        }
        let cache = &self.shared.cache;
        let committed = cache.commit(&mut self.deltas, self.seen.as_mut());
        let reports = &self.shared.reports;
        reports.changed(committed.events, cache.store.len());
        let problems = committed.problems.into_iter();
        problems.for_each(|problem| reports.of_object(problem));
        committed.events
    }

    /// While objects are listed they come in any order. A state older than the store must be known, unless the API server
    /// has gone back in time: then the next list may say what it likes.
    fn check_listed(&mut self, version: &str, delta: &Delta<T>) -> Result<(), WatchError> {
        let Ok(number) = version.parse::<u64>() else {
            return Ok(());
        };
        match (delta, self.settled) {
            (Delta::Apply(_) | Delta::Delete { .. }, Some(newest)) if number < newest => {
                self.settled = None;
                Err(WatchError::OutOfOrder {
                    version: number,
                    newest,
                })
            }
            (Delta::Delete { .. }, _) => {
                self.settled = Some(number);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn check_order(&mut self, version: &str) -> Result<(), WatchError> {
        let Ok(number) = version.parse::<u64>() else {
            return Ok(());
        };
        match self.newest {
            Some(newest) if number < newest => Err(WatchError::OutOfOrder {
                version: number,
                newest,
            }),
            _ => {
                self.newest = Some(number);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests;
