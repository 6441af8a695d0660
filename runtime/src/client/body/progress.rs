use std::time::Duration;

use tokio::time::Instant;

/// So many bytes show that an answer goes on; fewer are a trickle.
pub(crate) const STEP: usize = 1024;

/// How much of an answer has come of late.
#[derive(Debug)]
pub(crate) struct Progress {
    /// When the last [`STEP`] was complete.
    since: Instant,
    bytes: usize,
}

impl Progress {
    /// Begins now.
    pub(crate) fn begin() -> Self {
        Self {
            since: Instant::now(),
            bytes: 0,
        }
    }

    pub(crate) fn received(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes >= STEP {
            *self = Self::begin();
        }
    }

    /// For how long there was none.
    pub(crate) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }
}
