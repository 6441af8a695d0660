//! The fields of an object, which may have any type.

use serde_json::Value;

use super::ObjectStatus;

/// An object. A field of another type counts as missing.
pub(super) struct Fields<'a>(pub(super) &'a Value);

impl<'a> Fields<'a> {
    pub(super) fn text(&self, pointer: &str) -> Option<&'a str> {
        self.0.pointer(pointer)?.as_str()
    }

    pub(super) fn integer(&self, pointer: &str) -> Option<i64> {
        self.0.pointer(pointer)?.as_i64()
    }

    /// A number of the status, which Kubernetes leaves out if it is 0.
    pub(super) fn count(&self, pointer: &str) -> i64 {
        self.integer(pointer).unwrap_or_default()
    }

    pub(super) fn list(&self, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.0.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
    }

    pub(super) fn conditions(&self) -> impl Iterator<Item = Condition<'a>> + use<'a> {
        self.list("/status/conditions").map(Condition::of)
    }

    /// The condition of a type with a status.
    pub(super) fn condition(&self, type_: &str, status: &str) -> Option<Condition<'a>> {
        self.conditions().find(|condition| condition.type_ == type_ && condition.status == status)
    }
}

/// A condition, whose missing fields are empty.
pub(super) struct Condition<'a> {
    pub(super) type_: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: &'a str,
    message: &'a str,
}

impl<'a> Condition<'a> {
    fn of(condition: &'a Value) -> Self {
        let text = |field: &str| condition[field].as_str().unwrap_or_default();
        Self { type_: text("type"), status: text("status"), reason: text("reason"), message: text("message") }
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
