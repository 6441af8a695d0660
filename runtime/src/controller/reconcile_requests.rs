//! Requests for a reconciliation by an annotation, as those of Flux.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};

use super::{Error, ReconciledKind, context::Run, status_fields::with_status};
use crate::{
    client::Patch,
    informer::{CacheObject, ObjectKey},
    json::json_value::to_value,
};

/// The annotation that requests reconciliations of a controller's objects, and the requests that were handled.
pub(super) struct ReconcileRequests {
    annotation: String,
    /// The field of the status that has the last request that was handled.
    field: String,
    handled: Mutex<HashMap<ObjectKey, Handled>>,
}

/// The last request of an object that this process has handled.
struct Handled {
    uid: Option<String>,
    value: String,
    /// Whether the reconciliation failed, so that its retry is still one for the request.
    failed: bool,
}

impl ReconcileRequests {
    pub(super) fn new(annotation: String, field: String) -> Self {
        Self { annotation, field, handled: Mutex::default() }
    }

    /// Returns the request that the next reconciliation of an object is for.
    pub(super) fn pending<K: ReconciledKind>(&self, key: &ObjectKey, object: &K) -> Option<String> {
        let value = self.value(object)?;
        let handled = self.handled();
        match handled.get(key).filter(|handled| handled.value == value && handled.uid.as_deref() == object.uid()) {
            Some(handled) => handled.failed.then(|| value.to_owned()),
            None => (self.recorded(object).as_deref() != Some(value)).then(|| value.to_owned()),
        }
    }

    /// Records that the reconciliation for a request has ended.
    pub(super) async fn end<K: ReconciledKind>(
        &self,
        object: &K,
        value: &str,
        failed: bool,
        run: &Run<K>,
    ) -> Result<(), Error> {
        let handled = Handled { uid: object.uid().map(str::to_owned), value: value.to_owned(), failed };
        self.handled().insert(run.key.clone(), handled);
        if !run.kind.has_status() || with_status(object, |status| status[&self.field] = json!(value)).is_none() {
            return Ok(());
        }
        // Another object may have the name.
        let patch = json!({ "metadata": { "uid": object.uid() }, "status": { (self.field.clone()): value } });
        let endpoint = run.kind.endpoint(&run.client, object.namespace());
        match endpoint.patch(object.name(), Some("status"), &Patch::merge(&patch)).await {
            Err(error) if error.is_not_found() || error.is_conflict() => Ok(()),
            written => written.map(drop).map_err(Into::into),
        }
    }

    /// Forgets an object that is gone.
    pub(super) fn forget(&self, key: &ObjectKey) {
        self.handled().remove(key);
    }

    /// Forgets all objects but some.
    pub(super) fn retain(&self, is_kept: impl Fn(&ObjectKey) -> bool) {
        self.handled().retain(|key, _| is_kept(key));
    }

    fn value<'o>(&self, object: &'o impl CacheObject) -> Option<&'o str> {
        let value = object.annotations().find(|(name, _)| *name == self.annotation).map(|(_, value)| value);
        value.filter(|value| !value.is_empty())
    }

    /// Returns the request that the status has.
    fn recorded<K: ReconciledKind>(&self, object: &K) -> Option<String> {
        match to_value(object).ok()?["status"].get_mut(&self.field)?.take() {
            Value::String(value) => Some(value),
            _ => None,
        }
    }

    fn handled(&self) -> MutexGuard<'_, HashMap<ObjectKey, Handled>> {
        self.handled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
