//! Runs watches.

use std::time::Duration;

use bytes::Bytes;
use tokio::task::yield_now;

use super::{
    Reflector, StepResult,
    body::Chunks,
    checks::{Check, PendingCheck},
    event_decoder::{BatchDecoder, DecodedChange, LineContent},
    history_anchor::Anchor,
    watch_request::{Phase, WatchSession},
};
use crate::{
    client::{
        limits::Limit,
        request::{Query, Request, Verb},
    },
    informer::{
        decode::{Bookmark, LineTooLong},
        error::WatchError,
    },
};

/// Maximum number of bytes that are read before they are processed.
const MAX_BUFFERED: usize = 1024 * 1024;

impl Reflector {
    /// Watches until the API server ends the watch, or it fails.
    pub(super) async fn run_watch(
        &mut self,
        query: Query,
        phase: Phase,
        overlap: Option<Anchor>,
        timeout: Duration,
    ) -> StepResult {
        let timeout = Duration::from_secs(timeout.as_secs().max(1));
        let longest = self.setup.endpoint.limit(Limit::WatchEvent);
        let mut session = WatchSession::new(phase, overlap, timeout, longest);
        let query = query.with("timeoutSeconds", timeout.as_secs().to_string());
        let result = self.try_watch(query, &mut session).await;
        if session.is_connected() {
            let received_nothing = session.received_nothing() && self.sends_bookmarks;
            self.state.record_end(session.elapsed(), received_nothing);
        }
        if self.batch.is_replay_incomplete() {
            self.state.record_broken_replay();
        }
        self.classify_watch_end(&session, result)
    }

    async fn try_watch(&mut self, query: Query, session: &mut WatchSession) -> Result<(), WatchError> {
        let query = self.selection().and(&query).flag("watch", true).flag("allowWatchBookmarks", true);
        let request = Request::collection(Verb::Watch).query(query);
        let setup = self.setup.clone();
        let mut chunks = Chunks::open(&setup.endpoint, &request, setup.timeouts.response).await?;
        if session.phase == Phase::Listing {
            chunks.read_ahead();
        }
        self.on_response(session);
        let mut check = self.first_check(session);
        loop {
            let wait = session.next_wait(&setup.timeouts, self.sends_bookmarks);
            if wait.limit().is_zero() {
                // More data may be available without end.
                return Err(session.timeout_error(WatchError::Overdue, wait));
            }
            tokio::select! {
                chunk = chunks.next(wait.limit()) => {
                    let Some(chunk) = chunk.map_err(|error| session.timeout_error(error, wait))? else {
                        break;
                    };
                    self.read_chunk(chunk, &mut chunks, session).await?;
                    if session.phase == Phase::Watching {
                        chunks.stop_ahead();
                    }
                }
                checked = &mut check => {
                    if session.phase == Phase::Watching {
                        self.on_check(&checked)?;
                    }
                    check = setup.check_after(setup.timeouts.check);
                }
            }
            if session.elapsed() >= setup.timeouts.max_delay {
                self.state.reset_relists();
            }
        }
        if session.ended_in_time() {
            self.state.record_timeout();
        }
        Ok(())
    }

    fn on_response(&mut self, session: &mut WatchSession) {
        session.set_connected();
        self.gauge().clear_refusal();
        if session.phase == Phase::Watching {
            self.on_connected();
        }
    }

    /// Returns the first check, which is immediate if the history may have been rolled back since the last watch.
    fn first_check(&self, session: &WatchSession) -> PendingCheck {
        let delay = match session.overlap {
            Some(_) => Duration::ZERO,
            None => self.setup.timeouts.check,
        };
        self.setup.check_after(delay)
    }

    pub(super) fn on_check(&mut self, check: &Check) -> Result<(), WatchError> {
        match check.rollback() {
            Some((newest, reached)) if self.are_checks_reliable() => Err(WatchError::WentBack { newest, reached }),
            // Ignored, because the resourceVersions are not comparable.
            Some(_) => Ok(()),
            None => {
                self.false_alarms = 0;
                self.gauge().record_check(check.sent, &check.version);
                Ok(())
            }
        }
    }

    /// Processes a chunk together with the data that is available right behind it.
    ///
    /// Changing the cache and waking its subscribers costs as much for one event as for many.
    async fn read_chunk(
        &mut self,
        chunk: Bytes,
        chunks: &mut Chunks<'_>,
        session: &mut WatchSession,
    ) -> Result<(), WatchError> {
        let mut bytes = chunk.len();
        session.push(chunk);
        let mut read_result = Ok(());
        while bytes < MAX_BUFFERED {
            match chunks.try_next().await {
                Ok(Some(chunk)) => {
                    bytes += chunk.len();
                    session.push(chunk);
                }
                Ok(None) => break,
                Err(error) => {
                    read_result = Err(error);
                    break;
                }
            }
        }
        let setup = self.setup.clone();
        let decoder = setup.batch_decoder(self.batch.source(), self.shards.clone());
        if decoder.runs_closures() {
            // Lets the tasks that this one has woken run first, in case a closure does not return.
            yield_now().await;
        }
        self.read_lines(bytes, &decoder, session, chunks.request()).and(read_result)
    }

    /// Processes the complete lines.
    fn read_lines(
        &mut self,
        bytes: usize,
        decoder: &BatchDecoder<'_>,
        session: &mut WatchSession,
        request: &Request<'_>,
    ) -> Result<(), WatchError> {
        let mut bytes = bytes;
        loop {
            let lines = session.next_lines().map_err(|LineTooLong| {
                let error = self.setup.endpoint.too_large(request, Limit::WatchEvent);
                WatchError::from(error)
            })?;
            session.received(std::mem::take(&mut bytes), lines.len());
            if lines.is_empty() {
                return Ok(());
            }
            decoder.lines(&lines, |contents| {
                let applied = contents.into_iter().try_for_each(|content| self.apply_line(content?, session, request));
                // The events before an error are valid.
                self.commit();
                applied
            })?;
        }
    }

    fn apply_line(
        &mut self,
        content: LineContent<'_>,
        session: &mut WatchSession,
        request: &Request<'_>,
    ) -> Result<(), WatchError> {
        match content {
            LineContent::Object(change) => self.on_change(change, session),
            LineContent::Bookmark(bookmark) => self.on_bookmark(&bookmark, session),
            LineContent::Failure(status) => {
                let ended = self.setup.endpoint.ended(request, status.as_bytes());
                Err(ended.into())
            }
        }
    }

    fn on_change(&mut self, change: DecodedChange<'_>, session: &mut WatchSession) -> Result<(), WatchError> {
        let anchor = change.anchor();
        if session.overlap.is_some() {
            return self.check_overlap(anchor, session);
        }
        let is_overlap = session.overlapped.is_some() && session.overlapped == anchor;
        if is_overlap || self.batch.check_replay(&change)? {
            return Ok(());
        }
        self.batch.push_change(&change.version, change.delta)?;
        match session.phase {
            Phase::Listing => self.state.record_listed(anchor),
            Phase::Watching => {
                self.state.record_event(anchor);
                self.record_version(&change.version);
            }
        }
        Ok(())
    }

    /// Checks that the first event after an interruption is the last one before it.
    fn check_overlap(&mut self, first: Option<Anchor>, session: &mut WatchSession) -> Result<(), WatchError> {
        if session.overlap.take() != first {
            return Err(WatchError::OtherHistory);
        }
        session.overlapped = first;
        self.batch.begin_replay();
        self.state.record_overlap();
        Ok(())
    }

    /// Processes a bookmark.
    fn on_bookmark(&mut self, bookmark: &Bookmark, session: &mut WatchSession) -> Result<(), WatchError> {
        if session.overlap.is_some() {
            return Err(WatchError::OtherHistory);
        }
        if self.batch.is_replayed_bookmark(bookmark) {
            return Ok(());
        }
        self.batch.push_bookmark(bookmark)?;
        match session.phase {
            Phase::Watching => {
                self.sends_bookmarks = true;
                self.record_version(&bookmark.resource_version);
            }
            Phase::Listing if bookmark.initial_events_end => {
                self.sends_bookmarks = true;
                session.complete_list();
                self.complete_list(&bookmark.resource_version, session.sent);
                self.resumes = false;
                self.on_connected();
            }
            Phase::Listing => return Err(WatchError::NoStreamingLists),
        }
        Ok(())
    }

    fn record_version(&mut self, version: &str) {
        self.uncommitted_version.clear();
        self.uncommitted_version.push_str(version);
    }

    /// Commits the deltas, and advances the resourceVersion of the next watch.
    fn commit(&mut self) {
        let events = self.batch.commit();
        self.count_events(events);
        if !self.uncommitted_version.is_empty() {
            self.state.advance_to(&self.uncommitted_version);
        }
        self.gauge().record_events(events > 0, &self.uncommitted_version);
        self.uncommitted_version.clear();
        self.setup.shared.notify_waiters();
    }
}
