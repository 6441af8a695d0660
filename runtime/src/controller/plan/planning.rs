//! What a plan is of, and what has been planned.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::{PlanError, PlannedRun};
use crate::{
    controller::{ReconciledKind, kind::KindData},
    informer::ObjectKey,
};

/// What a plan is of.
#[derive(Default)]
pub(in crate::controller) struct Planning {
    /// Objects as they are given. All objects of the cluster, if there is none.
    given: Vec<Value>,
    results: Mutex<Results>,
}

#[derive(Default)]
struct Results {
    runs: Vec<PlannedRun>,
    /// The given objects that a controller reconciles, by their index.
    planned: Vec<usize>,
    errors: Vec<PlanError>,
}

impl Planning {
    pub(in crate::controller) fn of(given: Vec<Value>) -> Self {
        Self { given, results: Mutex::default() }
    }

    /// Whether all objects of the cluster are planned.
    pub(in crate::controller) fn is_of_cluster(&self) -> bool {
        self.given.is_empty()
    }

    /// Returns the given objects of a kind.
    pub(in crate::controller) fn given<K: ReconciledKind>(&self, kind: &KindData<K>) -> Vec<&Value> {
        let (name, expected) = (kind.name(), K::api_version(kind.dynamic()));
        let of_kind = |(_, object): &(usize, &Value)| {
            let api_version = object["apiVersion"].as_str().unwrap_or_default();
            object["kind"] == name && api_version == expected
        };
        let found: Vec<_> = self.given.iter().enumerate().filter(of_kind).collect();
        self.results().planned.extend(found.iter().map(|(index, _)| index));
        found.into_iter().map(|(_, object)| object).collect()
    }

    pub(in crate::controller) fn add(&self, run: PlannedRun) {
        self.results().runs.push(run);
    }

    pub(in crate::controller) fn fail(&self, error: PlanError) {
        self.results().errors.push(error);
    }

    /// Returns the runs.
    ///
    /// # Errors
    ///
    /// If a given object cannot be planned.
    pub(in crate::controller) fn finish(&self) -> Result<Vec<PlannedRun>, PlanError> {
        let mut results = std::mem::take(&mut *self.results());
        if !results.errors.is_empty() {
            return Err(results.errors.swap_remove(0));
        }
        match self.given.iter().enumerate().find(|(index, _)| !results.planned.contains(index)) {
            Some((_, object)) => Err(PlanError::NotReconciled {
                kind: object["kind"].as_str().unwrap_or_default().to_owned(),
                api_version: object["apiVersion"].as_str().unwrap_or_default().to_owned(),
                key: key_of(object, None),
            }),
            None => Ok(results.runs),
        }
    }

    fn results(&self) -> MutexGuard<'_, Results> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the key of a given object of a kind, in a default namespace if it has none.
pub(super) fn key_of_kind<K: ReconciledKind>(kind: &KindData<K>, object: &Value, default: &str) -> ObjectKey {
    let key = key_of(object, Some(default));
    ObjectKey::new(key.namespace().filter(|_| kind.is_namespaced()), key.name())
}

fn key_of(object: &Value, default: Option<&str>) -> ObjectKey {
    let metadata = &object["metadata"];
    let namespace = metadata["namespace"].as_str().filter(|namespace| !namespace.is_empty()).or(default);
    ObjectKey::new(namespace, metadata["name"].as_str().unwrap_or_default())
}
