use std::time::Duration;

/// Minimum for intervals between requests.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
const MIN_DELAY: Duration = Duration::from_millis(1);

/// Timeouts and delays of an informer. The defaults suit most clusters.
///
/// ```
/// use crdkit::informer::Timeouts;
/// use std::time::Duration;
///
/// let patient = Timeouts::default().backoff(Duration::from_secs(1), Duration::from_secs(60));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timeouts {
    pub(crate) watch: Duration,
    pub(crate) idle: Duration,
    pub(crate) response: Duration,
    pub(crate) initial_list: Duration,
    pub(crate) check: Duration,
    pub(crate) first_delay: Duration,
    pub(crate) max_delay: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            watch: Duration::from_secs(200),
            idle: Duration::from_secs(90),
            response: Duration::from_secs(60),
            initial_list: Duration::from_secs(10),
            check: Duration::from_secs(60),
            first_delay: Duration::from_millis(200),
            max_delay: Duration::from_secs(30),
        }
    }
}

impl Timeouts {
    /// Sets the maximum duration of a watch, after which a new one starts: 200 s by default.
    ///
    /// Each watch requests a random duration between half of this value and all of it, in whole seconds. Load balancers
    /// drop connections after 240 s and more.
    #[must_use]
    pub fn watch(self, watch: Duration) -> Self {
        Self { watch, ..self }
    }

    /// Sets how long a watch may deliver no data before its connection is closed: 90 s by default, at least 1 s.
    ///
    /// API servers send a bookmark every minute. While an API server has sent none, only the end of the watch can be
    /// overdue.
    #[must_use]
    pub fn idle(self, idle: Duration) -> Self {
        let idle = idle.max(MIN_INTERVAL);
        Self { idle, ..self }
    }

    /// Sets how long a response may take to start, and to continue: 60 s by default.
    #[must_use]
    pub fn response(self, response: Duration) -> Self {
        Self { response, ..self }
    }

    /// Sets how long a streaming list may stall before the objects are listed in pages instead: 10 s by default.
    ///
    /// API servers that do not support streaming lists may never send anything.
    #[must_use]
    pub fn initial_list(self, initial_list: Duration) -> Self {
        Self { initial_list, ..self }
    }

    /// Sets the interval at which a watch is checked against the API server: 60 s by default, at least 1 s.
    ///
    /// A check is a request for one object. Its response shows [how old](super::Health::staleness) the store can be,
    /// and whether the history of the API server was rolled back, for example by restoring an older backup of etcd.
    /// With `Duration::MAX` there are no checks, and `staleness` grows from one list to the next.
    #[must_use]
    pub fn check(self, check: Duration) -> Self {
        let check = check.max(MIN_INTERVAL);
        Self { check, ..self }
    }

    /// Sets the delay after the first failure, and the maximum delay: 200 ms and 30 s by default.
    ///
    /// The delay doubles with each failure. It is multiplied by a random factor between one half and one, so that
    /// clients that failed together do not retry together.
    #[must_use]
    pub fn backoff(self, first: Duration, max: Duration) -> Self {
        Self { first_delay: first.max(MIN_DELAY), max_delay: max.max(MIN_DELAY), ..self }
    }
}
