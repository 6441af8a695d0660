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

/// A case: everything that a seed determines, except for the faults.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    /// The watched namespaces; all without a value.
    pub(crate) namespaces: Option<Vec<&'static str>>,
    pub(crate) selector: &'static str,
    /// The percentage of requests that get a fault.
    pub(crate) percent: usize,
    pub(crate) settings: Settings,
    /// The number of initial objects.
    pub(crate) objects: usize,
    /// The number of writes in the storm.
    pub(crate) writes: usize,
    /// The number of compactions for 1,000 writes.
    pub(crate) compactions: usize,
    pub(crate) timing: Timing,
}

/// Durations and timeouts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// The approximate duration of the storm.
    pub(crate) storm: Duration,
    pub(crate) bookmarks: Duration,
    pub(crate) timeouts: Timeouts,
    /// Whether only faults cause delays.
    pub(crate) strict: bool,
    /// The interval of comparisons with the server after the storm.
    pub(crate) poll: Duration,
    /// The limit for the store to become equal to the server after the storm.
    pub(crate) limit: Duration,
}

impl Timing {
    /// For TCP: as short as possible on a busy machine, on which a pause may look like a stall.
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

    /// For a simulated clock: the default timeouts.
    pub(crate) fn simulated() -> Self {
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
    pub(crate) fn draw(seed: u64, timing: Timing) -> Self {
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
                bookmarks: timing.bookmarks,
                expires_in_watch: random.percent(60),
                page: *random.pick(&[500, 500, 40, 7]),
            },
            objects: random.magnitude(most),
            writes: 50 + random.below(450),
            compactions: *random.pick(&[0, 0, 2, 20]),
            timing,
        }
    }

    /// The namespaces with a watch each; an empty name means all namespaces.
    pub(crate) fn watched_namespaces(&self) -> Vec<&'static str> {
        self.namespaces.clone().unwrap_or_else(|| vec![""])
    }
}
