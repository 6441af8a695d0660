use std::time::Duration;

use crdkit::informer::Timeouts;
use crdkit_tests::{
    apiserver::{Settings, Streaming},
    faults::Random,
};

/// The namespaces that have objects.
pub(crate) const NAMESPACES: [&str; 4] = ["dev", "other", "prod", "staging"];
/// The selector of the informers that have one.
pub(crate) const SELECTOR: &str = "tier=web";

/// What is to be tried: everything that a seed decides, but the faults themselves.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    /// The namespaces that are watched, or all.
    pub(crate) namespaces: Option<Vec<&'static str>>,
    pub(crate) selector: &'static str,
    /// How many of a hundred requests meet a fault.
    pub(crate) percent: usize,
    pub(crate) settings: Settings,
    /// How many objects there are at first.
    pub(crate) objects: usize,
    /// How many writes there are in the storm.
    pub(crate) writes: usize,
    /// How many of a thousand writes are followed by a compaction.
    pub(crate) compactions: usize,
    pub(crate) pace: Pace,
}

/// How fast everything goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// How long the storm lasts, about.
    pub(crate) storm: Duration,
    pub(crate) bookmarks: Duration,
    pub(crate) timeouts: Timeouts,
    /// Whether nothing is late unless a fault makes it so.
    pub(crate) strict: bool,
    /// How often it is looked whether the store is equal to the server after the storm.
    pub(crate) poll: Duration,
    /// In which the store is to be equal to the server after the storm.
    pub(crate) limit: Duration,
}

impl Pace {
    /// For connections over TCP: as short as a busy machine allows, on which a pause may look like a stall.
    pub(crate) fn real() -> Self {
        let millis = Duration::from_millis;
        Self {
            storm: millis(1500),
            bookmarks: millis(80),
            timeouts: Timeouts::default()
                .watch(Duration::from_secs(2))
                .idle(millis(1000))
                .response(millis(1000))
                .initial_list(millis(1000))
                .backoff(millis(5), millis(40)),
            strict: false,
            poll: millis(5),
            limit: Duration::from_secs(60),
        }
    }

    /// For time that passes when nothing else is to do: as users have it.
    pub(crate) fn usual() -> Self {
        Self {
            storm: Duration::from_secs(1_200),
            bookmarks: Duration::from_secs(60),
            timeouts: Timeouts::default(),
            strict: true,
            poll: Duration::from_millis(200),
            limit: Duration::from_secs(600),
        }
    }
}

impl Case {
    pub(crate) fn draw(seed: u64, pace: Pace) -> Self {
        let mut random = Random::for_purpose(seed, "case", 0);
        let all = [&["prod"][..], &["prod", "staging"], &["dev", "prod", "staging"]];
        let namespaces = random.percent(60).then(|| random.pick(&all).to_vec());
        let most = if random.percent(5) { 1200 } else { 150 };
        Self {
            seed,
            namespaces,
            selector: if random.percent(30) { SELECTOR } else { "" },
            percent: *random.pick(&[0, 30, 60, 60, 90]),
            settings: Settings {
                streaming: *random.pick(&[
                    Streaming::Served,
                    Streaming::Served,
                    Streaming::Refused,
                    Streaming::Ignored,
                ]),
                bookmarks: pace.bookmarks,
                expires_in_watch: random.percent(60),
                page: *random.pick(&[500, 500, 40, 7]),
            },
            objects: random.magnitude(most),
            writes: 50 + random.below(450),
            compactions: *random.pick(&[0, 0, 2, 20]),
            pace,
        }
    }

    /// The places that are watched, each by a watch of its own; an empty one is all namespaces.
    pub(crate) fn places(&self) -> Vec<&'static str> {
        self.namespaces.clone().unwrap_or_else(|| vec![""])
    }
}
