//! Serde's attributes: names, flattening, transparency, skipping.

use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::served::{columns, served};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "serde.example.com", version = "v1", kind = "Named", derive = "PartialEq")]
#[serde(rename_all = "SCREAMING-KEBAB-CASE", deny_unknown_fields)]
pub(crate) struct NamedSpec {
    #[crd(column, selectable)]
    pub(crate) by_rule: String,
    #[serde(rename = "by.name/1")]
    #[crd(column(name = "By Name"))]
    pub(crate) by_name: String,
    #[serde(rename = "$by name")]
    #[crd(column(name = "Odd"))]
    pub(crate) odd: String,
    #[serde(alias = "other")]
    pub(crate) r#type: String,
    #[serde(skip)]
    pub(crate) skipped: u8,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) left_out: Option<u8>,
    pub(crate) transparent: Transparent,
    pub(crate) newtype: Newtype,
    pub(crate) lower: Lower,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(transparent)]
pub(crate) struct Transparent {
    #[schemars(length(max = 3))]
    pub(crate) inner: Vec<u8>,
}

/// A number.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Newtype(#[schemars(range(max = 10))] pub(crate) u8);

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all_fields = "lowercase", rename_all = "kebab-case")]
pub(crate) enum Lower {
    FirstOne,
    #[serde(rename = "2nd", alias = "second")]
    SecondOne,
    #[serde(skip)]
    #[allow(dead_code)]
    Hidden,
}

fn named(name: &str) -> Named {
    let spec = NamedSpec {
        by_rule: "rule".to_owned(),
        by_name: "name".to_owned(),
        odd: "odd".to_owned(),
        r#type: "type".to_owned(),
        skipped: 0,
        left_out: None,
        transparent: Transparent { inner: vec![1] },
        newtype: Newtype(10),
        lower: Lower::SecondOne,
    };
    Named::new(name, spec)
}

#[tokio::test]
async fn fields_have_serdes_names() {
    let Some(served) = served::<Named>().await else {
        return;
    };
    served.keeps(named("a")).await;
    let stored = served.get("a").await;
    let expected = json!({
        "BY-RULE": "rule",
        "by.name/1": "name",
        "$by name": "odd",
        "TYPE": "type",
        "TRANSPARENT": [1],
        "NEWTYPE": 10,
        "LOWER": "2nd",
    });
    assert_eq!(stored["spec"], expected);
    assert_eq!(served.select("spec.BY-RULE=rule").await, ["a"]);
    let header = [("By-Rule", "string", 0), ("By Name", "string", 0), ("Odd", "string", 0)];
    assert_eq!(served.columns().await, columns(&header));
    assert_eq!(json!(served.cells("a").await), json!(["rule", "name", "odd"]));
}

#[tokio::test]
async fn what_serde_refuses_is_refused() {
    let Some(served) = served::<Named>().await else {
        return;
    };
    let changes = [
        ("/spec/BY-RULE", json!(null), "spec.BY-RULE"),
        ("/spec/TRANSPARENT", json!([1, 2, 3, 4]), "spec.TRANSPARENT"),
        ("/spec/NEWTYPE", json!(11), "spec.NEWTYPE"),
        ("/spec/LOWER", json!("FirstOne"), "spec.LOWER"),
        ("/spec/LOWER", json!("hidden"), "spec.LOWER"),
    ];
    served.refuses(&named("b"), &changes).await;
    let mut unknown = json!(named("b"));
    unknown["spec"]["SKIPPED"] = json!(1);
    let verdict = served.create(unknown).await;
    assert!(verdict.message.contains(r#"unknown field "spec.SKIPPED""#));
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "serde.example.com",
    version = "v1",
    kind = "Flattened",
    derive = "PartialEq",
    selectable = ".spec.flatText"
)]
pub(crate) struct FlattenedSpec {
    pub(crate) own: u8,
    #[serde(flatten)]
    pub(crate) flat: Flat,
    #[serde(flatten)]
    pub(crate) maybe: Option<Maybe>,
    pub(crate) open: Open,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Flat {
    #[crd(column)]
    pub(crate) flat_text: String,
    #[serde(flatten)]
    pub(crate) deeper: Deeper,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Deeper {
    #[crd(selectable)]
    pub(crate) depth: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Maybe {
    pub(crate) both: String,
    pub(crate) or_none: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Open {
    pub(crate) known: bool,
    #[serde(flatten)]
    pub(crate) others: BTreeMap<String, Value>,
}

fn flattened(name: &str) -> Flattened {
    let spec = FlattenedSpec {
        own: 1,
        flat: Flat { flat_text: "text".to_owned(), deeper: Deeper { depth: 3 } },
        maybe: Some(Maybe { both: "a".to_owned(), or_none: "b".to_owned() }),
        open: Open { known: true, others: [("unknown".to_owned(), json!({ "deep": [1] }))].into() },
    };
    Flattened::new(name, spec)
}

#[tokio::test]
async fn flattened_fields_stand_in_their_parent() {
    let Some(served) = served::<Flattened>().await else {
        return;
    };
    served.keeps(flattened("a")).await;
    let mut without = flattened("b");
    without.spec.maybe = None;
    without.spec.open.others.clear();
    served.keeps(without).await;
    assert_eq!(served.select("spec.flatText=text,spec.depth=3").await, ["a", "b"]);
    assert_eq!(json!(served.cells("a").await), json!(["text"]));
    let changes = [
        ("/spec/flatText", json!(null), "spec.flatText"),
        ("/spec/depth", json!("3"), "spec.depth"),
        ("/spec/open/known", json!(1), "spec.open.known"),
    ];
    served.refuses(&flattened("c"), &changes).await;
}
