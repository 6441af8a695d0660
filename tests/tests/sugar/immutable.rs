//! `immutable` on fields and on types.

use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    schema,
    served::{installed, served},
};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "fixed.example.com", version = "v1", kind = "Fixed", derive = "PartialEq")]
#[serde(rename_all = "camelCase")]
pub(crate) struct FixedSpec {
    #[crd(immutable)]
    pub(crate) required: String,
    #[crd(immutable)]
    pub(crate) storage_class: Option<String>,
    #[crd(immutable, default = 1)]
    pub(crate) filled: i64,
    #[crd(immutable)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) list: Vec<String>,
    pub(crate) point: Option<Point>,
    #[crd(immutable)]
    pub(crate) twice: Option<Point>,
    #[crd(list_type = "map", list_map_keys = ["name"])]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) ports: Vec<Port>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) points: BTreeMap<String, Point>,
    pub(crate) free: Option<i64>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(immutable)]
pub(crate) struct Point {
    pub(crate) x: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) y: Option<i64>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Port {
    pub(crate) name: String,
    #[crd(immutable)]
    pub(crate) number: Option<i64>,
}

/// A resource whose spec cannot change.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "fixed.example.com", version = "v1", kind = "Frozen", plural = "frozen", derive = "PartialEq", immutable)]
pub(crate) struct FrozenSpec {
    pub(crate) size: i64,
}

const IMMUTABLE: &str = "field is immutable";
const ONCE: &str = "field is immutable once it is set";

#[test]
fn rules_are_written() {
    let schema = schema::<FixedSpec>();
    let immutable = json!([{ "rule": "self == oldSelf", "message": IMMUTABLE }]);
    for name in ["required", "storageClass", "filled", "list", "point", "twice"] {
        let property = &schema["properties"][name];
        assert_eq!(property["x-kubernetes-validations"], immutable, "{name}");
    }
    let stays = |name: &str| {
        json!({
            "rule": format!("!has(oldSelf.{name}) || has(self.{name})"),
            "message": ONCE, "fieldPath": format!(".{name}"),
        })
    };
    assert_eq!(schema["x-kubernetes-validations"], json!([stays("storageClass"), stays("list"), stays("twice")]));
    let port = &schema["properties"]["ports"]["items"];
    assert_eq!(port["x-kubernetes-validations"], json!([stays("number")]));
    assert_eq!(crate::schema::<FrozenSpec>()["x-kubernetes-validations"], immutable);
}

fn fixed(name: &str) -> Value {
    json!({
        "apiVersion": "fixed.example.com/v1", "kind": "Fixed", "metadata": { "name": name },
        "spec": {
            "required": "a", "storageClass": "b", "list": ["c"], "point": { "x": 1 },
            "twice": { "x": 1, "y": 2 }, "ports": [{ "name": "d", "number": 1 }],
            "points": { "e": { "x": 1 } }, "free": 1,
        },
    })
}

#[tokio::test]
async fn what_changes_is_refused() {
    let Some(served) = served::<Fixed>().await else {
        return;
    };
    served.create(fixed("changed")).await.expect_accepted();
    for (spec, field, message) in [
        (json!({ "required": "b" }), "spec.required", IMMUTABLE),
        (json!({ "storageClass": "c" }), "spec.storageClass", IMMUTABLE),
        (json!({ "storageClass": null }), "spec.storageClass", ONCE),
        (json!({ "filled": 2 }), "spec.filled", IMMUTABLE),
        (json!({ "list": ["c", "d"] }), "spec.list", IMMUTABLE),
        (json!({ "list": null }), "spec.list", ONCE),
        (json!({ "point": { "x": 2 } }), "spec.point", IMMUTABLE),
        (json!({ "point": { "y": 2 } }), "spec.point", IMMUTABLE),
        (json!({ "twice": { "y": null } }), "spec.twice", IMMUTABLE),
        (json!({ "twice": null }), "spec.twice", ONCE),
        (json!({ "ports": [{ "name": "d", "number": 2 }] }), "spec.ports[0].number", IMMUTABLE),
        (json!({ "ports": [{ "name": "d" }] }), "spec.ports[0].number", ONCE),
        (json!({ "points": { "e": { "x": 2 } } }), "spec.points[e]", IMMUTABLE),
    ] {
        let verdict = served.merge("changed", json!({ "spec": spec })).await;
        assert!(!verdict.accepted, "{spec} is accepted");
        let causes = verdict.causes_at(field);
        let found = causes.iter().any(|cause| cause.message.ends_with(message));
        assert!(found && verdict.causes.len() == 1, "{spec}: {:?}", verdict.causes);
    }
}

/// What is written as null is not set.
#[tokio::test]
async fn null_takes_a_value_away() {
    let Some(served) = served::<Fixed>().await else {
        return;
    };
    let created = served.create(fixed("null")).await.expect_accepted();
    let mut object = created.object.unwrap();
    object["spec"]["storageClass"] = Value::Null;
    let path = format!("{}/null", served.collection());
    let answer = served.send(crdkit_tests::Request::put(path, object)).await;
    let verdict = crdkit_tests::Verdict::from(answer);
    assert_eq!(verdict.causes_at("spec.storageClass").len(), 1, "{verdict}");
}

#[tokio::test]
async fn what_is_free_may_change() {
    let Some(served) = served::<Fixed>().await else {
        return;
    };
    let mut object = fixed("free");
    for name in ["storageClass", "list", "point", "twice", "ports"] {
        object["spec"].as_object_mut().unwrap().remove(name);
    }
    served.create(object).await.expect_accepted();
    // An optional field may be set later, once.
    let spec = json!({
        "free": 2, "storageClass": "b", "list": ["a"], "twice": { "x": 1 }, "point": { "x": 1 },
        "ports": [{ "name": "a" }],
    });
    served.merge("free", json!({ "spec": spec })).await.expect_accepted();
    // The type is immutable, whether there is a value of it is the field's business.
    let spec = json!({
        "free": null, "point": null, "points": { "e": null, "f": { "x": 1 } },
        "ports": [{ "name": "a", "number": 1 }, { "name": "b", "number": 2 }],
    });
    served.merge("free", json!({ "spec": spec })).await.expect_accepted();
    let moved = json!({ "ports": [{ "name": "b", "number": 2 }, { "name": "a", "number": 1 }] });
    served.merge("free", json!({ "spec": moved })).await.expect_accepted();
}

#[tokio::test]
async fn a_frozen_spec_stays_as_it_is() {
    let Some(served) = served::<Frozen>().await else {
        return;
    };
    served.create(Frozen::new("a", FrozenSpec { size: 1 })).await.expect_accepted();
    let verdict = served.merge("a", json!({ "spec": { "size": 2 } })).await;
    assert_eq!(verdict.causes_at("spec").len(), 1, "{verdict}");
    let labelled = json!({ "metadata": { "labels": { "a": "b" } } });
    served.merge("a", labelled).await.expect_accepted();
}

#[tokio::test]
async fn the_definitions_are_taken_without_a_warning() {
    let Some(installed) = installed().await else {
        return;
    };
    for name in ["fixeds.fixed.example.com", "frozen.fixed.example.com"] {
        let verdict = &installed[name].verdict;
        assert!(verdict.accepted, "{verdict}");
        assert_eq!(verdict.warnings, Vec::<String>::new());
    }
}
