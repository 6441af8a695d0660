//! Attributes of a resource that may be left out: the kind, the group and version, the types of columns.

use crdkit::{CustomResource, CustomResourceExt, KubeSchema, Resource};
use k8s_openapi::apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::Time, util::intstr::IntOrString};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "shorthand.example.com", version = "v1")]
struct HorseBoxSpec {}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "shorthand.example.com", version = "v1", root = "Named")]
struct PlainSpec {}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "shorthand.example.com", version = "v1", kind = "Given")]
struct OtherSpec {}

#[test]
fn kind_is_the_name_of_the_spec() {
    assert_eq!(HorseBox::kind(&()), "HorseBox");
    assert_eq!(HorseBox::crd_name(), "horseboxes.shorthand.example.com");
    assert_eq!(Named::kind(&()), "Plain");
    assert_eq!(Given::kind(&()), "Given");
}

#[crdkit::group_version(group = "shorthand.example.com", version = "v1")]
mod api {
    #![allow(dead_code)]
    use super::*;

    /// A horse.
    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(namespaced)]
    pub(super) struct HorseSpec {
        stable: Stable,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub(super) struct Stable {
        boxes: u8,
    }

    #[derive(crdkit::CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub(super) struct CartSpec(Stable);

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[kube(version = "v2", kind = "Coach")]
    pub(super) enum CoachKind {
        Stage {},
    }

    pub(super) mod inner {
        use super::*;

        #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
        pub(in super::super) struct SaddleSpec {}
    }

    #[crdkit::group_version(version = "v3")]
    pub(super) mod v3 {
        use super::*;

        #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
        pub(in super::super) struct HorseSpec {}
    }

    pub(super) fn make() -> Horse {
        Horse::new("a", HorseSpec { stable: Stable { boxes: 1 } })
    }
}

#[test]
fn modules_have_a_group_and_a_version() {
    let api_versions = [
        api::Horse::api_version(&()),
        api::Cart::api_version(&()),
        api::Coach::api_version(&()),
        api::inner::Saddle::api_version(&()),
        api::v3::Horse::api_version(&()),
    ];
    let expected = ["v1", "v1", "v2", "v1", "v3"].map(|version| format!("shorthand.example.com/{version}"));
    assert_eq!(api_versions.map(|it| it.into_owned()), expected);
    assert_eq!(json!(api::make())["apiVersion"], "shorthand.example.com/v1");
    assert_eq!(api::Horse::crd().spec.scope, "Namespaced");
}

#[allow(clippy::duplicated_attributes)] // two columns show one field
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "shorthand.example.com", version = "v1", status = "TypedStatus")]
#[crd(
    printcolumn(name = "Size", json_path = ".spec.size"),
    printcolumn(name = "Share", json_path = ".spec.parts[0].share"),
    printcolumn(name = "Name", json_path = ".metadata.name"),
    printcolumn(name = "Created", json_path = ".metadata.creationTimestamp"),
    printcolumn(name = "Port", json_path = ".spec.port"),
    printcolumn(name = "Memory", json_path = ".spec.memory"),
    printcolumn(name = "Label", json_path = ".metadata.labels.app"),
    printcolumn(name = "Up", json_path = ".status.up"),
    printcolumn(name = "Since", json_path = ".status.since", priority = 1, description = "Since when."),
    printcolumn(name = "Text", type_ = "string", json_path = ".spec.size"),
    printcolumn(age)
)]
struct TypedSpec {
    size: Option<i64>,
    parts: Vec<Part>,
    port: IntOrString,
    memory: Quantity,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Part {
    share: f64,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct TypedStatus {
    up: bool,
    since: Option<Time>,
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "shorthand.example.com", version = "v1", no_spec, printcolumn(name = "Region", json_path = ".region"))]
struct BucketSpec {
    region: String,
}

fn column_types<K: CustomResource + CustomResourceExt>() -> Vec<(String, String)> {
    let columns = K::crd().spec.versions.remove(0).additional_printer_columns.unwrap();
    columns.into_iter().map(|column| (column.name, column.type_)).collect()
}

#[test]
fn columns_have_the_types_of_what_they_show() {
    let expected = [
        ("Size", "integer"),
        ("Share", "number"),
        ("Name", "string"),
        ("Created", "date"),
        ("Port", "string"),
        ("Memory", "string"),
        ("Label", "string"),
        ("Up", "boolean"),
        ("Since", "date"),
        ("Text", "string"),
        ("Age", "date"),
    ];
    assert_eq!(column_types::<Typed>(), expected.map(|(name, type_)| (name.to_owned(), type_.to_owned())));
    assert_eq!(column_types::<Bucket>(), [("Region".to_owned(), "string".to_owned())]);
}
