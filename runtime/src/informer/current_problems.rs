//! Problems that affect the current state of objects.

use hashbrown::HashMap;

use super::{
    ObjectKey, Problem, panics::ClosurePanic, queue::KeyRef, stored_object::Stored, undecodable::UndecodableObjects,
};

/// Problems that affect the current state of objects.
#[derive(Default)]
pub(super) struct CurrentProblems {
    pub(super) undecodable: UndecodableObjects,
    pub(super) panics: CurrentPanics,
}

/// Panics of closures on the states that the store contains.
#[derive(Default)]
pub(super) struct CurrentPanics(HashMap<ObjectKey, Vec<ClosurePanic>>);

impl CurrentPanics {
    /// Replaces the panics of an object after its state has changed.
    pub(super) fn replace(&mut self, object: &Stored, panics: Vec<ClosurePanic>) {
        if panics.is_empty() { self.remove(object) } else { drop(self.0.insert(object.key(), panics)) }
    }

    /// Adds a panic of another closure on an object.
    pub(super) fn add(&mut self, object: &Stored, panic: ClosurePanic) {
        let panics = self.0.entry(object.key()).or_default();
        if !panics.contains(&panic) {
            panics.push(panic);
        }
    }

    /// Removes the panics of an object that the store no longer contains.
    pub(super) fn remove(&mut self, object: &Stored) {
        if !self.0.is_empty() {
            let (namespace, name) = (object.namespace(), object.name());
            self.0.remove(&KeyRef { namespace, name });
        }
    }

    /// Returns the panics, sorted by the keys of the objects.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let mut objects: Vec<_> = self.0.iter().collect();
        objects.sort_unstable_by_key(|(key, _)| *key);
        let problems = objects.into_iter().flat_map(|(key, panics)| {
            let panics = panics.iter();
            panics.map(|panic| panic.to_problem(key.namespace(), key.name()))
        });
        problems.collect()
    }
}
