use crdkit::__internal::crd_accessors::read;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Value, json};

use super::*;

mod apply;
mod apply_refused;
mod update;

/// The kind of the tests, in two versions.
struct Foos {
    topology: Topology,
    has_status: bool,
}

impl Versions for Foos {
    fn kind(&self) -> &'static str {
        "Foo"
    }

    fn topology(&self, api_version: &str) -> Option<&Topology> {
        matches!(api_version, "example.com/v1" | "example.com/v2").then_some(&self.topology)
    }

    fn has_status(&self, _: &str) -> bool {
        self.has_status
    }

    fn convert(&self, object: &Value, api_version: &str) -> Value {
        let mut object = object.clone();
        object["apiVersion"] = api_version.into();
        object
    }
}

fn foos() -> Foos {
    let schema: JSONSchemaProps = serde_json::from_value(json!({
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": {
                "size": {"type": "integer"},
                "name": {"type": "string"},
                "on": {"type": "boolean"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "atomic": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "string"}}},
                "list": {"type": "array", "items": {"type": "string"}},
                "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                "ports": {
                    "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port", "protocol"],
                    "items": {"type": "object", "required": ["port"], "properties": {
                        "port": {"type": "integer"},
                        "protocol": {"type": "string", "default": "TCP"},
                        "name": {"type": "string"},
                    }},
                },
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
                "intOrString": {"x-kubernetes-int-or-string": true},
                "template": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
            }},
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        },
    }))
    .unwrap();
    Foos { topology: Topology::of_schema(&read::schema(&schema)), has_status: false }
}

/// An object in a store.
struct Object {
    foos: Foos,
    live: Option<Value>,
    second: u32,
}

impl Object {
    fn new() -> Self {
        Self { foos: foos(), live: None, second: 0 }
    }

    fn with_status() -> Self {
        Self { foos: Foos { has_status: true, ..foos() }, ..Self::new() }
    }

    fn time(&mut self) -> String {
        self.second += 1;
        format!("2026-01-01T00:00:{:02}Z", self.second)
    }

    fn write(&mut self, manager: &str, subresource: &str, change: impl FnOnce(&mut Value)) {
        let mut new = self.live.clone().unwrap_or_else(|| configuration(json!({})));
        change(&mut new);
        let time = self.time();
        let writer = Writer { manager, api_version: "example.com/v1", subresource, time: &time };
        track_update(&self.foos, self.live.as_ref(), &mut new, &writer);
        new["metadata"]["uid"] = "1".into();
        self.live = Some(new);
    }

    fn update(&mut self, manager: &str, spec: Value) {
        self.write(manager, "", |object| object["spec"] = spec);
    }

    fn try_apply(&mut self, manager: &str, configuration: &Value, force: bool) -> Result<(), ApplyError> {
        let time = self.time();
        let api_version = configuration["apiVersion"].as_str().unwrap();
        let writer = Writer { manager, api_version, subresource: "", time: &time };
        let live = self.live.as_ref().map(|live| self.foos.convert(live, api_version));
        let mut new = apply(&self.foos, live.as_ref(), configuration, &writer, force)?;
        new["metadata"]["uid"] = "1".into();
        self.live = Some(new);
        Ok(())
    }

    fn apply(&mut self, manager: &str, spec: Value) {
        self.try_apply(manager, &configuration(spec), false).unwrap();
    }

    fn force(&mut self, manager: &str, spec: Value) {
        self.try_apply(manager, &configuration(spec), true).unwrap();
    }

    fn refused(&mut self, manager: &str, spec: Value) -> String {
        match self.try_apply(manager, &configuration(spec), false).unwrap_err() {
            ApplyError::Conflict { message, .. } | ApplyError::BadRequest(message) | ApplyError::Internal(message) => {
                message
            }
        }
    }

    fn spec(&self) -> &Value {
        &self.live.as_ref().unwrap()["spec"]
    }

    fn entries(&self) -> &[Value] {
        let metadata = &self.live.as_ref().unwrap()["metadata"];
        metadata["managedFields"].as_array().map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns `manager operation second` and the fields of each entry.
    fn managers(&self) -> Vec<(String, Value)> {
        let entries = self.entries().iter().map(|entry| {
            let text = |name| entry[name].as_str().unwrap_or_default();
            let second = text("time").get(17..19).unwrap_or_default();
            (format!("{} {} {second}", text("manager"), text("operation")), entry["fieldsV1"].clone())
        });
        entries.collect()
    }

    #[track_caller]
    fn assert_managers(&self, expected: &[(&str, Value)]) {
        let expected: Vec<_> =
            expected.iter().map(|(manager, fields)| ((*manager).to_owned(), fields.clone())).collect();
        assert_eq!(self.managers(), expected);
    }
}

fn configuration(spec: Value) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "default"}, "spec": spec})
}

fn spec(fields: Value) -> Value {
    json!({"f:spec": fields})
}
