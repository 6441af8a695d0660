use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Value, json};

use super::*;
use crate::props::read;

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

#[test]
fn an_update_takes_the_fields_that_it_changes() {
    let mut object = Object::new();
    object.update("a", json!({"size": 1, "labels": {"x": "y"}}));
    object.assert_managers(&[("a Update 01", spec(json!({".": {}, "f:size": {}, "f:labels": {".": {}, "f:x": {}}})))]);
    assert_eq!(object.entries()[0]["apiVersion"], "example.com/v1");

    object.update("b", json!({"size": 2, "labels": {"x": "y"}, "name": "c"}));
    object.assert_managers(&[
        ("a Update 01", spec(json!({".": {}, "f:labels": {".": {}, "f:x": {}}}))),
        ("b Update 02", spec(json!({"f:size": {}, "f:name": {}}))),
    ]);
    object.update("c", json!({"size": 2, "labels": {"x": "y"}, "name": "c"}));
    assert_eq!(object.managers().len(), 2);
    object.update("b", json!({}));
    object.assert_managers(&[("a Update 01", spec(json!({})))]);
}

#[test]
fn a_manager_without_a_name_is_unknown() {
    let mut object = Object::new();
    object.update("", json!({"size": 1}));
    assert_eq!(object.managers()[0].0, "unknown Update 01");
}

#[test]
fn managed_fields_are_reset_and_tracked_again_by_an_apply() {
    for reset in [json!([]), json!([{}])] {
        let mut object = Object::new();
        object.update("a", json!({"size": 1}));
        object.write("b", "", |object| object["metadata"]["managedFields"] = reset);
        object.assert_managers(&[]);
        object.update("b", json!({"size": 2}));
        object.assert_managers(&[]);
        object.apply("c", json!({"name": "d"}));
        object.assert_managers(&[
            ("c Apply 04", spec(json!({"f:name": {}}))),
            ("before-first-apply Update 04", spec(json!({".": {}, "f:size": {}}))),
        ]);
    }
}

#[test]
fn a_client_that_does_not_know_managed_fields_keeps_them() {
    let mut object = Object::new();
    object.update("a", json!({"size": 1}));
    let entries = object.managers();
    for unknown in [Value::Null, json!([{"manager": "a", "operation": "Other"}])] {
        object.write("b", "", |object| object["metadata"]["managedFields"] = unknown);
        assert_eq!(object.managers(), entries);
    }
}

#[test]
fn an_object_of_another_type_keeps_its_managers() {
    let mut object = Object::new();
    object.update("a", json!({"size": 1}));
    let entries = object.managers();
    object.update("b", json!({"size": "big"}));
    assert_eq!(object.managers(), entries);
}

#[test]
fn the_oldest_of_more_than_ten_updates_are_merged() {
    let mut object = Object::new();
    for number in 0..12 {
        let mut labels = object.live.as_ref().map_or_else(|| json!({}), |live| live["spec"]["labels"].clone());
        labels[format!("l{number:02}")] = "x".into();
        object.update(&format!("m{number:02}"), json!({"labels": labels}));
    }
    let managers = object.managers();
    assert_eq!(managers.len(), 10);
    assert_eq!(managers[0].0, "ancient-changes Update 03");
    let fields = json!({".": {}, "f:labels": {".": {}, "f:l00": {}, "f:l01": {}, "f:l02": {}}});
    assert_eq!(managers[0].1, spec(fields));
}

#[test]
fn a_request_does_not_own_what_it_cannot_write() {
    let mut object = Object::with_status();
    object.write("a", "", |object| object["status"] = json!({"phase": "x"}));
    object.assert_managers(&[("a Update 01", spec(json!({})))]);
    object.write("b", "status", |object| {
        object["status"] = json!({"phase": "y"});
        object["spec"] = json!({"size": 1});
        object["metadata"]["labels"] = json!({"a": "b"});
    });
    assert_eq!(object.managers()[1], ("b Update 02".to_owned(), json!({"f:status": {"f:phase": {}}})));
    assert_eq!(object.entries()[1]["subresource"], "status");
    let mut configuration = configuration(json!({"size": 1}));
    configuration["status"] = json!({"phase": "z"});
    object.try_apply("c", &configuration, false).unwrap();
    assert_eq!(object.managers()[0], ("c Apply 03".to_owned(), spec(json!({"f:size": {}}))));
}

#[test]
fn an_apply_creates_merges_and_removes() {
    let mut object = Object::new();
    object.apply(
        "a",
        json!({"size": 1, "set": ["x", "y"], "ports": [{"port": 80, "name": "web"}], "labels": {"k": "v"}}),
    );
    object.assert_managers(&[(
        "a Apply 01",
        spec(json!({
            "f:size": {},
            "f:set": {"v:\"x\"": {}, "v:\"y\"": {}},
            "f:ports": {"k:{\"port\":80,\"protocol\":\"TCP\"}": {".": {}, "f:port": {}, "f:name": {}}},
            "f:labels": {"f:k": {}},
        })),
    )]);
    object.apply("b", json!({"set": ["z", "y"], "ports": [{"port": 80, "protocol": "UDP"}], "labels": {"l": "v"}}));
    let merged = json!({
        "size": 1,
        "set": ["x", "z", "y"],
        "ports": [{"port": 80, "name": "web"}, {"port": 80, "protocol": "UDP"}],
        "labels": {"k": "v", "l": "v"},
    });
    assert_eq!(object.spec(), &merged);

    object.apply("a", json!({"size": 1}));
    assert_eq!(
        object.spec(),
        &json!({"size": 1, "set": ["z", "y"], "ports": [{"port": 80, "protocol": "UDP"}], "labels": {"l": "v"}})
    );
    object.apply("b", json!({}));
    assert_eq!(object.spec(), &json!({"size": 1}));
    object.assert_managers(&[("a Apply 03", spec(json!({"f:size": {}}))), ("b Apply 04", spec(json!({})))]);
}

#[test]
fn an_apply_that_changes_nothing_keeps_its_time() {
    let mut object = Object::new();
    object.apply("a", json!({"size": 1}));
    object.apply("a", json!({"size": 1}));
    object.assert_managers(&[("a Apply 01", spec(json!({"f:size": {}})))]);
    // A second owner has no time.
    object.apply("b", json!({"size": 1}));
    object.assert_managers(&[("b Apply ", spec(json!({"f:size": {}}))), ("a Apply 01", spec(json!({"f:size": {}})))]);
    object.apply("a", json!({}));
    assert_eq!(object.spec(), &json!({"size": 1}));
}

#[test]
fn values_of_every_topology_have_owners() {
    let mut object = Object::new();
    object.apply(
        "a",
        json!({
            "atomic": {"a": "b"}, "list": ["a"], "any": {"a": {"b": [1]}, "c": {}}, "intOrString": "1",
            "template": {"apiVersion": "v1", "kind": "Pod", "metadata": {
                "finalizers": ["a"], "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "b", "uid": "1"}],
            }, "data": {"a": 1}},
        }),
    );
    object.assert_managers(&[(
        "a Apply 01",
        spec(json!({
            "f:atomic": {}, "f:list": {}, "f:any": {"f:a": {".": {}, "f:b": {}}, "f:c": {}}, "f:intOrString": {},
            "f:template": {"f:apiVersion": {}, "f:kind": {}, "f:metadata": {
                "f:finalizers": {"v:\"a\"": {}}, "f:ownerReferences": {"k:{\"uid\":\"1\"}": {}},
            }, "f:data": {".": {}, "f:a": {}}},
        })),
    )]);
    object.force("b", json!({"any": {"a": 1}, "intOrString": 1}));
    assert_eq!(object.spec()["any"], json!({"a": 1, "c": {}}));
}

#[test]
fn conflicts() {
    let mut object = Object::new();
    object.update("a", json!({"size": 1, "ports": [{"port": 80}]}));
    let message = object.refused("b", json!({"size": 2}));
    assert_eq!(message, "Apply failed with 1 conflict: conflict with \"a\" using example.com/v1: .spec.size");
    object.write("s", "status", |object| object["status"] = json!({"phase": "x"}));
    object.apply("c", json!({"name": "n"}));

    let mut all = configuration(json!({"size": 2, "name": "m", "ports": [{"port": 80, "name": "x"}]}));
    all["status"] = json!({"phase": "y"});
    let error = object.try_apply("b", &all, false).unwrap_err();
    let ApplyError::Conflict { message, causes } = error else { panic!("{error:?}") };
    assert_eq!(
        message,
        "Apply failed with 3 conflicts: conflicts with \"a\" using example.com/v1:\n- .spec.size\nconflicts with \"c\":\n- \
         .spec.name\nconflicts with \"s\" with subresource \"status\" using example.com/v1:\n- .status.phase"
    );
    let cause =
        ConflictCause { message: "conflict with \"a\" using example.com/v1".into(), field: ".spec.size".into() };
    assert_eq!((causes.len(), &causes[0]), (3, &cause));

    object.try_apply("b", &all, true).unwrap();
    assert_eq!(object.spec(), &json!({"size": 2, "name": "m", "ports": [{"port": 80, "name": "x"}]}));
    object.force("b", json!({}));
    assert_eq!(object.spec(), &json!({"ports": [{"port": 80}]}));
}

#[test]
fn invalid_configurations() {
    let mut object = Object::new();
    let prefix = "failed to create typed patch object (default/a; example.com/v1, Kind=Foo): ";
    for (spec, problem) in [
        (json!({"other": 1}), ".spec.other: field not declared in schema"),
        (json!({"size": "1"}), ".spec.size: expected numeric (int or float), got string"),
        (json!({"name": 1000000}), ".spec.name: expected string, got &value.valueUnstructured{Value:1e+06}"),
        (json!({"on": {"a": [null]}}), ".spec.on: expected boolean, got &{map[a:[<nil>]]}"),
        (json!({"list": {}}), ".spec.list: expected list, got &{map[]}"),
        (json!({"labels": []}), ".spec.labels: expected map, got &{[]}"),
        (json!({"list": ["a", 1]}), ".spec.list[1]: expected string, got &value.valueUnstructured{Value:1}"),
        (json!({"set": ["a", "a"]}), ".spec.set: duplicate entries for key [=\"a\"]"),
        (
            json!({"set": [null]}),
            ".spec.set: element 0: associative list without keys has an element that's an explicit null",
        ),
        (
            json!({"ports": [{"port": 80}, {"port": 80, "protocol": "TCP"}]}),
            ".spec.ports: duplicate entries for key [port=80,protocol=\"TCP\"]",
        ),
        (json!({"ports": [1]}), ".spec.ports: element 0: associative list with keys may not have non-map elements"),
        (
            json!({"ports": [{"port": 80, "name": 1}]}),
            ".spec.ports[port=80,protocol=\"TCP\"].name: expected string, got &value.valueUnstructured{Value:1}",
        ),
        (
            json!({"size": "1", "name": true}),
            "errors:\n  .spec.name: expected string, got &value.valueUnstructured{Value:true}\n  .spec.size: expected numeric \
             (int or float), got string",
        ),
    ] {
        assert_eq!(object.refused("a", spec), format!("{prefix}{problem}"));
    }
    let mut with_entries = configuration(json!({}));
    with_entries["metadata"]["managedFields"] = json!([]);
    let error = object.try_apply("a", &with_entries, false).unwrap_err();
    assert_eq!(error, ApplyError::BadRequest("metadata.managedFields must be nil".to_owned()));
    let mut other = configuration(json!({}));
    other["kind"] = "Bar".into();
    let error = object.try_apply("a", &other, false).unwrap_err();
    assert_eq!(error, ApplyError::BadRequest("invalid object type: example.com/v1, Kind=Bar".to_owned()));
}

#[test]
fn a_manager_applies_in_several_versions() {
    let mut object = Object::new();
    object.apply("a", json!({"size": 1, "name": "x"}));
    let mut second = configuration(json!({"size": 2}));
    second["apiVersion"] = "example.com/v2".into();
    object.try_apply("a", &second, false).unwrap();
    assert_eq!(object.spec(), &json!({"size": 2}));
    object.assert_managers(&[("a Apply 02", spec(json!({"f:size": {}})))]);
    assert_eq!(object.entries()[0]["apiVersion"], "example.com/v2");
    let message = object.refused("b", json!({"size": 3}));
    assert_eq!(message, "Apply failed with 1 conflict: conflict with \"a\": .spec.size");
}

#[test]
fn entries_of_unknown_versions_are_dropped() {
    let mut object = Object::new();
    object.update("a", json!({"size": 1}));
    object.write("a", "", |object| object["metadata"]["managedFields"][0]["apiVersion"] = "example.com/v0".into());
    object.assert_managers(&[]);
}

#[test]
fn times_are_kept_if_nothing_else_changes() {
    let mut object = Object::new();
    object.apply("a", json!({"size": 1}));
    let live = object.live.unwrap();
    let later = |size: i64| {
        let mut new = live.clone();
        new["metadata"]["managedFields"][0]["time"] = "2026-01-02T00:00:00Z".into();
        new["spec"]["size"] = size.into();
        keep_times(&live, &mut new);
        new["metadata"]["managedFields"][0]["time"].clone()
    };
    assert_eq!((later(1), later(2)), (json!("2026-01-01T00:00:01Z"), json!("2026-01-02T00:00:00Z")));
}

#[test]
fn fields_of_a_value_that_became_atomic_are_replaced_by_the_value() {
    let mut object = Object::new();
    object.update("a", json!({"atomic": {"a": "b"}, "list": ["a"]}));
    object.write("a", "", |object| {
        object["metadata"]["managedFields"][0]["fieldsV1"] =
            spec(json!({"f:atomic": {".": {}, "f:a": {}}, "f:list": {"i:0": {}}}));
    });
    object.assert_managers(&[("a Update 01", spec(json!({"f:atomic": {}, "f:list": {}})))]);
}
