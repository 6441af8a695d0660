//! What a reflector does next: the protocol of lists and watches, without the requests.

use std::time::Duration;

use super::anchor::Anchor;
use crate::{
    client::retry::{backoff, extended, jittered, requested_delay},
    informer::timeouts::Timeouts,
};

/// What to request from the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// All objects, in pages or at once.
    List { paged: bool },
    /// All objects as events, and then what happens.
    Stream,
    /// What happened after a resourceVersion.
    Watch {
        after: String,
        /// An event before it with which the watch is to begin, so that it is known to continue the last one.
        overlap: Option<Anchor>,
    },
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// All objects have been read.
    Listed,
    /// The API server ended the watch.
    Over,
    /// There was no answer, or it broke off, stood still or was not understood.
    Broken,
    /// The API server answers that it cannot serve the request now, and may say for how long.
    Unavailable(Option<Duration>),
    /// The API server refuses the request, and may say for how long.
    Refused(Option<Duration>),
    /// The API server has forgotten where the watch was to go on.
    Expired,
    /// The API server has forgotten how the next page begins.
    PageExpired,
    /// The watch contradicts itself or the one before it.
    Desync,
    /// The API server does not serve streaming lists.
    Unsupported,
    /// A streaming list stood still or ended before it was complete.
    Stalled,
}

/// The longest `Retry-After` that is followed, whatever stands between the API server and here.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// A watch that ends before this is begun again after a pause only, even if it brought events.
const BRIEF: Duration = Duration::from_secs(1);

/// Where a reflector stands.
#[derive(Debug)]
pub(super) struct Protocol {
    timeouts: Timeouts,
    /// Where a watch goes on; nothing if the objects have to be read first.
    version: Option<String>,
    /// The last event, or the newest state of a list.
    anchor: Option<Anchor>,
    /// The newest state that the list which goes on has shown.
    newest: Option<Anchor>,
    /// Whether the last watch did not end in time. The API server may have been restored from a backup meanwhile.
    interrupted: bool,
    /// Whether the API server serves streaming lists, as far as is known.
    streams: bool,
    /// Whether the last streaming list stood still: the next list is in pages.
    stalled: bool,
    paged: bool,
    current: Current,
    /// For how long answered watches have brought nothing, not even a bookmark.
    idle: Duration,
    failures: u32,
    relists: u32,
}

/// What has come of the step that goes on.
#[derive(Clone, Copy, Debug, Default)]
struct Current {
    /// Whether the watch lasted as long as it was asked to.
    in_time: bool,
    /// Whether the watch has repeated the last event of the one before.
    repeated: bool,
    /// Whether the step has come to anything.
    progressed: bool,
    /// Whether the watch ended at once.
    brief: bool,
}

impl Protocol {
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
        }
    }

    pub(super) fn step(&mut self) -> Step {
        self.current = Current::default();
        if self.interrupted && self.anchor.is_none() {
            // Nothing shows whether a watch would continue the same history.
            self.version = None;
        }
        match &self.version {
            Some(version) => Step::Watch {
                after: version.clone(),
                overlap: self.anchor.filter(|_| self.interrupted),
            },
            None if self.streams && !self.stalled => Step::Stream,
            None => Step::List { paged: self.paged },
        }
    }

    /// A watch has lasted as long as it was asked to, even if nothing happened.
    pub(super) fn ended_in_time(&mut self) {
        (self.current.in_time, self.current.progressed) = (true, true);
    }

    /// Whether this step has come to anything.
    pub(super) fn has_progressed(&self) -> bool {
        self.current.progressed
    }

    /// All objects have been read, and a watch can go on from here.
    pub(super) fn listed(&mut self, version: &str) {
        (self.anchor, self.interrupted) = (self.newest.take(), false);
        self.reached(version);
    }

    /// A list begins.
    pub(super) fn begin_list(&mut self) {
        (self.anchor, self.newest) = (None, None);
    }

    /// A state of an object in a list.
    pub(super) fn lists(&mut self, state: Option<Anchor>) {
        if state.map(|state| state.version) > self.newest.map(|newest| newest.version) {
            self.newest = state;
        }
    }

    /// From here a watch can go on.
    pub(super) fn reached(&mut self, version: &str) {
        self.current.progressed = true;
        self.idle = Duration::ZERO;
        let reached = self.version.get_or_insert_default();
        reached.clear();
        reached.push_str(version);
    }

    /// An event of a watch.
    pub(super) fn watches(&mut self, event: Option<Anchor>) {
        self.anchor = event;
    }

    /// The watch continues the last one.
    pub(super) fn continues(&mut self) {
        self.interrupted = false;
        self.current.repeated = true;
        self.idle = Duration::ZERO;
    }

    /// The watch ended in the middle of what it had to repeat.
    pub(super) fn does_not_continue(&mut self) {
        (self.interrupted, self.current.repeated) = (true, false);
    }

    /// A watch lasts long enough to forget why the objects had to be read.
    pub(super) fn lasted(&mut self) {
        self.relists = 0;
    }

    /// An answered watch ended after this time, in which it may have brought nothing at all.
    pub(super) fn ended(&mut self, after: Duration, brought_nothing: bool) {
        self.current.brief = after < BRIEF;
        if brought_nothing {
            self.idle = self.idle.saturating_add(after);
        }
    }

    /// Whether watches have brought nothing for longer than the API server leaves between two bookmarks.
    pub(super) fn is_idle(&self) -> bool {
        self.idle >= self.timeouts.idle
    }

    /// How long to wait before the next step, by a random number from 0 to 1.
    pub(super) fn after(&mut self, end: End, random: f64) -> Duration {
        if self.current.progressed {
            self.failures = 0;
        }
        // A watch that only repeated the last event is not to be followed by one that does no more.
        let has_only_repeated = self.current.repeated && !self.current.progressed;
        self.interrupted |= match end {
            End::Broken | End::Unavailable(_) => !has_only_repeated,
            // Where nothing would show it, no list is asked of a server that may have too much to do.
            End::Refused(_) => self.anchor.is_some() && !has_only_repeated,
            End::Over => !self.current.in_time && !has_only_repeated,
            _ => false,
        };
        if end != End::Listed && self.version.as_deref() == Some("") {
            // The API server has not said where a watch can go on.
            self.version = None;
        }
        match end {
            End::Listed => {
                (self.paged, self.stalled) = (true, false);
                Duration::ZERO
            }
            End::Over if self.current.progressed && self.current.brief => {
                jittered(self.timeouts.first_delay, random)
            }
            End::Over if self.current.progressed => Duration::ZERO,
            End::Over | End::Broken => {
                // All at once may be too large.
                self.paged = true;
                self.failed(None, random)
            }
            End::Unavailable(retry_after) | End::Refused(retry_after) => {
                self.failed(retry_after, random)
            }
            End::Expired | End::Desync => self.relist(random),
            End::PageExpired => {
                self.paged = false;
                self.relist(random)
            }
            End::Unsupported => {
                self.streams = false;
                Duration::ZERO
            }
            End::Stalled => {
                self.stalled = true;
                self.failed(None, random)
            }
        }
    }

    fn failed(&mut self, retry_after: Option<Duration>, random: f64) -> Duration {
        if let Some(pause) = asked(retry_after, random) {
            return pause;
        }
        self.failures += 1;
        self.growing_pause(self.failures - 1, random)
    }

    /// The first time soon, though not when all others do; if it does not help, more and more seldom.
    fn relist(&mut self, random: f64) -> Duration {
        self.version = None;
        self.idle = Duration::ZERO;
        self.relists += 1;
        match self.relists {
            1 => self.timeouts.first_delay.mul_f64(random),
            again => self.growing_pause(again - 2, random),
        }
    }

    /// How long to wait after so many failures before the last one: as long as the API server says, or else longer each
    /// time.
    pub(super) fn pause(&self, tries: u32, retry_after: Option<Duration>, random: f64) -> Duration {
        asked(retry_after, random).unwrap_or_else(|| self.growing_pause(tries, random))
    }

    fn growing_pause(&self, tries: u32, random: f64) -> Duration {
        let Timeouts {
            first_delay,
            max_delay,
            ..
        } = self.timeouts;
        jittered(backoff(first_delay, max_delay, tries), random)
    }
}

/// The pause that the API server asks for.
fn asked(retry_after: Option<Duration>, random: f64) -> Option<Duration> {
    let asked = requested_delay(retry_after)?;
    Some(extended(asked.min(LONGEST_WAIT), random))
}

#[cfg(test)]
mod tests;
