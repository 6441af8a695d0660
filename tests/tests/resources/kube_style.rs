//! The attributes as kube-derive has them.

use std::collections::BTreeMap;

use crdkit::{CustomResource, JsonSchema, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::served::{columns, served};

/// Written for kube-derive.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[kube(
    group = "kube.example.com",
    version = "v1",
    kind = "Kubish",
    plural = "kubishes",
    singular = "kubish",
    shortname = "kb",
    category = "all",
    namespaced,
    status = "KubishStatus",
    derive = "PartialEq",
    derive = "Default",
    label("app", "kubish"),
    annotation("example.com/a", "b"),
    scale(
        spec_replicas_path = ".spec.replicas",
        status_replicas_path = ".status.replicas"
    ),
    printcolumn(name = "Replicas", type_ = "integer", json_path = ".spec.replicas"),
    printcolumn = r#"{"name": "Title", "type": "string", "jsonPath": ".spec.title"}"#,
    selectable = ".spec.title",
    validation = Rule::new("self.metadata.name == self.spec.title").message("name and title differ"),
    attr = "allow(missing_docs)"
)]
#[x_kube(validation = "self.replicas < 10")]
pub(crate) struct KubishSpec {
    /// The title.
    #[schemars(length(min = 1))]
    #[x_kube(validation = Rule::new("self != 'nothing'").message("something"))]
    pub(crate) title: String,
    pub(crate) replicas: i32,
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub(crate) tags: Vec<String>,
    #[serde(default)]
    pub(crate) nested: BTreeMap<String, Nested>,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct Nested {
    pub(crate) on: bool,
}

#[derive(JsonSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct KubishStatus {
    #[serde(default)]
    pub(crate) replicas: i32,
}

fn kubish(name: &str) -> Kubish {
    let spec = KubishSpec {
        title: name.to_owned(),
        replicas: 3,
        tags: vec!["a".to_owned()],
        nested: [("a".to_owned(), Nested { on: true })].into(),
    };
    Kubish::new(name, spec)
}

#[tokio::test]
async fn it_works_as_with_kube() {
    let Some(served) = served::<Kubish>().await else {
        return;
    };
    served.keeps(kubish("a")).await;
    let changes = [
        ("/metadata/name", json!("b"), "<nil>"),
        ("/spec/replicas", json!(10), "spec"),
        ("/spec/title", json!(""), "spec.title"),
        ("/spec/title", json!("nothing"), "spec.title"),
        ("/spec/tags", json!(["a", "a"]), "spec.tags[1]"),
        ("/spec/nested/a/on", json!(1), "spec.nested.a.on"),
    ];
    served.refuses(&kubish("refused"), &changes).await;

    assert_eq!(served.select("spec.title=a").await, ["a"]);
    let header = [("Replicas", "integer", 0), ("Title", "string", 0)];
    assert_eq!(served.columns().await, columns(&header));
    let resource = served.discovery().await;
    assert_eq!(resource["shortNames"], json!(["kb"]));

    let status = json!({ "status": { "replicas": 2 } });
    served.merge("a/status", status).await.expect_accepted();
    let scale = served.get("a/scale").await;
    assert_eq!(scale["status"]["replicas"], 2);
}
