//! The state machine of lists and watches, without I/O.

use std::time::Duration;

use super::{
    end_reason::{EndReason, RelistReason},
    history_anchor::Anchor,
};
use crate::{
    client::{
        backoff_formula::{exponential, jittered},
        retry::{extended, requested_delay},
    },
    informer::timeouts::Timeouts,
};

/// The next request of a reflector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NextRequest {
    /// A list, in pages or in one response.
    List { paged: bool },
    /// A streaming list, followed by a watch.
    Stream,
    /// A watch after a resourceVersion.
    Watch {
        after: String,
        /// The event that the watch must start with, to prove that it continues the last one.
        overlap: Option<Anchor>,
    },
}

/// Upper bound for `Retry-After`, which proxies may set as well.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(300);

/// A watch that ends earlier than this is restarted after a delay, even if it delivered events.
const MIN_WATCH: Duration = Duration::from_secs(1);

/// The state of a reflector.
#[derive(Debug)]
pub(super) struct ReflectorState {
    timeouts: Timeouts,
    /// The resourceVersion for the next watch; `None` if a list is required first.
    version: Option<String>,
    /// The last event, or the newest object of the last list.
    anchor: Option<Anchor>,
    /// The newest object of the current list so far.
    newest: Option<Anchor>,
    /// Whether the last watch was interrupted. The API server may have been restored from a backup since.
    interrupted: bool,
    /// Whether the API server supports streaming lists; true until it rejects one.
    streams: bool,
    /// Whether the last streaming list stalled, so that the next list uses pages.
    stalled: bool,
    paged: bool,
    current: Current,
    /// For how long connected watches have delivered nothing, not even a bookmark.
    idle: Duration,
    failures: u32,
    relists: u32,
    relist_reason: Option<RelistReason>,
}

/// The result of the current step so far.
#[derive(Clone, Copy, Debug, Default)]
struct Current {
    /// Whether the watch ran to its requested timeout.
    in_time: bool,
    /// Whether the watch started with the last event of the one before.
    replayed: bool,
    /// Whether the step made progress.
    progressed: bool,
    /// Whether the watch ended immediately.
    ended_immediately: bool,
}

impl ReflectorState {
    pub(super) fn new(timeouts: Timeouts) -> Self {
        Self {
            timeouts,
            version: None,
            anchor: None,
            newest: None,
            interrupted: false,
            streams: true,
            stalled: false,
            paged: true,
            current: Current::default(),
            idle: Duration::ZERO,
            failures: 0,
            relists: 0,
            relist_reason: None,
        }
    }

    pub(super) fn next_step(&mut self) -> NextRequest {
        self.current = Current::default();
        match &self.version {
            Some(version) => {
                NextRequest::Watch { after: version.clone(), overlap: self.anchor.filter(|_| self.interrupted) }
            }
            None if self.streams && !self.stalled => NextRequest::Stream,
            None => NextRequest::List { paged: self.paged },
        }
    }

    /// Records that the watch ran to its requested timeout, even if nothing happened.
    pub(super) fn record_timeout(&mut self) {
        (self.current.in_time, self.current.progressed) = (true, true);
    }

    /// Whether the current step made progress.
    pub(super) fn has_progressed(&self) -> bool {
        self.current.progressed
    }

    /// Whether a watch can start without a list.
    pub(super) fn has_listed(&self) -> bool {
        self.version.is_some()
    }

    /// Requires a list before the next watch.
    pub(super) fn require_list(&mut self) {
        self.version = None;
    }

    /// Lets the next watch select fewer objects. It need not repeat the last event, which may be that of another object.
    pub(super) fn forget_anchor(&mut self) {
        self.anchor = None;
    }

    /// Completes a list. A watch can start at its resourceVersion.
    pub(super) fn complete_list(&mut self, version: &str) {
        (self.anchor, self.interrupted) = (self.newest.take(), false);
        self.advance_to(version);
    }

    /// Starts a list.
    pub(super) fn begin_list(&mut self) {
        (self.anchor, self.newest) = (None, None);
    }

    /// Records an object of a list.
    pub(super) fn record_listed(&mut self, state: Option<Anchor>) {
        if state.map(|state| state.version) > self.newest.map(|newest| newest.version) {
            self.newest = state;
        }
    }

    /// Sets the resourceVersion for the next watch.
    pub(super) fn advance_to(&mut self, version: &str) {
        self.current.progressed = true;
        self.idle = Duration::ZERO;
        let reached = self.version.get_or_insert_default();
        reached.clear();
        reached.push_str(version);
    }

    /// Records an event of a watch.
    pub(super) fn record_event(&mut self, event: Option<Anchor>) {
        self.anchor = event;
    }

    /// Records that the watch continues the last one.
    pub(super) fn record_overlap(&mut self) {
        self.interrupted = false;
        self.current.replayed = true;
        self.idle = Duration::ZERO;
    }

    /// Records that the watch ended during its replay.
    pub(super) fn record_broken_replay(&mut self) {
        (self.interrupted, self.current.replayed) = (true, false);
    }

    /// Resets the back-off of relists, because the watch is stable.
    pub(super) fn reset_relists(&mut self) {
        self.relists = 0;
    }

    /// Records the end of a connected watch: its duration, and whether it delivered nothing.
    pub(super) fn record_end(&mut self, after: Duration, received_nothing: bool) {
        self.current.ended_immediately = after < MIN_WATCH;
        if received_nothing {
            self.idle = self.idle.saturating_add(after);
        }
    }

    /// Whether watches have delivered nothing for longer than the bookmark interval of the API server.
    pub(super) fn is_idle(&self) -> bool {
        self.idle >= self.timeouts.idle
    }

    /// Returns the delay before the next step. `random` is between 0 and 1.
    pub(super) fn next_delay(&mut self, end: EndReason, random: f64) -> Duration {
        if self.current.progressed {
            self.failures = 0;
        }
        // A watch that only repeated the last event must not be followed by another such watch.
        let has_only_repeated = self.current.replayed && !self.current.progressed;
        self.interrupted |= match end {
            EndReason::Broken | EndReason::Unavailable(_) => !has_only_repeated,
            // Without an anchor, no list is forced on a server that may be overloaded.
            EndReason::Refused(_) => self.anchor.is_some() && !has_only_repeated,
            EndReason::Over => !self.current.in_time && !has_only_repeated,
            _ => false,
        };
        self.relist_reason = end.relist_reason();
        if self.relist_reason.is_none() && self.is_unresumable(end) {
            self.version = None;
            self.relist_reason = Some(RelistReason::Unresumable);
        }
        match end {
            EndReason::Listed => {
                (self.paged, self.stalled) = (true, false);
                Duration::ZERO
            }
            EndReason::Over if self.current.progressed && self.current.ended_immediately => {
                jittered(self.timeouts.first_delay, random)
            }
            EndReason::Over if self.current.progressed => Duration::ZERO,
            EndReason::CaughtUp => Duration::ZERO,
            EndReason::Over | EndReason::Broken => {
                // A list in one response may be too large.
                self.paged = true;
                self.fail(None, random)
            }
            EndReason::Unavailable(retry_after) | EndReason::Refused(retry_after) => self.fail(retry_after, random),
            EndReason::Expired | EndReason::Desync => self.relist(random),
            EndReason::PageExpired => {
                self.paged = false;
                self.relist(random)
            }
            EndReason::Unsupported => {
                self.streams = false;
                Duration::ZERO
            }
            EndReason::Stalled => {
                self.stalled = true;
                self.fail(None, random)
            }
        }
    }

    /// Whether a watch cannot continue the one that ended: the API server has not returned a resourceVersion, or nothing
    /// could prove that it is the same history.
    fn is_unresumable(&self, end: EndReason) -> bool {
        let was_watched = !matches!(end, EndReason::Listed | EndReason::CaughtUp);
        let has_no_version = was_watched && self.version.as_deref() == Some("");
        has_no_version || self.version.is_some() && self.interrupted && self.anchor.is_none()
    }

    /// Returns why the next step is a list, if the last end of a watch or of a list is the reason.
    pub(super) fn relist_reason(&self) -> Option<RelistReason> {
        self.relist_reason
    }

    fn fail(&mut self, retry_after: Option<Duration>, random: f64) -> Duration {
        if let Some(pause) = jittered_delay(retry_after, random) {
            return pause;
        }
        self.failures += 1;
        self.backoff_delay(self.failures - 1, random)
    }

    /// Forces a list, and returns its delay: a short random one for the first, then with growing back-off.
    fn relist(&mut self, random: f64) -> Duration {
        self.version = None;
        self.idle = Duration::ZERO;
        self.relists += 1;
        match self.relists {
            1 => self.timeouts.first_delay.mul_f64(random),
            again => self.backoff_delay(again - 2, random),
        }
    }

    /// Returns the delay before a retry: the `Retry-After` of the API server, otherwise a growing back-off.
    ///
    /// `tries` is the number of earlier failures.
    pub(super) fn retry_delay(&self, tries: u32, retry_after: Option<Duration>, random: f64) -> Duration {
        jittered_delay(retry_after, random).unwrap_or_else(|| self.backoff_delay(tries, random))
    }

    fn backoff_delay(&self, tries: u32, random: f64) -> Duration {
        let Timeouts { first_delay, max_delay, .. } = self.timeouts;
        jittered(exponential(first_delay, max_delay, tries), random)
    }
}

/// Returns the delay that the API server requested, slightly extended.
fn jittered_delay(retry_after: Option<Duration>, random: f64) -> Option<Duration> {
    let delay = requested_delay(retry_after)?;
    Some(extended(delay.min(MAX_RETRY_AFTER), random))
}

#[cfg(test)]
mod tests;
