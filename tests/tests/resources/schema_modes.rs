//! `schema = "manual"` and `schema = "disabled"`.

use std::borrow::Cow;

use crdkit::CustomResource;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::served;

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "manual.example.com", version = "v1", kind = "Manual", schema = "manual", derive = "PartialEq")]
pub(crate) struct ManualSpec {
    pub(crate) even: u8,
}

impl JsonSchema for Manual {
    fn schema_name() -> Cow<'static, str> {
        "Manual".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "required": ["spec"],
            "properties": { "spec": {
                "type": "object",
                "required": ["even"],
                "properties": { "even": { "type": "integer", "multipleOf": 2 } },
            } },
        })
    }
}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "manual.example.com", version = "v1", kind = "Disabled", schema = "disabled")]
pub(crate) struct DisabledSpec {
    pub(crate) anything: serde_json::Value,
}

#[tokio::test]
async fn the_manual_schema_is_the_one() {
    let Some(served) = served::<Manual>().await else {
        return;
    };
    served.keeps(Manual::new("a", ManualSpec { even: 2 })).await;
    let odd = [("/spec/even", json!(3), "spec.even")];
    let refused = Manual::new("b", ManualSpec { even: 2 });
    served.refuses(&refused, &odd).await;
}

#[test]
fn a_disabled_schema_is_left_out() {
    use kube::CustomResourceExt;
    let crd = json!(Disabled::crd());
    assert_eq!(crd["metadata"]["name"], "disableds.manual.example.com");
    let version = &crd["spec"]["versions"][0];
    assert!(version["schema"].get("openAPIV3Schema").is_none(), "{version}");
}
