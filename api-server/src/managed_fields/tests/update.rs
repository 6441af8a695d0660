//! Updates, patches and creations.

use serde_json::json;

use super::*;

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
