//! `scale` by paths, as JSON and by fields, with and without a status.

use crdkit::{CustomResource, KubeSchema};
use crdkit_tests::{Request, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::served::{Served, served};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "scale.example.com",
    version = "v1",
    kind = "ByPaths",
    status = "Status",
    scale(
        spec_replicas_path = ".spec.size.replicas",
        status_replicas_path = ".status.replicas",
        label_selector_path = ".status.selector"
    )
)]
pub(crate) struct ByPathsSpec {
    pub(crate) size: Size,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "scale.example.com",
    version = "v1",
    kind = "ByJson",
    status = "Status",
    scale = r#"{
        "specReplicasPath": ".spec.size.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector"
    }"#
)]
pub(crate) struct ByJsonSpec {
    pub(crate) size: Size,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "scale.example.com", version = "v1", kind = "ByFields", status = "MarkedStatus", scale)]
pub(crate) struct ByFieldsSpec {
    pub(crate) size: MarkedSize,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "scale.example.com",
    version = "v1",
    kind = "WithoutSelector",
    status = "Status",
    scale(spec_replicas_path = ".spec.size.replicas", status_replicas_path = ".status.replicas")
)]
pub(crate) struct WithoutSelectorSpec {
    pub(crate) size: Size,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Size {
    pub(crate) replicas: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct Status {
    pub(crate) replicas: i32,
    pub(crate) selector: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct MarkedSize {
    #[crd(scale(replicas))]
    pub(crate) replicas: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
pub(crate) struct MarkedStatus {
    #[crd(scale(status_replicas))]
    pub(crate) replicas: i32,
    #[crd(scale(label_selector))]
    pub(crate) selector: Option<String>,
}

/// Scales an object of three replicas, of which one is there.
async fn scales<K: crdkit::CustomResource>(served: &Served<K>, status: Value) {
    let object = json!({
        "apiVersion": format!("scale.example.com/{}", K::DEFINITION.version),
        "kind": K::DEFINITION.kind,
        "metadata": { "name": "a" },
        "spec": { "size": { "replicas": 3 } },
    });
    served.create(object).await.expect_accepted();
    let observed = json!({ "status": { "replicas": 1, "selector": "app=a" } });
    let observed = served.merge("a/status", observed).await;
    observed.expect_accepted();

    let mut scale = served.get("a/scale").await;
    assert_eq!(scale["spec"], json!({ "replicas": 3 }));
    assert_eq!(scale["status"], status);

    scale["spec"]["replicas"] = json!(4);
    let path = format!("{}/a/scale", served.collection());
    let put: Verdict = served.send(Request::put(path, scale)).await.into();
    put.expect_accepted();
    assert_eq!(served.get("a").await["spec"]["size"]["replicas"], 4);

    let patch = json!({ "spec": { "replicas": 5 } });
    served.merge("a/scale", patch).await.expect_accepted();
    assert_eq!(served.get("a").await["spec"]["size"]["replicas"], 5);
}

macro_rules! scales {
    ($($test:ident: $root:ident => $status:tt,)+) => {$(
        #[tokio::test]
        async fn $test() {
            let Some(served) = served::<$root>().await else {
                return;
            };
            scales(&served, json!($status)).await;
        }
    )+};
}

scales! {
    scaled_by_paths: ByPaths => { "replicas": 1, "selector": "app=a" },
    scaled_by_json: ByJson => { "replicas": 1, "selector": "app=a" },
    scaled_by_fields: ByFields => { "replicas": 1, "selector": "app=a" },
    scaled_without_selector: WithoutSelector => { "replicas": 1 },
}
