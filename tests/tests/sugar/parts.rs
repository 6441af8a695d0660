//! Rules of what is only a part of an object: of variants, and of flattened types that may be absent.

use crdkit::{CustomResource, KubeSchema};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::served::{Served, served};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "parts.example.com", version = "v1", kind = "Assembly", derive = "PartialEq")]
pub(crate) struct AssemblySpec {
    volume: Option<Volume>,
    #[serde(flatten)]
    place: Option<Place>,
    #[serde(flatten)]
    labels: Option<Labels>,
    #[crd(embed = "opaque", immutable)]
    template: Option<PodTemplateSpec>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(tag = "in", rename_all = "camelCase")]
pub(crate) enum Volume {
    Disk(Disk),
    Memory(Memory),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(immutable)]
pub(crate) struct Disk {
    path: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(validation = "self.size >= oldSelf.size")]
pub(crate) struct Memory {
    size: i64,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(validation = "self.slot > 0", validation = "self.slot >= oldSelf.slot")]
pub(crate) struct Place {
    #[crd(immutable)]
    zone: String,
    #[crd(immutable)]
    rack: Option<String>,
    slot: i64,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(one_of("short", "long"))]
pub(crate) struct Labels {
    short: Option<String>,
    long: Option<String>,
    #[crd(requires = "long")]
    language: Option<String>,
}

fn assembly(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "parts.example.com/v1", "kind": "Assembly", "metadata": { "name": name }, "spec": spec,
    })
}

async fn is_followed(served: &Served<Assembly>, name: &str, changes: &[(Value, bool)]) {
    for (spec, is_accepted) in changes {
        let verdict = served.merge(name, json!({ "spec": spec })).await;
        assert_eq!(verdict.accepted, *is_accepted, "{spec}: {verdict}");
    }
}

#[tokio::test]
async fn rules_about_what_was_hold_within_a_variant() {
    let Some(served) = served::<Assembly>().await else {
        return;
    };
    let disk = |path: &str| json!({ "volume": { "in": "disk", "path": path, "size": null } });
    let memory = |size: i64| json!({ "volume": { "in": "memory", "size": size, "path": null } });
    let created = assembly("variant", json!({ "volume": { "in": "disk", "path": "/a" } }));
    served.create(created).await.expect_accepted();
    let changes = [
        (disk("/b"), false),
        (memory(2), true),
        (memory(1), false),
        (memory(3), true),
        (disk("/b"), true),
        (disk("/a"), false),
        (memory(1), true),
    ];
    is_followed(&served, "variant", &changes).await;
}

#[tokio::test]
async fn rules_of_a_flattened_type_hold_where_it_is_there() {
    let Some(served) = served::<Assembly>().await else {
        return;
    };
    for (at, (spec, is_accepted)) in [
        (json!({}), true),
        (json!({ "zone": "a", "slot": 1 }), true),
        (json!({ "zone": "a", "slot": 0 }), false),
        (json!({ "zone": "a" }), false),
        (json!({ "short": "a" }), true),
        (json!({ "long": "a", "language": "b" }), true),
        (json!({ "short": "a", "long": "a" }), false),
        (json!({ "short": "a", "language": "b" }), false),
        (json!({ "language": "b" }), false),
    ]
    .into_iter()
    .enumerate()
    {
        let object = assembly(&format!("flattened-{at}"), spec.clone());
        let verdict = served.create(object).await;
        assert_eq!(verdict.accepted, is_accepted, "{spec}: {verdict}");
    }
}

#[tokio::test]
async fn what_is_set_in_a_flattened_type_stays_set() {
    let Some(served) = served::<Assembly>().await else {
        return;
    };
    served.create(assembly("set", json!({}))).await.expect_accepted();
    let changes = [
        (json!({ "zone": "a", "slot": 2 }), true),
        (json!({ "slot": 1 }), false),
        (json!({ "slot": 3, "rack": "b" }), true),
        (json!({ "rack": null }), false),
        (json!({ "zone": "b" }), false),
        (json!({ "zone": null, "rack": null, "slot": null }), false),
        (json!({ "short": "a" }), true),
        (json!({ "short": null }), true),
    ];
    is_followed(&served, "set", &changes).await;
}

/// The server compares also what it does not know.
#[tokio::test]
async fn an_opaque_value_cannot_change() {
    let Some(served) = served::<Assembly>().await else {
        return;
    };
    let template = |image: &str| json!({ "template": { "spec": { "containers": [{ "name": "a", "image": image }] } } });
    served.create(assembly("opaque", template("a:1"))).await.expect_accepted();
    let changes = [
        (json!({ "short": "a" }), true),
        (template("a:1"), true),
        (template("a:2"), false),
        (json!({ "template": { "metadata": { "labels": { "a": "b" } } } }), false),
        (json!({ "template": null }), false),
    ];
    is_followed(&served, "opaque", &changes).await;
}
