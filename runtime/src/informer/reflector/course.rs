//! What a reflector does next: the protocol of lists and watches without its requests.

use std::time::Duration;

use crate::{
    client::retry::{backoff, jittered},
    informer::timings::Timings,
};

/// What to ask the API server for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// All objects, in pages or at once.
    List { paged: bool },
    /// All objects as events, and then what happens.
    Stream,
    /// What happened after a resourceVersion.
    Watch { after: String },
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
    /// The API server refuses, and may say for how long.
    Refused(Option<Duration>),
    /// The API server has forgotten where the watch was to go on.
    Expired,
    /// The API server has forgotten how the next page begins.
    PageExpired,
    /// The watch contradicts itself.
    Desync,
    /// The API server does not know streaming lists.
    Unsupported,
    /// A streaming list stood still.
    Stalled,
}

/// Longer than this nobody is asked to wait, whatever stands between the API server and here.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Where a reflector stands.
#[derive(Debug)]
pub(super) struct Course {
    timings: Timings,
    /// Where a watch goes on; nothing if the objects have to be read first.
    version: Option<String>,
    /// Whether the API server serves streaming lists, as far as is known.
    streams: bool,
    /// Whether the last streaming list stood still: the next list is in pages.
    stalled: bool,
    paged: bool,
    /// Whether this step has come to anything.
    told: bool,
    failures: u32,
    relists: u32,
}

impl Course {
    pub(super) fn new(timings: Timings) -> Self {
        Self {
            timings,
            version: None,
            streams: true,
            stalled: false,
            paged: true,
            told: false,
            failures: 0,
            relists: 0,
        }
    }

    pub(super) fn step(&mut self) -> Step {
        self.told = false;
        match &self.version {
            Some(version) => Step::Watch {
                after: version.clone(),
            },
            None if self.streams && !self.stalled => Step::Stream,
            None => Step::List { paged: self.paged },
        }
    }

    /// A watch has lasted as long as it was asked to, even if nothing happened.
    pub(super) fn lived(&mut self) {
        self.told = true;
    }

    /// Whether this step has come to anything.
    pub(super) fn has_told(&self) -> bool {
        self.told
    }

    /// From here a watch can go on.
    pub(super) fn reached(&mut self, version: &str) {
        self.told = true;
        let reached = self.version.get_or_insert_default();
        reached.clear();
        reached.push_str(version);
    }

    /// A watch has lasted long enough to forget why the objects had to be read.
    pub(super) fn lasted(&mut self) {
        self.relists = 0;
    }

    /// How long to wait before the next step, by a random number from 0 to 1.
    pub(super) fn after(&mut self, end: End, random: f64) -> Duration {
        if self.told {
            self.failures = 0;
        }
        if end != End::Listed && self.version.as_deref() == Some("") {
            // The API server has not said where a watch can go on.
            self.version = None;
        }
        match end {
            End::Listed => {
                (self.paged, self.stalled) = (true, false);
                Duration::ZERO
            }
            End::Over if self.told => Duration::ZERO,
            End::Over | End::Broken => self.failed(random),
            End::Refused(retry_after) => {
                let asked = retry_after.unwrap_or_default().min(LONGEST_WAIT);
                self.failed(random).max(asked)
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
                self.failed(random)
            }
        }
    }

    fn failed(&mut self, random: f64) -> Duration {
        self.failures += 1;
        self.delay(self.failures - 1, random)
    }

    /// The first time soon, though not when all others do; if it does not help, more and more seldom.
    fn relist(&mut self, random: f64) -> Duration {
        self.version = None;
        self.relists += 1;
        match self.relists {
            1 => self.timings.first_delay.mul_f64(random),
            again => self.delay(again - 2, random),
        }
    }

    /// How long to wait after so many failures before the last one.
    pub(super) fn delay(&self, tries: u32, random: f64) -> Duration {
        let Timings {
            first_delay,
            max_delay,
            ..
        } = self.timings;
        jittered(backoff(first_delay, max_delay, tries), random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course() -> Course {
        let timings = Timings::default();
        Course::new(timings.backoff(Duration::from_millis(100), Duration::from_secs(1)))
    }

    fn watching() -> Course {
        let mut course = course();
        course.step();
        course.reached("7");
        course
    }

    fn millis(course: &mut Course, end: End) -> u128 {
        course.step();
        course.after(end, 1.0).as_millis()
    }

    #[test]
    fn objects_are_read_as_events_then_in_pages_if_that_is_not_served() {
        let mut course = course();
        for delay in [100, 200] {
            assert_eq!(course.step(), Step::Stream);
            assert_eq!(course.after(End::Broken, 1.0).as_millis(), delay);
        }
        assert_eq!(course.after(End::Unsupported, 1.0), Duration::ZERO);
        assert_eq!(course.step(), Step::List { paged: true });
        course.reached("7");
        assert_eq!(course.after(End::Listed, 1.0), Duration::ZERO);
        let after = "7".to_owned();
        assert_eq!(course.step(), Step::Watch { after });
        course.after(End::Expired, 1.0);
        let list = Step::List { paged: true };
        assert_eq!(course.step(), list, "the fallback is kept");
    }

    #[test]
    fn pages_that_expire_are_read_at_once() {
        let mut course = course();
        course.after(End::Unsupported, 1.0);
        course.after(End::PageExpired, 1.0);
        assert_eq!(course.step(), Step::List { paged: false });
        course.after(End::Listed, 1.0);
        assert_eq!(course.step(), Step::List { paged: true });
    }

    #[test]
    fn a_streaming_list_that_stood_still_is_read_in_pages_this_time() {
        let mut course = course();
        assert_eq!(course.step(), Step::Stream);
        course.after(End::Stalled, 1.0);
        assert_eq!(course.step(), Step::List { paged: true });
        course.reached("7");
        course.after(End::Listed, 1.0);
        course.after(End::Expired, 1.0);
        assert_eq!(course.step(), Step::Stream);
    }

    #[test]
    fn a_watch_without_a_beginning_cannot_go_on() {
        let mut course = course();
        course.reached("");
        course.after(End::Listed, 1.0);
        let after = String::new();
        assert_eq!(course.step(), Step::Watch { after });
        course.after(End::Over, 1.0);
        assert_eq!(course.step(), Step::Stream);
    }

    #[test]
    fn a_watch_goes_on_where_it_was() {
        let mut course = watching();
        for end in [End::Over, End::Broken, End::Refused(None)] {
            course.reached("12");
            course.after(end, 0.5);
            let after = "12".to_owned();
            assert_eq!(course.step(), Step::Watch { after });
        }
    }

    #[test]
    fn failures_come_more_and_more_seldom_until_something_is_heard() {
        let mut course = watching();
        let delays: Vec<_> = (0..6).map(|_| millis(&mut course, End::Broken)).collect();
        assert_eq!(delays, [100, 200, 400, 800, 1000, 1000]);
        course.reached("8");
        assert_eq!(course.after(End::Broken, 1.0).as_millis(), 100);
        assert_eq!(millis(&mut course, End::Broken), 200);
    }

    #[test]
    fn a_watch_that_ends_without_a_word_is_a_failure() {
        let mut course = watching();
        assert_eq!(millis(&mut course, End::Over), 100);
        course.step();
        course.lived();
        assert_eq!(course.after(End::Over, 1.0), Duration::ZERO);
    }

    #[test]
    fn the_api_server_says_how_long_to_wait_at_least() {
        let mut course = watching();
        let asked = Duration::from_secs(5);
        course.step();
        assert_eq!(course.after(End::Refused(Some(asked)), 1.0), asked);
        let a_day = Duration::from_secs(86_400);
        assert_eq!(course.after(End::Refused(Some(a_day)), 1.0), LONGEST_WAIT);
    }

    #[test]
    fn reading_again_helps_or_comes_more_and_more_seldom() {
        let mut course = watching();
        let mut delays = Vec::new();
        for _ in 0..4 {
            delays.push(millis(&mut course, End::Expired));
            course.step();
            course.reached("9");
            course.after(End::Listed, 1.0);
        }
        assert_eq!(delays, [100, 100, 200, 400]);
        course.lasted();
        assert_eq!(course.after(End::Desync, 0.0), Duration::ZERO);
    }
}
