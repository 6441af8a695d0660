//! Server-side apply.

use serde_json::json;

use super::*;

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
fn items_of_an_atomic_type_keep_their_owner() {
    let topology = Topology::of_kind("", "v1", "ServiceAccount").unwrap();
    let mut object = Object { foos: Foos { topology, ..foos() }, ..Object::new() };
    let configuration = |members: Value| {
        let mut configuration = configuration(Value::Null);
        configuration.as_object_mut().unwrap().remove("spec");
        configuration.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        configuration
    };
    object.try_apply("a", &configuration(json!({"secrets": [{"name": "x"}]})), false).unwrap();
    object.try_apply("b", &configuration(json!({})), false).unwrap();
    let owned = object.managers().pop().unwrap();
    assert_eq!(owned, ("a Apply 01".to_owned(), json!({"f:secrets": {"k:{\"name\":\"x\"}": {}}})));
}
