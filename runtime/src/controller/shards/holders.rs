//! Who holds each shard, as one member sees it.

use k8s_openapi::api::coordination::v1::Lease;
use tokio::time::{Duration, Instant};

use super::leases::{View, holder, is_released, transitions};

/// Who holds a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder<'a> {
    /// No member writes for its objects.
    None,
    Member(&'a str),
    /// Somebody may still write for its objects: its Lease was deleted or changed by another program, or its holder is no member any
    /// more, although no member has removed it after its expiry.
    Unknown,
}

impl<'a> Holder<'a> {
    /// Returns the holder as [`plan`](super::balance::plan) requires it: an unknown one is no member.
    pub(super) fn for_plan(self) -> Option<&'a str> {
        match self {
            Self::None => None,
            Self::Member(identity) => Some(identity),
            Self::Unknown => Some(""),
        }
    }
}

/// What a process remembers of the Leases of shards, also from earlier memberships.
pub(super) struct Holders {
    shards: Vec<Remembered>,
    /// The lease duration of this process.
    duration: Duration,
}

#[derive(Clone, Default)]
struct Remembered {
    /// The transitions that the Lease stated last, if it has existed: those of a release are not less.
    transitions: Option<i32>,
    /// The version of the Lease whose holder is unknown, and since when.
    unknown: Option<(Option<String>, Instant)>,
}

impl Holders {
    pub(super) fn new(count: u16, duration: Duration) -> Self {
        Self { shards: vec![Remembered::default(); usize::from(count)], duration }
    }

    /// Begins a membership. What was not seen meanwhile may have changed several times.
    pub(super) fn begin(&mut self) {
        self.shards.iter_mut().for_each(|shard| shard.unknown = None);
    }

    /// Returns the holder of each shard as of a view that was received just now.
    ///
    /// `is_own` is whether this member, `me`, has written itself into the Lease, and `removed` are the members that it has removed
    /// after they had expired. An unknown holder stops writing at the end of its lease: when it sees the Lease, or by its own clock.
    pub(super) fn of<'a>(
        &mut self,
        view: &'a View,
        me: &str,
        is_own: impl Fn(u16) -> bool,
        removed: &[String],
    ) -> Vec<Holder<'a>> {
        let duration = view.members.iter().map(|member| member.duration()).fold(self.duration, Duration::max);
        let mut holders = Vec::with_capacity(self.shards.len());
        for (shard, remembered) in (0..).zip(&mut self.shards) {
            let lease = view.shard(shard);
            let stated = lease.and_then(holder);
            let known = match (lease, stated) {
                (None, _) => remembered.transitions.is_none().then_some(Holder::None),
                (Some(lease), None) => remembered.is_released(lease).then_some(Holder::None),
                (Some(_), Some(identity)) if removed.iter().any(|it| it == identity) => Some(Holder::None),
                (Some(_), Some(identity)) if identity == me => is_own(shard).then_some(Holder::Member(identity)),
                (Some(_), Some(identity)) => view.member(identity).map(|_| Holder::Member(identity)),
            };
            remembered.transitions = lease.map(transitions).or(remembered.transitions);
            let version = lease.and_then(|lease| lease.metadata.resource_version.clone());
            holders.push(known.unwrap_or_else(|| remembered.unknown(version, duration)));
            if known.is_some() {
                remembered.unknown = None;
            }
        }
        holders
    }
}

impl Remembered {
    /// Whether the Lease was released, and is not an older one that somebody has restored.
    fn is_released(&self, lease: &Lease) -> bool {
        let is_newest = self.transitions.is_none_or(|before| transitions(lease) >= before);
        let is_doubted = self.unknown.as_ref().is_some_and(|(version, _)| *version == lease.metadata.resource_version);
        is_released(lease) && is_newest && !is_doubted
    }

    /// Returns the holder of a shard whose Lease does not state one that is known.
    fn unknown(&mut self, version: Option<String>, duration: Duration) -> Holder<'static> {
        let since = match self.unknown.take() {
            Some((before, since)) if before == version => since,
            _ => Instant::now(),
        };
        self.unknown = Some((version, since));
        if since.elapsed() >= duration { Holder::None } else { Holder::Unknown }
    }
}
