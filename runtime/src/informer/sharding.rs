//! Shards: parts of a kind's objects, by the hash of the uid that the API server computes too.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::watch;

use super::stored_object::Stored;
use crate::{client::request::Query, schema::fnv::hash};

/// The number of hashes.
const HASHES: u128 = 1 << 64;

/// Maximum number of ranges in a selector, which is part of a URL. Beyond, the smallest gaps are included.
const MAX_RANGES: usize = 16;

/// The division of all hashes into shards of the same size. The last one has the remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    count: u16,
}

impl Partition {
    /// # Panics
    ///
    /// Panics if there are no shards.
    pub(crate) fn new(count: u16) -> Self {
        assert!(count > 0, "there must be at least one shard");
        Self { count }
    }

    pub(crate) fn count(self) -> u16 {
        self.count
    }

    /// Returns the shard of an object.
    pub(crate) fn shard_of(self, uid: &str) -> u16 {
        let shard = u128::from(hash(uid)) / self.size();
        u16::try_from(shard).map_or(self.count - 1, |shard| shard.min(self.count - 1))
    }

    fn size(self) -> u128 {
        HASHES / u128::from(self.count)
    }

    fn range(self, shard: u16) -> HashRange {
        let end = if shard + 1 == self.count { HASHES } else { self.size() * u128::from(shard + 1) };
        HashRange { start: self.size() * u128::from(shard), end }
    }
}

/// The hashes from `start` up to, but without, `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HashRange {
    start: u128,
    end: u128,
}

/// The shards that this process holds. Each change has a new version.
#[derive(Clone, Debug)]
pub(crate) struct HeldShards {
    pub(crate) version: u64,
    partition: Partition,
    /// Whether each shard is held.
    held: Vec<bool>,
    /// The ranges that the API server is requested to select; empty for all hashes.
    ranges: Vec<HashRange>,
}

impl HeldShards {
    pub(crate) fn new(version: u64, partition: Partition, shards: impl IntoIterator<Item = u16>) -> Self {
        let mut held = vec![false; usize::from(partition.count)];
        shards.into_iter().for_each(|shard| held[usize::from(shard)] = true);
        let ranges = ranges(partition, &held);
        Self { version, partition, held, ranges }
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.held.contains(&true)
    }

    /// Whether the object with this uid is in a shard that is held.
    pub(crate) fn contains(&self, uid: &str) -> bool {
        self.held[usize::from(self.partition.shard_of(uid))]
    }

    /// Returns the shard selector of the API server; `None` for all objects.
    fn selector(&self) -> Option<String> {
        let mut selector = String::new();
        for HashRange { start, end } in &self.ranges {
            let or = if selector.is_empty() { "" } else { " || " };
            // Strings are written without errors.
            let _ = write!(selector, "{or}shardRange(object.metadata.uid, '{start:#018x}', '{end:#018x}')");
        }
        Some(selector).filter(|selector| !selector.is_empty())
    }

    /// Whether the API server should not have returned an object.
    fn is_unrequested(&self, uid: &str) -> bool {
        let hash = u128::from(hash(uid));
        !self.ranges.is_empty() && !self.ranges.iter().any(|range| (range.start..range.end).contains(&hash))
    }
}

/// Returns the ranges of the held shards, joined where they adjoin, or where there would be too many.
fn ranges(partition: Partition, held: &[bool]) -> Vec<HashRange> {
    let shards = (0..partition.count).filter(|shard| held[usize::from(*shard)]);
    let mut ranges: Vec<HashRange> = Vec::new();
    for range in shards.map(|shard| partition.range(shard)) {
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    while ranges.len() > MAX_RANGES {
        let gaps = ranges.windows(2).map(|pair| pair[1].start - pair[0].end);
        let smallest = gaps.enumerate().min_by_key(|(_, gap)| *gap).map_or(0, |(index, _)| index);
        let next = ranges.remove(smallest + 1);
        ranges[smallest].end = next.end;
    }
    match ranges.as_slice() {
        [HashRange { start: 0, end: HASHES }] => Vec::new(),
        _ => ranges,
    }
}

/// What determines the shard of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShardKey {
    /// Its own uid. The API server selects by it.
    Uid,
    /// The uid of its controller, if that is of a kind. Other objects are in all shards.
    Controller { group: String, kind: String },
}

/// The objects that an informer keeps: those of the shards that the process holds.
#[derive(Clone)]
pub(crate) struct Sharding {
    pub(crate) key: ShardKey,
    pub(crate) held: watch::Receiver<HeldShards>,
}

/// The selection by shards that applies to a list and to the watch after it.
#[derive(Clone)]
pub(super) struct ShardFilter {
    key: ShardKey,
    held: HeldShards,
    /// Whether it was reported that the API server does not select.
    is_reported: Arc<AtomicBool>,
}

impl ShardFilter {
    pub(super) fn new(key: ShardKey, held: HeldShards) -> Self {
        Self { key, held, is_reported: Arc::default() }
    }

    pub(super) fn version(&self) -> u64 {
        self.held.version
    }

    /// Returns the same filter for other shards.
    pub(super) fn with(&self, held: HeldShards) -> Self {
        Self { held, ..self.clone() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Whether this filter keeps all objects that another one keeps.
    pub(super) fn includes(&self, other: &Self) -> bool {
        let mut held = self.held.held.iter().zip(&other.held.held);
        held.all(|(mine, others)| *mine || !others)
    }

    /// Adds the shard selector to a query, which API servers that do not support it ignore.
    pub(super) fn select(&self, query: Query) -> Query {
        match self.key {
            ShardKey::Uid => query.optional("shardSelector", self.held.selector().as_deref()),
            ShardKey::Controller { .. } => query,
        }
    }

    /// Whether the uid alone shows that an object is in the shard of another process. Only then it is not decoded.
    pub(super) fn excludes_uid(&self, uid: Option<&str>, resource: impl FnOnce() -> String) -> bool {
        let Some(uid) = uid.filter(|uid| self.key == ShardKey::Uid && !self.held.contains(uid)) else {
            return false;
        };
        if self.held.is_unrequested(uid) && !self.is_reported.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                resource = resource(),
                "the API server does not select objects by shard (feature gate `ShardedListAndWatch`, since Kubernetes 1.36): \
                 this process receives all objects, and keeps its own"
            );
        }
        true
    }

    /// Whether an object is in the shard of another process.
    pub(super) fn excludes(&self, object: &Stored) -> bool {
        match &self.key {
            ShardKey::Uid => object.uid().is_some_and(|uid| !self.held.contains(uid)),
            ShardKey::Controller { group, kind } => {
                let controller = object.controller();
                controller
                    .is_some_and(|owner| owner.kind == kind && owner.group() == group && !self.held.contains(owner.uid))
            }
        }
    }
}

#[cfg(test)]
mod tests;
