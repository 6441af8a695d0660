//! The Leases of members and shards.

use std::{collections::HashMap, time::Duration};

use k8s_openapi::{
    api::coordination::v1::{Lease, LeaseSpec},
    apimachinery::pkg::apis::meta::v1::MicroTime,
    jiff::Timestamp,
};
use tokio::time::Instant;

use crate::{
    Client,
    client::{Error, Resources, scope::InNamespace},
    controller::LeaderElection,
};

/// The label of all Leases of a group, with its name.
const GROUP: &str = "shards.crdkit.dev/group";
/// The label of the Lease of a shard, with its number.
const SHARD: &str = "shards.crdkit.dev/shard";
/// The annotation of the Lease of a member, with the number of shards into which it divides the objects.
const COUNT: &str = "shards.crdkit.dev/count";
/// The annotation of the Lease of a member that shuts down.
const LEAVING: &str = "shards.crdkit.dev/leaving";

/// The Leases of a group, as of one moment.
pub(super) struct View {
    pub(super) members: Vec<Member>,
    /// The Lease of each shard, if it exists.
    pub(super) shards: Vec<Option<Lease>>,
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) lease: Lease,
    count: u16,
    pub(super) is_leaving: bool,
}

impl Member {
    pub(super) fn identity(&self) -> &str {
        holder(&self.lease).unwrap_or_default()
    }

    fn duration(&self) -> Duration {
        let seconds = self.lease.spec.as_ref().and_then(|spec| spec.lease_duration_seconds);
        Duration::from_secs(u64::try_from(seconds.unwrap_or_default()).unwrap_or_default())
    }
}

/// Returns the holder of a Lease.
fn holder(lease: &Lease) -> Option<&str> {
    let holder = lease.spec.as_ref()?.holder_identity.as_deref();
    holder.filter(|holder| !holder.is_empty())
}

impl View {
    fn new(leases: Vec<Lease>, count: u16) -> Self {
        let mut view = Self { members: Vec::new(), shards: vec![None; usize::from(count)] };
        for lease in leases {
            let text = |key: &str| {
                let metadata = &lease.metadata;
                let maps = [&metadata.labels, &metadata.annotations];
                maps.into_iter().flatten().find_map(|map| map.get(key)).cloned()
            };
            let (shard, members) = (text(SHARD), text(COUNT));
            if let Some(count) = members.and_then(|count| count.parse().ok()) {
                let is_leaving = text(LEAVING).is_some();
                view.members.push(Member { lease, count, is_leaving });
            } else if let Some(shard) = shard.and_then(|shard| shard.parse::<usize>().ok())
                && let Some(of_shard) = view.shards.get_mut(shard)
            {
                *of_shard = Some(lease);
            }
        }
        view
    }

    pub(super) fn member(&self, identity: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.identity() == identity)
    }

    /// Returns a member that divides the objects into another number of shards.
    pub(super) fn rival(&self, count: u16) -> Option<&Member> {
        self.members.iter().find(|member| member.count != count)
    }

    /// Returns the member that holds each shard.
    pub(super) fn holders(&self) -> Vec<Option<&str>> {
        let holders = self.shards.iter().map(|lease| holder(lease.as_ref()?));
        holders.map(|holder| holder.filter(|holder| self.member(holder).is_some())).collect()
    }
}

/// Reads and writes the Leases of a group.
#[derive(Clone)]
pub(super) struct Leases {
    pub(super) settings: LeaderElection,
    pub(super) count: u16,
    resources: Resources<Lease, InNamespace>,
}

impl Leases {
    pub(super) fn new(settings: LeaderElection, count: u16, client: &Client) -> Self {
        let resources = settings.leases(client);
        Self { settings, count, resources }
    }

    pub(super) async fn list(&self) -> Result<View, Error> {
        let leases = self.resources.list().labels(format!("{GROUP}={}", self.settings.lease())).await?;
        Ok(View::new(leases.items, self.count))
    }

    /// Creates the Lease of a new member.
    pub(super) async fn create_member(&self, identity: &str, suffix: &str) -> Result<Lease, Error> {
        let mut lease = self.lease(&format!("member-{suffix}"));
        lease.metadata.annotations = Some([(COUNT.to_owned(), self.count.to_string())].into());
        lease.spec = Some(LeaseSpec { acquire_time: Some(now()), ..self.renewed(identity) });
        self.resources.create(&lease).await
    }

    /// Renews the Lease of a member.
    pub(super) async fn renew_member(&self, lease: &Lease, is_leaving: bool) -> Result<Lease, Error> {
        let mut lease = lease.clone();
        let spec = lease.spec.get_or_insert_default();
        spec.renew_time = Some(now());
        if is_leaving {
            lease.metadata.annotations.get_or_insert_default().insert(LEAVING.to_owned(), "true".to_owned());
        }
        self.resources.replace(&lease).await
    }

    /// Reads the Lease of a member again; `None` if it is gone.
    pub(super) async fn read_member(&self, lease: &Lease) -> Result<Option<Lease>, Error> {
        let read = self.resources.get_opt(name(lease)).await?;
        Ok(read.filter(|read| read.metadata.uid == lease.metadata.uid && holder(read) == holder(lease)))
    }

    /// Deletes the Lease of a member, if it was not renewed since it was read.
    pub(super) async fn delete_member(&self, lease: &Lease) -> bool {
        let (uid, version) = (lease.metadata.uid.as_deref(), lease.metadata.resource_version.as_deref());
        let delete = self.resources.delete(name(lease)).uid(uid.unwrap_or_default());
        match delete.resource_version(version.unwrap_or_default()).await {
            Ok(_) => true,
            Err(error) => {
                tracing::debug!(lease = name(lease), %error, "cannot delete the lease of a member");
                false
            }
        }
    }

    /// Deletes the Lease of this member.
    pub(super) async fn leave_member(&self, lease: &Lease) -> bool {
        let uid = lease.metadata.uid.as_deref();
        self.resources.delete(name(lease)).uid(uid.unwrap_or_default()).await.is_ok()
    }

    /// Writes the holder of a shard, unless its Lease was changed since it was read.
    pub(super) async fn write_holder(&self, shard: u16, lease: Option<&Lease>, holder: &str) -> Result<(), Error> {
        let Some(lease) = lease else {
            let mut lease = self.lease(&format!("shard-{shard}"));
            lease.metadata.labels.get_or_insert_default().insert(SHARD.to_owned(), shard.to_string());
            lease.spec = Some(held_by(holder, 0));
            return self.resources.create(&lease).await.map(drop);
        };
        let mut lease = lease.clone();
        let transitions = lease.spec.as_ref().and_then(|spec| spec.lease_transitions).unwrap_or_default();
        lease.spec = Some(held_by(holder, transitions.saturating_add(i32::from(!holder.is_empty()))));
        self.resources.replace(&lease).await.map(drop)
    }

    /// Reads the Lease of a shard that this member holds; `None` if it does not.
    pub(super) async fn read_shard(&self, shard: u16, identity: &str) -> Result<Option<Lease>, Error> {
        let lease = self.resources.get_opt(&format!("{}-shard-{shard}", self.settings.lease())).await?;
        Ok(lease.filter(|lease| holder(lease) == Some(identity)))
    }

    fn lease(&self, suffix: &str) -> Lease {
        let group = self.settings.lease();
        let mut lease = Lease::default();
        lease.metadata.name = Some(format!("{group}-{suffix}"));
        lease.metadata.labels = Some([(GROUP.to_owned(), group.to_owned())].into());
        lease
    }

    fn renewed(&self, identity: &str) -> LeaseSpec {
        LeaseSpec {
            holder_identity: Some(identity.to_owned()),
            lease_duration_seconds: Some(self.settings.lease_seconds()),
            renew_time: Some(now()),
            ..LeaseSpec::default()
        }
    }
}

/// The record of a shard. It has no duration: that of its holder applies.
fn held_by(holder: &str, transitions: i32) -> LeaseSpec {
    LeaseSpec {
        holder_identity: Some(holder.to_owned()),
        // Differs from that of an earlier write, so that each write has a resourceVersion of its own.
        acquire_time: Some(now()),
        lease_transitions: Some(transitions),
        ..LeaseSpec::default()
    }
}

fn now() -> MicroTime {
    MicroTime(Timestamp::now())
}

fn name(lease: &Lease) -> &str {
    lease.metadata.name.as_deref().unwrap_or_default()
}

/// When the Lease of each member changed, by the local clock.
#[derive(Default)]
pub(super) struct Observed(HashMap<String, (Option<String>, Instant)>);

impl Observed {
    /// Records a view that was received just now.
    pub(super) fn record(&mut self, view: &View) {
        let now = Instant::now();
        self.0.retain(|identity, _| view.member(identity).is_some());
        for member in &view.members {
            let version = &member.lease.metadata.resource_version;
            let observed = self.0.entry(member.identity().to_owned()).or_insert_with(|| (version.clone(), now));
            if observed.0 != *version {
                *observed = (version.clone(), now);
            }
        }
    }

    /// Returns how long it takes until a member is expired: zero if it is.
    pub(super) fn expires_in(&self, member: &Member) -> Duration {
        let since = self.0.get(member.identity()).map(|(_, since)| since.elapsed());
        member.duration().saturating_sub(since.unwrap_or_default())
    }
}
