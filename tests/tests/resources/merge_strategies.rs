//! `merge_strategy` of each kind, seen in what two managers apply.

use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use kube::core::ListMerge;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::served::served;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "merge.example.com", version = "v1", kind = "Merged")]
#[serde(rename_all = "camelCase")]
pub(crate) struct MergedSpec {
    #[x_kube(merge_strategy = ListMerge::Atomic)]
    pub(crate) atomic_list: Option<Vec<String>>,
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub(crate) set: Option<Vec<String>>,
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into(), "port".into()]))]
    pub(crate) map_list: Option<Vec<Entry>>,
    #[x_kube(merge_strategy = MapMerge::Atomic)]
    pub(crate) atomic_map: Option<BTreeMap<String, String>>,
    #[x_kube(merge_strategy = MapMerge::Granular)]
    pub(crate) granular_map: Option<BTreeMap<String, String>>,
    #[x_kube(merge_strategy = StructMerge::Atomic)]
    pub(crate) atomic_struct: Option<Pair>,
    #[crd(merge_strategy = StructMerge::Granular)]
    pub(crate) granular_struct: Option<Pair>,
    #[x_kube(merge_strategy = by_name())]
    pub(crate) by_expression: Option<Vec<Entry>>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) port: u16,
    pub(crate) value: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) a: Option<u8>,
    pub(crate) b: Option<u8>,
}

fn by_name() -> ListMerge {
    ListMerge::Map(vec!["name".to_owned()])
}

fn object(spec: Value) -> Value {
    json!({ "apiVersion": "merge.example.com/v1", "kind": "Merged", "spec": spec })
}

async fn applied(name: &str, first: Value, second: Value) -> Option<Value> {
    let served = served::<Merged>().await?;
    for (manager, spec) in [("first", first), ("second", second)] {
        let applied = served.apply(manager, name, object(spec)).await;
        applied.expect_accepted();
    }
    Some(served.get(name).await["spec"].clone())
}

#[tokio::test]
async fn granular_members_are_merged() {
    let entry = |name: &str, port: u16| json!({ "name": name, "port": port });
    let first = json!({
        "set": ["a"],
        "mapList": [entry("a", 1)],
        "granularMap": { "a": "1" },
        "granularStruct": { "a": 1 },
        "byExpression": [entry("a", 1)],
    });
    let second = json!({
        "set": ["b"],
        "mapList": [entry("a", 2)],
        "granularMap": { "b": "2" },
        "granularStruct": { "b": 2 },
        "byExpression": [entry("b", 1)],
    });
    let merged = json!({
        "set": ["a", "b"],
        "mapList": [entry("a", 1), entry("a", 2)],
        "granularMap": { "a": "1", "b": "2" },
        "granularStruct": { "a": 1, "b": 2 },
        "byExpression": [entry("a", 1), entry("b", 1)],
    });
    if let Some(spec) = applied("granular", first, second).await {
        assert_eq!(spec, merged);
    }
}

#[tokio::test]
async fn atomic_members_have_one_owner() {
    let Some(served) = served::<Merged>().await else {
        return;
    };
    for (name, first, second) in [
        ("atomic-list", json!({ "atomicList": ["a"] }), json!({ "atomicList": ["b"] })),
        ("atomic-map", json!({ "atomicMap": { "a": "1" } }), json!({ "atomicMap": { "b": "2" } })),
        ("atomic-struct", json!({ "atomicStruct": { "a": 1 } }), json!({ "atomicStruct": { "b": 2 } })),
    ] {
        let applied = served.apply("first", name, object(first)).await;
        applied.expect_accepted();
        let conflict = served.apply("second", name, object(second)).await;
        assert!(conflict.message.contains("conflict"), "{name}: {conflict}");
    }
}

#[tokio::test]
async fn equal_members_are_refused() {
    let Some(served) = served::<Merged>().await else {
        return;
    };
    for (field, items, cause) in [
        ("set", json!(["a", "a"]), "spec.set[1]"),
        ("mapList", json!([{ "name": "a" }, { "name": "a", "port": 0 }]), "spec.mapList[1]"),
        ("byExpression", json!([{ "name": "a" }, { "name": "a", "port": 1 }]), "spec.byExpression[1]"),
    ] {
        let mut object = object(json!({ field: items }));
        object["metadata"] = json!({ "name": "equal" });
        let verdict = served.create(object).await;
        assert!(!verdict.causes_at(cause).is_empty(), "{verdict}");
    }
}
