//! Reading of `metadata`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Map, Value};

const FIELDS: [&str; 15] = [
    "annotations",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// Drops unknown fields, nulls and empty values of `metadata`, as the server's types do. Returns the paths of the unknown
/// fields.
///
/// # Errors
///
/// If a field has another type.
pub(super) fn decode(metadata: &mut Value) -> Result<Vec<String>, String> {
    let Value::Object(fields) = metadata else {
        return match metadata.is_null() {
            true => {
                *metadata = Map::new().into();
                Ok(Vec::new())
            }
            false => Err("metadata is not an object".to_owned()),
        };
    };
    let unknown: Vec<String> =
        fields.keys().filter(|name| !FIELDS.contains(&name.as_str())).map(|name| format!("metadata.{name}")).collect();
    fields.retain(|name, value| FIELDS.contains(&name.as_str()) && !is_empty(value));
    // Managed fields are checked where they are read.
    let is_plain = |value: &Value| value.is_string() || value.is_i64();
    if fields.iter().all(|(name, value)| is_known_type(name, value) && (is_plain(value) || value.is_object())) {
        return Ok(unknown);
    }
    match serde_json::from_value::<ObjectMeta>(metadata.clone()) {
        Ok(_) => Ok(unknown),
        Err(error) => Err(error.to_string()),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Returns whether a field has its type, for the fields that most requests have.
fn is_known_type(name: &str, value: &Value) -> bool {
    match name {
        "name" | "namespace" | "generateName" | "resourceVersion" | "uid" => value.is_string(),
        "generation" => value.is_i64(),
        "labels" | "annotations" => value.as_object().is_some_and(|members| members.values().all(Value::is_string)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_known_fields_are_kept() {
        let mut metadata = json!({ "name": "a", "labels": {}, "uid": null, "clusterName": "b", "finalizers": ["c"] });
        assert_eq!(decode(&mut metadata).unwrap(), ["metadata.clusterName"]);
        assert_eq!(metadata, json!({ "name": "a", "finalizers": ["c"] }));
        let mut missing = Value::Null;
        assert_eq!(decode(&mut missing), Ok(Vec::new()));
        assert_eq!(missing, json!({}));
    }

    #[test]
    fn types_are_checked() {
        for metadata in [json!([]), json!({ "name": 1 }), json!({ "labels": { "a": 1 } }), json!({ "finalizers": [1] })]
        {
            assert!(decode(&mut metadata.clone()).is_err(), "{metadata}");
        }
    }
}
