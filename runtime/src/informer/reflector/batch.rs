//! Deltas of lists and watches, in order, until they are committed to the cache.

use std::{collections::HashSet, sync::Arc};

use super::event_decoder::{BatchSource, DecodedChange};
use crate::informer::{
    ObjectKey,
    cache::{Delta, Seen},
    decode::Bookmark,
    error::WatchError,
    shared::InformerState,
};

pub(super) struct DeltaBatch {
    shared: Arc<InformerState>,
    deltas: Vec<Delta>,
    /// The objects that the current list has returned so far.
    seen: Option<Seen>,
    /// Whether the store contained objects when the list started.
    had_objects: bool,
    /// The newest resourceVersion of this watch, if it is a number.
    newest: Option<u64>,
    /// A resourceVersion at which the store was consistent when the list started, then that of the last deletion.
    consistent_version: Option<u64>,
    /// While a watch replays earlier events: the replayed objects that were not deleted yet.
    replayed: Option<HashSet<ObjectKey>>,
}

impl DeltaBatch {
    pub(super) fn new(shared: Arc<InformerState>) -> Self {
        Self {
            shared,
            deltas: Vec::new(),
            seen: None,
            had_objects: false,
            newest: None,
            consistent_version: None,
            replayed: None,
        }
    }

    /// Starts a list. Objects that it does not return are deleted.
    pub(super) fn begin_list(&mut self) {
        self.deltas.clear();
        (self.seen, self.replayed) = (Some(Seen::default()), None);
        self.had_objects = self.shared.cache.store.len() > 0;
        self.consistent_version = self.newest.take().or(self.consistent_version);
    }

    /// Completes the list, and returns the number of events.
    pub(super) fn end_list(&mut self, namespace: Option<&str>) -> usize {
        let changes = self.commit();
        self.consistent_version = None;
        match self.seen.take() {
            Some(seen) => changes + self.shared.cache.sweep(namespace, &seen),
            None => changes,
        }
    }

    /// Resets the known versions after a rollback, because the next list may be older than the store.
    pub(super) fn reset_versions(&mut self) {
        (self.newest, self.consistent_version) = (None, None);
    }

    /// Starts a watch after a resourceVersion.
    pub(super) fn begin_watch(&mut self, after: &str) {
        self.deltas.clear();
        (self.seen, self.replayed) = (None, None);
        self.newest = after.parse().ok();
    }

    /// Whether a list is in progress.
    fn is_listing(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns the source of the next objects.
    pub(super) fn source(&self) -> BatchSource {
        if !self.is_listing() {
            BatchSource::Changes
        } else if self.had_objects {
            BatchSource::List
        } else {
            BatchSource::FirstList
        }
    }

    /// Adds an item of a list.
    pub(super) fn push_item(&mut self, delta: Delta) {
        self.deltas.push(delta);
    }

    /// Expects the watch to replay events that led to the current state of the store.
    pub(super) fn begin_replay(&mut self) {
        self.replayed = Some(HashSet::new());
    }

    /// Whether an event is a replayed one. Replayed events may only add and delete objects that the store does not
    /// contain.
    ///
    /// # Errors
    ///
    /// Fails if a replayed event concerns an object in the store, because the watch then has a different history.
    pub(super) fn check_replay(&mut self, change: &DecodedChange<'_>) -> Result<bool, WatchError> {
        let Some(remaining) = &mut self.replayed else {
            return Ok(false);
        };
        let version = change.version.parse::<u64>().ok();
        if version.is_none() || version > self.newest {
            self.end_replay()?;
            return Ok(false);
        }
        if matches!(change.delta, Delta::OtherShard { .. }) {
            return Ok(true);
        }
        let key = change.delta.key();
        if self.shared.cache.store.find(key.namespace(), key.name()).is_some() {
            return Err(WatchError::OtherHistory);
        }
        match &change.delta {
            Delta::Delete { .. } => remaining.remove(&key),
            _ => remaining.insert(key),
        };
        Ok(true)
    }

    /// Ends the replay, which must have deleted all objects that it added.
    fn end_replay(&mut self) -> Result<(), WatchError> {
        match self.replayed.take() {
            Some(remaining) if !remaining.is_empty() => Err(WatchError::OtherHistory),
            _ => Ok(()),
        }
    }

    /// Whether the replay has added objects that it has not deleted yet.
    pub(super) fn is_replay_incomplete(&self) -> bool {
        let remaining = self.replayed.as_ref();
        remaining.is_some_and(|remaining| !remaining.is_empty())
    }

    /// Whether a bookmark is part of the replay.
    pub(super) fn is_replayed_bookmark(&self, bookmark: &Bookmark) -> bool {
        let version = bookmark.resource_version.parse().ok();
        self.replayed.is_some() && version.is_some() && version < self.newest
    }

    /// Adds an event of a watch.
    pub(super) fn push_change(&mut self, version: &str, delta: Delta) -> Result<(), WatchError> {
        if self.is_listing() {
            self.check_listed(version, &delta)?;
        } else {
            self.check_order(version)?;
        }
        self.deltas.push(delta);
        Ok(())
    }

    /// Records a bookmark.
    pub(super) fn push_bookmark(&mut self, bookmark: &Bookmark) -> Result<(), WatchError> {
        self.end_replay()?;
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
        let reporter = &self.shared.reporter;
        reporter.count_events(committed.events, cache.store.len());
        let problems = committed.problems.into_iter();
        problems.for_each(|problem| reporter.report_object(problem));
        committed.events
    }

    /// Checks a change of a streaming list, which may arrive in any order.
    ///
    /// A state that is older than the store must be unchanged. Otherwise the history may have been rolled back: the
    /// next list is then accepted as it is.
    fn check_listed(&mut self, version: &str, delta: &Delta) -> Result<(), WatchError> {
        let Ok(number) = version.parse::<u64>() else {
            return Ok(());
        };
        match (delta, self.consistent_version) {
            (Delta::Apply(_) | Delta::Delete { .. }, Some(newest)) if number < newest => {
                self.consistent_version = None;
                Err(WatchError::OutOfOrder { version: number, newest })
            }
            (Delta::Delete { .. }, _) => {
                self.consistent_version = Some(number);
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
            Some(newest) if number < newest => Err(WatchError::OutOfOrder { version: number, newest }),
            _ => {
                self.newest = Some(number);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests;
