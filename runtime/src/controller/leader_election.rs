//! Leader election on a Lease, compatible with client-go.

mod elector;
mod observation;

use std::{
    collections::hash_map::RandomState,
    fs,
    hash::{BuildHasher, Hasher},
    time::Duration,
};

use crdkit_core::literal::dns;
use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::Timestamp,
};
use tokio::time::sleep;

use super::permissions::PermissionScope;
use crate::{
    Client,
    client::{Resources, scope::InNamespace},
    clock,
};

pub(super) use elector::Elector;

/// client-go's `JitterFactor`.
const JITTER: f64 = 1.2;
/// How late a renewal must begin to be reported: a tenth of the default deadline, and far more than a busy machine delays a task.
const LATE_RENEWAL: Duration = Duration::from_secs(1);
/// The longest lease duration: a record has seconds in 32 bits.
const MAX_LEASE: Duration = Duration::from_secs(i32::MAX as u64);

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
    pub(super) fn place(&self) -> PermissionScope {
        self.namespace.clone().map_or(PermissionScope::Own, PermissionScope::Namespace)
    }

    /// Returns the lease duration in seconds, as a record has it: rounded up, because others wait as long as the record states,
    /// and this process may write for nearly as long as the duration.
    pub(super) fn lease_seconds(&self) -> i32 {
        let fraction = u64::from(self.lease_duration.subsec_nanos() > 0);
        i32::try_from(self.lease_duration.as_secs() + fraction).unwrap_or(i32::MAX)
    }

    /// Returns what the API server would reject in each attempt, or what defeats the election.
    pub(super) fn problems(&self) -> Vec<String> {
        let lease = &self.lease;
        let name = dns::subdomain(lease).err().map(|_| {
            format!("`{lease}` is not the name of a lease: use lowercase letters, digits, `-` and `.`, at most 253 characters")
        });
        let invalid = self.namespace.as_ref().filter(|namespace| dns::label_1123(namespace).is_err());
        let namespace = invalid.map(|namespace| {
            format!("`{namespace}` is not the namespace of a lease: use lowercase letters, digits and `-`, at most 63 characters")
        });
        // A record without a holder is one of a released lease.
        let identity =
            self.identity.is_empty().then(|| format!("the identity of a candidate for the lease `{lease}` is empty"));
        name.into_iter().chain(namespace).chain(identity).collect()
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
    /// The difference between the first two is the time for requests that are on their way when the leader gives up. The record
    /// has the lease duration in whole seconds, rounded up, and a candidate waits at least as long as its own setting.
    ///
    /// # Panics
    ///
    /// Panics unless the lease duration is greater than the renew deadline, and that is greater than 1.2 retry periods, or if the
    /// lease duration is longer than 68 years.
    #[must_use]
    pub fn durations(self, lease_duration: Duration, renew_deadline: Duration, retry_period: Duration) -> Self {
        assert!(lease_duration > renew_deadline, "the lease duration must be greater than the renew deadline");
        assert!(lease_duration <= MAX_LEASE, "the lease duration must be at most {} seconds", i32::MAX);
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
    let host = std::env::var("HOSTNAME")
        .ok()
        .or_else(|| fs::read_to_string("/proc/sys/kernel/hostname").ok())
        .map(|host| host.trim().to_owned())
        .filter(|host| !host.is_empty());
    let random = RandomState::new().build_hasher().finish();
    format!("{}_{random:016x}", host.as_deref().unwrap_or("localhost"))
}

/// Waits until the next renewal, and reports if this begins so late that the task did not run meanwhile.
///
/// The clock is the system's: a test that moves tokio's has not kept a thread.
pub(super) async fn wait_for_renewal(retry_period: Duration) {
    let start = std::time::Instant::now();
    sleep(retry_period).await;
    let late = start.elapsed().saturating_sub(retry_period);
    if late >= LATE_RENEWAL {
        tracing::warn!(
            ?late,
            "the renewal of a lease begins late: a function keeps the threads of the runtime; `crdkit::controller::blocking` \
             lists what does so"
        );
    }
}

/// Returns the time as a Lease stores it, so that a record that is read equals the one that was written.
pub(super) fn now() -> MicroTime {
    let now = clock::now();
    MicroTime(Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now))
}

/// Returns the duration of a record; zero without one.
pub(super) fn recorded_duration(record: &LeaseSpec) -> Duration {
    let seconds = record.lease_duration_seconds.unwrap_or_default();
    Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_no_less_than_the_duration() {
        let seconds = |millis| {
            let (renew, retry) = (Duration::from_millis(millis - 100), Duration::from_millis(100));
            LeaderElection::new("a").durations(Duration::from_millis(millis), renew, retry).lease_seconds()
        };
        assert_eq!([15_900, 15_000, 15_001, 500].map(seconds), [16, 15, 16, 1]);
    }

    #[test]
    fn settings_are_checked() {
        let problems = LeaderElection::new("Bad_Name").namespace("a.b").identity("").problems();
        let expected = ["`Bad_Name` is not the name", "`a.b` is not the namespace", "the identity of a candidate"];
        assert_eq!(problems.len(), 3);
        assert!(problems.iter().zip(expected).all(|(problem, start)| problem.starts_with(start)), "{problems:?}");
        assert!(LeaderElection::new("vm.operator-1").namespace("a").problems().is_empty());
    }
}
