//! Objects that cannot be decoded now.

use hashbrown::{HashMap, HashSet};
use serde::{Deserialize, de::IgnoredAny};

use super::{ObjectKey, Problem, decode::Identity, queue::KeyRef, store::Fingerprint, stored_object::Stored};

/// An object that cannot be decoded now.
///
/// The store does not contain it, or contains an earlier state.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UndecodableObject {
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
    /// The finalizers that a deletion waits for; none if the object is not being deleted.
    pub finalizers: Vec<String>,
}

/// A state that cannot be decoded.
pub(super) struct UndecodableState {
    pub(super) key: ObjectKey,
    pub(super) uid: Option<Box<str>>,
    version: Box<str>,
    fingerprint: Fingerprint,
    problem: Problem,
    finalizers: Vec<String>,
}

impl UndecodableState {
    pub(super) fn new(json: &str, identity: &Identity<'_>, fingerprint: Fingerprint, problem: Problem) -> Self {
        Self {
            finalizers: awaited_finalizers(json).unwrap_or_default(),
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
    pub(super) fn to_public(&self, shows_earlier_state: bool) -> UndecodableObject {
        UndecodableObject {
            namespace: self.key.namespace().map(str::to_owned),
            name: self.key.name().to_owned(),
            resource_version: self.version.to_string(),
            problem: self.problem.clone(),
            shows_earlier_state,
            finalizers: self.finalizers.clone(),
        }
    }

    /// Warns of an object that nothing but its repair may ever remove.
    fn report_deletion(&self) {
        if !self.finalizers.is_empty() {
            let (key, finalizers) = (&self.key, self.finalizers.join(", "));
            tracing::warn!(%key, finalizers, "an object that cannot be decoded is being deleted, and waits for its finalizers");
        }
    }
}

/// Returns the finalizers of an object that is being deleted.
fn awaited_finalizers(json: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Object {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        deletion_timestamp: Option<IgnoredAny>,
        #[serde(default)]
        finalizers: Option<Vec<String>>,
    }
    let Object { metadata } = serde_json::from_str(json).ok()?;
    metadata.finalizers.filter(|_| metadata.deletion_timestamp.is_some())
}

/// The objects that cannot be decoded now, with one state each.
#[derive(Default)]
pub(super) struct UndecodableObjects(HashMap<ObjectKey, UndecodableState>);

impl UndecodableObjects {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn states(&self) -> impl Iterator<Item = &UndecodableState> {
        self.0.values()
    }

    /// Whether it has this state of an object.
    pub(super) fn contains(&self, identity: &Identity<'_>) -> bool {
        let (namespace, name) = (identity.namespace.as_deref(), &*identity.name);
        let known = self.0.get(&KeyRef { namespace, name });
        known.is_some_and(|known| {
            known.uid.as_deref() == identity.uid.as_deref() && *known.version == *identity.resource_version
        })
    }

    /// Inserts a state. Returns its problem, or `None` if this state was already present.
    pub(super) fn insert(&mut self, state: UndecodableState) -> Option<Problem> {
        let known = self.0.get(&state.key);
        if known.is_some_and(|known| known.is_same(&state)) {
            return None;
        }
        state.report_deletion();
        let problem = state.problem.clone();
        self.0.insert(state.key.clone(), state);
        Some(problem)
    }

    /// Removes an object, because its new state was decoded.
    pub(super) fn remove(&mut self, object: &Stored) {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_deletion_waits_for_finalizers() {
        let of =
            |metadata| awaited_finalizers(&json!({ "spec": 3, "metadata": metadata }).to_string()).unwrap_or_default();
        let deleted = "2026-01-01T00:00:00Z";
        assert_eq!(of(json!({ "deletionTimestamp": deleted, "finalizers": ["a", "b"] })), ["a", "b"]);
        assert!(of(json!({ "finalizers": ["a"] })).is_empty());
        assert!(of(json!({ "deletionTimestamp": deleted })).is_empty());
    }
}
