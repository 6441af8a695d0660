use std::time::Duration;

/// What of a request took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// The answer did not begin: the option `timeout`.
    Answer,
    /// The body of the answer stood still: the option `stall_timeout`.
    Body,
    /// A watch went on after the time at which it was to end.
    Watch,
}

impl Phase {
    pub(super) fn explain(self, limit: Duration) -> String {
        match self {
            Self::Answer => format!(
                "no answer from the API server within {limit:?}; see whether it can be reached, or give it more time with \
                 `.timeout(...)`"
            ),
            Self::Body => format!(
                "the answer stood still for {limit:?}; try again, or give it more time with `.stall_timeout(...)`"
            ),
            Self::Watch => {
                format!("the API server did not end the watch within {limit:?}; begin another")
            }
        }
    }
}
