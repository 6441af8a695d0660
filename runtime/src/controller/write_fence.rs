//! Refuses writes of a process that is not the leader, or does not hold a shard.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::{monitor::Monitor, shards::ShardPermit};
use crate::client::{error::ClientOperation, write_hook::WriteHook};

/// Whether writes may be sent: always, or until a deadline by the local monotonic clock.
#[derive(Default)]
pub(super) struct Fence(Mutex<Limit>);

#[derive(Clone, Copy, Default)]
enum Limit {
    #[default]
    None,
    Until(Option<Instant>),
}

impl Fence {
    pub(super) fn is_open(&self) -> bool {
        match *self.limit() {
            Limit::None => true,
            Limit::Until(deadline) => deadline.is_some_and(|deadline| Instant::now() < deadline),
        }
    }

    /// Returns when the fence closes; `None` if it is open without a deadline.
    fn open_until(&self) -> Option<Instant> {
        match *self.limit() {
            Limit::None => None,
            Limit::Until(deadline) => Some(deadline.unwrap_or_else(Instant::now)),
        }
    }

    /// Closes the fence until it has a deadline.
    pub(super) fn close(&self) {
        self.set_deadline(None);
    }

    /// Opens the fence until a deadline, or closes it.
    pub(super) fn set_deadline(&self, until: Option<Instant>) {
        *self.limit() = Limit::Until(until);
    }

    fn limit(&self) -> MutexGuard<'_, Limit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What determines whether one reconciliation may write.
pub(super) enum WritePermit {
    Manager(Arc<Fence>),
    Shard(ShardPermit),
}

impl WritePermit {
    pub(super) fn may_write(&self) -> bool {
        match self {
            Self::Manager(fence) => fence.is_open(),
            Self::Shard(permit) => permit.may_write(),
        }
    }

    /// Returns until when it permits writes, as of now; `None` without a limit.
    pub(super) fn until(&self) -> Option<Instant> {
        match self {
            Self::Manager(fence) => fence.open_until(),
            Self::Shard(permit) => Some(permit.until()),
        }
    }

    /// Whether it permits the reconciliation of the object with this uid.
    pub(super) fn covers(&self, uid: &str) -> bool {
        match self {
            Self::Manager(_) => true,
            Self::Shard(permit) => permit.covers(uid),
        }
    }
}

/// Refuses the writes of a client without the permit of its reconciliation.
pub(super) struct PermitHook(pub(super) Arc<WritePermit>);

impl WriteHook for PermitHook {
    fn is_allowed(&self) -> bool {
        self.0.may_write()
    }

    fn allowed_until(&self) -> Option<Instant> {
        self.0.until()
    }

    fn sends(&self, _: &ClientOperation) {}

    fn written(&self, _: &ClientOperation, _: &[u8]) {}
}

/// Refuses the writes of a client when the manager is not the leader, or no member of the shards.
pub(super) struct ManagerHook {
    pub(super) fence: Arc<Fence>,
    pub(super) monitor: Arc<Monitor>,
}

impl WriteHook for ManagerHook {
    fn is_allowed(&self) -> bool {
        self.fence.is_open() && self.monitor.shards.get().is_none_or(|(_, shards)| shards.is_member())
    }

    fn allowed_until(&self) -> Option<Instant> {
        let membership = self.monitor.shards.get().map(|(_, shards)| shards.member_until());
        self.fence.open_until().into_iter().chain(membership).min()
    }

    fn sends(&self, _: &ClientOperation) {}

    fn written(&self, _: &ClientOperation, _: &[u8]) {}
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_fence_closes_at_its_deadline() {
        let fence = Fence::default();
        assert!(fence.is_open());
        fence.close();
        assert!(!fence.is_open());
        fence.set_deadline(Some(Instant::now() + Duration::from_secs(10)));
        tokio::time::advance(Duration::from_millis(9_999)).await;
        assert!(fence.is_open());
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!fence.is_open());
    }
}
