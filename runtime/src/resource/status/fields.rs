//! The fields of an object, which may have any type.

use serde_json::Value;

use super::ObjectStatus;

/// An object. A field of another type counts as missing.
pub(crate) struct Fields<'a>(pub(crate) &'a Value);

impl<'a> Fields<'a> {
    pub(crate) fn text(&self, pointer: &str) -> Option<&'a str> {
        self.0.pointer(pointer)?.as_str()
    }

    pub(super) fn integer(&self, pointer: &str) -> Option<i64> {
        self.0.pointer(pointer)?.as_i64()
    }

    /// A number of the status, which Kubernetes leaves out if it is 0.
    pub(super) fn count(&self, pointer: &str) -> i64 {
        self.integer(pointer).unwrap_or_default()
    }

    pub(crate) fn list(&self, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.0.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
    }

    pub(crate) fn conditions(&self) -> impl Iterator<Item = Condition<'a>> + use<'a> {
        self.list("/status/conditions").map(Condition::of)
    }

    /// The condition of a type with a status.
    pub(super) fn condition(&self, type_: &str, status: &str) -> Option<Condition<'a>> {
        self.conditions().find(|condition| condition.type_ == type_ && condition.status == status)
    }
}

/// A condition, whose missing fields are empty.
pub(crate) struct Condition<'a> {
    pub(crate) type_: &'a str,
    pub(crate) status: &'a str,
    pub(crate) reason: &'a str,
    message: &'a str,
    observed_generation: Option<i64>,
}

impl<'a> Condition<'a> {
    fn of(condition: &'a Value) -> Self {
        let text = |field: &str| condition[field].as_str().unwrap_or_default();
        Self {
            type_: text("type"),
            status: text("status"),
            reason: text("reason"),
            message: text("message"),
            observed_generation: condition["observedGeneration"].as_i64(),
        }
    }

    /// Whether the condition was observed for an earlier generation, by itself or by the whole status.
    pub(crate) fn is_outdated(&self, object: &Fields<'_>) -> bool {
        let observed = self.observed_generation.or_else(|| object.integer("/status/observedGeneration"));
        observed.zip(object.integer("/metadata/generation")).is_some_and(|(observed, current)| observed < current)
    }

    pub(super) fn is_true(&self) -> bool {
        self.status == "True"
    }

    pub(super) fn in_progress(&self) -> ObjectStatus {
        ObjectStatus::in_progress(self.reason, self.message)
    }

    pub(super) fn failed(&self) -> ObjectStatus {
        ObjectStatus::failed(self.reason, self.message)
    }
}
