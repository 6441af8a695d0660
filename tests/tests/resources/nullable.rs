//! `nullable = false`: null is dropped where a field may be left out.

use std::collections::BTreeMap;

use crdkit::{CustomResource, CustomResourceExt, KubeSchema, testing::RoundtripTest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::served::served;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "nullable.example.com",
    version = "v1",
    kind = "Filled",
    status = "FilledStatus",
    nullable = false,
    validation = "!has(self.spec.size) || self.spec.size > 0",
    derive = "PartialEq"
)]
pub(crate) struct FilledSpec {
    pub(crate) size: Option<i32>,
    #[serde(default = "some_text")]
    pub(crate) text: Option<String>,
    #[crd(nullable)]
    pub(crate) requested: Option<bool>,
    #[serde(default)]
    pub(crate) part: Option<Part>,
    pub(crate) list: Vec<Option<bool>>,
    pub(crate) map: BTreeMap<String, Option<bool>>,
    pub(crate) choice: Choice,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) inner: Option<u8>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) enum Choice {
    Maybe(Option<bool>),
    Part(Part),
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct FilledStatus {
    pub(crate) phase: Option<String>,
}

fn some_text() -> Option<String> {
    Some("text".to_owned())
}

/// What serde writes without an attribute.
fn nothing(name: &str) -> Filled {
    let spec = FilledSpec {
        size: None,
        text: None,
        requested: None,
        part: Some(Part { inner: None }),
        list: vec![None, Some(true)],
        map: [("a".to_owned(), None)].into(),
        choice: Choice::Maybe(None),
    };
    Filled::new(name, spec)
}

#[tokio::test]
async fn null_is_dropped_where_a_field_may_be_left_out() {
    let Some(served) = served::<Filled>().await else {
        return;
    };
    let sent = json!(nothing("dropped"));
    assert_eq!(sent["spec"]["size"], Value::Null);
    let verdict = served.create(&sent).await.expect_accepted();
    let expected = json!({
        "text": "text",
        "requested": null,
        "part": {},
        "list": [null, true],
        "map": { "a": null },
        "choice": { "Maybe": null },
    });
    assert_eq!(verdict.object.unwrap()["spec"], expected);

    let read: Filled = serde_json::from_value(served.get("dropped").await).unwrap();
    let mut spec = nothing("dropped").spec;
    spec.text = some_text();
    assert_eq!(read.spec, spec);
}

#[tokio::test]
async fn rules_need_only_ask_whether_a_field_is_there() {
    let Some(served) = served::<Filled>().await else {
        return;
    };
    let mut object = nothing("ruled");
    object.spec.size = Some(0);
    let verdict = served.create(&object).await;
    assert!(verdict.message.contains("failed rule"), "{verdict}");
}

#[test]
fn the_status_is_not_nullable_either() {
    let crd = json!(Filled::crd());
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    assert_eq!(schema["status"].get("nullable"), None);
    assert_eq!(schema["status"]["properties"]["phase"], json!({ "type": "string" }));
}

#[test]
fn schema_and_decoder_agree() {
    RoundtripTest::of_resource::<Filled>().check();
}
