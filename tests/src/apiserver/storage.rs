use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use tokio::sync::watch;

use super::{Content, Object, Selector};

/// The first version is below a power of ten, so that versions compared as text are soon found out.
const FIRST_VERSION: u64 = 90;

/// Namespace and name.
pub type Key = (String, String);

/// Objects by key.
pub type Objects = BTreeMap<Key, Arc<Object>>;

/// All objects, and all that ever happened to them.
pub struct Storage {
    state: Mutex<State>,
    newest: watch::Sender<u64>,
}

/// Everything at a moment, as a backup of etcd has it.
#[derive(Clone)]
pub struct Snapshot(State);

#[derive(Clone)]
struct State {
    version: u64,
    /// Up to here nothing can be asked for any more.
    compacted: u64,
    created: u64,
    /// How often a snapshot was restored, which makes other uids.
    restored: u64,
    objects: Objects,
    log: Vec<Arc<Change>>,
}

/// A write, which took one object from one state to another.
#[derive(Debug)]
pub struct Change {
    /// The version that the write made.
    pub version: u64,
    /// The state before; `None` if the object is new.
    pub before: Option<Arc<Object>>,
    /// The state after; `None` if the object is gone.
    pub after: Option<Arc<Object>>,
}

/// A write as a watch tells it.
#[derive(Clone, Debug)]
pub struct Told {
    /// What happened.
    pub what: What,
    /// The state after, or the last one with the version at which the object went away.
    pub object: Arc<Object>,
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// New, or new in a selection.
    Added,
    /// Changed.
    Modified,
    /// Gone, or gone from a selection.
    Deleted,
}

/// Versions that have been compacted away were asked for.
#[derive(Debug)]
pub struct Expired;

impl Change {
    /// What a watch with a selector and, if it has one, of a namespace tells of it.
    pub fn told(&self, namespace: Option<&str>, selector: &Selector) -> Option<Told> {
        let seen = |object: &&Arc<Object>| {
            namespace.is_none_or(|namespace| namespace == object.namespace) && selector.matches(object)
        };
        let (before, after) = (self.before.as_ref().filter(seen), self.after.as_ref().filter(seen));
        let (what, object) = match (before, after) {
            (None, None) => return None,
            (None, Some(after)) => (What::Added, after.clone()),
            (Some(_), Some(after)) => (What::Modified, after.clone()),
            (Some(before), None) => (What::Deleted, Arc::new(before.at_version(self.version))),
        };
        Some(Told { what, object })
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
    /// Creates an object, unless there is one of this name. Returns the version.
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

    /// Changes an object, if there is one of this name. Returns the version; a change of nothing makes no version.
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

    /// Deletes an object, if there is one of this name. Returns the version.
    pub fn delete(&self, namespace: &str, name: &str) -> Option<u64> {
        let mut state = self.lock();
        let key = (namespace.to_owned(), name.to_owned());
        if !state.objects.contains_key(&key) {
            return None;
        }
        state.next_version();
        self.write(state, key, None)
    }

    /// Forgets what was before now: whoever asks for it is told that it has expired.
    pub fn compact(&self) {
        let mut state = self.lock();
        state.compacted = state.version;
    }

    /// The newest version.
    pub fn version(&self) -> u64 {
        self.lock().version
    }

    /// Says when there is a newer version.
    pub fn follow(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// Everything that ever happened, in order.
    pub fn log(&self) -> Vec<Arc<Change>> {
        self.lock().log.clone()
    }

    /// All objects as they are.
    pub fn objects(&self) -> Objects {
        self.lock().objects.clone()
    }

    /// All objects as they are, and the version of which this is true.
    pub fn newest(&self) -> (u64, Objects) {
        let state = self.lock();
        (state.version, state.objects.clone())
    }

    /// All objects as they were at a version.
    ///
    /// # Errors
    ///
    /// If the version has been compacted away.
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

    /// Whether there may have been none of some objects at a version: of one that has been compacted away not all is known.
    pub fn may_have_been_empty(&self, version: u64, of: impl Fn(&Object) -> bool) -> bool {
        let state = self.lock();
        let stood = |object: &Arc<Object>| object.version <= version && of(object);
        if state.objects.values().any(stood) {
            return false;
        }
        version < state.compacted || !replay(&state.log, version).values().any(|object| of(object))
    }

    /// What happened after a version, and the version up to which this is all.
    pub fn changes_after(&self, version: u64) -> (Vec<Arc<Change>>, u64) {
        let state = self.lock();
        let start = state.log.partition_point(|change| change.version <= version);
        (state.log[start..].to_vec(), state.version)
    }

    /// Whether what happened after the version is still known.
    pub fn remembers(&self, version: u64) -> bool {
        version >= self.lock().compacted
    }

    /// Makes a version in which nothing happened to these objects, as writes to other kinds do.
    pub fn pass(&self) {
        let mut state = self.lock();
        let version = state.next_version();
        drop(state);
        self.newest.send_replace(version);
    }

    /// A backup, compactions and all.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.lock().clone())
    }

    /// Puts a backup back. Versions go on from there, so that the same ones are made again for other states.
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
