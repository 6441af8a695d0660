use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use tokio::sync::watch;

use super::{Content, Object, Selector};

/// The first version is just below a power of ten, so that comparing versions as text soon fails.
const FIRST_VERSION: u64 = 90;

/// Namespace and name.
pub type Key = (String, String);

/// Objects by key.
pub type Objects = BTreeMap<Key, Arc<Object>>;

/// All objects and all their changes.
pub struct Storage {
    state: Mutex<State>,
    newest: watch::Sender<u64>,
}

/// The complete state at one moment, like a backup of etcd.
#[derive(Clone)]
pub struct Snapshot(State);

#[derive(Clone)]
struct State {
    version: u64,
    /// The version up to which the history is compacted.
    compacted: u64,
    created: u64,
    /// The number of restores, which is part of the UIDs.
    restored: u64,
    objects: Objects,
    log: Vec<Arc<Change>>,
}

/// A write, which changed the state of one object.
#[derive(Debug)]
pub struct Change {
    /// The version that the write made.
    pub version: u64,
    /// The state before; `None` if the object is new.
    pub before: Option<Arc<Object>>,
    /// The state after; `None` if the object is gone.
    pub after: Option<Arc<Object>>,
}

/// An event of a watch.
#[derive(Clone, Debug)]
pub struct WatchEvent {
    /// The type of the event.
    pub event_type: EventType,
    /// The new state, or the last state with the version of the deletion.
    pub object: Arc<Object>,
}

/// The type of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// The object is new, or new in the selection.
    Added,
    /// The object has changed.
    Modified,
    /// The object was deleted, or is no longer in the selection.
    Deleted,
}

/// A requested version has been compacted.
#[derive(Debug)]
pub struct Expired;

impl Change {
    /// Returns the event that a watch of a namespace, or of all namespaces, with a selector sends for the change.
    pub fn event(&self, namespace: Option<&str>, selector: &Selector) -> Option<WatchEvent> {
        let seen = |object: &&Arc<Object>| {
            namespace.is_none_or(|namespace| namespace == object.namespace) && selector.matches(object)
        };
        let (before, after) = (self.before.as_ref().filter(seen), self.after.as_ref().filter(seen));
        let (event_type, object) = match (before, after) {
            (None, None) => return None,
            (None, Some(after)) => (EventType::Added, after.clone()),
            (Some(_), Some(after)) => (EventType::Modified, after.clone()),
            (Some(before), None) => (EventType::Deleted, Arc::new(before.at_version(self.version))),
        };
        Some(WatchEvent { event_type, object })
    }
}

impl Default for Storage {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                version: FIRST_VERSION,
                compacted: 0,
                created: 0,
                restored: 0,
                objects: Objects::new(),
                log: Vec::new(),
            }),
            newest: watch::Sender::new(FIRST_VERSION),
        }
    }
}

impl Storage {
    /// Creates an object, unless one with this name exists. Returns the version.
    pub fn create(&self, namespace: &str, name: &str, content: Content) -> Option<u64> {
        let mut state = self.lock();
        let key = (namespace.to_owned(), name.to_owned());
        if state.objects.contains_key(&key) {
            return None;
        }
        let version = state.next_version();
        state.created += 1;
        let uid = format!("{:08x}-{:04x}-4000-8000-{version:012x}", state.created ^ 0xbeef, state.restored);
        let object = Object::new((namespace, name), uid, version, content);
        self.write(state, key, Some(object))
    }

    /// Changes an object, if it exists. Returns the version, which stays the same if nothing changes.
    pub fn update(&self, namespace: &str, name: &str, change: impl FnOnce(&mut Content)) -> Option<u64> {
        let mut state = self.lock();
        let key = (namespace.to_owned(), name.to_owned());
        let before = state.objects.get(&key)?.clone();
        let mut content = before.content.clone();
        change(&mut content);
        if content == before.content {
            return Some(before.version);
        }
        let version = state.next_version();
        let after = before.updated(version, content);
        self.write(state, key, Some(after))
    }

    /// Deletes an object, if it exists. Returns the version.
    pub fn delete(&self, namespace: &str, name: &str) -> Option<u64> {
        let mut state = self.lock();
        let key = (namespace.to_owned(), name.to_owned());
        if !state.objects.contains_key(&key) {
            return None;
        }
        state.next_version();
        self.write(state, key, None)
    }

    /// Compacts the history: requests for older versions get an `Expired` error.
    pub fn compact(&self) {
        let mut state = self.lock();
        state.compacted = state.version;
    }

    /// The newest version.
    pub fn version(&self) -> u64 {
        self.lock().version
    }

    /// Returns a receiver of the newest version.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// All changes, in order.
    pub fn log(&self) -> Vec<Arc<Change>> {
        self.lock().log.clone()
    }

    /// All current objects.
    pub fn objects(&self) -> Objects {
        self.lock().objects.clone()
    }

    /// All current objects, and their version.
    pub fn newest(&self) -> (u64, Objects) {
        let state = self.lock();
        (state.version, state.objects.clone())
    }

    /// All objects at a version.
    ///
    /// # Errors
    ///
    /// If the version has been compacted.
    pub fn objects_at(&self, version: u64) -> Result<Objects, Expired> {
        let state = self.lock();
        if version == state.version {
            return Ok(state.objects.clone());
        }
        if version < state.compacted {
            return Err(Expired);
        }
        Ok(replay(&state.log, version))
    }

    /// Returns whether there may have been none of some objects at a version. The objects of a compacted version are
    /// not known.
    pub fn may_have_been_empty(&self, version: u64, of: impl Fn(&Object) -> bool) -> bool {
        let state = self.lock();
        let stood = |object: &Arc<Object>| object.version <= version && of(object);
        if state.objects.values().any(stood) {
            return false;
        }
        version < state.compacted || !replay(&state.log, version).values().any(|object| of(object))
    }

    /// Returns the changes after a version, and the version up to which they are complete.
    pub fn changes_after(&self, version: u64) -> (Vec<Arc<Change>>, u64) {
        let state = self.lock();
        let start = state.log.partition_point(|change| change.version <= version);
        (state.log[start..].to_vec(), state.version)
    }

    /// Returns whether the changes after the version have not been compacted.
    pub fn has_history_since(&self, version: u64) -> bool {
        version >= self.lock().compacted
    }

    /// Advances the version without a change, as writes to other kinds do.
    pub fn advance_version(&self) {
        let mut state = self.lock();
        let version = state.next_version();
        drop(state);
        self.newest.send_replace(version);
    }

    /// Returns a backup, with its compactions.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.lock().clone())
    }

    /// Restores a backup. Versions continue from there, so that they are used again for other states.
    pub fn restore(&self, snapshot: &Snapshot) {
        let mut state = self.lock();
        let restored = state.restored + 1;
        *state = snapshot.0.clone();
        state.restored = restored;
        let version = state.version;
        drop(state);
        self.newest.send_replace(version);
    }

    fn write(&self, mut state: MutexGuard<'_, State>, key: Key, after: Option<Object>) -> Option<u64> {
        let version = state.version;
        let after = after.map(Arc::new);
        let before = match after.clone() {
            Some(object) => state.objects.insert(key, object),
            None => state.objects.remove(&key),
        };
        state.log.push(Arc::new(Change { version, before, after }));
        drop(state);
        self.newest.send_replace(version);
        Some(version)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while it holds the lock")
    }
}

impl State {
    fn next_version(&mut self) -> u64 {
        self.version += 1;
        self.version
    }
}

fn replay(log: &[Arc<Change>], version: u64) -> Objects {
    let mut objects = Objects::new();
    for change in log.iter().take_while(|change| change.version <= version) {
        match (&change.before, &change.after) {
            (_, Some(after)) => objects.insert(after.key(), after.clone()),
            (Some(before), None) => objects.remove(&before.key()),
            (None, None) => None,
        };
    }
    objects
}
