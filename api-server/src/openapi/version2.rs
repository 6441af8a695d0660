//! The document of OpenAPI 2, which older clients and parts of kubectl read. It is made of the documents of version 3.

use serde_json::{Map, Value, json};

use super::document;
use crate::discovery::Discovery;

#[cfg(feature = "protobuf")]
pub(crate) mod message;

const SCHEMAS: &str = "#/components/schemas/";
const DEFINITIONS: &str = "#/definitions/";
const METHODS: [&str; 5] = ["delete", "get", "patch", "post", "put"];
/// What version 2 does not have.
const DROPPED: [&str; 6] = ["anyOf", "default", "example", "not", "nullable", "oneOf"];
const EXTENSION: &str = "x-kubernetes-";

/// Returns the document of all resources.
pub(crate) fn whole(discovery: &Discovery<'_>) -> Value {
    let (mut paths, mut definitions) = (Map::new(), Map::new());
    for group in [""].into_iter().chain(discovery.groups()) {
        for version in discovery.versions(group) {
            let Some(mut document) = document(discovery, group, version) else { continue };
            if let Value::Object(items) = document["paths"].take() {
                paths.extend(items.into_iter().map(|(path, item)| (path, path_item(item))));
            }
            if let Value::Object(schemas) = document["components"]["schemas"].take() {
                for (name, schema) in schemas {
                    // Most documents have the types that all share.
                    definitions.entry(name).or_insert_with(|| definition(schema));
                }
            }
        }
    }
    json!({
        "swagger": "2.0",
        "info": { "title": "Kubernetes", "version": crate::discovery::GIT_VERSION },
        "paths": paths,
        "definitions": definitions,
    })
}

fn path_item(mut item: Value) -> Value {
    let parameters = parameters(item["parameters"].take());
    let Value::Object(members) = &mut item else { return item };
    members.insert("parameters".to_owned(), parameters.into());
    for method in METHODS {
        if let Some(operation) = members.get_mut(method) {
            *operation = self::operation(operation.take());
        }
    }
    item
}

fn operation(mut operation: Value) -> Value {
    let mut all = parameters(operation["parameters"].take());
    let body = operation["requestBody"].take();
    if let Some((media_types, schema)) = content(&body) {
        all.push(json!({ "in": "body", "name": "body", "required": body["required"] == true, "schema": schema }));
        operation["consumes"] = media_types;
    }
    let responses = operation["responses"].take();
    let mut written = Map::new();
    for (code, response) in responses.as_object().into_iter().flatten() {
        let mut new = json!({ "description": response["description"] });
        if let Some((media_types, schema)) = content(response) {
            new["schema"] = schema;
            operation["produces"] = media_types;
        }
        written.insert(code.clone(), new);
    }
    operation["responses"] = written.into();
    operation["parameters"] = all.into();
    operation["schemes"] = json!(["https"]);
    operation.as_object_mut().map(|members| members.remove("requestBody"));
    operation
}

/// Returns the media types of a request or a response, and its schema, which is that of all of them.
fn content(of: &Value) -> Option<(Value, Value)> {
    let content = of["content"].as_object()?;
    let schema = content.values().next()?["schema"].clone();
    Some((content.keys().cloned().collect(), definition(schema)))
}

/// Returns parameters, each of which has what was its schema.
fn parameters(parameters: Value) -> Vec<Value> {
    let Value::Array(parameters) = parameters else { return Vec::new() };
    let of_version_2 = |mut parameter: Value| {
        if let Value::Object(schema) = definition(parameter["schema"].take())
            && let Value::Object(members) = &mut parameter
        {
            members.remove("schema");
            members.extend(schema);
        }
        parameter
    };
    parameters.into_iter().map(of_version_2).collect()
}

/// Returns a schema of version 2: `ToStructuralOpenAPIV2` for those of definitions, and what Kubernetes' own types say of themselves.
fn definition(schema: Value) -> Value {
    let Value::Object(mut members) = schema else { return schema };
    if let Some(reference) = reference(&members) {
        members.retain(|name, _| name == "description" || name.starts_with(EXTENSION));
        members.insert("$ref".to_owned(), reference.into());
        return members.into();
    }
    let is_nullable = members.get("nullable") == Some(&Value::Bool(true));
    let is_open = members.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true));
    // A type with several forms is a text there.
    if !is_open && !members.contains_key("type") && members.contains_key("oneOf") {
        members.insert("type".to_owned(), "string".into());
    }
    members.retain(|name, _| name != "allOf" && !DROPPED.contains(&name.as_str()));
    if is_nullable || is_open {
        members.retain(|name, _| name != "items" && name != "properties");
    }
    let is_unclear = match members.get("type").and_then(Value::as_str) {
        Some("array") => !members.contains_key("items"),
        Some("object") => is_open,
        _ => false,
    };
    if is_nullable || is_unclear {
        members.remove("type");
    }
    keep_required(&mut members);
    for (name, value) in &mut members {
        match (name.as_str(), &mut *value) {
            ("properties", Value::Object(properties)) => {
                properties.values_mut().for_each(|property| *property = definition(property.take()));
            }
            ("items" | "additionalProperties", value) => *value = definition(value.take()),
            _ => {}
        }
    }
    members.into()
}

/// Returns what a schema refers to.
fn reference(members: &Map<String, Value>) -> Option<String> {
    let direct = || members.get("$ref")?.as_str();
    let in_all = || members.get("allOf")?.get(0)?["$ref"].as_str();
    let name = direct().or_else(in_all)?.strip_prefix(SCHEMAS)?;
    Some(format!("{DEFINITIONS}{name}"))
}

/// A field that can be null is not required.
fn keep_required(members: &mut Map<String, Value>) {
    let properties = members.get("properties").cloned().unwrap_or_default();
    let Some(Value::Array(required)) = members.get_mut("required") else { return };
    required.retain(|name| properties[name.as_str().unwrap_or_default()]["nullable"] != true);
    if required.is_empty() {
        members.remove("required");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin;

    #[test]
    fn schemas_are_those_of_version_2() {
        let any = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": { "a": {} } });
        for (schema, expected) in [
            (json!({ "$ref": "#/components/schemas/a.B" }), json!({ "$ref": "#/definitions/a.B" })),
            (
                json!({ "description": "d", "default": {}, "allOf": [{ "$ref": "#/components/schemas/a.B" }] }),
                json!({ "description": "d", "$ref": "#/definitions/a.B" }),
            ),
            (
                json!({ "format": "int-or-string", "oneOf": [{ "type": "integer" }, { "type": "string" }] }),
                json!({ "format": "int-or-string", "type": "string" }),
            ),
            (any, json!({ "x-kubernetes-preserve-unknown-fields": true })),
            (
                json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string", "nullable": true } } }),
                json!({ "type": "object", "properties": { "a": {} } }),
            ),
            (
                json!({ "type": "array", "items": { "type": "string", "default": "x" } }),
                json!({ "type": "array", "items": { "type": "string" } }),
            ),
        ] {
            assert_eq!(definition(schema), expected);
        }
    }

    #[test]
    fn the_document_has_all_resources() {
        let resources = builtin::resources();
        let document = whole(&Discovery::new(resources.iter()));
        let patch = &document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
        let names: Vec<_> =
            patch["parameters"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert!(names.contains(&"fieldValidation") && names.contains(&"body"), "{names:?}");
        assert_eq!(patch["x-kubernetes-group-version-kind"]["kind"], "Deployment");
    }

    fn references<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn all_references_are_defined() {
        let resources = builtin::resources();
        let document = whole(&Discovery::new(resources.iter()));
        let mut found = Vec::new();
        references(&document, &mut found);
        let is_undefined = |name: &&&str| {
            name.strip_prefix(DEFINITIONS).is_none_or(|name| document["definitions"].get(name).is_none())
        };
        let undefined: std::collections::BTreeSet<_> = found.iter().filter(is_undefined).collect();
        assert!(found.len() > 1000 && undefined.is_empty(), "{undefined:?}");
    }
}
