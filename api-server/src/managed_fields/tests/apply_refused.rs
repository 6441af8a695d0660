//! Applies with conflicts, and invalid configurations.

use serde_json::json;

use super::*;

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
