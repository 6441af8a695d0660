//! One watch request, and its timeouts.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::history_anchor::Anchor;
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
const MAX_LINES: usize = 1024;

/// A streaming list that makes progress may take this many times the timeout of its watch.
///
/// API servers end it earlier. The limit ends a list that trickles forever.
const MAX_LIST_FACTOR: u32 = 10;

pub(super) struct WatchSession {
    pub(super) phase: Phase,
    /// The event that the watch must start with.
    pub(super) overlap: Option<Anchor>,
    /// The event that the watch started with, as expected.
    pub(super) overlapped: Option<Anchor>,
    lines: Lines,
    /// When the request was sent.
    pub(super) sent: Instant,
    /// The requested timeout.
    timeout: Duration,
    answered: Option<Instant>,
    /// When the initial list was complete.
    listed: Option<Instant>,
    /// The progress since the last complete line.
    progress: Progress,
    received_nothing: bool,
}

impl WatchSession {
    pub(super) fn new(phase: Phase, overlap: Option<Anchor>, timeout: Duration, longest_line: usize) -> Self {
        Self {
            phase,
            overlap,
            overlapped: None,
            lines: Lines::new(longest_line),
            sent: Instant::now(),
            timeout,
            answered: None,
            listed: None,
            progress: Progress::begin(),
            received_nothing: true,
        }
    }

    pub(super) fn set_connected(&mut self) {
        self.answered = Some(Instant::now());
        self.progress = Progress::begin();
    }

    pub(super) fn is_connected(&self) -> bool {
        self.answered.is_some()
    }

    /// Records that the initial list is complete.
    pub(super) fn complete_list(&mut self) {
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
        while lines.len() < MAX_LINES {
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
        self.received_nothing &= lines == 0;
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
    pub(super) fn received_nothing(&self) -> bool {
        self.is_connected() && self.received_nothing && self.phase == Phase::Watching
    }

    /// Whether the watch was connected and ran to its requested timeout.
    pub(super) fn ran_to_timeout(&self) -> bool {
        self.is_connected() && self.elapsed().saturating_add(ROUNDING) >= self.timeout
    }

    /// Whether the watch ran to its requested timeout, and not much longer.
    ///
    /// A process that was suspended meanwhile may have missed a rollback.
    pub(super) fn ended_in_time(&self) -> bool {
        self.ran_to_timeout() && self.elapsed() <= self.timeout.saturating_add(OVERTIME)
    }

    /// Returns how long to wait for more data.
    pub(super) fn next_wait(&self, timeouts: &Timeouts, sends_bookmarks: bool) -> Wait {
        let end = match self.phase {
            Phase::Listing => self.timeout.saturating_mul(MAX_LIST_FACTOR).saturating_sub(self.sent.elapsed()),
            Phase::Watching => self.time_to_end(),
        };
        let idle_timeout = match self.phase {
            Phase::Listing => timeouts.initial_list,
            Phase::Watching if sends_bookmarks => timeouts.idle,
            Phase::Watching => Duration::MAX,
        };
        let idle = idle_timeout.saturating_sub(self.progress.elapsed());
        if idle < end { Wait::Idle(idle, idle_timeout) } else { Wait::End(end) }
    }

    /// Returns the error of a wait that timed out.
    pub(super) fn timeout_error(&self, error: WatchError, wait: Wait) -> WatchError {
        let idle = self.progress.elapsed();
        match (error, wait) {
            (WatchError::IdleTimeout(_) | WatchError::Overdue, Wait::Idle(_, idle_timeout)) => {
                WatchError::IdleTimeout(idle_timeout)
            }
            (WatchError::IdleTimeout(_), _) if idle > OVERTIME => WatchError::IdleTimeout(idle),
            (WatchError::IdleTimeout(_), _) => WatchError::Overdue,
            (error, _) => error,
        }
    }

    fn time_to_end(&self) -> Duration {
        let elapsed = self.sent.elapsed();
        // A list that took longer than the requested timeout is still used.
        let since_list = self.listed.map_or(Duration::MAX, |listed| listed.elapsed());
        let overtime = elapsed.saturating_sub(self.timeout).min(since_list);
        let remaining = self.timeout.saturating_sub(elapsed);
        remaining.saturating_add(OVERTIME.saturating_sub(overtime))
    }
}

/// How long to wait for more data, and the error if none arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// The connection is considered dead: no data arrived in the idle timeout, which is the second duration.
    Idle(Duration, Duration),
    /// The API server should have ended the watch.
    End(Duration),
}

impl Wait {
    pub(super) fn limit(self) -> Duration {
        match self {
            Self::Idle(limit, _) | Self::End(limit) => limit,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;
    use crate::client::body::progress::STEP;

    const SECOND: Duration = Duration::from_secs(1);

    fn session(phase: Phase) -> WatchSession {
        let mut session = WatchSession::new(phase, None, 100 * SECOND, 1024);
        session.set_connected();
        session
    }

    fn remaining(session: &WatchSession, sends_bookmarks: bool) -> Wait {
        session.next_wait(&Timeouts::default(), sends_bookmarks)
    }

    #[tokio::test(start_paused = true)]
    async fn a_trickle_counts_as_idle() {
        let mut watch = session(Phase::Watching);
        for _ in 0..60 {
            advance(SECOND).await;
            watch.received(1, 0);
        }
        assert_eq!(remaining(&watch, true), Wait::Idle(30 * SECOND, 90 * SECOND));
        assert!(watch.received_nothing());
        watch.received(STEP, 0);
        assert!(matches!(remaining(&watch, true), Wait::End(_)));
        watch.received(1, 1);
        assert!(!watch.received_nothing());
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_ends_at_its_timeout_despite_events() {
        let mut watch = session(Phase::Watching);
        assert_eq!(remaining(&watch, false), Wait::End(110 * SECOND));
        for _ in 0..105 {
            advance(SECOND).await;
            watch.received(100, 1);
        }
        assert!(watch.ended_in_time());
        assert_eq!(remaining(&watch, true), Wait::End(5 * SECOND));
        advance(10 * SECOND).await;
        watch.received(100, 1);
        assert_eq!(remaining(&watch, true), Wait::End(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_list_may_take_long_while_it_makes_progress() {
        let mut list = session(Phase::Listing);
        for _ in 0..50 {
            advance(9 * SECOND).await;
            assert_eq!(remaining(&list, false).limit(), SECOND);
            list.received(STEP, 0);
        }
        list.complete_list();
        assert_eq!(remaining(&list, true), Wait::End(OVERTIME));
        advance(4 * SECOND).await;
        assert_eq!(remaining(&list, true), Wait::End(6 * SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn an_endless_list_is_ended() {
        let mut list = session(Phase::Listing);
        for _ in 0..1000 {
            advance(SECOND).await;
            list.received(STEP, 1);
        }
        assert_eq!(remaining(&list, false), Wait::End(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_watch_suspended_beyond_its_timeout_did_not_end_in_time() {
        let watch = session(Phase::Watching);
        assert!(!watch.ended_in_time());
        advance(100 * SECOND).await;
        assert!(watch.ended_in_time());
        advance(OVERTIME + SECOND).await;
        assert!(watch.ran_to_timeout() && !watch.ended_in_time());
    }

    #[test]
    fn short_lines_are_read_in_batches() {
        let mut watch = session(Phase::Watching);
        watch.push(Bytes::from(vec![b'\n'; 512 * 1024]));
        watch.push(Bytes::from(vec![b'x'; 1025]));
        for _ in 0..512 * 1024 / MAX_LINES {
            assert_eq!(watch.next_lines().unwrap().len(), MAX_LINES);
        }
        assert_eq!(watch.next_lines(), Err(LineTooLong));
    }

    #[tokio::test(start_paused = true)]
    async fn timeouts_may_be_unlimited() {
        let mut watch = WatchSession::new(Phase::Watching, None, Duration::MAX, 1024);
        watch.set_connected();
        advance(SECOND).await;
        let timeouts = Timeouts::default().idle(Duration::MAX);
        let wait = watch.next_wait(&timeouts, true);
        assert!(wait.limit() > Duration::from_secs(u64::MAX / 2));
    }
}
