//! Refuses writes of a process that is not the leader.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

/// Whether writes may be sent: always, or until a deadline by the local monotonic clock.
pub(super) struct Fence(Option<Mutex<Option<Instant>>>);

impl Fence {
    /// Creates a fence that is always open.
    pub(super) fn open() -> Self {
        Self(None)
    }

    /// Creates a fence that is closed.
    pub(super) fn closed() -> Self {
        Self(Some(Mutex::default()))
    }

    pub(super) fn is_open(&self) -> bool {
        self.deadline().is_none_or(|deadline| deadline.is_some_and(|deadline| Instant::now() < deadline))
    }

    /// Opens the fence until a deadline, or closes it.
    pub(super) fn set_deadline(&self, until: Option<Instant>) {
        if let Some(mut deadline) = self.deadline() {
            *deadline = until;
        }
    }

    fn deadline(&self) -> Option<MutexGuard<'_, Option<Instant>>> {
        let deadline = self.0.as_ref()?;
        Some(deadline.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_fence_closes_at_its_deadline() {
        assert!(Fence::open().is_open());
        let fence = Fence::closed();
        assert!(!fence.is_open());
        fence.set_deadline(Some(Instant::now() + Duration::from_secs(10)));
        tokio::time::advance(Duration::from_millis(9_999)).await;
        assert!(fence.is_open());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!fence.is_open());
    }
}
