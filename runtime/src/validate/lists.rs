//! Rules about how server-side apply merges lists and maps.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;

use super::{Violations, is, items};

/// From the server's rules on `x-kubernetes-list-type` and its kin.
pub(super) fn check(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    let type_ = schema.type_.as_deref();
    if schema.x_kubernetes_list_type.is_some() && type_ != Some("array") {
        violations.add(path, "only a list can have a list type");
        return;
    }
    if schema.x_kubernetes_map_type.is_some() && type_ != Some("object") {
        violations.add(path, "only an object or a map can have a map type");
    }
    let keys = schema
        .x_kubernetes_list_map_keys
        .as_deref()
        .unwrap_or_default();
    match schema.x_kubernetes_list_type.as_deref() {
        Some("map") => check_map(schema, keys, path, violations),
        Some("set") => check_set(schema, path, violations),
        _ if !keys.is_empty() => {
            violations.add(path, "map keys are for lists of the list type `map`");
        }
        _ => {}
    }
}

fn check_set(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    let Some(items) = items(schema) else {
        return;
    };
    if is(items.nullable) {
        violations.add(path, "the items of a set cannot be null");
    }
    if let Some("object" | "array") = items.type_.as_deref() {
        violations.add(path, "the items of a set are booleans, numbers or strings");
    }
}

fn check_map(schema: &JSONSchemaProps, keys: &[String], path: &str, violations: &mut Violations) {
    let Some(items) = items(schema) else {
        return;
    };
    if items.type_.as_deref() != Some("object") {
        violations.add(
            path,
            "only objects have keys to tell them apart: the list cannot be a map",
        );
        return;
    }
    if keys.is_empty() {
        violations.add(path, "a list that is merged as a map needs a key");
    }
    if is(items.nullable) {
        violations.add(path, "the items of a map list cannot be null");
    }
    for key in keys {
        check_key(items, key, path, violations);
    }
}

fn check_key(items: &JSONSchemaProps, key: &str, path: &str, violations: &mut Violations) {
    let property = items
        .properties
        .as_ref()
        .and_then(|properties| properties.get(key));
    let Some(property) = property else {
        violations.add(
            path,
            format!("the map key `{key}` is no field of the items"),
        );
        return;
    };
    if let Some("object" | "array") = property.type_.as_deref() {
        violations.add(
            path,
            format!("the map key `{key}` is no boolean, number or string"),
        );
    }
    if is(property.nullable) {
        violations.add(path, format!("the map key `{key}` may be null"));
    }
    let is_required = items.required.iter().flatten().any(|name| name == key);
    if !is_required && property.default.is_none() {
        violations.add(
            path,
            format!("the map key `{key}` may be missing: require it, or give it a default"),
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::validate::tests::of_spec;

    #[test]
    fn topology() {
        let list = |list_type: &str, keys: serde_json::Value, items: serde_json::Value| {
            json!({
                "type": "array", "items": items,
                "x-kubernetes-list-type": list_type, "x-kubernetes-list-map-keys": keys,
            })
        };
        let named = json!({
            "type": "object", "required": ["name"], "properties": {
                "name": { "type": "string" },
                "other": { "type": "string" },
                "default": { "type": "string", "default": "" },
                "null": { "type": "string", "nullable": true, "default": "" },
                "object": { "type": "object", "default": {} },
            },
        });
        for (schema, expected) in [
            (list("map", json!(["name", "default"]), named.clone()), None),
            (list("map", json!([]), named.clone()), Some("needs a key")),
            (
                list("map", json!(["nane"]), named.clone()),
                Some("`nane` is no field"),
            ),
            (
                list("map", json!(["other"]), named.clone()),
                Some("`other` may be missing"),
            ),
            (
                list("map", json!(["null"]), named.clone()),
                Some("`null` may be null"),
            ),
            (
                list("map", json!(["object"]), named.clone()),
                Some("`object` is no boolean"),
            ),
            (
                list("map", json!(["a"]), json!({ "type": "string" })),
                Some("only objects"),
            ),
            (
                list("set", json!([]), named.clone()),
                Some("items of a set"),
            ),
            (
                list("atomic", json!(["name"]), named),
                Some("map keys are for"),
            ),
            (
                json!({ "type": "string", "x-kubernetes-list-type": "set" }),
                Some("only a list"),
            ),
            (
                json!({ "type": "string", "x-kubernetes-map-type": "atomic" }),
                Some("only an object"),
            ),
        ] {
            let found = of_spec(schema.clone());
            match expected {
                None => assert!(found.is_empty(), "{schema}: {found:?}"),
                Some(text) => assert!(found[0].contains(text), "{schema}: {found:?}"),
            }
        }
    }
}
