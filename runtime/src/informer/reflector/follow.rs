//! Follows what happens to objects.

use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::{Ended, Reflector, body::Chunks, course::End, end_of, reader::Said};
use crate::{
    client::{
        Error,
        limits::Part,
        request::{Query, Request, Verb},
        retry::{jittered, random},
    },
    informer::{
        Cached,
        decode::{Bookmark, LineTooLong, Lines},
        trouble::WatchError,
    },
};

/// What a watch tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// What there is.
    Listing,
    /// What happens.
    Watching,
}

/// So many bytes wait at most for what comes right behind them.
const AT_ONCE: usize = 512 * 1024;

/// How much longer than it was asked for a watch may last.
const OVERTIME: Duration = Duration::from_secs(10);

/// How much earlier than it was asked for a watch may end in time.
const ROUNDING: Duration = Duration::from_secs(1);

impl<T: Cached + DeserializeOwned> Reflector<T> {
    /// Watches until the API server ends it.
    pub(super) async fn follow(&mut self, query: Query, mut phase: Phase) -> Ended {
        let mut answered = false;
        let result = self.try_follow(query, &mut phase, &mut answered).await;
        match (phase, result) {
            (Phase::Listing, Ok(())) => (End::Unsupported, Some(WatchError::NoStreamingLists)),
            (Phase::Listing, Err(error)) if is_no_answer_to_streaming(&error) => {
                (End::Unsupported, Some(WatchError::NoStreamingLists))
            }
            (Phase::Listing, Err(error @ WatchError::Silent(_))) if answered => {
                (End::Stalled, Some(error))
            }
            (Phase::Watching, Ok(())) if self.course.has_told() => (End::Over, None),
            (Phase::Watching, Ok(())) => (End::Over, Some(WatchError::Wordless)),
            (_, Err(error)) => (end_of(&error), Some(error)),
        }
    }

    async fn try_follow(
        &mut self,
        query: Query,
        phase: &mut Phase,
        answered: &mut bool,
    ) -> Result<(), WatchError> {
        let lasts = jittered(self.timings.watch, random());
        let lasts = Duration::from_secs(lasts.as_secs().max(1));
        let query = self
            .selection
            .clone()
            .and(&query)
            .flag("watch", true)
            .flag("allowWatchBookmarks", true)
            .with("timeoutSeconds", lasts.as_secs().to_string());
        let request = Request::collection(Verb::Watch).query(query);
        let endpoint = self.endpoint.clone();
        let mut chunks = Chunks::open(&endpoint, &request, self.timings.answer).await?;
        *answered = true;
        self.gauge().answered();
        if *phase == Phase::Watching {
            self.connected();
        }
        let began = Instant::now();
        let longest = endpoint.limit(Part::WatchEvent);
        let mut lines = Lines::new(longest);
        while let Some(chunk) = chunks.next(self.patience(*phase, began, lasts)).await? {
            let taken = self.take_in(chunk, &mut chunks, &mut lines, phase).await;
            // What was told before a mistake is true.
            self.settle();
            taken?;
            if began.elapsed() >= self.timings.max_delay {
                self.course.lasted();
            }
        }
        if began.elapsed() + ROUNDING >= lasts {
            self.course.lived();
        }
        Ok(())
    }

    /// How long the watch may be silent from now.
    fn patience(&self, phase: Phase, began: Instant, lasts: Duration) -> Duration {
        let end = lasts.saturating_sub(began.elapsed()) + OVERTIME;
        match phase {
            Phase::Listing => self.timings.initial,
            Phase::Watching if self.bookmarks => end.min(self.timings.silence),
            Phase::Watching => end,
        }
    }

    /// Takes in what came, and with it what comes right behind it: to change the cache and to wake its followers costs as
    /// much for one event as for many.
    async fn take_in(
        &mut self,
        chunk: Bytes,
        chunks: &mut Chunks<'_, T::Kind>,
        lines: &mut Lines,
        phase: &mut Phase,
    ) -> Result<(), WatchError> {
        let mut bytes = chunk.len();
        lines.push(chunk);
        let mut broken = Ok(());
        while bytes < AT_ONCE {
            match chunks.at_hand().await {
                Ok(Some(chunk)) => {
                    bytes += chunk.len();
                    lines.push(chunk);
                }
                Ok(None) => break,
                Err(error) => {
                    broken = Err(error);
                    break;
                }
            }
        }
        self.take(lines, phase, chunks.request()).and(broken)
    }

    /// Takes in the lines that are complete.
    fn take(
        &mut self,
        lines: &mut Lines,
        phase: &mut Phase,
        request: &Request<'_>,
    ) -> Result<(), WatchError> {
        let mut too_long = Ok(());
        let complete = std::iter::from_fn(|| {
            lines.next().unwrap_or_else(|LineTooLong| {
                too_long = Err(self.endpoint.too_large(request, Part::WatchEvent).into());
                None
            })
        });
        let lines: Vec<_> = complete.collect();
        for said in self.reader.lines(&lines, self.intake.reads()) {
            match said? {
                Said::Object(version, delta) => {
                    self.intake.change(&version, delta)?;
                    if *phase == Phase::Watching {
                        self.reach(&version);
                    }
                }
                Said::Bookmark(bookmark) => self.mark(&bookmark, phase)?,
                Said::Failure(status) => {
                    return Err(self.endpoint.ended(request, status.as_bytes()).into());
                }
            }
        }
        too_long
    }

    /// The watch has come as far as a bookmark.
    fn mark(&mut self, bookmark: &Bookmark, phase: &mut Phase) -> Result<(), WatchError> {
        self.intake.bookmark(bookmark)?;
        match *phase {
            Phase::Watching => {
                self.bookmarks = true;
                self.reach(&bookmark.resource_version);
            }
            Phase::Listing if bookmark.initial_events_end => {
                *phase = Phase::Watching;
                self.listed(&bookmark.resource_version);
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
        if !self.reached.is_empty() {
            self.course.reached(&self.reached);
        }
        self.gauge().told(events > 0, &self.reached);
        self.reached.clear();
        self.shared.progressed();
    }
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
