//! `served`, `storage` and `deprecated`.

use crdkit::{CustomResource, KubeSchema, merge::Versions};
use crdkit_tests::Request;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{registry::merge, served::served};

macro_rules! version {
    ($module:ident $($attribute:tt)*) => {
        mod $module {
            use super::*;

            #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
            #[crd(group = "versions.example.com", kind = "Release", $($attribute)*)]
            pub(crate) struct ReleaseSpec {
                pub(crate) channel: String,
            }
        }
    };
}

version!(v1 version = "v1");
version!(v1beta1 version = "v1beta1", storage = false, deprecated);
version!(v1alpha2 version = "v1alpha2", storage = false, deprecated = "gone soon");
version!(v1alpha1 version = "v1alpha1", storage = false, served = false);

pub(crate) fn merged() -> Vec<Value> {
    let versions = Versions::new()
        .add::<v1alpha1::Release>()
        .add::<v1alpha2::Release>()
        .add::<v1beta1::Release>()
        .add::<v1::Release>();
    vec![merge(versions)]
}

#[tokio::test]
async fn versions_that_are_not_served_are_not_found() {
    let Some(v1) = served::<v1::Release>().await else {
        return;
    };
    let group = v1.send(Request::get("/apis/versions.example.com")).await;
    let versions = group.body["versions"].as_array().unwrap().clone();
    let names: Vec<_> = versions.iter().map(|version| &version["version"]).collect();
    assert_eq!(names, ["v1", "v1beta1", "v1alpha2"]);
    let unserved = "/apis/versions.example.com/v1alpha1/releases";
    assert_eq!(v1.send(Request::get(unserved)).await.status, 404);
}

#[tokio::test]
async fn deprecated_versions_warn() {
    let Some(v1) = served::<v1::Release>().await else {
        return;
    };
    for (version, warnings) in [
        ("v1", vec![]),
        ("v1beta1", vec!["versions.example.com/v1beta1 Release is deprecated; use versions.example.com/v1 Release"]),
        ("v1alpha2", vec!["gone soon"]),
    ] {
        let path = format!("/apis/versions.example.com/{version}/releases");
        let object = json!({
            "apiVersion": format!("versions.example.com/{version}"),
            "kind": "Release",
            "metadata": { "name": version },
            "spec": { "channel": "stable" },
        });
        let answer = v1.send(Request::post(path, object)).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        assert_eq!(answer.warnings, warnings);
    }
}
