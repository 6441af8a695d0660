//! The shards that this process holds, and the fence of each.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::{
    sync::{Notify, watch},
    time::{Duration, Instant, sleep_until},
};

use crate::informer::sharding::{HeldShards, Partition, ShardKey, Sharding};

pub(in crate::controller) struct ShardTable {
    partition: Partition,
    state: Mutex<ShardTableState>,
    held: watch::Sender<HeldShards>,
    /// Notified when the last reconciliation of a shard ends.
    idle: Notify,
}

struct ShardTableState {
    /// Until when this process is a member.
    deadline: Option<Instant>,
    /// Increases with each change of the held shards.
    version: u64,
    /// When shards were acquired last.
    acquired_at: Option<Instant>,
    shards: Vec<Shard>,
}

#[derive(Clone, Copy, Default)]
struct Shard {
    hold: Hold,
    /// Until when the Lease that this process has seen permits writes.
    until: Option<Instant>,
    /// The version at which the shard was acquired.
    epoch: u64,
    /// The number of permits, also of earlier epochs.
    permits: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Hold {
    #[default]
    Free,
    Held,
    /// No reconciliation starts. Those that run may write until this time.
    Draining(Instant),
}

impl Hold {
    fn may_write(self) -> bool {
        match self {
            Self::Free => false,
            Self::Held => true,
            Self::Draining(until) => Instant::now() < until,
        }
    }
}

impl ShardTable {
    pub(in crate::controller) fn new(count: u16) -> Self {
        let partition = Partition::new(count);
        let shards = vec![Shard::default(); usize::from(count)];
        Self {
            partition,
            state: Mutex::new(ShardTableState { deadline: None, version: 0, acquired_at: None, shards }),
            held: watch::Sender::new(HeldShards::new(0, partition, [])),
            idle: Notify::new(),
        }
    }

    pub(super) fn count(&self) -> u16 {
        self.partition.count()
    }

    pub(super) fn shard_of(&self, uid: &str) -> u16 {
        self.partition.shard_of(uid)
    }

    /// Returns what informers follow.
    pub(in crate::controller) fn sharding(&self, key: ShardKey) -> Sharding {
        Sharding { key, held: self.held.subscribe() }
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<HeldShards> {
        self.held.subscribe()
    }

    /// Returns the shards that are held.
    pub(in crate::controller) fn held(&self) -> Vec<u16> {
        self.shards_with(|shard| shard.hold != Hold::Free)
    }

    /// Whether this process is a member, and may write.
    pub(in crate::controller) fn is_member(&self) -> bool {
        self.state().is_member()
    }

    /// Returns until when this process is a member, as of now.
    pub(in crate::controller) fn member_until(&self) -> Instant {
        self.state().deadline.unwrap_or_else(Instant::now)
    }

    pub(super) fn set_deadline(&self, deadline: Option<Instant>) {
        self.state().deadline = deadline;
    }

    /// Begins to reconcile the objects of shards, whose writes are permitted until a time.
    pub(super) fn acquire(&self, shards: &[u16], until: Instant) {
        self.state().acquired_at = Some(Instant::now());
        self.change(shards, |shard, version| {
            shard.hold = Hold::Held;
            shard.until = Some(until);
            shard.epoch = version;
        });
    }

    /// Permits the writes of shards until a later time, because their Leases still state this process.
    ///
    /// Those whose time had passed are acquired anew: writes that were cancelled then may have been stored, and the caches may not
    /// contain them yet.
    pub(super) fn confirm(&self, shards: &[u16], until: Instant) {
        let now = Instant::now();
        let mut lapsed = Vec::new();
        let mut state = self.state();
        for index in shards {
            let shard = &mut state.shards[usize::from(*index)];
            if shard.hold == Hold::Held && shard.until.is_none_or(|until| until <= now) {
                lapsed.push(*index);
            } else {
                shard.until = Some(until);
            }
        }
        drop(state);
        if !lapsed.is_empty() {
            self.acquire(&lapsed, until);
        }
    }

    /// Returns when shards were acquired last: everything that others wrote before was stored then.
    pub(super) fn acquired_at(&self) -> Option<Instant> {
        self.state().acquired_at
    }

    /// Starts no more reconciliations of these shards. Those that run may write until a time.
    pub(super) fn drain(&self, shards: &[u16], until: Instant) {
        let mut state = self.state();
        for shard in shards {
            let shard = &mut state.shards[usize::from(*shard)];
            if shard.hold == Hold::Held {
                shard.hold = Hold::Draining(until);
            }
        }
    }

    /// Returns the draining shards of which nothing is being reconciled, and those whose reconciliations could not write for
    /// a time.
    pub(super) fn drained(&self, after: Duration) -> Vec<u16> {
        self.shards_with(|shard| match shard.hold {
            Hold::Draining(until) => shard.permits == 0 || until + after <= Instant::now(),
            Hold::Free | Hold::Held => false,
        })
    }

    /// Waits until nothing of a draining shard is being reconciled, or until its reconciliations could not write for a time.
    pub(super) async fn wait_drained(&self, after: Duration) {
        loop {
            let idle = self.idle.notified();
            if !self.drained(after).is_empty() {
                return;
            }
            let end = self.drain_end().map(|end| end + after);
            tokio::select! {
                () = idle => {}
                () = sleep_until(end.unwrap_or_else(Instant::now)), if end.is_some() => {}
            }
        }
    }

    /// Returns when the reconciliations of a draining shard may write no longer.
    fn drain_end(&self) -> Option<Instant> {
        let state = self.state();
        let ends = state.shards.iter().filter_map(|shard| match shard.hold {
            Hold::Draining(until) => Some(until),
            Hold::Free | Hold::Held => None,
        });
        ends.min()
    }

    /// Refuses all writes of these shards from now on.
    pub(super) fn lose(&self, shards: &[u16]) {
        self.change(shards, |shard, _| shard.hold = Hold::Free);
    }

    /// Returns the epoch of each shard that is held as of a version.
    pub(super) fn epochs(&self, version: u64) -> Vec<(u16, u64)> {
        let state = self.state();
        let shards = (0..).zip(&state.shards);
        let held = shards.filter(|(_, shard)| shard.hold != Hold::Free && shard.epoch <= version);
        held.map(|(index, shard)| (index, shard.epoch)).collect()
    }

    /// Permits a reconciliation; `None` unless the shard is held in this epoch.
    pub(super) fn permit(self: &Arc<Self>, shard: u16, epoch: u64) -> Option<ShardPermit> {
        let mut state = self.state();
        let is_member = state.is_member();
        let entry = &mut state.shards[usize::from(shard)];
        if !is_member || entry.hold != Hold::Held || entry.epoch != epoch {
            return None;
        }
        entry.permits += 1;
        Some(ShardPermit { table: self.clone(), shard, epoch })
    }

    fn shards_with(&self, is_so: impl Fn(&Shard) -> bool) -> Vec<u16> {
        let state = self.state();
        let shards = (0..).zip(&state.shards);
        shards.filter(|(_, shard)| is_so(shard)).map(|(index, _)| index).collect()
    }

    fn change(&self, shards: &[u16], change: impl Fn(&mut Shard, u64)) {
        if shards.is_empty() {
            return;
        }
        let mut state = self.state();
        state.version += 1;
        let version = state.version;
        shards.iter().for_each(|shard| change(&mut state.shards[usize::from(*shard)], version));
        let held = (0..).zip(&state.shards).filter(|(_, shard)| shard.hold != Hold::Free).map(|(index, _)| index);
        let held = HeldShards::new(version, self.partition, held);
        // While the state is locked, so that versions are sent in their order.
        self.held.send_replace(held);
    }

    fn state(&self) -> MutexGuard<'_, ShardTableState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShardTableState {
    fn is_member(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() < deadline)
    }
}

/// Permits one reconciliation of an object of a shard. Until it is dropped, the shard is not given away.
pub(in crate::controller) struct ShardPermit {
    table: Arc<ShardTable>,
    shard: u16,
    epoch: u64,
}

impl ShardPermit {
    /// Whether the reconciliation may write now.
    pub(in crate::controller) fn may_write(&self) -> bool {
        let state = self.table.state();
        let shard = &state.shards[usize::from(self.shard)];
        let is_confirmed = shard.until.is_some_and(|until| Instant::now() < until);
        state.is_member() && is_confirmed && shard.epoch == self.epoch && shard.hold.may_write()
    }

    /// Returns until when the reconciliation may write, as of now.
    pub(in crate::controller) fn until(&self) -> Instant {
        let member_until = self.table.member_until();
        let shard = self.table.state().shards[usize::from(self.shard)];
        let until = shard.until.unwrap_or(member_until).min(member_until);
        match shard.hold {
            Hold::Draining(drained) => drained.min(until),
            Hold::Free | Hold::Held => until,
        }
    }

    /// Whether an object is in the shard.
    pub(in crate::controller) fn covers(&self, uid: &str) -> bool {
        self.table.shard_of(uid) == self.shard
    }
}

impl Drop for ShardPermit {
    fn drop(&mut self) {
        let mut state = self.table.state();
        let shard = &mut state.shards[usize::from(self.shard)];
        shard.permits -= 1;
        let is_idle = shard.permits == 0;
        drop(state);
        if is_idle {
            self.table.idle.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn member(shards: &[u16]) -> Arc<ShardTable> {
        let table = Arc::new(ShardTable::new(4));
        table.set_deadline(Some(Instant::now() + 10 * SECOND));
        table.acquire(shards, Instant::now() + 20 * SECOND);
        table
    }

    #[tokio::test(start_paused = true)]
    async fn writes_end_with_the_membership() {
        let table = member(&[1, 2]);
        let permit = table.permit(1, 1).unwrap();
        assert!(permit.may_write() && table.permit(0, 1).is_none() && table.permit(1, 2).is_none());
        advance(10 * SECOND - Duration::from_millis(1)).await;
        assert!(permit.may_write());
        advance(Duration::from_millis(1)).await;
        assert!(!permit.may_write() && table.permit(2, 1).is_none());
    }

    /// A member may be unable to see whether its shards were given to somebody else.
    #[tokio::test(start_paused = true)]
    async fn writes_end_when_the_lease_of_the_shard_was_not_seen_in_time() {
        let table = member(&[1]);
        table.confirm(&[1], Instant::now() + 3 * SECOND);
        let permit = table.permit(1, 1).unwrap();
        assert_eq!(permit.until(), Instant::now() + 3 * SECOND);
        advance(3 * SECOND).await;
        assert!(!permit.may_write() && table.is_member());
        table.confirm(&[1], Instant::now() + 3 * SECOND);
        assert!(!permit.may_write(), "the caches may lag behind what it wrote last");
        assert!(table.permit(1, 2).unwrap().may_write());
    }

    #[tokio::test(start_paused = true)]
    async fn a_permit_does_not_survive_the_loss_of_its_shard() {
        let table = member(&[1]);
        let permit = table.permit(1, 1).unwrap();
        table.lose(&[1]);
        assert!(!permit.may_write());
        table.acquire(&[1], Instant::now() + 20 * SECOND);
        assert_eq!(table.epochs(3), [(1, 3)]);
        assert!(!permit.may_write() && table.permit(1, 3).unwrap().may_write());
    }

    #[tokio::test(start_paused = true)]
    async fn a_shard_is_drained_once_nothing_is_reconciled_or_could_write() {
        let table = member(&[1, 2]);
        let (first, second) = (table.permit(1, 1).unwrap(), table.permit(2, 1).unwrap());
        table.drain(&[1, 2], Instant::now() + 3 * SECOND);
        assert!(first.may_write() && table.permit(1, 1).is_none());
        assert!(table.drained(2 * SECOND).is_empty());
        drop(first);
        assert_eq!(table.drained(2 * SECOND), [1]);
        table.lose(&[1]);
        let started = Instant::now();
        table.wait_drained(2 * SECOND).await;
        assert_eq!((table.drained(2 * SECOND), started.elapsed()), (vec![2], 5 * SECOND));
        assert!(!second.may_write());
    }
}
