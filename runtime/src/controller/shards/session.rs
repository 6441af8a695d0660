//! The membership of this process, from the creation of its Lease until it is lost.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    sync::Arc,
    time::Duration,
};

use k8s_openapi::api::coordination::v1::Lease;
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout_at},
};

use super::{
    leases::{Leases, Observed, View},
    table::ShardTable,
};
use crate::{
    client::{Error, backoff_formula::random},
    controller::{leader_election::wait_for_renewal, manager::Phase},
};

/// A membership. Each one has an identity of its own, so that one that was lost does not come back.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) identity: String,
    pub(super) lease: Lease,
    deadline: Instant,
}

/// Whether a renewal shows that the membership is lost.
enum Renewal {
    Done,
    Failed,
    Lost,
}

impl Session {
    /// Becomes a member. It waits for members that divide the objects into another number of shards.
    pub(super) async fn join(leases: &Leases) -> Self {
        let mut observed = Observed::new(leases.settings.lease_duration);
        let mut is_reported = false;
        loop {
            match Self::try_join(leases, &mut observed).await {
                Ok(Ok(session)) => return session,
                Ok(Err(rival)) => {
                    if !std::mem::replace(&mut is_reported, true) {
                        let shards = leases.count;
                        tracing::warn!(shards, rival, "waiting for a process with another number of shards to end");
                    }
                }
                Err(error) => tracing::warn!(%error, "cannot become a member of the shards"),
            }
            sleep(jittered(leases.settings.retry_period)).await;
        }
    }

    /// Returns the identity of another process that prevents it.
    ///
    /// Of two processes with different numbers of shards, at least one sees the Lease of the other after it has created
    /// its own.
    async fn try_join(leases: &Leases, observed: &mut Observed) -> Result<Result<Self, String>, Error> {
        let view = leases.list().await?;
        let removed = remove_expired(leases, observed, &view).await;
        leases.release_all(&view, &view.shards_of(&removed)).await;
        if let Some(rival) = view.rival(leases.count) {
            return Ok(Err(rival.identity().to_owned()));
        }
        let started = Instant::now();
        let suffix = format!("{:016x}", RandomState::new().build_hasher().finish());
        let identity = format!("{}_{suffix}", leases.settings.identity);
        let lease = leases.create_member(&identity, &suffix).await?;
        let session = Self { identity, lease, deadline: started + leases.settings.renew_deadline };
        let rival = leases.list().await.map(|view| view.rival(leases.count).map(|rival| rival.identity().to_owned()));
        if !matches!(rival, Ok(None)) {
            leases.leave_member(&session.lease).await;
        }
        Ok(rival?.map_or(Ok(session), Err))
    }

    /// Renews the Lease until that fails for too long, or another member has deleted it.
    pub(super) async fn renew(
        &mut self,
        leases: &Leases,
        table: &Arc<ShardTable>,
        phase: &mut watch::Receiver<Phase>,
        latest: &watch::Sender<Lease>,
    ) {
        table.set_deadline(Some(self.deadline));
        let mut is_leaving = false;
        while Instant::now() < self.deadline {
            let deadline = self.deadline;
            let attempt = async {
                tokio::select! {
                    () = wait_for_renewal(leases.settings.retry_period) => {}
                    true = stopped(phase), if !is_leaving => is_leaving = true,
                }
                self.try_renew(leases, is_leaving).await
            };
            match timeout_at(deadline, attempt).await {
                Ok(Renewal::Done) => {
                    table.set_deadline(Some(self.deadline));
                    latest.send_replace(self.lease.clone());
                }
                Ok(Renewal::Failed) | Err(_) => {}
                Ok(Renewal::Lost) => break,
            }
        }
    }

    async fn try_renew(&mut self, leases: &Leases, is_leaving: bool) -> Renewal {
        // The deadline counts from before the request: the API server receives it later.
        let started = Instant::now();
        let error = match leases.renew_member(&self.lease, is_leaving).await {
            Ok(lease) => {
                (self.lease, self.deadline) = (lease, started + leases.settings.renew_deadline);
                return Renewal::Done;
            }
            Err(error @ (Error::Conflict(_) | Error::NotFound(_))) => match leases.read_member(&self.lease).await {
                // An earlier renewal without a response, or a change of something else.
                Ok(Some(lease)) => {
                    self.lease = lease;
                    error
                }
                Ok(None) => return Renewal::Lost,
                Err(error) => error,
            },
            Err(error) => error,
        };
        tracing::warn!(identity = self.identity, %error, "cannot renew the lease of this member");
        Renewal::Failed
    }
}

/// Deletes the Leases of members that were not renewed in time, and returns their identities.
///
/// Others cannot see why a Lease is gone: the member that removes it also acquires or releases its shards.
pub(super) async fn remove_expired(leases: &Leases, observed: &mut Observed, view: &View) -> Vec<String> {
    observed.record(view);
    let mut removed = Vec::new();
    for member in view.member_leases().filter(|member| observed.expires_in(member).is_zero()) {
        if leases.delete_member(&member.lease).await {
            tracing::warn!(member = member.identity(), "a member of the shards has not renewed its lease in time");
            let is_member = view.members.iter().any(|other| other.lease.metadata.uid == member.lease.metadata.uid);
            removed.extend(is_member.then(|| member.identity().to_owned()));
        }
    }
    removed
}

/// Waits until the manager stops; `false` if it never does.
pub(super) async fn stopped(phase: &mut watch::Receiver<Phase>) -> bool {
    phase.wait_for(|phase| *phase == Phase::Stopped).await.is_ok()
}

fn jittered(period: Duration) -> Duration {
    period.mul_f64(1.0 + random())
}
