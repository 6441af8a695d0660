//! `no_spec`: the fields of the struct stand at the root of the object.

use crdkit::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::{columns, served};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(
    group = "nospec.example.com",
    version = "v1",
    kind = "Flat",
    no_spec,
    status = "FlatStatus",
    derive = "PartialEq",
    selectable = ".colour"
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlatSpec {
    #[crd(column)]
    pub(crate) colour: String,
    pub(crate) inner_size: InnerSize,
    #[serde(default = "yes")]
    pub(crate) visible: bool,
}

fn yes() -> bool {
    true
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct InnerSize {
    #[crd(column(name = "Width"), selectable)]
    pub(crate) width: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct FlatStatus {
    #[crd(column)]
    pub(crate) seen: bool,
}

fn flat(name: &str) -> Flat {
    let spec = FlatSpec { colour: "red".to_owned(), inner_size: InnerSize { width: 3 }, visible: false };
    Flat::new(name, spec)
}

#[tokio::test]
async fn fields_stand_at_the_root() {
    let Some(served) = served::<Flat>().await else {
        return;
    };
    served.keeps(flat("a")).await;
    let stored = served.get("a").await;
    assert_eq!(stored["innerSize"], json!({ "width": 3 }));
    assert!(stored.get("spec").is_none());

    let changes = [
        ("/colour", json!(1), "colour"),
        ("/innerSize", json!(null), "innerSize"),
        ("/innerSize/width", json!("3"), "innerSize.width"),
    ];
    served.refuses(&flat("refused"), &changes).await;
    assert_eq!(served.select("colour=red,innerSize.width=3").await, ["a"]);

    let status = served.merge("a/status", json!({ "status": { "seen": true } })).await;
    let stored = status.expect_accepted().object.unwrap();
    assert_eq!(stored["metadata"]["generation"], 1);
    assert_eq!(json!(served.cells("a").await), json!(["red", 3, true]));
    let expected = [("Colour", "string", 0), ("Width", "integer", 0), ("Seen", "boolean", 0)];
    assert_eq!(served.columns().await, columns(&expected));
}
