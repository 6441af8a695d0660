//! The Leases of members and shards.

use std::{collections::HashMap, time::Duration};

use futures_util::future::join_all;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use tokio::time::Instant;

use crate::{
    Client,
    client::{Error, Resources, scope::InNamespace},
    controller::{
        LeaderElection,
        leader_election::{now, recorded_duration},
    },
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
    /// The Leases of members whose holder was changed by another program: they belong to no member.
    strays: Vec<Member>,
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

    /// Whether the holder is the member whose Lease it is: both end with the same suffix.
    fn has_own_lease(&self) -> bool {
        let suffix = name(&self.lease).rsplit('-').next().unwrap_or_default();
        self.identity().rsplit('_').next() == Some(suffix)
    }

    /// Returns the duration that its Lease states; zero if somebody has removed it.
    pub(super) fn duration(&self) -> Duration {
        self.lease.spec.as_ref().map(recorded_duration).unwrap_or_default()
    }
}

/// Returns the holder of a Lease.
pub(super) fn holder(lease: &Lease) -> Option<&str> {
    let holder = lease.spec.as_ref()?.holder_identity.as_deref();
    holder.filter(|holder| !holder.is_empty())
}

impl View {
    fn new(leases: Vec<Lease>, count: u16) -> Self {
        let mut view = Self { members: Vec::new(), strays: Vec::new(), shards: vec![None; usize::from(count)] };
        for lease in leases {
            let text = |key: &str| {
                let metadata = &lease.metadata;
                let maps = [&metadata.labels, &metadata.annotations];
                maps.into_iter().flatten().find_map(|map| map.get(key)).cloned()
            };
            let (shard, members) = (text(SHARD), text(COUNT));
            if let Some(count) = members.and_then(|count| count.parse().ok()) {
                let is_leaving = text(LEAVING).is_some();
                let member = Member { lease, count, is_leaving };
                let all = if member.has_own_lease() { &mut view.members } else { &mut view.strays };
                all.push(member);
            } else if let Some(shard) = shard.and_then(|shard| shard.parse::<usize>().ok())
                && let Some(of_shard) = view.shards.get_mut(shard)
            {
                *of_shard = Some(lease);
            }
        }
        view
    }

    /// Returns all Leases of members.
    pub(super) fn member_leases(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().chain(&self.strays)
    }

    pub(super) fn member(&self, identity: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.identity() == identity)
    }

    /// Returns a member that divides the objects into another number of shards.
    pub(super) fn rival(&self, count: u16) -> Option<&Member> {
        self.members.iter().find(|member| member.count != count)
    }

    /// Returns the Lease of a shard, if it exists.
    pub(super) fn shard(&self, shard: u16) -> Option<&Lease> {
        self.shards[usize::from(shard)].as_ref()
    }

    /// Returns the shards whose Leases state one of these holders.
    pub(super) fn shards_of(&self, identities: &[String]) -> Vec<u16> {
        let is_of = |lease: &Lease| holder(lease).is_some_and(|holder| identities.iter().any(|it| it == holder));
        let shards = (0..).zip(&self.shards).filter(|(_, lease)| lease.as_ref().is_some_and(is_of));
        shards.map(|(shard, _)| shard).collect()
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
        // Somebody may have changed it.
        spec.lease_duration_seconds = Some(self.settings.lease_seconds());
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

    /// Releases shards whose holder does not write any more, as far as their Leases were not changed since they were read.
    pub(super) async fn release_all(&self, view: &View, shards: &[u16]) {
        let releases = shards.iter().map(|shard| self.write_holder(*shard, view.shard(*shard), ""));
        for (shard, released) in shards.iter().zip(join_all(releases).await) {
            if let Err(error) = released {
                tracing::debug!(shard, %error, "cannot release the shard of a member that is gone");
            }
        }
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
        let transitions = transitions(&lease).saturating_add(i32::from(!holder.is_empty()));
        lease.spec = Some(held_by(holder, transitions));
        self.resources.replace(&lease).await.map(drop)
    }

    /// Reads the Lease of a shard, if it exists.
    pub(super) async fn read_shard(&self, shard: u16) -> Result<Option<Lease>, Error> {
        self.resources.get_opt(&format!("{}-shard-{shard}", self.settings.lease())).await
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
    // Differs from that of an earlier write, so that each write has a resourceVersion of its own.
    let at = now();
    LeaseSpec {
        holder_identity: Some(holder.to_owned()),
        // Marks a release: a record whose holder somebody else has removed does not have it.
        renew_time: holder.is_empty().then(|| at.clone()),
        acquire_time: Some(at),
        lease_transitions: Some(transitions),
        ..LeaseSpec::default()
    }
}

/// Whether the holder of a shard, or a member that has waited for its end, has released it.
pub(super) fn is_released(lease: &Lease) -> bool {
    let record = lease.spec.as_ref();
    holder(lease).is_none() && record.is_some_and(|it| it.renew_time.is_some() && it.renew_time == it.acquire_time)
}

/// Returns how often a shard has had a new holder.
pub(super) fn transitions(lease: &Lease) -> i32 {
    lease.spec.as_ref().and_then(|record| record.lease_transitions).unwrap_or_default()
}

fn name(lease: &Lease) -> &str {
    lease.metadata.name.as_deref().unwrap_or_default()
}

/// When the Lease of each member changed, by the local clock, by the names of the Leases.
pub(super) struct Observed {
    since: HashMap<String, (Option<String>, Instant)>,
    /// The lease duration of this process.
    duration: Duration,
}

impl Observed {
    pub(super) fn new(duration: Duration) -> Self {
        Self { since: HashMap::new(), duration }
    }

    /// Records a view that was received just now.
    pub(super) fn record(&mut self, view: &View) {
        let now = Instant::now();
        self.since.retain(|lease, _| view.member_leases().any(|member| name(&member.lease) == lease));
        for member in view.member_leases() {
            let version = &member.lease.metadata.resource_version;
            let observed = self.since.entry(name(&member.lease).to_owned()).or_insert_with(|| (version.clone(), now));
            if observed.0 != *version {
                *observed = (version.clone(), now);
            }
        }
    }

    /// Returns how long it takes until a member is expired: zero if it is. Its Lease may state less than the member uses, because
    /// somebody has changed it.
    pub(super) fn expires_in(&self, member: &Member) -> Duration {
        let since = self.since.get(name(&member.lease)).map(|(_, since)| since.elapsed());
        member.duration().max(self.duration).saturating_sub(since.unwrap_or_default())
    }
}
