//! Detects objects that are reconciled again and again because of the controller's own writes.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

use super::metrics::{Counters, count};
use crate::{
    client::merge_patch,
    informer::{
        ObjectKey,
        queue::Trigger,
        queue::source::{EventObserver, ObservedChange},
    },
};

/// How often in a row the own writes of reconciliations must cause another one that writes, until that is a loop: if they change a
/// field repeatedly, and otherwise, because objects may be created one after the other.
const RUNS: u32 = 10;
const RUNS_WITHOUT_FIELDS: u32 = 100;
/// From this run on, the changes are recorded.
const FIRST_RECORDED: u32 = 5;
/// How often a field must have changed since.
const REPEATED: u32 = 3;
/// Maximum number of keys that are observed.
const MAX_KEYS: usize = 4_096;
/// Maximum number of changes of one key that are remembered.
const MAX_CHANGES: usize = 64;
/// Maximum number of fields in the message.
const MAX_FIELDS: usize = 10;
/// What the API server changes with each write.
const IGNORED: [&str; 3] = ["metadata.generation", "metadata.managedFields", "metadata.resourceVersion"];

/// The keys whose reconciliations write, and what they wrote.
pub(super) struct Loops {
    counters: Arc<Counters>,
    keys: Mutex<HashMap<ObjectKey, ObservedKey>>,
}

#[derive(Default)]
struct ObservedKey {
    /// The number of reconciliations in a row that own writes caused, and that wrote.
    runs: u32,
    /// Whether the current run was caused by own writes.
    is_own: bool,
    /// Whether the current run changed something.
    has_written: bool,
    /// Whether the last run requested another one immediately.
    is_requeued: bool,
    is_reported: bool,
    /// The changes that the reconciliations of the key made, the newest last.
    own: VecDeque<u64>,
    /// The changes that added the key to the queue since the current run began.
    seen: Vec<u64>,
    /// How often own writes changed each field.
    fields: BTreeMap<String, u32>,
    /// How often own writes created and deleted objects of each kind.
    others: BTreeMap<String, u32>,
}

/// What a write changed.
pub(super) enum WrittenChange {
    /// The fields of an object, such as `configmaps web: data.color`.
    Fields(Vec<String>),
    /// An object, such as `creates configmaps`.
    Object(String),
}

/// A state of an object that was written or deleted.
pub(super) struct OwnChange<'a> {
    pub(super) resource: String,
    pub(super) namespace: Option<&'a str>,
    pub(super) name: &'a str,
    /// The resourceVersion, or the uid of a deleted object.
    pub(super) state: &'a str,
}

impl Loops {
    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self { counters, keys: Mutex::default() }
    }

    /// Begins a run of a key.
    pub(super) fn begin(&self, key: &ObjectKey, trigger: &Trigger) {
        let mut keys = self.keys();
        let Some(entry) = keys.get_mut(key) else {
            return;
        };
        if entry.has_seen_others() {
            keys.remove(key);
            return;
        }
        entry.is_own = match trigger {
            Trigger::Change | Trigger::Owned(_) | Trigger::Watched(_) => true,
            Trigger::Requeue => entry.is_requeued,
            Trigger::Added | Trigger::FirstList | Trigger::Resync | Trigger::Retry => false,
        };
        entry.has_written = false;
        entry.is_requeued = false;
        entry.seen.clear();
    }

    /// Ends a run of a key, which requests another one immediately, or not.
    pub(super) fn end(&self, key: &ObjectKey, is_requeued: bool) {
        let mut keys = self.keys();
        let Some(entry) = keys.get_mut(key) else {
            return;
        };
        if !entry.has_written {
            keys.remove(key);
            return;
        }
        entry.is_requeued = is_requeued;
        entry.runs += u32::from(entry.is_own);
        if entry.is_loop() && !std::mem::replace(&mut entry.is_reported, true) {
            count(&self.counters.loops);
            let (runs, fields) = (entry.runs, entry.most_changed());
            tracing::warn!(
                %key,
                runs,
                fields,
                "the object is reconciled again and again, because each reconciliation changes something and nothing else \
                 does: write the same result each time, or leave these fields out"
            );
        }
    }

    /// Begins to observe a key before its run writes. Returns whether the changes are to be recorded.
    pub(super) fn writes(&self, key: &ObjectKey) -> bool {
        let mut keys = self.keys();
        if let Some(entry) = keys.get(key) {
            return entry.runs >= FIRST_RECORDED && !entry.is_reported;
        }
        if keys.len() >= MAX_KEYS {
            keys.retain(|_, entry| entry.runs > 0);
        }
        if keys.len() < MAX_KEYS {
            keys.insert(key.clone(), ObservedKey::default());
        }
        false
    }

    /// Records a change by the run of a key.
    pub(super) fn changed(&self, key: &ObjectKey, own: &OwnChange<'_>, change: WrittenChange) {
        let mut keys = self.keys();
        let Some(entry) = keys.get_mut(key) else {
            return;
        };
        entry.has_written = true;
        entry.own.push_back(fingerprint(&own.resource, own.namespace, own.name, own.state));
        if entry.own.len() > MAX_CHANGES {
            entry.own.pop_front();
        }
        if entry.runs >= FIRST_RECORDED {
            entry.record(change);
        }
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<ObjectKey, ObservedKey>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventObserver for Loops {
    fn observed(&self, key: &ObjectKey, change: &ObservedChange<'_>) {
        if let Some(entry) = self.keys().get_mut(key) {
            // One more shows that there are too many.
            if entry.seen.len() <= MAX_CHANGES {
                entry.seen.push(fingerprint(change.resource, change.namespace, change.name, change.state));
            }
        }
    }
}

impl ObservedKey {
    /// Whether a change of somebody else added the key to the queue.
    fn has_seen_others(&self) -> bool {
        self.seen.len() > MAX_CHANGES || self.seen.iter().any(|seen| !self.own.contains(seen))
    }

    fn record(&mut self, change: WrittenChange) {
        match change {
            WrittenChange::Fields(fields) => {
                fields.into_iter().for_each(|field| *self.fields.entry(field).or_default() += 1);
            }
            WrittenChange::Object(change) => *self.others.entry(change).or_default() += 1,
        }
    }

    fn is_loop(&self) -> bool {
        let runs = if self.fields.values().any(|count| *count >= REPEATED) { RUNS } else { RUNS_WITHOUT_FIELDS };
        self.runs >= runs
    }

    /// Describes the changes that were made most often.
    fn most_changed(&self) -> String {
        let mut fields: Vec<_> = self.fields.iter().chain(&self.others).collect();
        fields.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let names: Vec<_> = fields.into_iter().take(MAX_FIELDS).map(|(field, _)| field.as_str()).collect();
        names.join(", ")
    }
}

fn fingerprint(resource: &str, namespace: Option<&str>, name: &str, state: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (resource, namespace, name, state).hash(&mut hasher);
    hasher.finish()
}

/// Returns the paths of the fields that differ, such as `status.phase`. Lists are compared as a whole.
pub(super) fn changed_fields(before: &Value, after: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    if let Some(patch) = merge_patch::between(before, after) {
        collect_leaves(&patch, String::new(), &mut paths);
    }
    paths.retain(|path| !IGNORED.contains(&path.as_str()));
    paths
}

fn collect_leaves(patch: &Value, path: String, paths: &mut Vec<String>) {
    match patch {
        Value::Object(fields) if !fields.is_empty() => {
            for (name, patch) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                collect_leaves(patch, path, paths);
            }
        }
        _ => paths.push(path),
    }
}

#[cfg(test)]
mod tests;
