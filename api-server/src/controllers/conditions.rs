//! Conditions in a status.

use serde_json::{Value, json};

use crate::value::text;

/// Sets a condition in a list. Its transition time changes with its status.
pub(crate) fn set(time: &str, conditions: &mut Vec<Value>, kind: &str, status: &str, reason: &str, message: &str) {
    let mut new = json!({ "type": kind, "status": status, "lastTransitionTime": time });
    for (name, value) in [("reason", reason), ("message", message)] {
        if !value.is_empty() {
            new[name] = value.into();
        }
    }
    let Some(old) = conditions.iter_mut().find(|it| text(it, "type") == kind) else {
        return conditions.push(new);
    };
    if text(old, "status") == status {
        new["lastTransitionTime"] = old["lastTransitionTime"].clone();
    }
    *old = new;
}

/// Sets a condition in a status, which may not have any, and returns it.
pub(crate) fn set_in<'s>(
    status: &'s mut Value,
    time: &str,
    (kind, value): (&str, &str),
    reason: &str,
    message: &str,
) -> Option<&'s mut Value> {
    let conditions = &mut status["conditions"];
    if !conditions.is_array() {
        *conditions = json!([]);
    }
    let conditions = conditions.as_array_mut()?;
    set(time, conditions, kind, value, reason, message);
    conditions.iter_mut().find(|it| text(it, "type") == kind)
}
