//! Acquires a fair share of the shards, and gives those away that others should have.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use k8s_openapi::api::coordination::v1::Lease;
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};

use super::{
    balance::{Share, plan},
    leases::{Leases, Observed, View},
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
        Self { leases: Leases::new(settings, table.count(), client), table, phase, session: None }
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
            let mut balance = Balance {
                leases: &self.leases,
                table: &self.table,
                me: &session.identity,
                observed: Observed::default(),
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

    /// Gives all shards away, if nothing is written any more.
    pub(in crate::controller) async fn leave(&mut self, is_drained: bool) {
        let held = self.table.held();
        let session = self.session.take();
        self.lose();
        let Some((me, lease)) = session.filter(|_| is_drained) else {
            return;
        };
        let leave = async {
            let releases = held.iter().map(|shard| release_read(&self.leases, *shard, &me));
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
async fn release_read(leases: &Leases, shard: u16, me: &str) {
    let released = async {
        if let Some(lease) = leases.read_shard(shard, me).await? {
            leases.write_holder(shard, Some(&lease), "").await?;
        }
        Ok::<_, Error>(())
    };
    if let Err(error) = released.await {
        tracing::warn!(shard, %error, "cannot release the shard");
    }
}

/// The changes of the shards during one membership.
struct Balance<'a> {
    leases: &'a Leases,
    table: &'a Arc<ShardTable>,
    me: &'a str,
    observed: Observed,
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
        let mut view = self.leases.list().await?;
        if view.member(self.me).is_none() {
            return Ok(None);
        }
        let removed = remove_expired(self.leases, &mut self.observed, &view).await;
        view.members.retain(|member| !removed.iter().any(|identity| identity == member.identity()));
        self.give_up_lost(&view);
        self.rebalance(&view).await?;
        let others = view.members.iter().filter(|member| member.identity() != self.me);
        let expiry = others.map(|member| self.observed.expires_in(member)).min();
        let period = self.leases.settings.retry_period;
        // A Lease that cannot be deleted is not tried again at once.
        Ok(Some(expiry.filter(|expiry| !expiry.is_zero()).map_or(period, |expiry| expiry.min(period))))
    }

    /// Gives shards up that somebody else has taken, by deleting or changing their Leases.
    fn give_up_lost(&self, view: &View) {
        let holders = view.holders();
        let mut lost = self.table.held();
        lost.retain(|shard| holders[usize::from(*shard)] != Some(self.me));
        if !lost.is_empty() {
            tracing::error!(shards = ?lost, "the leases of shards were changed by another program");
            self.table.lose(&lost);
        }
    }

    async fn rebalance(&self, view: &View) -> Result<(), Error> {
        let members: Vec<_> = view
            .members
            .iter()
            .map(|member| {
                let is_leaving = member.is_leaving || self.is_leaving && member.identity() == self.me;
                Share { identity: member.identity(), is_leaving }
            })
            .collect();
        let (holders, held) = (view.holders(), self.table.held());
        let plan = plan(&members, &holders, self.me);
        self.table.drain(&plan.release, Instant::now() + DRAIN_LIMIT);
        // A write without a response may have made this process the holder.
        let is_unknown = |shard: &u16| holders[usize::from(*shard)] == Some(self.me) && !held.contains(shard);
        let unknown: Vec<_> = (0..self.leases.count).filter(is_unknown).collect();
        let (surplus, kept): (Vec<u16>, Vec<u16>) = unknown.into_iter().partition(|shard| plan.release.contains(shard));
        self.acquire(view, plan.acquire.into_iter().chain(kept)).await;
        self.release(view, self.table.drained(self.in_flight()).into_iter().chain(surplus)).await
    }

    async fn acquire(&self, view: &View, shards: impl Iterator<Item = u16>) {
        let acquires = shards.map(async |shard| {
            let lease = lease_of(view, shard);
            match self.leases.write_holder(shard, lease, self.me).await {
                Ok(()) => Some(shard),
                Err(Error::Conflict(_) | Error::AlreadyExists(_)) => None,
                Err(error) => {
                    tracing::warn!(shard, %error, "cannot acquire the shard");
                    None
                }
            }
        });
        let acquired: Vec<_> = join_all(acquires).await.into_iter().flatten().collect();
        if !acquired.is_empty() {
            tracing::info!(shards = ?acquired, "acquired shards");
            self.table.acquire(&acquired);
        }
    }

    async fn release(&self, view: &View, shards: impl Iterator<Item = u16>) -> Result<(), Error> {
        let shards: Vec<_> = shards.collect();
        // No permit is given for a draining shard, but one that exceeded the limit may remain.
        self.table.lose(&shards);
        let releases = shards.iter().map(|shard| self.leases.write_holder(*shard, lease_of(view, *shard), ""));
        let released = join_all(releases).await;
        if !shards.is_empty() {
            tracing::info!(?shards, "released shards");
        }
        released.into_iter().collect()
    }

    /// How long a write may be on its way after its permit has expired.
    fn in_flight(&self) -> Duration {
        let settings = &self.leases.settings;
        settings.lease_duration.saturating_sub(settings.renew_deadline)
    }
}

fn lease_of(view: &View, shard: u16) -> Option<&Lease> {
    view.shards[usize::from(shard)].as_ref()
}
