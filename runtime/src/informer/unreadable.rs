//! Objects that cannot be decoded now.

use hashbrown::{HashMap, HashSet};

use super::{CacheObject, ObjectKey, Problem, decode::Identity, queue::KeyRef, store::Fingerprint};

/// An object that cannot be decoded now.
///
/// The store does not contain it, or contains an earlier state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnreadableObject {
    /// The namespace; `None` for cluster-scoped kinds.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
    /// The resourceVersion of the state that cannot be decoded.
    pub resource_version: String,
    /// The reason: the state is [undecodable](Problem::Undecodable), or the `Deserialize` impl of the type
    /// [panicked](Problem::Panicked).
    pub problem: Problem,
    /// Whether the store contains the last state that could be decoded; otherwise it does not contain the object.
    pub shows_earlier_state: bool,
}

/// A state that cannot be decoded.
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
        self.uid == other.uid && self.version == other.version && self.fingerprint.matches(other.fingerprint)
    }

    /// Converts the state to the public type.
    ///
    /// `shows_earlier_state` is whether the store contains the object.
    pub(super) fn to_public(&self, shows_earlier_state: bool) -> UnreadableObject {
        UnreadableObject {
            namespace: self.key.namespace().map(str::to_owned),
            name: self.key.name().to_owned(),
            resource_version: self.version.to_string(),
            problem: self.problem.clone(),
            shows_earlier_state,
        }
    }
}

/// The objects that cannot be decoded now, with one state each.
#[derive(Default)]
pub(super) struct Unreadables(HashMap<ObjectKey, UnreadableState>);

impl Unreadables {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn states(&self) -> impl Iterator<Item = &UnreadableState> {
        self.0.values()
    }

    /// Inserts a state. Returns its problem, or `None` if this state was already present.
    pub(super) fn insert(&mut self, state: UnreadableState) -> Option<Problem> {
        let known = self.0.get(&state.key);
        if known.is_some_and(|known| known.is_same(&state)) {
            return None;
        }
        let problem = state.problem.clone();
        self.0.insert(state.key.clone(), state);
        Some(problem)
    }

    /// Removes an object, because its new state was decoded.
    pub(super) fn remove<K: CacheObject>(&mut self, object: &K) {
        self.remove_key(object.namespace(), object.name());
    }

    pub(super) fn remove_key(&mut self, namespace: Option<&str>, name: &str) {
        if !self.0.is_empty() {
            self.0.remove(&KeyRef { namespace, name });
        }
    }

    /// Removes the object with this uid, unless its state is newer than this resourceVersion.
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

    /// Removes the objects that a list did not return.
    ///
    /// `namespace` is the namespace of the list, `None` for all.
    pub(super) fn sweep(&mut self, namespace: Option<&str>, shown: &HashSet<ObjectKey>) {
        self.0.retain(|key, _| {
            let is_listed = namespace.is_none() || key.namespace() == namespace;
            !is_listed || shown.contains(key)
        });
    }
}
