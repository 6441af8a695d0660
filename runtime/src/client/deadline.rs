//! Deadlines of operations.

use std::{future::Future, time::Duration};

use tokio::time::{Instant, error::Elapsed, timeout};

/// Durations from this one on mean "no limit": tokio's timers end after 30 years.
const UNLIMITED_FROM: Duration = Duration::from_secs(86_400 * 365 * 30);

/// The time at which an operation has to end; the default is never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deadline(Option<Instant>);

impl Deadline {
    /// Creates a deadline `limit` from now; `Duration::MAX` is allowed.
    pub(crate) fn after(limit: Duration) -> Self {
        let limit = Some(limit).filter(|limit| *limit < UNLIMITED_FROM);
        Self(limit.and_then(|limit| Instant::now().checked_add(limit)))
    }

    /// Returns the remaining time, `Duration::MAX` if there is no deadline.
    pub(crate) fn remaining(self) -> Duration {
        match self.0 {
            Some(end) => end.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        }
    }

    pub(crate) fn has_passed(self) -> bool {
        self.remaining().is_zero()
    }

    /// Runs a future until it completes or the deadline passes.
    pub(crate) async fn within<F: Future>(self, future: F) -> Result<F::Output, Elapsed> {
        timeout(self.remaining(), future).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn limits_of_any_length_are_supported() {
        let soon = Deadline::after(Duration::from_secs(2));
        let pending = std::future::pending::<()>();
        assert!(soon.within(pending).await.is_err());
        assert!(soon.has_passed());
        for endless in [Duration::MAX, Duration::MAX / 2, UNLIMITED_FROM] {
            let endless = Deadline::after(endless);
            assert_eq!(endless, Deadline::default());
            assert_eq!(endless.remaining(), Duration::MAX);
            assert!(!endless.has_passed());
            endless.within(async {}).await.unwrap();
        }
        let long = Deadline::after(UNLIMITED_FROM - Duration::from_secs(1));
        long.within(async {}).await.unwrap();
    }
}
