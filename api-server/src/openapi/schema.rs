//! The schemas of resources, as OpenAPI documents show them.

use serde_json::{Map, Value, json};

use super::model;
use crate::{discovery::Served, table::float};

const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert \
    recognized schemas to the latest internal value, and may reject unrecognized values. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the \
    endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const METADATA: &str = "Standard object's metadata. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const LIST_METADATA: &str = "Standard list metadata. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const EMBEDDED_API_VERSION: &str = "apiVersion defines the versioned schema of this representation of an object. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const EMBEDDED_KIND: &str = "kind is a string value representing the type of this object. In CamelCase. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

/// Returns the schemas of a custom kind and of its lists, with their names.
pub(super) fn of_resource(served: Served<'_>) -> [(String, Value); 2] {
    let (resource, version) = served;
    let (group, version_name) = (resource.group.as_str(), version.spec.name.as_str());
    let (kind, list_kind) = (resource.names.kind.as_str(), resource.list_kind());
    let name = model(group, version_name, kind);
    let mut object = match &version.schema {
        Some(schema) => publish(&schema.json),
        None => json!({ "type": "object" }),
    };
    add_type_fields(&mut object, reference(OBJECT_META, METADATA));
    let plural = &resource.names.plural;
    let items = format!(
        "List of {plural}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
    );
    let mut list = json!({
        "description": format!("{list_kind} is a list of {kind}"),
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": {
                "description": items,
                "type": "array",
                "items": { "$ref": format!("#/components/schemas/{name}") },
            },
        },
    });
    add_type_fields(&mut list, reference(LIST_META, LIST_METADATA));
    for (schema, kind) in [(&mut object, kind), (&mut list, list_kind.as_str())] {
        schema["x-kubernetes-group-version-kind"] = json!([{ "group": group, "kind": kind, "version": version_name }]);
        if let Some(fields) = version.spec.selectable_fields.as_deref().filter(|fields| !fields.is_empty()) {
            let path = |path: &str| json!({ "fieldPath": path.strip_prefix('.').unwrap_or(path) });
            schema["x-kubernetes-selectable-fields"] = fields.iter().map(|field| path(&field.json_path)).collect();
        }
    }
    [(name, object), (model(group, version_name, &list_kind), list)]
}

fn text(description: &str) -> Value {
    json!({ "description": description, "type": "string" })
}

fn reference(name: &str, description: &str) -> Value {
    json!({ "description": description, "allOf": [{ "$ref": format!("#/components/schemas/{name}") }] })
}

fn add_type_fields(schema: &mut Value, metadata: Value) {
    let properties = &mut schema["properties"];
    properties["apiVersion"] = text(API_VERSION);
    properties["kind"] = text(KIND);
    properties["metadata"] = metadata;
}

/// Converts a schema of a definition to the published form.
fn publish(schema: &Value) -> Value {
    let mut published: Map<String, Value> = match schema {
        Value::Object(members) => {
            members.iter().filter_map(|(name, value)| keyword(name, value)).collect::<Map<_, _>>()
        }
        other => return other.clone(),
    };
    if published.contains_key("x-kubernetes-int-or-string") {
        expand_int_or_string(&mut published);
    }
    let mut published = Value::Object(published);
    if published["x-kubernetes-embedded-resource"] == true {
        add_embedded_fields(&mut published);
    }
    published
}

/// Returns a keyword as it is published; `None` for values that mean the same as an absent keyword.
fn keyword(name: &str, value: &Value) -> Option<(String, Value)> {
    let published = match (name, value) {
        (_, Value::Null | Value::Bool(false))
            if name != "default" && name != "example" && name != "additionalProperties" =>
        {
            return None;
        }
        ("default" | "example", Value::Null) => return None,
        ("properties", Value::Object(members)) => {
            members.iter().map(|(name, value)| (name.clone(), publish(value))).collect()
        }
        ("items" | "additionalProperties" | "not", value) => publish(value),
        ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => branches.iter().map(publish).collect(),
        (_, Value::Number(number)) if number.is_f64() => float(number.as_f64().unwrap_or_default()),
        (_, value) => value.clone(),
    };
    Some((name.to_owned(), published))
}

/// Describes an integer or a string without the extension, unless the schema does so already.
fn expand_int_or_string(schema: &mut Map<String, Value>) {
    let types = json!([{ "type": "integer" }, { "type": "string" }]);
    let first_of_all = schema.get("allOf").and_then(|branches| branches.get(0));
    if schema.get("anyOf") == Some(&types) || first_of_all.is_some_and(|branch| branch.get("anyOf") == Some(&types)) {
        return;
    }
    if !schema.contains_key("anyOf") {
        schema.insert("anyOf".to_owned(), types);
        return;
    }
    let branches = schema.entry("allOf").or_insert_with(|| json!([]));
    if let Value::Array(branches) = branches {
        branches.insert(0, json!({ "anyOf": types }));
    }
}

fn add_embedded_fields(schema: &mut Value) {
    let properties = &mut schema["properties"];
    properties["apiVersion"] = text(EMBEDDED_API_VERSION);
    properties["kind"] = text(EMBEDDED_KIND);
    properties["metadata"] = reference(OBJECT_META, METADATA);
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    for name in ["kind", "apiVersion"] {
        if !required.iter().any(|other| other == name) {
            required.push(name.into());
        }
    }
    schema["required"] = required.into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_schemas() {
        for (schema, expected) in [
            (
                json!({ "type": "string", "nullable": false, "default": false }),
                json!({ "type": "string", "default": false }),
            ),
            (
                json!({ "properties": { "a": { "x-kubernetes-int-or-string": true } } }),
                json!({ "properties": { "a": {
                    "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }],
                } } }),
            ),
            (
                json!({ "x-kubernetes-int-or-string": true, "anyOf": [{ "minimum": 1 }] }),
                json!({
                    "x-kubernetes-int-or-string": true,
                    "anyOf": [{ "minimum": 1 }],
                    "allOf": [{ "anyOf": [{ "type": "integer" }, { "type": "string" }] }],
                }),
            ),
        ] {
            assert_eq!(publish(&schema), expected);
        }
        let embedded =
            publish(&json!({ "type": "object", "x-kubernetes-embedded-resource": true, "required": ["kind"] }));
        assert_eq!(embedded["required"], json!(["kind", "apiVersion"]));
        assert!(embedded["properties"]["metadata"]["allOf"].is_array());
    }
}
