use std::time::Duration;

/// The phase of a request that took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TimeoutPhase {
    /// The response did not start: the option `timeout`.
    Response,
    /// The body of the response stalled: the option `stall_timeout`.
    Body,
    /// A watch continued after its timeout.
    Watch,
}

impl TimeoutPhase {
    pub(super) fn explain(self, limit: Duration) -> String {
        match self {
            Self::Response => format!(
                "no response from the API server within {limit:?}; check that it is reachable, or raise the limit with \
                 `.timeout(...)`"
            ),
            Self::Body => {
                format!("the response stalled for {limit:?}; retry, or raise the limit with `.stall_timeout(...)`")
            }
            Self::Watch => {
                format!("the API server did not end the watch within {limit:?}; start another one")
            }
        }
    }
}
