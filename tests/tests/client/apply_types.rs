//! Types of `derive(Apply)`, against a real API server.

use std::collections::BTreeMap;

use crdkit::{
    Apply, CustomResource, CustomResourceExt, KubeSchema,
    apply::ExtractError,
    client::{Resources, scope::InNamespace},
};
use k8s_openapi::{
    api::core::v1::LocalObjectReference,
    apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::OwnerReference},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::{
    served::{client, namespace},
    server::server,
};

#[derive(CustomResource, KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "apply.example.com", version = "v1", kind = "VirtualMachine", namespaced, status = "Status")]
#[serde(rename_all = "camelCase")]
struct VirtualMachineSpec {
    cpu: String,
    memory: Option<Quantity>,
    #[serde(default = "one")]
    min_replicas: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[crd(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    disks: Vec<Disk>,
    #[serde(default)]
    #[crd(merge_strategy = ListMerge::Set)]
    tags: Vec<String>,
    #[serde(default)]
    ports: Vec<u16>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    labels: BTreeMap<String, String>,
    secret: Option<LocalObjectReference>,
    #[serde(flatten)]
    placement: Placement,
    #[serde(default, with = "celsius")]
    #[schemars(with = "Option<String>")]
    limit: Option<f64>,
    #[serde(default)]
    policy: Option<Policy>,
}

fn one() -> u32 {
    1
}

#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
struct Disk {
    #[apply(key)]
    name: String,
    size: Quantity,
    #[serde(default)]
    boot: bool,
}

#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug, Default)]
struct Placement {
    zone: Option<String>,
    #[serde(rename = "host-name")]
    host: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug)]
enum Policy {
    Always,
    Never,
}

#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
struct Status {
    phase: Option<String>,
    ready: Option<i32>,
}

/// A temperature, written with its unit.
mod celsius {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(it: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
        it.map(|degrees| format!("{degrees}C")).serialize(s)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        let text: Option<String> = Option::deserialize(d)?;
        let number = text.map(|text| text.trim_end_matches('C').parse());
        number.transpose().map_err(serde::de::Error::custom)
    }
}

async fn machines(test: &str) -> Option<Resources<VirtualMachine, InNamespace>> {
    static INSTALLED: OnceCell<()> = OnceCell::const_new();
    let client = client().await?;
    let install = async || {
        let crd = serde_json::to_value(VirtualMachine::crd()).unwrap();
        let server = server().expect("there is a client");
        server.install(&crd).await.expect_accepted();
    };
    INSTALLED.get_or_init(install).await;
    let namespace = namespace(&client, test).await;
    Some(client.resources().namespace(&namespace))
}

fn disk(name: &str, size: &str) -> DiskApply {
    DiskApply::new(name).size(Quantity(size.into()))
}

/// The fields that a manager owns, as the API server wrote them.
fn owned(vm: &VirtualMachine, manager: &str) -> Value {
    let managed = vm.metadata.managed_fields.iter().flatten();
    let mut entries = managed.filter(|entry| entry.manager.as_deref() == Some(manager));
    let entry = entries.next().expect("the manager owns fields");
    entry.fields_v1.clone().unwrap().0
}

#[test]
fn set_fields_are_written_as_serde_writes_them() {
    let nodes: [(&str, &str); 0] = [];
    let vm = VirtualMachineApply::new()
        .cpu("2")
        .min_replicas(3)
        .ports([80, 443])
        .placement(PlacementApply::new().host("h1"))
        .limit(21.5)
        .policy(Policy::Never)
        .secret(LocalObjectReference { name: "s".into() })
        .disks(Vec::<DiskApply>::new())
        .spec(VirtualMachineSpecApply::new().cpu("4").labels(nodes))
        .tags(["a", "b"])
        .status(StatusApply::new().ready(1));
    let expected = json!({
        "spec": { "cpu": "4", "labels": {}, "tags": ["a", "b"] }, "status": { "ready": 1 },
    });
    assert_eq!(serde_json::to_value(vm).unwrap(), expected);

    let owner = OwnerReference { name: "o".into(), ..OwnerReference::default() };
    let vm = VirtualMachineApply::new()
        .labels([("app", "web")])
        .annotations(BTreeMap::from([("a".to_owned(), "b".to_owned())]))
        .finalizers(["x/y"])
        .owner_references([owner])
        .min_replicas(3)
        .ports([80, 443])
        .placement(PlacementApply::new().host("h1"))
        .limit(21.5)
        .policy(Policy::Always)
        .disks([disk("a", "1Gi").boot(true)]);
    let expected = json!({
        "metadata": {
            "labels": { "app": "web" }, "annotations": { "a": "b" }, "finalizers": ["x/y"],
            "ownerReferences": [{ "apiVersion": "", "kind": "", "name": "o", "uid": "" }],
        },
        "spec": {
            "minReplicas": 3, "ports": [80, 443], "host-name": "h1", "limit": "21.5C", "policy": "Always",
            "disks": [{ "name": "a", "size": "1Gi", "boot": true }],
        },
    });
    assert_eq!(serde_json::to_value(vm).unwrap(), expected);
}

/// Numbers of 32 bits in each position.
#[derive(KubeSchema, Apply, Serialize, Deserialize, Clone, Debug)]
struct Shares {
    one: f32,
    some: Option<f32>,
    all: Vec<f32>,
    by_name: BTreeMap<String, f32>,
    #[serde(serialize_with = "of_both")]
    #[schemars(with = "Vec<f32>")]
    both: (f32, f32),
    #[crd(format = "double")]
    double: f32,
}

fn of_both<S: serde::Serializer>(both: &(f32, f32), serializer: S) -> Result<S::Ok, S::Error> {
    [both.0, both.1].serialize(serializer)
}

#[test]
fn a_number_of_32_bits_is_written_as_its_shortest_text() {
    let applied = SharesApply::new()
        .one(0.1)
        .some(0.2)
        .all([0.3, 16_777_216.0])
        .by_name([("a", 0.7)])
        .both((0.1, -2_856_804.2))
        .double(0.6);
    let expected =
        r#"{"all":[0.3,16777216.0],"both":[0.1,-2856804.2],"by_name":{"a":0.7},"double":0.6,"one":0.1,"some":0.2}"#;
    let value: Value = serde_json::to_value(&applied).unwrap();
    assert_eq!(value, serde_json::from_str::<Value>(expected).unwrap());
}

#[tokio::test]
async fn only_set_fields_are_owned() {
    let Some(machines) = machines("apply-types-owned").await else {
        return;
    };
    let vm = VirtualMachineApply::new().cpu("2").labels([("app", "web")]);
    let vm = machines.apply("web", &vm).await.unwrap();
    assert_eq!(vm.spec.min_replicas, 1);
    let expected = json!({ "f:metadata": { "f:labels": { "f:app": {} } }, "f:spec": { "f:cpu": {} } });
    assert_eq!(owned(&vm, "tests"), expected);
}

#[tokio::test]
async fn managers_own_separate_items() {
    let Some(machines) = machines("apply-types-items").await else {
        return;
    };
    let (first, second) = (machines.field_manager("first"), machines.field_manager("second"));
    let of_first = VirtualMachineApply::new().cpu("2").disks([disk("a", "1Gi")]).tags(["x"]);
    let of_second = VirtualMachineApply::new().disks([disk("b", "2Gi").boot(true)]).tags(["y"]);
    first.apply("web", &of_first).await.unwrap();
    let vm = second.apply("web", &of_second).await.unwrap();
    let names: Vec<_> = vm.spec.disks.iter().map(|disk| disk.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(VirtualMachineApply::extract(&vm, "first").unwrap(), of_first);
    assert_eq!(VirtualMachineApply::extract(&vm, "second").unwrap(), of_second);

    let less = VirtualMachineApply::new().tags(["y"]);
    let vm = second.apply("web", &less).await.unwrap();
    assert_eq!(vm.spec.disks.len(), 1);
    assert_eq!(vm.spec.tags, ["x", "y"]);
}

/// Everything, with `labels` of the spec, as the resource has a method of this name.
fn full() -> VirtualMachineApply {
    VirtualMachineApply::new()
        .spec(VirtualMachineSpecApply::new().labels([("zone", "z1")]))
        .annotations([("a", "b")])
        .finalizers(["example.com/x"])
        .cpu("2")
        .memory(Quantity("1Gi".into()))
        .disks([disk("a", "1Gi"), disk("b", "2Gi").boot(true)])
        .tags(["x"])
        .ports([80])
        .secret(LocalObjectReference { name: "s".into() })
        .placement(PlacementApply::new().zone("z").host("h"))
        .limit(21.5)
        .policy(Policy::Never)
}

#[tokio::test]
async fn applying_extracted_fields_changes_nothing() {
    let Some(machines) = machines("apply-types-extract").await else {
        return;
    };
    let applied = machines.apply("web", &full()).await.unwrap();
    let extracted = VirtualMachineApply::extract(&applied, "tests").unwrap();
    assert_eq!(extracted, full());
    let again = machines.apply("web", &extracted).await.unwrap();
    assert_eq!(again.metadata.resource_version, applied.metadata.resource_version);

    let others = json!({ "spec": { "minReplicas": 5, "tags": ["z"] } });
    let other = machines.field_manager("other");
    let others = other.apply("web", &others).await.unwrap();
    let extracted = VirtualMachineApply::extract(&others, "tests").unwrap();
    assert_eq!(extracted, full());
    let again = machines.apply("web", &extracted).await.unwrap();
    assert_eq!(again.metadata.resource_version, others.metadata.resource_version);
}

#[tokio::test]
async fn lists_that_are_empty_are_owned_where_they_have_one_owner() {
    let Some(machines) = machines("apply-types-empty").await else {
        return;
    };
    let vm = VirtualMachineApply::new().cpu("1").ports([]);
    let none = vm.clone().disks(Vec::<DiskApply>::new());
    let sent = serde_json::to_value(&none).unwrap();
    assert_eq!(sent["spec"], json!({ "cpu": "1", "disks": [], "ports": [] }));
    let applied = machines.apply("web", &none).await.unwrap();
    let expected = json!({ "f:spec": { "f:cpu": {}, "f:ports": {} } });
    assert_eq!(owned(&applied, "tests"), expected);
    assert_eq!(VirtualMachineApply::extract(&applied, "tests").unwrap(), vm);
}

#[tokio::test]
async fn omitted_fields_are_removed() {
    let Some(machines) = machines("apply-types-removed").await else {
        return;
    };
    machines.apply("web", &full()).await.unwrap();
    let left = VirtualMachineApply::new().cpu("2");
    let vm = machines.apply("web", &left).await.unwrap();
    assert_eq!(vm.spec.memory, None);
    assert!(vm.spec.disks.is_empty());
    assert_eq!(vm.spec.placement.zone, None);
    assert_eq!(vm.metadata.annotations, None);
}

#[tokio::test]
async fn the_status_has_separate_owners() {
    let Some(machines) = machines("apply-types-status").await else {
        return;
    };
    let spec = VirtualMachineApply::new().cpu("2");
    machines.apply("web", &spec).await.unwrap();
    let status = VirtualMachineApply::new().status(StatusApply::new().phase("Running").ready(1));
    let vm = machines.status().apply("web", &status).await.unwrap();
    assert_eq!(VirtualMachineApply::extract_status(&vm, "tests").unwrap(), status);
    assert_eq!(VirtualMachineApply::extract(&vm, "tests").unwrap(), spec);
    let phase = VirtualMachineApply::new().status(StatusApply::new().phase("Running"));
    let vm = machines.status().apply("web", &phase).await.unwrap();
    assert_eq!(vm.status.unwrap().ready, None);
}

#[tokio::test]
async fn lists_have_managed_fields_only_on_request() {
    let Some(machines) = machines("apply-types-lists").await else {
        return;
    };
    machines.apply("web", &full()).await.unwrap();
    let of_list = machines.list().await.unwrap().items.remove(0);
    let error = VirtualMachineApply::extract(&of_list, "tests").unwrap_err();
    assert_eq!(error, ExtractError::NoManagedFields);
    let with_managed_fields = machines.list().keep_managed_fields().await.unwrap();
    let extracted = VirtualMachineApply::extract(&with_managed_fields.items[0], "tests").unwrap();
    assert_eq!(extracted, full());
}

#[tokio::test]
async fn an_unknown_field_is_named() {
    let Some(machines) = machines("apply-types-unknown").await else {
        return;
    };
    let mut vm = machines.apply("web", &full()).await.unwrap();
    let managed = vm.metadata.managed_fields.as_mut().unwrap();
    let fields = managed[0].fields_v1.as_mut().unwrap();
    fields.0["f:spec"]["f:gpu"] = json!({});
    let error = VirtualMachineApply::extract(&vm, "tests").unwrap_err();
    assert!(matches!(&error, ExtractError::Unknown { path, .. } if path == ".spec.gpu"), "{error}");
}
