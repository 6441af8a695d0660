//! Objects that an annotation pauses.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use serde_json::{Value, json};

use super::{Action, Error, ReconciledKind, context::Run, metrics::Counters, status_fields::with_status, worker::Next};
use crate::{
    informer::{CacheObject, ObjectKey},
    resource::conditions::{NewCondition, set_condition},
};

/// The reasons of the condition, as those of Cluster API.
const PAUSED: &str = "Paused";
const NOT_PAUSED: &str = "NotPaused";

/// The annotation that pauses objects of a controller, and the objects that it pauses.
pub(super) struct Pause {
    annotation: String,
    /// The type of the condition.
    condition: String,
    paused: Mutex<HashSet<ObjectKey>>,
    counters: Arc<Counters>,
}

impl Pause {
    pub(super) fn new(annotation: String, condition: String, counters: Arc<Counters>) -> Self {
        Self { annotation, condition, paused: Mutex::default(), counters }
    }

    /// Whether the annotation pauses an object: unless it is missing or `false`.
    pub(super) fn pauses(&self, object: &impl CacheObject) -> bool {
        let value = object.annotations().find(|(name, _)| *name == self.annotation).map(|(_, value)| value);
        value.is_some_and(|value| value != "false")
    }

    /// Forgets all objects but some.
    pub(super) fn retain(&self, is_kept: impl Fn(&ObjectKey) -> bool) {
        self.change(|paused| paused.retain(|key| is_kept(key)));
    }

    /// Records whether an object is paused, and says so in its condition. Returns what follows for a paused object, and for one whose
    /// condition was written.
    pub(super) async fn process<K: ReconciledKind>(
        &self,
        object: Option<&K>,
        is_paused: bool,
        run: &Run<K>,
    ) -> Result<Option<Next>, Error> {
        self.record(&run.key, is_paused);
        let is_written = match object {
            Some(object) => self.write(object, is_paused, run).await?,
            None => false,
        };
        if is_paused {
            // The end of the pause adds the key.
            return Ok(Some(Next::Act(Action::Done)));
        }
        Ok(is_written.then_some(Next::WhenSeen))
    }

    fn record(&self, key: &ObjectKey, is_paused: bool) {
        self.change(|paused| {
            if is_paused {
                paused.insert(key.clone());
            } else {
                paused.remove(key);
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut HashSet<ObjectKey>)) {
        let mut paused = self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut paused);
        self.counters.paused.store(paused.len() as u64, Ordering::Relaxed);
    }

    /// Writes the condition if its type declares conditions, and it is out of date.
    async fn write<K: ReconciledKind>(&self, object: &K, is_paused: bool, run: &Run<K>) -> Result<bool, Error> {
        if !run.kind.has_status() {
            return Ok(false);
        }
        let generation = object.generation();
        let set = |status: &mut Value| self.set(status, is_paused, generation);
        if with_status(object, set).is_none() {
            return Ok(false);
        }
        let endpoint = run.kind.endpoint(&run.client, object.namespace());
        let edit = |object: &mut K| {
            if let Some(changed) = with_status(object, set) {
                *object = changed;
            }
        };
        match endpoint.update_from(object, false, Some("status"), edit).await {
            Err(error) if error.is_not_found() => Ok(false),
            written => written.map(|_| true).map_err(Into::into),
        }
    }

    /// Sets the condition in a status. Without a pause, one that is true is set to false, unless another annotation pauses the object.
    fn set(&self, status: &mut Value, is_paused: bool, generation: Option<i64>) {
        let mut conditions = match status.get("conditions") {
            Some(Value::Array(conditions)) => conditions.clone(),
            None | Some(Value::Null) => Vec::new(),
            Some(_) => return,
        };
        let index = conditions.iter().position(|condition| condition["type"] == *self.condition);
        let old = index.map(|index| &mut conditions[index]);
        let message = format!("the annotation `{}` is set", self.annotation);
        let is_own = |old: &Value| old["status"] == "True" && old["message"] == *message;
        let condition = if is_paused {
            NewCondition::is_true(&self.condition, PAUSED).message(&message)
        } else if old.as_deref().is_some_and(is_own) {
            NewCondition::is_false(&self.condition, NOT_PAUSED)
        } else {
            return;
        };
        let decoded = old.as_deref().and_then(|old| serde_json::from_value::<Condition>(old.clone()).ok());
        let mut all = Vec::from_iter(decoded);
        set_condition(&mut all, condition.or_observed_generation(generation));
        let Value::Object(fields) = json!(all[0]) else { return };
        match old {
            // Other fields remain.
            Some(old) => fields.into_iter().for_each(|(name, value)| old[name] = value),
            None => conditions.push(Value::Object(fields)),
        }
        status["conditions"] = Value::Array(conditions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pause(annotation: &str) -> Pause {
        Pause::new(annotation.to_owned(), "Paused".to_owned(), Arc::default())
    }

    #[test]
    fn a_pause_is_a_condition_among_others() {
        let (first, second) = (pause("example.com/paused"), pause("example.com/other"));
        let mut status = json!({ "conditions": [{ "type": "Ready", "status": "True", "extra": 1 }] });
        let before = status.clone();
        first.set(&mut status, false, Some(1));
        assert_eq!(status, before);

        first.set(&mut status, true, Some(1));
        let paused = &status["conditions"][1];
        assert_eq!((&paused["status"], &paused["reason"]), (&json!("True"), &json!("Paused")));
        assert_eq!(paused["message"], "the annotation `example.com/paused` is set");
        let paused = status.clone();
        first.set(&mut status, true, Some(1));
        // Another annotation does not pause it, and leaves the pause of this one.
        second.set(&mut status, false, Some(1));
        assert_eq!(status, paused);

        first.set(&mut status, false, Some(2));
        let resumed = &status["conditions"][1];
        assert_eq!((&resumed["status"], &resumed["reason"]), (&json!("False"), &json!("NotPaused")));
        assert_eq!((&resumed["message"], &resumed["observedGeneration"]), (&json!(""), &json!(2)));
        assert_eq!(status["conditions"][0], before["conditions"][0]);
    }

    #[test]
    fn a_status_without_a_list_is_left_alone() {
        let mut status = json!({ "conditions": "none" });
        pause("a/b").set(&mut status, true, None);
        assert_eq!(status, json!({ "conditions": "none" }));
        let mut status = json!({});
        pause("a/b").set(&mut status, false, None);
        assert_eq!(status, json!({}));
    }
}
