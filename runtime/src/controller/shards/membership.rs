//! Acquires a fair share of the shards, and gives those away that others should have.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use futures_util::future::join_all;
use k8s_openapi::api::coordination::v1::Lease;
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};

use super::{
    balance::{Share, plan},
    holders::{Holder, Holders},
    leases::{Leases, Observed, View, holder},
    session::{Session, remove_expired, stopped},
    table::ShardTable,
};
use crate::{
    Client,
    client::Error,
    controller::{LeaderElection, manager::Phase},
};

/// How long the reconciliations of a shard may continue before it is given away.
const DRAIN_LIMIT: Duration = Duration::from_secs(20);

/// A member, or a process that becomes one.
pub(in crate::controller) struct Membership {
    leases: Leases,
    table: Arc<ShardTable>,
    phase: watch::Receiver<Phase>,
    holders: Holders,
    /// The shards whose Lease the current membership has written without a response: it may be the holder.
    unconfirmed: BTreeSet<u16>,
    /// The identity of the current membership, and its Lease.
    session: Option<(String, watch::Receiver<Lease>)>,
}

impl Membership {
    pub(in crate::controller) fn new(
        settings: LeaderElection,
        client: &Client,
        table: Arc<ShardTable>,
        phase: watch::Receiver<Phase>,
    ) -> Self {
        let holders = Holders::new(table.count(), settings.lease_duration);
        let leases = Leases::new(settings, table.count(), client);
        Self { leases, table, phase, holders, unconfirmed: BTreeSet::new(), session: None }
    }

    /// Is a member until it is dropped. A membership that is lost is followed by another one.
    pub(in crate::controller) async fn run(&mut self) {
        loop {
            let session = Session::join(&self.leases).await;
            tracing::info!(identity = session.identity, "became a member of the shards");
            let (latest, lease) = watch::channel(session.lease.clone());
            self.session = Some((session.identity.clone(), lease));
            let mut renewed = session.clone();
            let (mut phase, mut balancing) = (self.phase.clone(), self.phase.clone());
            self.holders.begin();
            self.unconfirmed.clear();
            let mut balance = Balance {
                leases: &self.leases,
                table: &self.table,
                me: &session.identity,
                observed: Observed::new(self.leases.settings.lease_duration),
                holders: &mut self.holders,
                unconfirmed: &mut self.unconfirmed,
                is_leaving: false,
            };
            tokio::select! {
                biased;
                () = renewed.renew(&self.leases, &self.table, &mut phase, &latest) => {}
                () = balance.run(&mut balancing) => {}
            }
            tracing::error!(identity = session.identity, "the membership of the shards was lost");
            self.lose();
        }
    }

    /// Gives all shards away, if nothing is written any more: also those whose Lease this member was writing when [`run`](Self::run) was
    /// dropped. Others would wait for a holder that is no member.
    pub(in crate::controller) async fn leave(&mut self, is_drained: bool) {
        let mut shards = std::mem::take(&mut self.unconfirmed);
        let unconfirmed = shards.clone();
        shards.extend(self.table.held());
        let session = self.session.take();
        self.lose();
        let Some((me, lease)) = session.filter(|_| is_drained) else {
            return;
        };
        let leave = async {
            let releases =
                shards.iter().map(|shard| release_read(&self.leases, *shard, &me, unconfirmed.contains(shard)));
            join_all(releases).await;
            let lease = lease.borrow().clone();
            self.leases.leave_member(&lease).await
        };
        match timeout(self.leases.settings.renew_deadline, leave).await {
            Ok(true) => tracing::info!(identity = me, "left the shards"),
            Ok(false) | Err(_) => tracing::warn!(identity = me, "cannot leave the shards in time"),
        }
    }

    fn lose(&mut self) {
        self.session = None;
        self.table.set_deadline(None);
        self.table.lose(&self.table.held());
    }
}

/// Gives a shard away whose Lease is not known.
async fn release_read(leases: &Leases, shard: u16, me: &str, is_unconfirmed: bool) {
    if let Err(error) = try_release_read(leases, shard, me, is_unconfirmed).await {
        tracing::warn!(shard, %error, "cannot release the shard");
    }
}

async fn try_release_read(leases: &Leases, shard: u16, me: &str, is_unconfirmed: bool) -> Result<(), Error> {
    loop {
        let lease = leases.read_shard(shard).await?;
        let stated = lease.as_ref().and_then(holder);
        // A write that still is on its way fails if the Lease has another version.
        let may_become_own = is_unconfirmed && stated.is_none();
        if stated != Some(me) && !may_become_own {
            return Ok(());
        }
        match leases.write_holder(shard, lease.as_ref(), "").await {
            Err(Error::Conflict(_) | Error::AlreadyExists(_)) => {}
            released => return released,
        }
    }
}

/// The changes of the shards during one membership.
struct Balance<'a> {
    leases: &'a Leases,
    table: &'a Arc<ShardTable>,
    me: &'a str,
    observed: Observed,
    holders: &'a mut Holders,
    unconfirmed: &'a mut BTreeSet<u16>,
    /// Whether the process shuts down.
    is_leaving: bool,
}

impl Balance<'_> {
    /// Runs until the membership is lost.
    async fn run(&mut self, phase: &mut watch::Receiver<Phase>) {
        loop {
            let wait = match self.step().await {
                Ok(Some(wait)) => wait,
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "cannot balance the shards");
                    // Also if something is drained, which could not be released.
                    sleep(self.leases.settings.retry_period).await;
                    continue;
                }
            };
            tokio::select! {
                () = sleep(wait) => {}
                () = self.table.wait_drained(self.in_flight()) => {}
                true = stopped(phase), if !self.is_leaving => self.is_leaving = true,
            }
        }
    }

    /// Returns how long to wait; `None` if the membership is lost.
    async fn step(&mut self) -> Result<Option<Duration>, Error> {
        // As in a renewal, the time counts from before the request.
        let until = self.permitted_until();
        let mut view = self.leases.list().await?;
        if view.member(self.me).is_none() {
            return Ok(None);
        }
        self.keep_held(&view, until).await;
        let removed = remove_expired(self.leases, &mut self.observed, &view).await;
        view.members.retain(|member| !removed.iter().any(|identity| identity == member.identity()));
        self.rebalance(&view, &removed).await?;
        let others = view.members.iter().filter(|member| member.identity() != self.me);
        let expiry = others.map(|member| self.observed.expires_in(member)).min();
        let period = self.leases.settings.retry_period;
        // A Lease that cannot be deleted is not tried again at once.
        Ok(Some(expiry.filter(|expiry| !expiry.is_zero()).map_or(period, |expiry| expiry.min(period))))
    }

    /// Keeps the shards whose Leases still state this member, and gives those up that another program has given to somebody else.
    ///
    /// A Lease that was deleted, or has no holder, is written again: others wait before they acquire the shard.
    async fn keep_held(&mut self, view: &View, until: Instant) {
        let held = self.table.held();
        let stated = |shard: &u16| view.shard(*shard).and_then(holder);
        let (kept, changed): (Vec<u16>, Vec<u16>) = held.iter().partition(|shard| stated(shard) == Some(self.me));
        self.table.confirm(&kept, until);
        let (mut lost, vacant): (Vec<u16>, Vec<u16>) = changed.iter().partition(|shard| stated(shard).is_some());
        let until = self.permitted_until();
        for (shard, written) in self.write_holders(view, vacant, self.me).await {
            match written {
                Ok(()) => self.table.confirm(&[shard], until),
                Err(_) => lost.push(shard),
            }
        }
        if !changed.is_empty() {
            tracing::error!(shards = ?changed, ?lost, "the leases of shards were changed by another program");
            self.table.lose(&lost);
        }
    }

    async fn rebalance(&mut self, view: &View, removed: &[String]) -> Result<(), Error> {
        let members: Vec<_> = view
            .members
            .iter()
            .map(|member| {
                let is_leaving = member.is_leaving || self.is_leaving && member.identity() == self.me;
                Share { identity: member.identity(), is_leaving }
            })
            .collect();
        let held = self.table.held();
        let is_own = |shard: u16| held.contains(&shard) || self.unconfirmed.contains(&shard);
        let holders: Vec<_> =
            self.holders.of(view, self.me, is_own, removed).into_iter().map(Holder::for_plan).collect();
        let plan = plan(&members, &holders, self.me);
        self.table.drain(&plan.release, Instant::now() + DRAIN_LIMIT);
        // A write without a response may have made this process the holder.
        let is_unknown = |shard: &u16| holders[usize::from(*shard)] == Some(self.me) && !held.contains(shard);
        let unknown: Vec<_> = (0..self.leases.count).filter(is_unknown).collect();
        let (surplus, kept): (Vec<u16>, Vec<u16>) = unknown.into_iter().partition(|shard| plan.release.contains(shard));
        // Also what another program has given to this member: the others take it for the holder.
        let given =
            view.shards_of(&[self.me.to_owned()]).into_iter().filter(|shard| holders[usize::from(*shard)].is_none());
        let mut orphans: Vec<_> = view.shards_of(removed).into_iter().chain(given).collect();
        orphans.retain(|shard| !plan.acquire.contains(shard));
        self.acquire(view, plan.acquire.into_iter().chain(kept)).await;
        self.leases.release_all(view, &orphans).await;
        self.release(view, self.table.drained(self.in_flight()).into_iter().chain(surplus)).await
    }

    async fn acquire(&mut self, view: &View, shards: impl Iterator<Item = u16>) {
        let until = self.permitted_until();
        let mut acquired = Vec::new();
        for (shard, written) in self.write_holders(view, shards.collect(), self.me).await {
            match written {
                Ok(()) => acquired.push(shard),
                Err(Error::Conflict(_) | Error::AlreadyExists(_)) => {}
                Err(error) => tracing::warn!(shard, %error, "cannot acquire the shard"),
            }
        }
        if !acquired.is_empty() {
            tracing::info!(shards = ?acquired, "acquired shards");
            self.table.acquire(&acquired, until);
        }
    }

    async fn release(&mut self, view: &View, shards: impl Iterator<Item = u16>) -> Result<(), Error> {
        let shards: Vec<_> = shards.collect();
        // No permit is given for a draining shard, but one that exceeded the limit may remain.
        self.table.lose(&shards);
        let released = self.write_holders(view, shards.clone(), "").await;
        if !shards.is_empty() {
            tracing::info!(?shards, "released shards");
        }
        released.into_iter().try_for_each(|(_, released)| released)
    }

    /// Writes the holder of shards. Until the result of a write is known, also if this is dropped, the shard is unconfirmed.
    async fn write_holders(&mut self, view: &View, shards: Vec<u16>, holder: &str) -> Vec<(u16, Result<(), Error>)> {
        self.unconfirmed.extend(&shards);
        let writes = shards.iter().map(|shard| self.leases.write_holder(*shard, view.shard(*shard), holder));
        let written: Vec<_> = shards.iter().copied().zip(join_all(writes).await).collect();
        for (shard, written) in &written {
            if matches!(written, Ok(()) | Err(Error::Conflict(_) | Error::AlreadyExists(_))) {
                self.unconfirmed.remove(shard);
            }
        }
        written
    }

    /// Returns until when this member may write for a shard whose Lease a request that begins now reads or writes.
    fn permitted_until(&self) -> Instant {
        Instant::now() + self.leases.settings.renew_deadline
    }

    /// How long a write may be on its way after its permit has expired.
    fn in_flight(&self) -> Duration {
        let settings = &self.leases.settings;
        settings.lease_duration.saturating_sub(settings.renew_deadline)
    }
}
