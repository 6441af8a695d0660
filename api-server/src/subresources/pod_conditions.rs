//! Conditions of Pods that the server itself sets.

use serde_json::Value;

use crate::controllers::conditions;

/// Sets a condition to true.
pub(super) fn set_true(pod: &mut Value, time: &str, kind: &str, reason: &str, message: &str) {
    if let Some(condition) = conditions::set_in(&mut pod["status"], time, (kind, "True"), reason, message) {
        // Go writes times that are not set.
        condition["lastProbeTime"] = Value::Null;
    }
}
