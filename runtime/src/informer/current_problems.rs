//! What is wrong with objects now.

use hashbrown::HashMap;

use super::{
    CacheObject, ObjectKey, Problem, panics::ClosurePanic, queue::KeyRef, unreadable::Unreadables,
};

/// What is wrong with objects now.
#[derive(Default)]
pub(super) struct CurrentProblems {
    pub(super) unreadable: Unreadables,
    pub(super) panics: CurrentPanics,
}

/// Which closures panicked on the objects as the store shows them.
#[derive(Default)]
pub(super) struct CurrentPanics(HashMap<ObjectKey, Vec<ClosurePanic>>);

impl CurrentPanics {
    /// The store shows an object in a new state, on which these panicked and no others did.
    pub(super) fn replace<K: CacheObject>(&mut self, object: &K, panics: Vec<ClosurePanic>) {
        match panics.is_empty() {
            true => self.remove(object),
            false => drop(self.0.insert(ObjectKey::of(object), panics)),
        }
    }

    /// One more closure panicked on an object.
    pub(super) fn add<K: CacheObject>(&mut self, object: &K, panic: ClosurePanic) {
        let panics = self.0.entry(ObjectKey::of(object)).or_default();
        if !panics.contains(&panic) {
            panics.push(panic);
        }
    }

    /// The store does not show the object any more.
    pub(super) fn remove<K: CacheObject>(&mut self, object: &K) {
        if !self.0.is_empty() {
            let (namespace, name) = (object.namespace(), object.name());
            self.0.remove(&KeyRef { namespace, name });
        }
    }

    /// The panics, by the keys of the objects.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut objects: Vec<_> = self.0.iter().collect();
        objects.sort_unstable_by_key(|(key, _)| *key);
        let problems = objects.into_iter().flat_map(|(key, panics)| {
            let panics = panics.iter();
            panics.map(|panic| panic.on(key.namespace(), key.name()))
        });
        problems.collect()
    }
}
