//! The schemas of built-in kinds.
//!
//! `kinds.jsonl` has the types of the OpenAPI documents of the real server, one a line. It is copied by
//! `cargo run -p crdkit-tests --bin server_data`.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};

use serde::Deserialize;
use serde_json::{Map, Value};

/// Lists that Go writes even if they are empty, which schemas do not tell.
const WRITTEN: [&str; 4] = ["containers", "drivers", "limits", "rules"];
const REFERENCE: &str = "#/components/schemas/";

/// A line of the file.
#[derive(Deserialize)]
struct Line {
    name: String,
    schema: Value,
}

struct Types {
    schemas: HashMap<String, Value>,
    /// The names of the types of kinds, by group, version and kind.
    kinds: HashMap<[String; 3], String>,
}

static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let lines = include_str!("kinds.jsonl").lines();
    let lines = lines.map(|line| serde_json::from_str::<Line>(line).expect("the data is valid"));
    let schemas: HashMap<_, _> = lines.map(|line| (line.name, line.schema)).collect();
    let kinds = schemas.iter().flat_map(|(name, schema)| {
        let kinds = schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten();
        kinds.map(|kind| {
            let key = ["group", "version", "kind"].map(|part| kind[part].as_str().unwrap_or_default().to_owned());
            (key, name.clone())
        })
    });
    let kinds = kinds.collect();
    Types { schemas, kinds }
});

/// Returns the name of the type of a built-in kind, such as `io.k8s.api.apps.v1.Deployment`.
pub(super) fn name(group: &str, version: &str, kind: &str) -> Option<&'static str> {
    TYPES.kinds.get(&[group, version, kind].map(str::to_owned)).map(String::as_str)
}

/// Returns the schema of a built-in kind.
pub(super) fn schema(group: &str, version: &str, kind: &str) -> Option<&'static Value> {
    TYPES.schemas.get(name(group, version, kind)?)
}

/// Returns the schema that a schema refers to, or else the schema itself.
pub(super) fn resolve(schema: &'static Value) -> &'static Value {
    // A reference with a description or a default is in an `allOf`.
    let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    let referred = reference.and_then(|name| TYPES.schemas.get(name.strip_prefix(REFERENCE)?));
    referred.unwrap_or(schema)
}

/// Returns an object of a built-in kind before its fields are set: it has those that Go writes even if they are empty.
pub(super) fn empty(group: &str, version: &str, kind: &str) -> Option<&'static Value> {
    static EMPTY: LazyLock<Mutex<HashMap<&'static str, &'static Value>>> = LazyLock::new(Mutex::default);
    let name = name(group, version, kind)?;
    let mut known = EMPTY.lock().expect("nothing panics here");
    if !known.contains_key(name) {
        // There is one for each kind.
        known.insert(name, Box::leak(Box::new(empty_of(&TYPES.schemas[name]))));
    }
    known.get(name).copied()
}

fn empty_of(schema: &'static Value) -> Value {
    let required = || schema["required"].as_array().into_iter().flatten();
    let fields = schema["properties"].as_object().into_iter().flatten().filter_map(|(name, field)| {
        let resolved = resolve(field);
        let value = match (&field["default"], resolved["type"].as_str()) {
            (Value::Object(_), Some("object")) => empty_of(resolved),
            (Value::Null, Some("object")) if required().any(|it| it == name) => Value::Null,
            (Value::Null, Some("array")) if required().any(|it| it == name) && WRITTEN.contains(&name.as_str()) => {
                Value::Null
            }
            _ => return None,
        };
        Some((name.clone(), value))
    });
    Value::Object(fields.collect())
}

/// Adds a type, and the types that it contains.
pub(super) fn add(name: &str, schemas: &mut Map<String, Value>) {
    if let Some(schema) = TYPES.schemas.get(name)
        && !schemas.contains_key(name)
    {
        schemas.insert(name.to_owned(), schema.clone());
        add_references(schema, schemas);
    }
}

fn add_references(schema: &Value, schemas: &mut Map<String, Value>) {
    match schema {
        Value::Object(members) => {
            if let Some(name) = schema["$ref"].as_str().and_then(|it| it.strip_prefix(REFERENCE)) {
                add(name, schemas);
            }
            members.values().for_each(|value| add_references(value, schemas));
        }
        Value::Array(items) => items.iter().for_each(|item| add_references(item, schemas)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::api_server::builtin;

    #[test]
    fn built_in_kinds_have_schemas() {
        for resource in builtin::resources() {
            for version in &resource.versions {
                let name = &version.spec.name;
                assert!(
                    schema(&resource.group, name, &resource.names.kind).is_some(),
                    "{} {name}",
                    resource.names.kind
                );
            }
        }
        assert_eq!(name("apps", "v1", "Deployment"), Some("io.k8s.api.apps.v1.Deployment"));
    }

    #[test]
    fn empty_objects_have_the_fields_of_structs() {
        let deployment = empty("apps", "v1", "Deployment").unwrap();
        assert_eq!(deployment["spec"]["template"]["spec"], serde_json::json!({ "containers": null }));
        assert_eq!(deployment["spec"]["strategy"], serde_json::json!({}));
        assert_eq!(empty("", "v1", "ConfigMap").unwrap()["data"], Value::Null);
    }

    #[test]
    fn types_are_added_with_those_in_them() {
        let mut schemas = Map::new();
        add("io.k8s.api.apps.v1.Deployment", &mut schemas);
        assert!(schemas.contains_key("io.k8s.api.core.v1.Container"));
        assert!(!schemas.contains_key("io.k8s.api.core.v1.Service"));
        let spec = resolve(&schema("apps", "v1", "Deployment").unwrap()["properties"]["spec"]);
        assert!(spec["properties"]["replicas"].is_object());
    }
}
