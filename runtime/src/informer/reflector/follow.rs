//! Runs watches.

use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::task::yield_now;

use super::{
    Ended, Reflector,
    anchor::Anchor,
    attempt::{Attempt, Phase},
    body::Chunks,
    checks::{Check, Pending},
    reader::{Change, LineContent, Reading},
};
use crate::{
    client::{
        limits::Limit,
        request::{Query, Request, Verb},
        retry::{jittered, random},
        watch,
    },
    informer::{
        CacheObject,
        decode::{Bookmark, LineTooLong},
        error::WatchError,
    },
};

/// Maximum number of bytes that are read before they are processed.
const AT_ONCE: usize = 512 * 1024;

impl<T: CacheObject + DeserializeOwned> Reflector<T> {
    /// Watches until the API server ends the watch, or it fails.
    pub(super) async fn follow(
        &mut self,
        query: Query,
        phase: Phase,
        overlap: Option<Anchor>,
    ) -> Ended {
        let lasts = jittered(self.setup.timeouts.watch.min(watch::LONGEST), random());
        let lasts = Duration::from_secs(lasts.as_secs().max(1));
        let longest = self.setup.endpoint.limit(Limit::WatchEvent);
        let mut attempt = Attempt::new(phase, overlap, lasts, longest);
        let query = query.with("timeoutSeconds", lasts.as_secs().to_string());
        let result = self.try_follow(query, &mut attempt).await;
        if attempt.is_answered() {
            let brought_nothing = attempt.brought_nothing() && self.bookmarks;
            self.protocol.ended(attempt.elapsed(), brought_nothing);
        }
        if self.batch.is_repetition_unfinished() {
            self.protocol.does_not_continue();
        }
        self.end_of_watch(&attempt, result)
    }

    async fn try_follow(&mut self, query: Query, attempt: &mut Attempt) -> Result<(), WatchError> {
        let query = self
            .setup
            .selection
            .clone()
            .and(&query)
            .flag("watch", true)
            .flag("allowWatchBookmarks", true);
        let request = Request::collection(Verb::Watch).query(query);
        let setup = self.setup.clone();
        let mut chunks = Chunks::open(&setup.endpoint, &request, setup.timeouts.response).await?;
        self.answered(attempt);
        let mut check = self.first_check(attempt);
        loop {
            let wait = attempt.next_wait(&setup.timeouts, self.bookmarks);
            if wait.limit().is_zero() {
                // More data may be available without end.
                return Err(attempt.overdue(WatchError::Overdue, wait));
            }
            tokio::select! {
                chunk = chunks.next(wait.limit()) => {
                    let Some(chunk) = chunk.map_err(|error| attempt.overdue(error, wait))? else {
                        break;
                    };
                    self.receive(chunk, &mut chunks, attempt).await?;
                }
                checked = &mut check => {
                    if attempt.phase == Phase::Watching {
                        self.checked(&checked)?;
                    }
                    check = setup.check_after(setup.timeouts.check);
                }
            }
            if attempt.elapsed() >= setup.timeouts.max_delay {
                self.protocol.lasted();
            }
        }
        if attempt.is_in_time() {
            self.protocol.ended_in_time();
        }
        Ok(())
    }

    fn answered(&mut self, attempt: &mut Attempt) {
        attempt.answered();
        self.gauge().answered();
        if attempt.phase == Phase::Watching {
            self.connected();
        }
    }

    /// Returns the first check, which is immediate if the history may have been rolled back since the last watch.
    fn first_check(&self, attempt: &Attempt) -> Pending {
        let delay = match attempt.overlap {
            Some(_) => Duration::ZERO,
            None => self.setup.timeouts.check,
        };
        self.setup.check_after(delay)
    }

    fn checked(&mut self, check: &Check) -> Result<(), WatchError> {
        match check.goes_back() {
            Some((newest, reached)) if self.believes_checks() => {
                Err(WatchError::WentBack { newest, reached })
            }
            // Ignored, because the resourceVersions are not comparable.
            Some(_) => Ok(()),
            None => {
                self.unfounded = 0;
                self.gauge().checked(check.sent, &check.version);
                Ok(())
            }
        }
    }

    /// Processes a chunk together with the data that is available right behind it.
    ///
    /// Changing the cache and waking its subscribers costs as much for one event as for many.
    async fn receive(
        &mut self,
        chunk: Bytes,
        chunks: &mut Chunks<'_, T::Kind>,
        attempt: &mut Attempt,
    ) -> Result<(), WatchError> {
        let mut bytes = chunk.len();
        attempt.push(chunk);
        let mut broken = Ok(());
        while bytes < AT_ONCE {
            match chunks.at_hand().await {
                Ok(Some(chunk)) => {
                    bytes += chunk.len();
                    attempt.push(chunk);
                }
                Ok(None) => break,
                Err(error) => {
                    broken = Err(error);
                    break;
                }
            }
        }
        let setup = self.setup.clone();
        let reading = setup.reading(self.batch.read_mode());
        if reading.runs_closures() {
            // Lets the tasks that this one has woken run first, in case a closure does not return.
            yield_now().await;
        }
        let taken = self.read_lines(bytes, &reading, attempt, chunks.request());
        // The events before an error are valid.
        self.commit();
        taken.and(broken)
    }

    /// Processes the complete lines.
    fn read_lines(
        &mut self,
        bytes: usize,
        reading: &Reading<'_, T>,
        attempt: &mut Attempt,
        request: &Request<'_>,
    ) -> Result<(), WatchError> {
        let mut bytes = bytes;
        loop {
            let lines = attempt.next_lines().map_err(|LineTooLong| {
                let error = self.setup.endpoint.too_large(request, Limit::WatchEvent);
                WatchError::from(error)
            })?;
            attempt.received(std::mem::take(&mut bytes), lines.len());
            if lines.is_empty() {
                return Ok(());
            }
            for content in reading.lines(&lines) {
                self.apply_line(content?, attempt, request)?;
            }
        }
    }

    fn apply_line(
        &mut self,
        content: LineContent<'_, T>,
        attempt: &mut Attempt,
        request: &Request<'_>,
    ) -> Result<(), WatchError> {
        match content {
            LineContent::Object(change) => self.change(change, attempt),
            LineContent::Bookmark(bookmark) => self.bookmark(&bookmark, attempt),
            LineContent::Failure(status) => {
                let ended = self.setup.endpoint.ended(request, status.as_bytes());
                Err(ended.into())
            }
        }
    }

    fn change(&mut self, change: Change<'_, T>, attempt: &mut Attempt) -> Result<(), WatchError> {
        let anchor = change.anchor();
        if attempt.overlap.is_some() {
            return self.overlaps(anchor, attempt);
        }
        let is_overlap = attempt.overlapped.is_some() && attempt.overlapped == anchor;
        if is_overlap || self.batch.repeats(&change)? {
            return Ok(());
        }
        self.batch.change(&change.version, change.delta)?;
        match attempt.phase {
            Phase::Listing => self.protocol.lists(anchor),
            Phase::Watching => {
                self.protocol.watches(anchor);
                self.note_version(&change.version);
            }
        }
        Ok(())
    }

    /// Checks that the first event after an interruption is the last one before it.
    fn overlaps(&mut self, first: Option<Anchor>, attempt: &mut Attempt) -> Result<(), WatchError> {
        if attempt.overlap.take() != first {
            return Err(WatchError::OtherHistory);
        }
        attempt.overlapped = first;
        self.batch.expect_repetition();
        self.protocol.continues();
        Ok(())
    }

    /// Processes a bookmark.
    fn bookmark(&mut self, bookmark: &Bookmark, attempt: &mut Attempt) -> Result<(), WatchError> {
        if attempt.overlap.is_some() {
            return Err(WatchError::OtherHistory);
        }
        if self.batch.is_repeated(bookmark) {
            return Ok(());
        }
        self.batch.bookmark(bookmark)?;
        match attempt.phase {
            Phase::Watching => {
                self.bookmarks = true;
                self.note_version(&bookmark.resource_version);
            }
            Phase::Listing if bookmark.initial_events_end => {
                self.bookmarks = true;
                attempt.listed();
                self.listed(&bookmark.resource_version, attempt.sent);
                self.resumes = false;
                self.connected();
            }
            Phase::Listing => return Err(WatchError::NoStreamingLists),
        }
        Ok(())
    }

    fn note_version(&mut self, version: &str) {
        self.reached.clear();
        self.reached.push_str(version);
    }

    /// Commits the deltas, and advances the resourceVersion of the next watch.
    fn commit(&mut self) {
        let events = self.batch.commit();
        self.changed(events);
        if !self.reached.is_empty() {
            self.protocol.reached(&self.reached);
        }
        self.gauge().told(events > 0, &self.reached);
        self.reached.clear();
        self.setup.shared.progressed();
    }
}
