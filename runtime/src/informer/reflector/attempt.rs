//! One watch request, and its timeouts.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::anchor::Anchor;
use crate::{
    client::{body::progress::Progress, watch::OVERTIME},
    informer::{
        decode::{LineTooLong, Lines},
        error::WatchError,
        timeouts::Timeouts,
    },
};

/// The phase of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The initial list.
    Listing,
    /// The events after it.
    Watching,
}

/// Tolerance for watches that end before the requested timeout.
const ROUNDING: Duration = Duration::from_secs(1);

/// Maximum number of lines that are read together.
///
/// Lines shorter than events, such as empty ones, take many times their length in memory.
const LINES_AT_ONCE: usize = 1024;

/// A streaming list that makes progress may take this many times the timeout of its watch.
///
/// API servers end it earlier. The limit ends a list that trickles forever.
const LONGEST_LIST: u32 = 10;

pub(super) struct Attempt {
    pub(super) phase: Phase,
    /// The event that the watch must start with.
    pub(super) overlap: Option<Anchor>,
    /// The event that the watch started with, as expected.
    pub(super) overlapped: Option<Anchor>,
    lines: Lines,
    /// When the request was sent.
    pub(super) sent: Instant,
    /// The requested timeout.
    lasts: Duration,
    answered: Option<Instant>,
    /// When the initial list was complete.
    listed: Option<Instant>,
    /// The progress since the last complete line.
    progress: Progress,
    brought_nothing: bool,
}

impl Attempt {
    pub(super) fn new(
        phase: Phase,
        overlap: Option<Anchor>,
        lasts: Duration,
        longest_line: usize,
    ) -> Self {
        Self {
            phase,
            overlap,
            overlapped: None,
            lines: Lines::new(longest_line),
            sent: Instant::now(),
            lasts,
            answered: None,
            listed: None,
            progress: Progress::begin(),
            brought_nothing: true,
        }
    }

    pub(super) fn answered(&mut self) {
        self.answered = Some(Instant::now());
        self.progress = Progress::begin();
    }

    pub(super) fn is_answered(&self) -> bool {
        self.answered.is_some()
    }

    /// Records that the initial list is complete.
    pub(super) fn listed(&mut self) {
        self.phase = Phase::Watching;
        self.listed = Some(Instant::now());
    }

    pub(super) fn push(&mut self, chunk: Bytes) {
        self.lines.push(chunk);
    }

    /// Returns the next complete lines; none until more data arrives.
    ///
    /// The lines before a line that is too long are returned before the error.
    pub(super) fn next_lines(&mut self) -> Result<Vec<Bytes>, LineTooLong> {
        let mut lines = Vec::new();
        while lines.len() < LINES_AT_ONCE {
            match self.lines.next() {
                Ok(Some(line)) => lines.push(line),
                Err(error) if lines.is_empty() => return Err(error),
                Ok(None) | Err(LineTooLong) => break,
            }
        }
        Ok(lines)
    }

    /// Records received data and the number of complete lines in it.
    pub(super) fn received(&mut self, bytes: usize, lines: usize) {
        self.brought_nothing &= lines == 0;
        match lines {
            0 => self.progress.received(bytes),
            _ => self.progress = Progress::begin(),
        }
    }

    /// Returns the time since the response started.
    pub(super) fn elapsed(&self) -> Duration {
        let answered = self.answered.unwrap_or(self.sent);
        answered.elapsed()
    }

    /// Whether the watch was connected and delivered nothing, not even a bookmark.
    pub(super) fn brought_nothing(&self) -> bool {
        self.is_answered() && self.brought_nothing && self.phase == Phase::Watching
    }

    /// Whether the watch was connected and ran to its requested timeout.
    pub(super) fn has_lasted(&self) -> bool {
        self.is_answered() && self.elapsed().saturating_add(ROUNDING) >= self.lasts
    }

    /// Whether the watch ran to its requested timeout, and not much longer.
    ///
    /// A process that was suspended meanwhile may have missed a rollback.
    pub(super) fn is_in_time(&self) -> bool {
        self.has_lasted() && self.elapsed() <= self.lasts.saturating_add(OVERTIME)
    }

    /// Returns how long to wait for more data.
    pub(super) fn next_wait(&self, timeouts: &Timeouts, bookmarks: bool) -> Wait {
        let end = match self.phase {
            Phase::Listing => self
                .lasts
                .saturating_mul(LONGEST_LIST)
                .saturating_sub(self.sent.elapsed()),
            Phase::Watching => self.until_end(),
        };
        let silence = match self.phase {
            Phase::Listing => timeouts.initial_list,
            Phase::Watching if bookmarks => timeouts.idle,
            Phase::Watching => Duration::MAX,
        };
        let silent = silence.saturating_sub(self.progress.elapsed());
        match silent < end {
            true => Wait::Silence(silent, silence),
            false => Wait::End(end),
        }
    }

    /// Returns the error of a wait that timed out.
    pub(super) fn overdue(&self, error: WatchError, wait: Wait) -> WatchError {
        let silent = self.progress.elapsed();
        match (error, wait) {
            (WatchError::IdleTimeout(_) | WatchError::Overdue, Wait::Silence(_, silence)) => {
                WatchError::IdleTimeout(silence)
            }
            (WatchError::IdleTimeout(_), _) if silent > OVERTIME => WatchError::IdleTimeout(silent),
            (WatchError::IdleTimeout(_), _) => WatchError::Overdue,
            (error, _) => error,
        }
    }

    fn until_end(&self) -> Duration {
        let elapsed = self.sent.elapsed();
        // A list that took longer than the requested timeout is still used.
        let since_list = self.listed.map_or(Duration::MAX, |listed| listed.elapsed());
        let overtime = elapsed.saturating_sub(self.lasts).min(since_list);
        let left = self.lasts.saturating_sub(elapsed);
        left.saturating_add(OVERTIME.saturating_sub(overtime))
    }
}

/// How long to wait for more data, and the error if none arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// The connection is considered dead: no data arrived in the idle timeout, which is the second duration.
    Silence(Duration, Duration),
    /// The API server should have ended the watch.
    End(Duration),
}

impl Wait {
    pub(super) fn limit(self) -> Duration {
        match self {
            Self::Silence(limit, _) | Self::End(limit) => limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;
    use crate::client::body::progress::STEP;

    const SECOND: Duration = Duration::from_secs(1);

    fn attempt(phase: Phase) -> Attempt {
        let mut attempt = Attempt::new(phase, None, 100 * SECOND, 1024);
        attempt.answered();
        attempt
    }

    fn left(attempt: &Attempt, bookmarks: bool) -> Wait {
        attempt.next_wait(&Timeouts::default(), bookmarks)
    }

    #[tokio::test(start_paused = true)]
    async fn a_trickle_counts_as_idle() {
        let mut watch = attempt(Phase::Watching);
        for _ in 0..60 {
            advance(SECOND).await;
            watch.received(1, 0);
        }
        assert_eq!(left(&watch, true), Wait::Silence(30 * SECOND, 90 * SECOND));
        assert!(watch.brought_nothing());
        watch.received(STEP, 0);
        assert!(matches!(left(&watch, true), Wait::End(_)));
        watch.received(1, 1);
        assert!(!watch.brought_nothing());
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_ends_at_its_timeout_despite_events() {
        let mut watch = attempt(Phase::Watching);
        assert_eq!(left(&watch, false), Wait::End(110 * SECOND));
        for _ in 0..105 {
            advance(SECOND).await;
            watch.received(100, 1);
        }
        assert!(watch.is_in_time());
        assert_eq!(left(&watch, true), Wait::End(5 * SECOND));
        advance(10 * SECOND).await;
        watch.received(100, 1);
        assert_eq!(left(&watch, true), Wait::End(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_may_take_long_while_it_makes_progress() {
        let mut list = attempt(Phase::Listing);
        for _ in 0..50 {
            advance(9 * SECOND).await;
            assert_eq!(left(&list, false).limit(), SECOND);
            list.received(STEP, 0);
        }
        list.listed();
        assert_eq!(left(&list, true), Wait::End(OVERTIME));
        advance(4 * SECOND).await;
        assert_eq!(left(&list, true), Wait::End(6 * SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn an_endless_list_is_ended() {
        let mut list = attempt(Phase::Listing);
        for _ in 0..1000 {
            advance(SECOND).await;
            list.received(STEP, 1);
        }
        assert_eq!(left(&list, false), Wait::End(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_suspended_beyond_its_timeout_did_not_end_in_time() {
        let watch = attempt(Phase::Watching);
        assert!(!watch.is_in_time());
        advance(100 * SECOND).await;
        assert!(watch.is_in_time());
        advance(OVERTIME + SECOND).await;
        assert!(watch.has_lasted() && !watch.is_in_time());
    }

    #[test]
    fn short_lines_are_read_in_batches() {
        let mut watch = attempt(Phase::Watching);
        watch.push(Bytes::from(vec![b'\n'; 512 * 1024]));
        watch.push(Bytes::from(vec![b'x'; 1025]));
        for _ in 0..512 * 1024 / LINES_AT_ONCE {
            assert_eq!(watch.next_lines().unwrap().len(), LINES_AT_ONCE);
        }
        assert_eq!(watch.next_lines(), Err(LineTooLong));
    }

    #[tokio::test(start_paused = true)]
    async fn timeouts_may_be_unlimited() {
        let mut watch = Attempt::new(Phase::Watching, None, Duration::MAX, 1024);
        watch.answered();
        advance(SECOND).await;
        let timeouts = Timeouts::default().idle(Duration::MAX);
        let wait = watch.next_wait(&timeouts, true);
        assert!(wait.limit() > Duration::from_secs(u64::MAX / 2));
    }
}
