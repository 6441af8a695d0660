//! What people and other programs do to the Leases of replicas.

use std::time::Duration;

use crdkit::{
    Client,
    client::{Resources, scope::InNamespace},
    informer::CacheObject,
};
use crdkit_tests::faults::Random;
use k8s_openapi::api::coordination::v1::Lease;
use tokio::time::Instant;

/// Deletes, edits and restores the Leases of a namespace.
pub(crate) struct LeaseChanges {
    leases: Resources<Lease, InNamespace>,
    /// The duration of the replicas' leases.
    duration: Duration,
    /// The longest duration that an edited Lease has, in seconds.
    longest: usize,
    /// When Leases were deleted last.
    deleted: Option<Instant>,
    /// An older state of the Leases.
    backup: Vec<Lease>,
}

impl LeaseChanges {
    pub(crate) fn new(client: &Client, namespace: &str, duration: Duration, longest: usize) -> Self {
        let leases = client.resources().namespace(namespace);
        Self { leases, duration, longest, deleted: None, backup: Vec::new() }
    }

    /// Whether a process that starts now has no sign that there were Leases, although replicas that have not seen the deletion may
    /// still write.
    pub(crate) fn are_recently_deleted(&self) -> bool {
        self.deleted.is_some_and(|at| at.elapsed() < self.duration)
    }

    /// Makes a random change, and describes it. Leases are deleted only if all replicas have read them.
    pub(crate) async fn change(&mut self, random: &mut Random, may_delete: bool) -> String {
        let all = self.leases.list().await.unwrap().items;
        let Some(lease) = all.get(random.below(all.len().max(1))).cloned() else {
            return "nothing".to_owned();
        };
        let name = lease.name().to_owned();
        let change = random.below(7);
        if change < 4 && !may_delete {
            return "nothing".to_owned();
        }
        match change {
            0 | 1 => {
                self.deleted = Some(Instant::now());
                let _ = self.leases.delete(&name).await;
                format!("delete {name}")
            }
            2 => {
                self.backup = all;
                "back up".to_owned()
            }
            3 => {
                self.deleted = Some(Instant::now());
                self.restore(&all).await;
                format!("restore {} leases", self.backup.len())
            }
            _ => {
                let change = random.below(5);
                let other = all[random.below(all.len())].clone();
                let seconds = i32::try_from(random.below(self.longest)).unwrap();
                let _ = self.leases.update(&name, |lease| edit(lease, &other, change, seconds)).await;
                format!("edit {name} ({change})")
            }
        }
    }

    /// Replaces all Leases by those of the backup, as the restoration of a namespace does.
    async fn restore(&self, all: &[Lease]) {
        for lease in all {
            let _ = self.leases.delete(lease.name()).await;
        }
        for lease in &self.backup {
            let mut lease = lease.clone();
            (lease.metadata.uid, lease.metadata.resource_version) = (None, None);
            // A replica may have been faster.
            let _ = self.leases.create(&lease).await;
        }
    }
}

fn edit(lease: &mut Lease, other: &Lease, change: usize, seconds: i32) {
    let Some(record) = &mut lease.spec else { return };
    match change {
        0 => record.holder_identity = None,
        1 => lease.spec = None,
        2 => record.lease_duration_seconds = Some(1 + seconds),
        3 => record.holder_identity = other.spec.as_ref().and_then(|other| other.holder_identity.clone()),
        _ => (record.renew_time, record.acquire_time) = (None, None),
    }
}
