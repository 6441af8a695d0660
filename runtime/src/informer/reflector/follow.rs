//! Follows what happens to objects.

use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::task::yield_now;

use super::{
    Ended, Reflector,
    attempt::{Attempt, Phase},
    body::Chunks,
    checks::{Check, Pending},
    course::{Anchor, End},
    end_of,
    reader::{Change, Said},
};
use crate::{
    client::{
        Error,
        limits::Limit,
        request::{Query, Request, Verb},
        retry::{jittered, random},
    },
    informer::{
        Cached,
        decode::{Bookmark, LineTooLong},
        trouble::WatchError,
    },
};

/// So many bytes wait at most for what comes right behind them.
const AT_ONCE: usize = 512 * 1024;

/// The longest time that API servers understand as `timeoutSeconds`, and more than anybody means.
const LONGEST_WATCH: Duration = Duration::from_secs(i32::MAX as u64);

impl<T: Cached + DeserializeOwned> Reflector<T> {
    /// Watches until the API server ends it.
    pub(super) async fn follow(
        &mut self,
        query: Query,
        phase: Phase,
        overlap: Option<Anchor>,
    ) -> Ended {
        let lasts = jittered(self.timings.watch.min(LONGEST_WATCH), random());
        let lasts = Duration::from_secs(lasts.as_secs().max(1));
        let longest = self.endpoint.limit(Limit::WatchEvent);
        let mut attempt = Attempt::new(phase, overlap, lasts, longest);
        let query = query.with("timeoutSeconds", lasts.as_secs().to_string());
        let result = self.try_follow(query, &mut attempt).await;
        if attempt.is_answered() {
            let brought_nothing = attempt.brought_nothing() && self.bookmarks;
            self.course.ended(attempt.elapsed(), brought_nothing);
        }
        self.end_of_watch(&attempt, result)
    }

    fn end_of_watch(&self, attempt: &Attempt, result: Result<(), WatchError>) -> Ended {
        let is_mute = self.course.is_mute();
        match (attempt.phase, result) {
            (_, Ok(()) | Err(WatchError::Silent(_) | WatchError::Overdue))
                if attempt.overlap.is_some() && attempt.is_in_time() =>
            {
                (End::Desync, Some(WatchError::OtherHistory))
            }
            (Phase::Listing, Ok(())) => (End::Stalled, Some(WatchError::Incomplete)),
            (Phase::Listing, Err(error)) if is_no_answer_to_streaming(&error) => {
                (End::Unsupported, Some(WatchError::NoStreamingLists))
            }
            (Phase::Listing, Err(error @ WatchError::Silent(_))) if attempt.is_answered() => {
                (End::Stalled, Some(error))
            }
            (Phase::Listing, Err(error)) if is_too_large(&error) => (End::Stalled, Some(error)),
            (Phase::Watching, _) if is_mute && attempt.is_answered() => {
                (End::Desync, Some(WatchError::Mute))
            }
            (Phase::Watching, Ok(())) if self.course.has_told() => (End::Over, None),
            (Phase::Watching, Ok(())) => (End::Over, Some(WatchError::Wordless)),
            (_, Err(error)) => (end_of(&error), Some(error)),
        }
    }

    async fn try_follow(&mut self, query: Query, attempt: &mut Attempt) -> Result<(), WatchError> {
        let query = self
            .selection
            .clone()
            .and(&query)
            .flag("watch", true)
            .flag("allowWatchBookmarks", true);
        let request = Request::collection(Verb::Watch).query(query);
        let endpoint = self.endpoint.clone();
        let mut chunks = Chunks::open(&endpoint, &request, self.timings.answer).await?;
        self.answered(attempt);
        let mut check = self.first_check(attempt);
        loop {
            let patience = attempt.patience(&self.timings, self.bookmarks);
            if patience.limit().is_zero() {
                // More may be there, and always will be.
                return Err(attempt.overdue(WatchError::Overdue, patience));
            }
            tokio::select! {
                chunk = chunks.next(patience.limit()) => {
                    let Some(chunk) = chunk.map_err(|error| attempt.overdue(error, patience))? else {
                        break;
                    };
                    self.take_in(chunk, &mut chunks, attempt).await?;
                }
                checked = &mut check => {
                    if attempt.phase == Phase::Watching {
                        self.checked(&checked)?;
                    }
                    check = self.checks.after(self.checks.interval);
                }
            }
            if attempt.elapsed() >= self.timings.max_delay {
                self.course.lasted();
            }
        }
        if attempt.is_in_time() {
            self.course.lived();
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

    /// At once if the API server may have gone back in time since the last watch.
    fn first_check(&self, attempt: &Attempt) -> Pending {
        let delay = match attempt.overlap {
            Some(_) => Duration::ZERO,
            None => self.checks.interval,
        };
        self.checks.after(delay)
    }

    fn checked(&mut self, check: &Check) -> Result<(), WatchError> {
        match check.goes_back() {
            Some((newest, told)) if self.believes_checks() => {
                Err(WatchError::WentBack { newest, told })
            }
            // Versions that cannot be compared prove nothing.
            Some(_) => Ok(()),
            None => {
                self.gauge().checked(check.sent, &check.version);
                Ok(())
            }
        }
    }

    /// Takes in what came, and with it what comes right behind it: to change the cache and to wake its followers costs as
    /// much for one event as for many.
    async fn take_in(
        &mut self,
        chunk: Bytes,
        chunks: &mut Chunks<'_, T::Kind>,
        attempt: &mut Attempt,
    ) -> Result<(), WatchError> {
        let mut bytes = chunk.len();
        attempt.lines.push(chunk);
        let mut broken = Ok(());
        while bytes < AT_ONCE {
            match chunks.at_hand().await {
                Ok(Some(chunk)) => {
                    bytes += chunk.len();
                    attempt.lines.push(chunk);
                }
                Ok(None) => break,
                Err(error) => {
                    broken = Err(error);
                    break;
                }
            }
        }
        if self.reader.runs_closures() {
            // What this task has woken runs first, in case a closure does not return.
            yield_now().await;
        }
        let taken = self.take(bytes, attempt, chunks.request());
        // What was told before a mistake is true.
        self.settle();
        taken.and(broken)
    }

    /// Takes in the lines that are complete.
    fn take(
        &mut self,
        bytes: usize,
        attempt: &mut Attempt,
        request: &Request<'_>,
    ) -> Result<(), WatchError> {
        let mut too_long = Ok(());
        let complete = std::iter::from_fn(|| {
            attempt.lines.next().unwrap_or_else(|LineTooLong| {
                too_long = Err(self.endpoint.too_large(request, Limit::WatchEvent).into());
                None
            })
        });
        let lines: Vec<_> = complete.collect();
        attempt.received(bytes, lines.len());
        let namespace = self.endpoint.namespace();
        let read = self.reader.lines(&lines, self.intake.reads(), namespace);
        for said in read {
            match said? {
                Said::Object(change) => self.change(change, attempt)?,
                Said::Bookmark(bookmark) => self.mark(&bookmark, attempt)?,
                Said::Failure(status) => {
                    return Err(self.endpoint.ended(request, status.as_bytes()).into());
                }
            }
        }
        too_long
    }

    fn change(&mut self, change: Change<'_, T>, attempt: &mut Attempt) -> Result<(), WatchError> {
        let anchor = change.anchor();
        if attempt.overlap.is_some() {
            return self.overlaps(anchor, attempt);
        }
        let is_overlap = attempt.overlapped.is_some() && attempt.overlapped == anchor;
        if is_overlap || self.intake.repeats(&change)? {
            return Ok(());
        }
        self.intake.change(&change.version, change.delta)?;
        match attempt.phase {
            Phase::Listing => self.course.lists(anchor),
            Phase::Watching => {
                self.course.watches(anchor);
                self.reach(&change.version);
            }
        }
        Ok(())
    }

    /// The first event after an interruption has to be the last one before it.
    fn overlaps(&mut self, first: Option<Anchor>, attempt: &mut Attempt) -> Result<(), WatchError> {
        if attempt.overlap.take() != first {
            return Err(WatchError::OtherHistory);
        }
        attempt.overlapped = first;
        self.intake.expect_repetition();
        self.course.continues();
        Ok(())
    }

    /// The watch has come as far as a bookmark.
    fn mark(&mut self, bookmark: &Bookmark, attempt: &mut Attempt) -> Result<(), WatchError> {
        if attempt.overlap.is_some() {
            return Err(WatchError::OtherHistory);
        }
        if self.intake.is_repeated(bookmark) {
            return Ok(());
        }
        self.intake.bookmark(bookmark)?;
        match attempt.phase {
            Phase::Watching => {
                self.bookmarks = true;
                self.reach(&bookmark.resource_version);
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

    fn reach(&mut self, version: &str) {
        self.reached.clear();
        self.reached.push_str(version);
    }

    /// Makes the changes that came in; the next watch goes on after them.
    fn settle(&mut self) {
        let events = self.intake.commit();
        self.changed(events);
        if !self.reached.is_empty() {
            self.course.reached(&self.reached);
        }
        self.gauge().told(events > 0, &self.reached);
        self.reached.clear();
        self.shared.progressed();
    }
}

/// Whether an object is larger than events may be; pages may be larger.
fn is_too_large(error: &WatchError) -> bool {
    matches!(error, WatchError::Request(Error::TooLarge { .. }))
}

/// Whether an error means that the API server does not know streaming lists: it says that the request is invalid, or has
/// taken it for one without a list.
fn is_no_answer_to_streaming(error: &WatchError) -> bool {
    match error {
        WatchError::NoStreamingLists => true,
        WatchError::Request(Error::Invalid(_)) => true,
        WatchError::Request(Error::Refused(refusal)) => refusal.status.code == 400,
        _ => false,
    }
}
