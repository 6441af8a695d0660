//! What a reflector does next: the protocol of lists and watches without its requests.

use std::time::Duration;

use crate::{
    client::retry::{backoff, jittered},
    informer::{store::Fingerprint, timings::Timings},
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

/// An event by which a history is recognised.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    version: u64,
    fingerprint: Fingerprint,
    deleted: bool,
}

impl Anchor {
    /// `None` if the resourceVersion is no number.
    pub(super) fn new(version: &str, fingerprint: Fingerprint, deleted: bool) -> Option<Self> {
        let version = version.parse().ok()?;
        Some(Self {
            version,
            fingerprint,
            deleted,
        })
    }

    /// After which resourceVersion a watch begins with the event.
    pub(super) fn before(&self) -> String {
        self.version.saturating_sub(1).to_string()
    }
}

impl PartialEq for Anchor {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version
            && self.deleted == other.deleted
            && self.fingerprint.matches(other.fingerprint)
    }
}

impl Eq for Anchor {}

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
pub(super) struct Course {
    timings: Timings,
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
    /// Whether the watch of this step lasted as long as it was asked to.
    in_time: bool,
    /// Whether the watch of this step has repeated the last event of the one before.
    repeated: bool,
    /// Whether this step has come to anything.
    told: bool,
    /// Whether the watch of this step ended at once.
    brief: bool,
    /// For how long answered watches have brought nothing, not even a bookmark.
    mute: Duration,
    failures: u32,
    relists: u32,
}

impl Course {
    pub(super) fn new(timings: Timings) -> Self {
        Self {
            timings,
            version: None,
            anchor: None,
            newest: None,
            interrupted: false,
            streams: true,
            stalled: false,
            paged: true,
            in_time: false,
            repeated: false,
            told: false,
            brief: false,
            mute: Duration::ZERO,
            failures: 0,
            relists: 0,
        }
    }

    pub(super) fn step(&mut self) -> Step {
        (self.in_time, self.told, self.brief) = (false, false, false);
        self.repeated = false;
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
    pub(super) fn lived(&mut self) {
        (self.in_time, self.told) = (true, true);
    }

    /// Whether this step has come to anything.
    pub(super) fn has_told(&self) -> bool {
        self.told
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
        self.told = true;
        self.mute = Duration::ZERO;
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
        self.repeated = true;
        self.mute = Duration::ZERO;
    }

    /// A watch lasts long enough to forget why the objects had to be read.
    pub(super) fn lasted(&mut self) {
        self.relists = 0;
    }

    /// An answered watch ended after this time, in which it may have brought nothing at all.
    pub(super) fn ended(&mut self, after: Duration, brought_nothing: bool) {
        self.brief = after < BRIEF;
        if brought_nothing {
            self.mute = self.mute.saturating_add(after);
        }
    }

    /// Whether watches have brought nothing for longer than the API server leaves between two bookmarks.
    pub(super) fn is_mute(&self) -> bool {
        self.mute >= self.timings.silence
    }

    /// How long to wait before the next step, by a random number from 0 to 1.
    pub(super) fn after(&mut self, end: End, random: f64) -> Duration {
        if self.told {
            self.failures = 0;
        }
        // A watch that only repeated the last event is not to be followed by one that does no more.
        let has_only_repeated = self.repeated && !self.told;
        self.interrupted |= match end {
            End::Broken | End::Unavailable(_) => !has_only_repeated,
            End::Over => !self.in_time && !has_only_repeated,
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
            End::Over if self.told && self.brief => jittered(self.timings.first_delay, random),
            End::Over if self.told => Duration::ZERO,
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
        let retry_after = retry_after.filter(|asked| !asked.is_zero());
        if retry_after.is_none() {
            self.failures += 1;
        }
        self.pause(self.failures.saturating_sub(1), retry_after, random)
    }

    /// The first time soon, though not when all others do; if it does not help, more and more seldom.
    fn relist(&mut self, random: f64) -> Duration {
        self.version = None;
        self.mute = Duration::ZERO;
        self.relists += 1;
        match self.relists {
            1 => self.timings.first_delay.mul_f64(random),
            again => self.pause(again - 2, None, random),
        }
    }

    /// How long to wait after so many failures before the last one: as long as the API server says, or else longer each
    /// time.
    pub(super) fn pause(&self, tries: u32, retry_after: Option<Duration>, random: f64) -> Duration {
        if let Some(asked) = retry_after.filter(|asked| !asked.is_zero()) {
            // A little later, so that those who were told the same do not come together.
            return asked.min(LONGEST_WAIT).mul_f64(1.0 + random / 10.0);
        }
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
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;
    use crate::informer::store::Store;

    fn course() -> Course {
        let timings = Timings::default();
        Course::new(timings.backoff(Duration::from_millis(100), Duration::from_secs(1)))
    }

    fn watching() -> Course {
        let mut course = course();
        course.step();
        course.listed("7");
        course
    }

    fn watch(after: &str) -> Step {
        let (after, overlap) = (after.to_owned(), None);
        Step::Watch { after, overlap }
    }

    fn event(store: &Store<ConfigMap>, version: &str) -> Option<Anchor> {
        Anchor::new(version, store.fingerprint("{}"), false)
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
        course.listed("7");
        assert_eq!(course.after(End::Listed, 1.0), Duration::ZERO);
        assert_eq!(course.step(), watch("7"));
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
        course.after(End::PageExpired, 1.0);
        course.after(End::Broken, 1.0);
        assert_eq!(course.step(), Step::List { paged: true }, "as it failed");
    }

    #[test]
    fn a_streaming_list_that_stood_still_is_read_in_pages_this_time() {
        let mut course = course();
        assert_eq!(course.step(), Step::Stream);
        course.after(End::Stalled, 1.0);
        assert_eq!(course.step(), Step::List { paged: true });
        course.listed("7");
        course.after(End::Listed, 1.0);
        course.after(End::Expired, 1.0);
        assert_eq!(course.step(), Step::Stream);
    }

    #[test]
    fn a_watch_without_a_beginning_cannot_go_on() {
        let mut course = course();
        course.reached("");
        course.after(End::Listed, 1.0);
        assert_eq!(course.step(), watch(""));
        course.after(End::Over, 1.0);
        assert_eq!(course.step(), Step::Stream);
    }

    #[test]
    fn a_watch_that_ended_in_time_goes_on_where_it_was() {
        let mut course = watching();
        course.reached("12");
        course.lived();
        course.after(End::Over, 0.5);
        assert_eq!(course.step(), watch("12"));
        course.after(End::Refused(None), 1.0);
        assert_eq!(course.step(), watch("12"));
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
    fn the_api_server_says_how_long_to_wait() {
        let mut course = watching();
        let asked = Duration::from_secs(5);
        for _ in 0..9 {
            millis(&mut course, End::Broken);
        }
        for end in [End::Refused(Some(asked)), End::Unavailable(Some(asked))] {
            course.step();
            assert_eq!(course.after(end, 0.0), asked, "however often it failed");
            assert_eq!(course.after(end, 1.0), asked.mul_f64(1.1));
        }
        let mut course = watching();
        let now = Some(Duration::ZERO);
        for delay in [100, 200, 400] {
            let paused = millis(&mut course, End::Unavailable(now));
            assert_eq!(paused, delay, "at once is no time to wait");
        }
        let a_day = Duration::from_secs(86_400);
        assert_eq!(course.after(End::Refused(Some(a_day)), 0.0), LONGEST_WAIT);
    }

    #[test]
    fn a_watch_that_ends_at_once_is_not_begun_at_once() {
        let mut course = watching();
        for (lasted, delay) in [(10, 100), (999, 100), (1_000, 0)] {
            course.step();
            course.reached("8");
            course.ended(Duration::from_millis(lasted), false);
            assert_eq!(course.after(End::Over, 1.0).as_millis(), delay);
        }
    }

    #[test]
    fn after_an_interruption_a_watch_begins_with_the_last_event() {
        let store = Store::new(Vec::new());
        for end in [End::Over, End::Broken, End::Unavailable(None)] {
            let mut course = watching();
            course.step();
            course.watches(event(&store, "9"));
            course.reached("12");
            course.after(end, 1.0);
            let Step::Watch { after, overlap } = course.step() else {
                panic!("the last event is known");
            };
            assert_eq!((after.as_str(), overlap), ("12", event(&store, "9")));
            assert_eq!(overlap.unwrap().before(), "8");
            course.continues();
            course.lived();
            course.after(End::Over, 1.0);
            assert_eq!(course.step(), watch("12"));
        }
    }

    #[test]
    fn to_repeat_the_last_event_is_no_progress() {
        let store = Store::new(Vec::new());
        let mut course = watching();
        course.step();
        course.watches(event(&store, "9"));
        course.reached("9");
        assert_eq!(course.after(End::Broken, 1.0).as_millis(), 100);
        for delay in [200, 800] {
            assert!(matches!(
                course.step(),
                Step::Watch {
                    overlap: Some(_),
                    ..
                }
            ));
            course.continues();
            assert_eq!(course.after(End::Broken, 1.0).as_millis(), delay);
            assert_eq!(course.step(), watch("9"), "the next brings what follows");
            assert_eq!(
                course.after(End::Broken, 1.0).as_millis(),
                (2 * delay).min(1000)
            );
        }
    }

    #[test]
    fn after_an_interruption_a_watch_begins_with_the_newest_state_of_the_list() {
        let store = Store::new(Vec::new());
        let mut course = course();
        course.step();
        course.begin_list();
        for version in ["5", "9", "x", "7"] {
            course.lists(event(&store, version));
        }
        course.listed("12");
        course.after(End::Listed, 1.0);
        course.step();
        course.after(End::Broken, 1.0);
        let Step::Watch { after, overlap } = course.step() else {
            panic!("the newest state is known");
        };
        assert_eq!((after.as_str(), overlap), ("12", event(&store, "9")));
    }

    #[test]
    fn after_an_interruption_the_objects_are_read_if_there_was_none() {
        let mut course = watching();
        course.step();
        course.after(End::Broken, 1.0);
        assert_eq!(course.step(), Step::Stream);
        course.listed("20");
        course.after(End::Listed, 1.0);
        assert_eq!(course.step(), watch("20"));
    }

    #[test]
    fn watches_that_bring_nothing_are_mute_after_a_while() {
        let mut course = watching();
        let silence = Timings::default().silence;
        course.ended(silence / 2, true);
        course.ended(silence / 2, false);
        assert!(!course.is_mute());
        course.ended(silence / 2, true);
        assert!(course.is_mute());
        course.after(End::Desync, 1.0);
        assert!(!course.is_mute());
        assert_eq!(course.step(), Step::Stream);
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
