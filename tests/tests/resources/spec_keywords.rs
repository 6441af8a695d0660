//! Keywords of `#[crd(...)]` on the spec of a resource.

use crdkit::{CustomResource, CustomResourceExt, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::served::served;

/// What is kept as it is.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "spec.example.com", version = "v1", kind = "Bag", derive = "PartialEq")]
#[crd(preserve_unknown_fields, max_properties = 3, title = "Bag", map_type = "atomic")]
#[crd(description = "What is in it.", schema_patch({ "minProperties": 1 }))]
pub(crate) struct BagSpec {
    size: i64,
    #[serde(flatten)]
    others: serde_json::Map<String, Value>,
}

#[test]
fn the_schema_of_the_spec_has_them() {
    let crd = json!(Bag::crd());
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    assert_eq!(schema["description"], "What is kept as it is.");
    assert_eq!(
        schema["properties"]["spec"],
        json!({
            "description": "What is in it.",
            "title": "Bag",
            "type": "object",
            "minProperties": 1,
            "maxProperties": 3,
            "properties": { "size": { "type": "integer", "format": "int64" } },
            "required": ["size"],
            "x-kubernetes-map-type": "atomic",
            "x-kubernetes-preserve-unknown-fields": true,
        })
    );
}

#[tokio::test]
async fn the_server_goes_by_them() {
    let Some(bags) = served::<Bag>().await else {
        return;
    };
    let bag = |others: Value| {
        let others = others.as_object().unwrap().clone();
        Bag::new("bag", BagSpec { size: 1, others })
    };
    bags.keeps(bag(json!({ "a": [1], "b": { "c": null } }))).await;
    let full = [("/spec/d", json!(1), "spec")];
    bags.refuses(&bag(json!({ "a": 1, "b": 2 })), &full).await;
}
