use std::time::Duration;

use tokio::time::Instant;

/// The minimum number of bytes that counts as progress; fewer are a trickle.
pub(crate) const STEP: usize = 1024;

/// The recent progress of a response body.
#[derive(Debug)]
pub(crate) struct Progress {
    /// When the last [`STEP`] was complete.
    since: Instant,
    bytes: usize,
}

impl Progress {
    /// Starts now.
    pub(crate) fn begin() -> Self {
        Self { since: Instant::now(), bytes: 0 }
    }

    pub(crate) fn received(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes >= STEP {
            *self = Self::begin();
        }
    }

    /// Returns the time since the last progress.
    pub(crate) fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }
}
