//! Refuses writes of a process that is not the leader.

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

/// Whether writes may be sent: always, or until a deadline by the local monotonic clock.
pub(super) struct Fence {
    /// `None` without leader election.
    open_until: Option<Mutex<Option<Instant>>>,
}

impl Fence {
    /// Creates a fence that is always open.
    pub(super) fn open() -> Self {
        Self { open_until: None }
    }

    pub(super) fn is_open(&self) -> bool {
        let Some(open_until) = &self.open_until else {
            return true;
        };
        let open_until = *open_until.lock().unwrap_or_else(PoisonError::into_inner);
        open_until.is_some_and(|deadline| Instant::now() < deadline)
    }
}
