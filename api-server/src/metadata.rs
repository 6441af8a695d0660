//! Reading of `metadata`.

use serde_json::{Map, Value};

use super::decode::json_type;

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
        return if metadata.is_null() {
            *metadata = Map::new().into();
            Ok(Vec::new())
        } else {
            Err("metadata is not an object".to_owned())
        };
    };
    let mut mismatches =
        fields.iter().filter(|(_, value)| !value.is_null()).filter_map(|(name, value)| mismatch(name, value));
    if let Some((path, found, expected)) = mismatches.next() {
        return Err(format!(
            "json: cannot unmarshal {} into Go struct field ObjectMeta.{path} of type {expected}",
            json_type(found)
        ));
    }
    let is_known = |name: &str| FIELDS.contains(&name);
    let unknown = fields.keys().filter(|name| !is_known(name)).map(|name| format!("metadata.{name}")).collect();
    fields.retain(|name, value| is_known(name) && !is_empty(value));
    Ok(unknown)
}

/// Returns the first value of another type than that of its field: the path, the value, and the type in Go.
fn mismatch<'v>(name: &str, value: &'v Value) -> Option<(String, &'v Value, &'static str)> {
    let wrong = |is_right: bool, path: &str, value: &'v Value, expected| {
        (!is_right).then(|| (path.to_owned(), value, expected))
    };
    let is_wrong = |it: &&Value| !it.is_string();
    match name {
        "generation" => wrong(value.is_i64(), name, value, "int64"),
        "deletionGracePeriodSeconds" => wrong(value.is_i64(), name, value, "int64"),
        "labels" | "annotations" => match value.as_object() {
            Some(members) => members.values().find(is_wrong).map(|found| (name.to_owned(), found, "string")),
            None => wrong(false, name, value, "map[string]string"),
        },
        "finalizers" => match value.as_array() {
            Some(items) => items.iter().find(is_wrong).map(|found| (name.to_owned(), found, "string")),
            None => wrong(false, name, value, "[]string"),
        },
        "ownerReferences" => match value.as_array() {
            Some(items) => items.iter().find_map(owner_mismatch),
            None => wrong(false, name, value, "[]v1.OwnerReference"),
        },
        "managedFields" => wrong(value.is_array(), name, value, "[]v1.ManagedFieldsEntry"),
        _ => wrong(value.is_string() || !FIELDS.contains(&name), name, value, "string"),
    }
}

fn owner_mismatch(owner: &Value) -> Option<(String, &Value, &'static str)> {
    let Some(members) = owner.as_object() else {
        return Some(("ownerReferences".to_owned(), owner, "v1.OwnerReference"));
    };
    members.iter().find_map(|(name, value)| {
        let (is_right, expected) = match name.as_str() {
            "controller" | "blockOwnerDeletion" => (value.is_boolean(), "bool"),
            "apiVersion" | "kind" | "name" | "uid" => (value.is_string(), "string"),
            _ => return None,
        };
        (!is_right && !value.is_null()).then(|| (format!("ownerReferences.{name}"), value, expected))
    })
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
        for metadata in [
            json!([]),
            json!({ "name": 1 }),
            json!({ "ownerReferences": [{ "controller": 1 }] }),
            json!({ "labels": { "a": 1 } }),
            json!({ "finalizers": [1] }),
        ] {
            assert!(decode(&mut metadata.clone()).is_err(), "{metadata}");
        }
    }
}
