use std::time::Duration;

/// More often than this the API server is asked for nothing but what happens.
const LEAST: Duration = Duration::from_secs(1);
const LEAST_DELAY: Duration = Duration::from_millis(1);

/// How long an informer waits for what. The defaults suit most clusters.
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
    /// After how long at most the API server is asked to end a watch, so that a new one begins: 200 s. It is asked for some
    /// time between half and all of it, in whole seconds. Load balancers drop connections after 240 s and more.
    #[must_use]
    pub fn watch(self, watch: Duration) -> Self {
        Self { watch, ..self }
    }

    /// How long a watch may be silent before its connection is given up: 90 s. API servers send a bookmark every minute; as
    /// long as one has sent none, only the end of the watch is overdue.
    #[must_use]
    pub fn idle(self, idle: Duration) -> Self {
        let idle = idle.max(LEAST);
        Self { idle, ..self }
    }

    /// How long an response may take to begin, and to go on: 60 s.
    #[must_use]
    pub fn response(self, response: Duration) -> Self {
        Self { response, ..self }
    }

    /// How long a streaming list may stand still before the objects are read in pages instead: 10 s. API servers that do
    /// not know streaming lists wait for ever.
    #[must_use]
    pub fn initial_list(self, initial_list: Duration) -> Self {
        Self {
            initial_list,
            ..self
        }
    }

    /// How often a watch is checked against the API server, by a request for one object: 60 s. From the response the informer
    /// learns [how old](super::Health::staleness) the store can be, and whether the API server has gone back in time, as after an older
    /// backup of etcd was restored. `Duration::MAX` for never: then `staleness` grows from one list to the next. At least 1 s.
    #[must_use]
    pub fn check(self, check: Duration) -> Self {
        let check = check.max(LEAST);
        Self { check, ..self }
    }

    /// How long to wait after the first failure, and at most: 200 ms, then twice as long each time, up to 30 s. Between half
    /// and all of it is waited, so that those who failed together do not come again together.
    #[must_use]
    pub fn backoff(self, first: Duration, max: Duration) -> Self {
        Self {
            first_delay: first.max(LEAST_DELAY),
            max_delay: max.max(LEAST_DELAY),
            ..self
        }
    }
}
