//! Fields that controllers set in the status of any kind that declares them.

use serde_json::Value;

use super::ReconciledKind;
use crate::json::json_value::to_value;

/// Returns an object after a change of its status; `None` if the change does nothing, or its type does not declare what is set.
///
/// A missing status is an empty one, which types with required fields do not accept.
pub(super) fn with_status<K: ReconciledKind>(object: &K, change: impl FnOnce(&mut Value)) -> Option<K> {
    let before = to_value(object).ok()?;
    let after = changed(&before, change)?;
    let object: K = serde_json::from_value(after.clone()).ok()?;
    let kept = to_value(&object).ok()?;
    has(&kept["status"], &after["status"]).then_some(object)
}

/// Whether a value has all that another one has. Types drop the fields that they do not declare, and add defaults.
fn has(value: &Value, expected: &Value) -> bool {
    match (value, expected) {
        (_, Value::Null) => true,
        (Value::Object(fields), Value::Object(expected)) => {
            expected.iter().all(|(name, expected)| has(fields.get(name).unwrap_or(&Value::Null), expected))
        }
        (Value::Array(items), Value::Array(expected)) => {
            items.len() == expected.len() && items.iter().zip(expected).all(|(item, expected)| has(item, expected))
        }
        _ => value == expected,
    }
}

fn changed(before: &Value, change: impl FnOnce(&mut Value)) -> Option<Value> {
    let mut after = before.clone();
    let status = &mut after["status"];
    if status.is_null() {
        *status = Value::Object(serde_json::Map::new());
    }
    change(status);
    (after != *before && status_of(&after) != status_of(before)).then_some(after)
}

/// An empty status says as much as none.
fn status_of(object: &Value) -> Option<&Value> {
    object.get("status").filter(|status| status.as_object().is_some_and(|status| !status.is_empty()))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::{
        core::v1::{ConfigMap, Pod},
        policy::v1::PodDisruptionBudget,
    };
    use serde_json::json;

    use super::*;

    #[test]
    fn only_declared_fields_are_set() {
        let ready = |status: &mut Value| status["phase"] = json!("Running");
        let pod = with_status(&Pod::default(), ready).unwrap();
        assert_eq!(pod.status.as_ref().unwrap().phase.as_deref(), Some("Running"));
        // Nothing changes.
        assert!(with_status(&pod, ready).is_none());
        assert!(with_status(&Pod::default(), |_| {}).is_none());
        // It has no such field, or no status.
        assert!(with_status(&PodDisruptionBudget::default(), ready).is_none());
        assert!(with_status(&ConfigMap::default(), ready).is_none());
    }
}
