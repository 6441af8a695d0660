//! The fields that the API server adds to a definition.

use serde_json::Value;

/// Fails if the API server changed anything else than it documents.
pub(crate) fn unchanged(sent: &Value, got: &Value) {
    let mut differences = Vec::new();
    compare("", sent, got, &mut differences);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

const ADDED: &[&str] = &[
    "/metadata/creationTimestamp",
    "/metadata/generation",
    "/metadata/managedFields",
    "/metadata/resourceVersion",
    "/metadata/uid",
    "/spec/conversion",
    "/status",
];

fn compare(path: &str, sent: &Value, got: &Value, differences: &mut Vec<String>) {
    match (sent, got) {
        (Value::Object(before), Value::Object(after)) => {
            for (name, value) in before {
                let path = format!("{path}/{name}");
                compare(&path, value, after.get(name).unwrap_or(&Value::Null), differences);
            }
            for (name, value) in after {
                let path = format!("{path}/{name}");
                if !before.contains_key(name) && !ADDED.contains(&path.as_str()) {
                    differences.push(format!("{path}: {value} was added"));
                }
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (index, (sent, got)) in before.iter().zip(after).enumerate() {
                compare(&format!("{path}/{index}"), sent, got, differences);
            }
        }
        // A number may come back without its fraction of zero.
        (Value::Number(before), Value::Number(after)) if before.as_f64() == after.as_f64() => {}
        // The server does not write a priority of zero, which is that of a column without one.
        (Value::Number(zero), Value::Null) if path.ends_with("/priority") && *zero == 0.into() => {}
        _ if sent == got => {}
        _ => differences.push(format!("{path}: {sent} became {got}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn additions_of_the_server_are_no_change() {
        unchanged(
            &json!({ "metadata": {}, "spec": { "maximum": 1.0 } }),
            &json!({
                "metadata": { "uid": "a" },
                "spec": { "maximum": 1, "conversion": { "strategy": "None" } },
                "status": {},
            }),
        );
    }

    #[test]
    #[should_panic(expected = "/spec/a: 1 became null")]
    fn losses_are_changes() {
        unchanged(&json!({ "spec": { "a": 1 } }), &json!({ "spec": {} }));
    }

    #[test]
    #[should_panic(expected = "/spec/a: 1 was added")]
    fn other_additions_are_changes() {
        unchanged(&json!({ "spec": {} }), &json!({ "spec": { "a": 1 } }));
    }
}
