//! One request for a watch, and how long it may go on.

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

/// What a watch tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// What there is.
    Listing,
    /// What happens.
    Watching,
}

/// How much earlier than it was asked for a watch may end in time.
const ROUNDING: Duration = Duration::from_secs(1);

/// So many lines are read at once. What is shorter than events are, such as an empty line, takes many times its length when it
/// is read.
const LINES_AT_ONCE: usize = 1024;

/// A streaming list may last so many times as long as its watch is asked to, if it goes on. The API server ends it before;
/// whoever lets it trickle for ever does not.
const LONGEST_LIST: u32 = 10;

pub(super) struct Attempt {
    pub(super) phase: Phase,
    /// The event with which the watch has to begin.
    pub(super) overlap: Option<Anchor>,
    /// The same, once it has.
    pub(super) overlapped: Option<Anchor>,
    lines: Lines,
    /// When the request was sent.
    pub(super) sent: Instant,
    /// For how long the API server was asked to go on.
    lasts: Duration,
    answered: Option<Instant>,
    /// When all objects had been told.
    listed: Option<Instant>,
    /// Since the last line was complete.
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

    /// All objects have been told.
    pub(super) fn listed(&mut self) {
        self.phase = Phase::Watching;
        self.listed = Some(Instant::now());
    }

    pub(super) fn push(&mut self, chunk: Bytes) {
        self.lines.push(chunk);
    }

    /// The next complete lines; none until more comes. Those before a line that is too long come first.
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

    /// Something came, up to the end of so many lines.
    pub(super) fn received(&mut self, bytes: usize, lines: usize) {
        self.brought_nothing &= lines == 0;
        match lines {
            0 => self.progress.received(bytes),
            _ => self.progress = Progress::begin(),
        }
    }

    /// For how long the answer has gone on.
    pub(super) fn elapsed(&self) -> Duration {
        let answered = self.answered.unwrap_or(self.sent);
        answered.elapsed()
    }

    /// Whether a watch was answered and brought nothing, not even a bookmark.
    pub(super) fn brought_nothing(&self) -> bool {
        self.is_answered() && self.brought_nothing && self.phase == Phase::Watching
    }

    /// Whether the watch was answered and has lasted as long as it was asked to.
    pub(super) fn has_lasted(&self) -> bool {
        self.is_answered() && self.elapsed().saturating_add(ROUNDING) >= self.lasts
    }

    /// Whether it has, and not longer: what was frozen meanwhile does not know what has happened.
    pub(super) fn is_in_time(&self) -> bool {
        self.has_lasted() && self.elapsed() <= self.lasts.saturating_add(OVERTIME)
    }

    /// How long to wait for more.
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

    /// What is wrong if nothing came for so long.
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
        // A list that took longer than the watch was to last is not in vain.
        let since_list = self.listed.map_or(Duration::MAX, |listed| listed.elapsed());
        let overtime = elapsed.saturating_sub(self.lasts).min(since_list);
        let left = self.lasts.saturating_sub(elapsed);
        left.saturating_add(OVERTIME.saturating_sub(overtime))
    }
}

/// How long to wait for more of an answer, and what is wrong if nothing comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// The connection is dead: nothing came in all of the second time.
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
    async fn a_trickle_is_silence() {
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
    async fn a_watch_ends_in_time_whatever_comes() {
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
    async fn a_list_may_take_its_time_as_long_as_it_goes_on() {
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
    async fn a_list_that_goes_on_for_ever_ends() {
        let mut list = attempt(Phase::Listing);
        for _ in 0..1000 {
            advance(SECOND).await;
            list.received(STEP, 1);
        }
        assert_eq!(left(&list, false), Wait::End(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_frozen_beyond_its_end_did_not_end_in_time() {
        let watch = attempt(Phase::Watching);
        assert!(!watch.is_in_time());
        advance(100 * SECOND).await;
        assert!(watch.is_in_time());
        advance(OVERTIME + SECOND).await;
        assert!(watch.has_lasted() && !watch.is_in_time());
    }

    #[test]
    fn short_lines_are_not_read_all_at_once() {
        let mut watch = attempt(Phase::Watching);
        watch.push(Bytes::from(vec![b'\n'; 512 * 1024]));
        watch.push(Bytes::from(vec![b'x'; 1025]));
        for _ in 0..512 * 1024 / LINES_AT_ONCE {
            assert_eq!(watch.next_lines().unwrap().len(), LINES_AT_ONCE);
        }
        assert_eq!(watch.next_lines(), Err(LineTooLong));
    }

    #[tokio::test(start_paused = true)]
    async fn there_may_be_no_limits() {
        let mut watch = Attempt::new(Phase::Watching, None, Duration::MAX, 1024);
        watch.answered();
        advance(SECOND).await;
        let timeouts = Timeouts::default().idle(Duration::MAX);
        let wait = watch.next_wait(&timeouts, true);
        assert!(wait.limit() > Duration::from_secs(u64::MAX / 2));
    }
}
