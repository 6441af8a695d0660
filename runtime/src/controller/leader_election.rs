//! Leader election on a Lease, compatible with client-go.

use std::{
    collections::hash_map::RandomState,
    fs,
    hash::{BuildHasher, Hasher},
    sync::Arc,
    time::Duration,
};

use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::Timestamp,
};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::{fence::Fence, permissions::Place};
use crate::{
    Client,
    backoff::random,
    client::{Error, Resources, scope::InNamespace},
};

/// client-go's `JitterFactor`.
const JITTER: f64 = 1.2;

/// The settings of the election of a leader.
///
/// Of the processes with the same lease, one is the leader: only its controllers run. The others keep their caches up to
/// date, and one of them takes over when the leader stops or cannot renew its lease. The records in the lease are those of
/// client-go, so that processes in Go can be candidates too.
#[derive(Clone, Debug)]
#[doc(alias("LeaderElector", "LeaderElectionConfig", "Lease"))]
pub struct LeaderElection {
    lease: String,
    namespace: Option<String>,
    pub(super) identity: String,
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
}

impl LeaderElection {
    /// Creates the settings with the name of the lease, and with the durations of client-go: 15 s, 10 s and 2 s.
    pub fn new(lease: &str) -> Self {
        Self {
            lease: lease.to_owned(),
            namespace: None,
            identity: unique_identity(),
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }

    pub(super) fn lease(&self) -> &str {
        &self.lease
    }

    /// Returns where the lease is.
    pub(super) fn place(&self) -> Place {
        self.namespace.clone().map_or(Place::Own, Place::Namespace)
    }

    /// Returns the lease duration in seconds, as a record has it.
    pub(super) fn lease_seconds(&self) -> i32 {
        i32::try_from(self.lease_duration.as_secs().max(1)).unwrap_or(i32::MAX)
    }

    /// Returns a client of the leases in the namespace. Retries are the caller's own.
    pub(super) fn leases(&self, client: &Client) -> Resources<Lease, InNamespace> {
        let namespace = self.namespace.as_deref().unwrap_or(client.default_namespace());
        client.resources::<Lease>().namespace(namespace).max_retries(0).timeout(self.renew_deadline)
    }

    /// Sets the namespace of the lease: the client's [default namespace](Client::default_namespace) by default.
    #[must_use]
    pub fn namespace(self, namespace: &str) -> Self {
        Self { namespace: Some(namespace.to_owned()), ..self }
    }

    /// Sets the identity of this process, which must be unique: the host name with a random suffix by default.
    #[must_use]
    pub fn identity(self, identity: &str) -> Self {
        Self { identity: identity.to_owned(), ..self }
    }

    /// Sets how long other candidates wait after the last renewal before they take over, how long the leader tries to renew
    /// the lease before it gives up, and how often a candidate tries.
    ///
    /// The difference between the first two is the time for requests that are on their way when the leader gives up.
    ///
    /// # Panics
    ///
    /// Panics unless the lease duration is greater than the renew deadline, and that is greater than 1.2 retry periods.
    #[must_use]
    pub fn durations(self, lease_duration: Duration, renew_deadline: Duration, retry_period: Duration) -> Self {
        assert!(lease_duration > renew_deadline, "the lease duration must be greater than the renew deadline");
        assert!(
            !retry_period.is_zero() && renew_deadline > retry_period.mul_f64(JITTER),
            "the renew deadline must be greater than 1.2 retry periods"
        );
        Self { lease_duration, renew_deadline, retry_period, ..self }
    }
}

impl From<&str> for LeaderElection {
    fn from(lease: &str) -> Self {
        Self::new(lease)
    }
}

/// Returns the host name with a random suffix.
pub(super) fn unique_identity() -> String {
    let host = std::env::var("HOSTNAME").ok().or_else(|| fs::read_to_string("/proc/sys/kernel/hostname").ok());
    let host = host.map(|host| host.trim().to_owned()).filter(|host| !host.is_empty());
    let random = RandomState::new().build_hasher().finish();
    format!("{}_{random:016x}", host.as_deref().unwrap_or("localhost"))
}

/// A candidate.
pub(super) struct Elector {
    settings: LeaderElection,
    leases: Resources<Lease, InNamespace>,
    fence: Arc<Fence>,
    /// The record that was read last, and when it changed by the local clock.
    observed: Option<(LeaseSpec, Instant)>,
    /// Until when this process is the leader.
    deadline: Option<Instant>,
}

impl Elector {
    pub(super) fn new(settings: LeaderElection, client: &Client, fence: Arc<Fence>) -> Self {
        let leases = settings.leases(client);
        Self { settings, leases, fence, observed: None, deadline: None }
    }

    pub(super) fn lease(&self) -> &str {
        &self.settings.lease
    }

    /// Waits until this process is the leader.
    pub(super) async fn acquire(&mut self) {
        while !self.try_acquire_or_renew().await {
            sleep(self.settings.retry_period.mul_f64(1.0 + JITTER * random())).await;
        }
        tracing::info!(lease = self.lease(), identity = self.settings.identity, "became the leader");
    }

    /// Renews the lease until that fails for too long.
    pub(super) async fn renew(&mut self) {
        while let Some(deadline) = self.deadline.filter(|deadline| Instant::now() < *deadline) {
            let attempt = async {
                sleep(self.settings.retry_period).await;
                self.try_acquire_or_renew().await
            };
            let _ = timeout_at(deadline, attempt).await;
        }
        tracing::error!(lease = self.lease(), "the lease was lost");
    }

    /// Lets another candidate take over at once.
    pub(super) async fn release(&mut self) {
        self.fence.set_deadline(None);
        if self.deadline.take().is_none() {
            return;
        }
        match timeout(self.settings.renew_deadline, self.try_release()).await {
            Ok(Ok(())) => tracing::info!(lease = self.lease(), "released the lease"),
            Ok(Err(error)) => tracing::warn!(lease = self.lease(), %error, "cannot release the lease"),
            Err(_) => tracing::warn!(lease = self.lease(), "cannot release the lease in time"),
        }
    }

    async fn try_acquire_or_renew(&mut self) -> bool {
        // The deadline counts from before the request: the API server receives it later.
        let started = Instant::now();
        match self.write_lease().await {
            Ok(true) => {
                self.deadline = Some(started + self.settings.renew_deadline);
                self.fence.set_deadline(self.deadline);
                true
            }
            Ok(false) => {
                // Another candidate is the leader.
                self.deadline = None;
                self.fence.set_deadline(None);
                false
            }
            Err(error) => {
                if !matches!(error, Error::Conflict(_) | Error::AlreadyExists(_)) {
                    tracing::warn!(lease = self.lease(), %error, "cannot acquire or renew the lease");
                }
                false
            }
        }
    }

    /// Returns whether this process holds the lease.
    async fn write_lease(&mut self) -> Result<bool, Error> {
        let now = MicroTime(Timestamp::now());
        let Some(mut lease) = self.leases.get_opt(&self.settings.lease).await? else {
            let mut lease = Lease::default();
            lease.metadata.name = Some(self.settings.lease.clone());
            lease.spec = Some(self.record(now.clone(), now, 0, LeaseSpec::default()));
            self.leases.create(&lease).await?;
            return Ok(true);
        };
        let old = lease.spec.take().unwrap_or_default();
        if self.observed.as_ref().is_none_or(|(observed, _)| *observed != old) {
            self.observed = Some((old.clone(), Instant::now()));
        }
        let holder = old.holder_identity.as_deref().unwrap_or_default();
        let is_holder = holder == self.settings.identity;
        if !holder.is_empty() && !is_holder && !self.has_expired(&old) {
            return Ok(false);
        }
        let transitions = old.lease_transitions.unwrap_or_default();
        let (acquired, transitions) = match (is_holder, &old.acquire_time) {
            (true, Some(acquired)) => (acquired.clone(), transitions),
            _ => (now.clone(), transitions.saturating_add(1)),
        };
        lease.spec = Some(self.record(acquired, now, transitions, old));
        self.leases.replace(&lease).await?;
        Ok(true)
    }

    /// Whether the record has not changed for its duration, by the local clock.
    fn has_expired(&self, record: &LeaseSpec) -> bool {
        let seconds = u64::try_from(record.lease_duration_seconds.unwrap_or_default()).unwrap_or_default();
        let observed = self.observed.as_ref().map(|(_, at)| at.elapsed());
        observed.is_some_and(|age| age >= Duration::from_secs(seconds))
    }

    fn record(&self, acquired: MicroTime, renewed: MicroTime, transitions: i32, old: LeaseSpec) -> LeaseSpec {
        LeaseSpec {
            holder_identity: Some(self.settings.identity.clone()),
            lease_duration_seconds: Some(self.settings.lease_seconds()),
            acquire_time: Some(acquired),
            renew_time: Some(renewed),
            lease_transitions: Some(transitions),
            ..old
        }
    }

    async fn try_release(&self) -> Result<(), Error> {
        loop {
            let Some(mut lease) = self.leases.get_opt(&self.settings.lease).await? else {
                return Ok(());
            };
            let record = lease.spec.get_or_insert_default();
            if record.holder_identity.as_deref() != Some(&*self.settings.identity) {
                return Ok(());
            }
            let now = MicroTime(Timestamp::now());
            record.holder_identity = Some(String::new());
            record.lease_duration_seconds = Some(1);
            record.acquire_time = Some(now.clone());
            record.renew_time = Some(now);
            match self.leases.replace(&lease).await {
                Err(Error::Conflict(_)) => {}
                released => return released.map(drop),
            }
        }
    }
}
