//! Objects that do not fit their type now.

use hashbrown::{HashMap, HashSet};

use super::{CacheObject, ObjectKey, Problem, decode::Identity, queue::KeyRef, store::Fingerprint};

/// An object that does not fit the type now: it is missing, or shown in an earlier state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnreadableObject {
    /// The namespace; `None` for kinds of the cluster.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// Which state it is that does not fit.
    pub resource_version: String,
    /// Why: it is [undecodable](Problem::Undecodable), or the `Deserialize` of the type [panicked](Problem::Panicked).
    pub problem: Problem,
    /// Whether the store shows the last state that fitted; otherwise it does not have the object.
    pub shows_earlier_state: bool,
}

/// A state that does not fit the type.
pub(super) struct UnreadableState {
    pub(super) key: ObjectKey,
    pub(super) uid: Option<Box<str>>,
    version: Box<str>,
    fingerprint: Fingerprint,
    problem: Problem,
}

impl UnreadableState {
    pub(super) fn new(identity: &Identity<'_>, fingerprint: Fingerprint, problem: Problem) -> Self {
        Self {
            key: identity.key(),
            uid: identity.uid.as_deref().map(Into::into),
            version: identity.resource_version.as_ref().into(),
            fingerprint,
            problem,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.uid == other.uid
            && self.version == other.version
            && self.fingerprint.matches(other.fingerprint)
    }

    /// The state in public words, for a store that shows the object or does not.
    pub(super) fn object(&self, shows_earlier_state: bool) -> UnreadableObject {
        UnreadableObject {
            namespace: self.key.namespace().map(str::to_owned),
            name: self.key.name().to_owned(),
            resource_version: self.version.to_string(),
            problem: self.problem.clone(),
            shows_earlier_state,
        }
    }
}

/// The objects that do not fit now, each in one state.
#[derive(Default)]
pub(super) struct Unreadables(HashMap<ObjectKey, UnreadableState>);

impl Unreadables {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn states(&self) -> impl Iterator<Item = &UnreadableState> {
        self.0.values()
    }

    /// Why the state does not fit, unless it is the one that is known.
    pub(super) fn insert(&mut self, state: UnreadableState) -> Option<Problem> {
        let known = self.0.get(&state.key);
        if known.is_some_and(|known| known.is_same(&state)) {
            return None;
        }
        let problem = state.problem.clone();
        self.0.insert(state.key.clone(), state);
        Some(problem)
    }

    /// The object fits.
    pub(super) fn remove<K: CacheObject>(&mut self, object: &K) {
        self.remove_key(object.namespace(), object.name());
    }

    pub(super) fn remove_key(&mut self, namespace: Option<&str>, name: &str) {
        if !self.0.is_empty() {
            self.0.remove(&KeyRef { namespace, name });
        }
    }

    /// An object of this uid is gone since a resourceVersion: another one, or a newer state, may be there.
    pub(super) fn remove_older(&mut self, key: &ObjectKey, uid: Option<&str>, version: &str) {
        let is_older = self.0.get(key).is_some_and(|known| {
            let number = |version: &str| version.parse::<u64>().ok();
            let versions = number(&known.version).zip(number(version));
            known.uid.as_deref() == uid && versions.is_none_or(|(known, gone)| known <= gone)
        });
        if is_older {
            self.0.remove(key);
        }
    }

    /// A list of a namespace, or of all, has shown only these that do not fit.
    pub(super) fn sweep(&mut self, namespace: Option<&str>, shown: &HashSet<ObjectKey>) {
        self.0.retain(|key, _| {
            let is_listed = namespace.is_none() || key.namespace() == namespace;
            !is_listed || shown.contains(key)
        });
    }
}
