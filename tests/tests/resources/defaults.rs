//! Defaults of fields and containers, and nulls.

use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use kube::core::ObjectMeta;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::served;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "defaults.example.com", version = "v1", kind = "Defaulted", derive = "PartialEq")]
#[serde(rename_all = "camelCase")]
pub(crate) struct DefaultedSpec {
    #[serde(default)]
    pub(crate) number: i32,
    #[serde(default = "seven")]
    pub(crate) function: u8,
    #[serde(default)]
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) skipped_list: Vec<String>,
    #[serde(default)]
    pub(crate) list: Vec<String>,
    #[serde(default)]
    pub(crate) map: BTreeMap<String, u8>,
    #[serde(default)]
    pub(crate) mode: Mode,
    #[serde(default)]
    pub(crate) option: Option<bool>,
    #[serde(default = "some")]
    pub(crate) some_option: Option<bool>,
    #[serde(default)]
    pub(crate) object: Members,
    pub(crate) container: Container,
    pub(crate) nullable: Option<Vec<u8>>,
}

fn seven() -> u8 {
    7
}

fn some() -> Option<bool> {
    Some(true)
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    ReadOnly,
    #[default]
    ReadWrite,
}

/// Written with a null, which a default must not have.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Members {
    pub(crate) mode: Mode,
    pub(crate) absent: Option<u8>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Container {
    pub(crate) first_size: u8,
    pub(crate) second: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) third: Option<String>,
}

impl Default for Container {
    fn default() -> Self {
        Self { first_size: 3, second: Some("two".to_owned()), third: None }
    }
}

#[tokio::test]
async fn what_is_left_out_is_what_serde_reads() {
    let Some(served) = served::<Defaulted>().await else {
        return;
    };
    let written = json!({
        "apiVersion": "defaults.example.com/v1",
        "kind": "Defaulted",
        "metadata": { "name": "a" },
        "spec": { "container": {} },
    });
    let stored = served.create(&written).await.expect_accepted().object.unwrap();
    let expected = json!({
        "number": 0,
        "function": 7,
        "text": "",
        "list": [],
        "map": {},
        "mode": "read-write",
        "someOption": true,
        "object": { "mode": "read-write" },
        "container": { "firstSize": 3, "second": "two" },
    });
    assert_eq!(stored["spec"], expected);
    let mut read: Defaulted = serde_json::from_value(stored).unwrap();
    read.metadata = ObjectMeta::default();
    read.metadata.name = Some("a".to_owned());
    let local: Defaulted = serde_json::from_value(written).unwrap();
    assert_eq!(read, local);
}

#[tokio::test]
async fn nulls_are_accepted_where_options_are() {
    let Some(served) = served::<Defaulted>().await else {
        return;
    };
    let spec: DefaultedSpec = serde_json::from_value(json!({
        "container": { "second": null },
        "nullable": null,
        "someOption": null,
    }))
    .unwrap();
    let object = Defaulted::new("nulls", spec);
    served.keeps(object.clone()).await;
    let full = serde_json::from_value(json!({
        "number": 1,
        "function": 2,
        "text": "text",
        "skippedList": ["a"],
        "list": ["b"],
        "map": { "c": 3 },
        "mode": "read-only",
        "option": true,
        "someOption": false,
        "object": { "mode": "read-only", "absent": 4 },
        "container": { "firstSize": 5, "second": "d", "third": "e" },
        "nullable": [6],
    }));
    served.keeps(Defaulted::new("full", full.unwrap())).await;
    let changes = [
        ("/spec/mode", json!("ReadOnly"), "spec.mode"),
        ("/spec/container", json!(null), "spec.container"),
        ("/spec/nullable", json!([null]), "spec.nullable[0]"),
        ("/spec/function", json!(256), "spec.function"),
    ];
    served.refuses(&object, &changes).await;
}
