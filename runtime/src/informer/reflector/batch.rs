//! Deltas of lists and watches, in order, until they are committed to the cache.

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
    /// The objects that the current list has returned so far.
    seen: Option<Seen>,
    /// Whether the store contained objects when the list started.
    knew_some: bool,
    /// The newest resourceVersion of this watch, if it is a number.
    newest: Option<u64>,
    /// A resourceVersion at which the store was consistent when the list started, then that of the last deletion.
    settled: Option<u64>,
    /// While a watch replays earlier events: the replayed objects that were not deleted yet.
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

    /// Starts a list. Objects that it does not return are deleted.
    pub(super) fn begin_list(&mut self) {
        self.deltas.clear();
        (self.seen, self.repeated) = (Some(Seen::default()), None);
        self.knew_some = self.shared.cache.store.len() > 0;
        self.settled = self.newest.take().or(self.settled);
    }

    /// Completes the list, and returns the number of events.
    pub(super) fn end_list(&mut self, namespace: Option<&str>) -> usize {
        let changes = self.commit();
        self.settled = None;
        match self.seen.take() {
            Some(seen) => changes + self.shared.cache.sweep(namespace, &seen),
            None => changes,
        }
    }

    /// Resets the known versions after a rollback, because the next list may be older than the store.
    pub(super) fn distrust(&mut self) {
        (self.newest, self.settled) = (None, None);
    }

    /// Starts a watch after a resourceVersion.
    pub(super) fn begin_watch(&mut self, after: &str) {
        self.deltas.clear();
        (self.seen, self.repeated) = (None, None);
        self.newest = after.parse().ok();
    }

    /// Whether a list is in progress.
    fn is_listing(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns the mode for the next objects.
    pub(super) fn read_mode(&self) -> ReadMode {
        match self.knew_some {
            _ if !self.is_listing() => ReadMode::Changes,
            false => ReadMode::FirstList,
            true => ReadMode::List,
        }
    }

    /// Adds an item of a list.
    pub(super) fn item(&mut self, delta: Delta<T>) {
        self.deltas.push(delta);
    }

    /// Expects the watch to replay events that led to the current state of the store.
    pub(super) fn expect_repetition(&mut self) {
        self.repeated = Some(HashSet::new());
    }

    /// Whether an event is a replayed one. Replayed events may only add and delete objects that the store does not
    /// contain.
    ///
    /// # Errors
    ///
    /// Fails if a replayed event concerns an object in the store, because the watch then has a different history.
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

    /// Ends the replay, which must have deleted all objects that it added.
    fn end_repetition(&mut self) -> Result<(), WatchError> {
        match self.repeated.take() {
            Some(left) if !left.is_empty() => Err(WatchError::OtherHistory),
            _ => Ok(()),
        }
    }

    /// Whether the replay has added objects that it has not deleted yet.
    pub(super) fn is_repetition_unfinished(&self) -> bool {
        let left = self.repeated.as_ref();
        left.is_some_and(|left| !left.is_empty())
    }

    /// Whether a bookmark is part of the replay.
    pub(super) fn is_repeated(&self, bookmark: &Bookmark) -> bool {
        let version = bookmark.resource_version.parse().ok();
        self.repeated.is_some() && version.is_some() && version < self.newest
    }

    /// Adds an event of a watch.
    pub(super) fn change(&mut self, version: &str, delta: Delta<T>) -> Result<(), WatchError> {
        match self.is_listing() {
            true => self.check_listed(version, &delta)?,
            false => self.check_order(version)?,
        }
        self.deltas.push(delta);
        Ok(())
    }

    /// Records a bookmark.
    pub(super) fn bookmark(&mut self, bookmark: &Bookmark) -> Result<(), WatchError> {
        self.end_repetition()?;
        if bookmark.initial_events_end && self.is_listing() {
            self.newest = bookmark.resource_version.parse().ok();
        } else if !self.is_listing() {
            self.check_order(&bookmark.resource_version)?;
        }
        Ok(())
    }

    /// Commits the deltas, and returns the number of events.
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

    /// Checks a change of a streaming list, which may arrive in any order.
    ///
    /// A state that is older than the store must be unchanged. Otherwise the history may have been rolled back: the
    /// next list is then accepted as it is.
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
