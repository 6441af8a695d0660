//! JSON merge patches (RFC 7396), as the API server's library applies them.

use serde_json::Value;

/// Merges a patch into a value.
pub fn merge(value: &mut Value, patch: &Value) {
    match (&mut *value, patch) {
        (Value::Object(members), Value::Object(patch)) => {
            for (name, patch) in patch {
                match members.get_mut(name) {
                    _ if patch.is_null() => drop(members.remove(name)),
                    None | Some(Value::Null) => drop(members.insert(name.clone(), without_nulls(patch))),
                    Some(member) => merge(member, patch),
                }
            }
        }
        // Where an object is replaced by another value, the value keeps its nulls.
        (Value::Object(_), _) => value.clone_from(patch),
        _ => *value = without_nulls(patch),
    }
}

/// Returns a value without the null members of its objects, also of those in lists.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            Value::Object(members.map(|(name, value)| (name.clone(), without_nulls(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        scalar => scalar.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nulls_remove_members() {
        for (value, patch, merged) in [
            (json!({"a": 1, "b": {"c": 2}}), json!({"a": null, "b": {"d": 3, "c": null}}), json!({"b": {"d": 3}})),
            (json!({"a": 1}), json!({"b": {"c": null}}), json!({"a": 1, "b": {}})),
            (json!({"a": 1}), json!({"a": [{"b": null}, null]}), json!({"a": [{}, null]})),
            (json!({"a": {"b": 1}}), json!({"a": [{"b": null}]}), json!({"a": [{"b": null}]})),
        ] {
            let mut found = value.clone();
            merge(&mut found, &patch);
            assert_eq!(found, merged, "{value} {patch}");
        }
    }
}
