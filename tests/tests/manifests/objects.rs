//! Objects as JSON.

use std::collections::BTreeMap;

use crdkit_tests::{Request, server::Server};
use serde_json::Value;

/// Returns the objects in a YAML stream.
pub(crate) fn parse(yaml: &str) -> Vec<Value> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(yaml).unwrap();
    documents.into_iter().filter(|document| !document.is_null()).collect()
}

/// Returns the objects that only one of both has, or that differ. Empty fields are as absent ones, and `0.0` is `0`.
pub(crate) fn difference(actual: &[Value], expected: &[Value]) -> Vec<String> {
    let [actual, expected] = [actual, expected].map(by_name);
    let names = actual.keys().chain(expected.keys().filter(|name| !actual.contains_key(*name)));
    let differing = names.filter(|name| actual.get(*name) != expected.get(*name));
    let describe = |name: &String| format!("{name}: {:#?} is not {:#?}", actual.get(name), expected.get(name));
    differing.map(describe).collect()
}

fn by_name(objects: &[Value]) -> BTreeMap<String, Value> {
    let named = objects.iter().map(|object| {
        let mut object = object.clone();
        normalize(&mut object);
        (format!("{} {}/{}", object["kind"], object["metadata"]["namespace"], object["metadata"]["name"]), object)
    });
    named.collect()
}

fn normalize(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(normalize);
            fields.retain(|_, value| !is_empty(value));
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::Number(number) => *value = number.as_f64().into(),
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Creates an object, of which unknown and duplicate fields are mistakes.
pub(crate) async fn create(server: Server, object: &Value, query: &str) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let api_version = text(&object["apiVersion"]);
    let root = if api_version.contains('/') { "apis" } else { "api" };
    let kind = text(&object["kind"]).to_lowercase();
    let plural = kind.strip_suffix('y').map_or(format!("{kind}s"), |stem| format!("{stem}ies"));
    let path = match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("/{root}/{api_version}/namespaces/{namespace}/{plural}"),
        None => format!("/{root}/{api_version}/{plural}"),
    };
    let created = server.raw(Request::post(format!("{path}?fieldValidation=Strict{query}"), object.clone())).await;
    assert_eq!(created.status, 201, "{kind}: {}", created.body);
}
