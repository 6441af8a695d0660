//! Conditions of Pods that the server itself sets.

use serde_json::{Value, json};

use crate::controllers::conditions;

/// Sets a condition to true.
pub(super) fn set_true(pod: &mut Value, time: &str, kind: &str, reason: &str, message: &str) {
    let list = &mut pod["status"]["conditions"];
    if !list.is_array() {
        *list = json!([]);
    }
    let Value::Array(list) = list else { return };
    conditions::set(time, list, kind, "True", reason, message);
    // Go writes times that are not set.
    list.iter_mut().filter(|it| it["type"] == kind).for_each(|it| it["lastProbeTime"] = Value::Null);
}
