//! The schemas of built-in kinds.
//!
//! `kinds.jsonl` has the types of the OpenAPI documents of the real server, one a line, and `empty.jsonl` the objects without
//! fields that its bookmarks have. They are copied by `cargo run -p crdkit-tests --bin server_data`.

use std::{collections::HashMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::value::text;

const REFERENCE: &str = "#/components/schemas/";

/// A line of the file of types.
#[derive(Deserialize)]
struct Line {
    name: String,
    schema: Value,
}

/// A line of the file of empty objects.
#[derive(Deserialize)]
struct EmptyLine {
    group: String,
    version: String,
    kind: String,
    object: Map<String, Value>,
}

struct Types {
    schemas: HashMap<String, Value>,
    /// The names of the types of kinds, by group, version and kind.
    kinds: HashMap<[String; 3], String>,
}

/// An object of a built-in kind without fields: it has those that Go writes even if they are empty.
pub(super) struct Empty {
    /// As a read returns it: besides its type and its metadata.
    pub(super) read: Map<String, Value>,
    /// Before a request sets its fields. Reads convert an internal type, in which some fields are not optional.
    pub(super) new: Value,
}

static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let lines =
        include_str!("kinds.jsonl").lines().map(|line| serde_json::from_str::<Line>(line).expect("the data is valid"));
    let schemas: HashMap<_, _> = lines.map(|line| (line.name, line.schema)).collect();
    let kinds = schemas
        .iter()
        .flat_map(|(name, schema)| {
            let kinds = schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten();
            kinds.map(|kind| {
                let key = ["group", "version", "kind"].map(|part| kind[part].as_str().unwrap_or_default().to_owned());
                (key, name.clone())
            })
        })
        .collect();
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

/// Returns the version in the `apiVersion` of an object.
pub(super) fn version(object: &Value) -> &str {
    text(object, "apiVersion").rsplit('/').next().unwrap_or_default()
}

/// Returns an object of a built-in kind without fields, if Go writes some of its fields even then.
pub(super) fn empty(group: &str, version: &str, kind: &str) -> Option<&'static Empty> {
    static EMPTY: LazyLock<HashMap<[String; 3], Empty>> = LazyLock::new(|| {
        let lines = include_str!("empty.jsonl")
            .lines()
            .map(|line| serde_json::from_str::<EmptyLine>(line).expect("the data is valid"));
        lines.map(|line| ([line.group, line.version, line.kind], Empty::read_as(line.object))).collect()
    });
    EMPTY.get(&[group, version, kind].map(str::to_owned))
}

impl Empty {
    fn read_as(read: Map<String, Value>) -> Self {
        let mut new = Value::Object(read.clone());
        if let Some(Value::Object(spec)) = new.get_mut("spec") {
            spec.remove("replicas");
        }
        Self { read, new }
    }
}

/// Removes the nulls and the empty lists of an object of a built-in kind, which Go does not write.
pub(super) fn remove_omitted(object: &mut Value, group: &str, kind: &str) {
    if !has_omitted(object) {
        return;
    }
    let version = version(object).to_owned();
    let Some(schema) = schema(group, &version, kind) else {
        return;
    };
    let is_written = |name: &str| empty(group, &version, kind).is_some_and(|empty| empty.read.contains_key(name));
    remove_below(object, schema, &is_written);
}

fn has_omitted(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty() || items.iter().any(has_omitted),
        Value::Object(members) => members.values().any(has_omitted),
        _ => false,
    }
}

fn remove_below(value: &mut Value, schema: &'static Value, is_written: &dyn Fn(&str) -> bool) {
    let schema = resolve(schema);
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| remove_below(item, &schema["items"], &|_| false)),
        Value::Object(members) => {
            let required = schema["required"].as_array();
            let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
            members.retain(|name, value| {
                let field = match &schema["properties"][name] {
                    Value::Null => &schema["additionalProperties"],
                    field => field,
                };
                let is_empty = match value {
                    // A value of any type can be null.
                    Value::Null => resolve(field)["type"].is_string(),
                    Value::Array(items) => items.is_empty() && field["type"] == "array",
                    _ => false,
                };
                if is_empty {
                    return is_required(name) || is_written(name);
                }
                remove_below(value, field, &|_| false);
                true
            });
        }
        _ => {}
    }
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
    use serde_json::json;

    use super::*;
    use crate::builtin;

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
        assert_eq!(deployment.read["spec"]["template"]["spec"], json!({ "containers": null }));
        assert_eq!(deployment.read["spec"]["replicas"], 0);
        assert_eq!(deployment.new["spec"]["replicas"], Value::Null);
        assert!(empty("", "v1", "ConfigMap").is_none());
    }

    #[test]
    fn nulls_and_empty_lists_are_removed_where_go_omits_them() {
        let mut deployment = json!({ "apiVersion": "apps/v1", "spec": { "template": { "spec": {
            "containers": [{ "name": "x", "args": [], "env": null }], "volumes": [], "nodeSelector": {}, "nodeName": null,
        } } } });
        remove_omitted(&mut deployment, "apps", "Deployment");
        let pod = json!({ "containers": [{ "name": "x" }], "nodeSelector": {} });
        assert_eq!(deployment["spec"]["template"]["spec"], pod);
        for (group, kind, object) in [
            ("rbac.authorization.k8s.io", "Role", json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "rules": [] })),
            ("", "Pod", json!({ "apiVersion": "v1", "spec": { "containers": [] } })),
            ("apps", "ControllerRevision", json!({ "apiVersion": "apps/v1", "data": { "a": [], "b": null } })),
        ] {
            let mut kept = object.clone();
            remove_omitted(&mut kept, group, kind);
            assert_eq!(kept, object);
        }
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
