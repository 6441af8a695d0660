//! The example `VirtualMachine` in both versions, from end to end.

use crdkit::merge::Versions;
use crdkit_tests::{Request, Verdict};
use example_resources::virtual_machine::{CacheMode, Disk, Network, VirtualMachine, VirtualMachineSpec, v1alpha1};
use k8s_openapi::{api::core::v1::LocalObjectReference, apimachinery::pkg::api::resource::Quantity};
use serde_json::{Value, json};

use crate::{
    registry::merge,
    served::{Served, columns, served},
};

pub(crate) fn merged() -> Value {
    merge(Versions::new().add::<v1alpha1::VirtualMachine>().add::<VirtualMachine>())
}

fn machine(name: &str) -> VirtualMachine {
    let quantity = |text: &str| Quantity(text.to_owned());
    let disk = |name: &str, boot: bool| Disk {
        name: name.to_owned(),
        size: quantity("10Gi"),
        boot,
        cache: CacheMode::WriteBack,
    };
    let spec = VirtualMachineSpec {
        cpu: quantity("500m"),
        memory: quantity("2Gi"),
        image: "registry.example.com/debian:13".to_owned(),
        disks: vec![disk("root", true), disk("data", false)],
        networks: vec![Network { name: "front".to_owned(), address: Some([10, 0, 0, 1].into()) }],
        replicas: 3,
        pull_secret: Some(LocalObjectReference { name: "registry".to_owned() }),
        node_selector: [("zone".to_owned(), "a".to_owned())].into(),
    };
    VirtualMachine::new(name, spec)
}

async fn created(served: &Served<VirtualMachine>, name: &str, status: Value) -> Value {
    served.create(machine(name)).await.expect_accepted();
    let path = format!("{name}/status");
    let written = served.merge(&path, json!({ "status": status })).await;
    written.expect_accepted().object.unwrap()
}

#[tokio::test]
async fn both_versions_are_discovered() {
    let Some(v1) = served::<VirtualMachine>().await else {
        return;
    };
    let v1alpha1 = served::<v1alpha1::VirtualMachine>().await.unwrap();
    for resource in [v1.discovery().await, v1alpha1.discovery().await] {
        assert_eq!(resource["singularName"], "virtualmachine");
        assert_eq!(resource["shortNames"], json!(["vm"]));
        assert_eq!(resource["categories"], json!(["all"]));
    }
    let group = v1.send(Request::get("/apis/infra.example.com")).await.body;
    assert_eq!(group["preferredVersion"]["version"], "v1");
}

#[tokio::test]
async fn objects_are_kept() {
    let Some(served) = served::<VirtualMachine>().await else {
        return;
    };
    served.keeps(machine("kept")).await;
    let mut smallest = machine("smallest");
    smallest.spec.networks.clear();
    smallest.spec.pull_secret = None;
    smallest.spec.node_selector.clear();
    served.keeps(smallest).await;
}

#[tokio::test]
async fn defaults_are_filled() {
    let Some(served) = served::<VirtualMachine>().await else {
        return;
    };
    let mut object = json!(machine("defaults"));
    let spec = object["spec"].as_object_mut().unwrap();
    spec.remove("replicas");
    let disk = spec["disks"][1].as_object_mut().unwrap();
    disk.remove("boot");
    disk.remove("cache");

    let stored = served.create(object).await.expect_accepted().object.unwrap();
    assert_eq!(stored["spec"]["replicas"], 1);
    let disk = json!({ "name": "data", "size": "10Gi", "boot": false, "cache": "None" });
    assert_eq!(stored["spec"]["disks"][1], disk);
}

#[tokio::test]
async fn bad_objects_are_refused() {
    let Some(served) = served::<VirtualMachine>().await else {
        return;
    };
    let disk = |name: &str| json!({ "name": name, "size": "1Gi" });
    let changes = [
        ("/spec/cpu", json!("much"), "spec.cpu"),
        ("/spec/memory", json!(null), "spec.memory"),
        ("/spec/disks", json!([]), "spec.disks"),
        ("/spec/disks", json!([disk("a")]), "spec.disks"),
        ("/spec/disks/1", disk("root"), "spec.disks[1]"),
        ("/spec/disks/0/name", json!(""), "spec.disks[0].name"),
        ("/spec/disks/0/cache", json!("Some"), "spec.disks[0].cache"),
        ("/spec/networks/0/address", json!("10.0.0"), "spec.networks[0].address"),
        ("/spec/replicas", json!(-1), "spec.replicas"),
        ("/spec/replicas", json!(1001), "spec.replicas"),
        ("/spec/replicas", json!("3"), "spec.replicas"),
        ("/spec/nodeSelector/zone", json!(1), "spec.nodeSelector.zone"),
    ];
    served.refuses(&machine("refused"), &changes).await;

    let mut object = json!(machine("refused"));
    object["spec"]["disks"][0]["boot"] = json!(false);
    let verdict = served.create(object).await;
    assert!(verdict.message.contains("one disk must be bootable"), "{verdict}");
}

#[tokio::test]
async fn spec_and_status_are_written_apart() {
    let Some(served) = served::<VirtualMachine>().await else {
        return;
    };
    let status = json!({
        "phase": "Running",
        "conditions": [{
            "type": "Ready",
            "status": "True",
            "reason": "AllRun",
            "message": "",
            "lastTransitionTime": "2030-01-31T12:00:00Z",
        }],
        "observedGeneration": 1,
    });
    let stored = created(&served, "split", status).await;
    assert_eq!(stored["metadata"]["generation"], 1);
    assert_eq!(stored["status"]["replicas"], 0);
    let read: VirtualMachine = serde_json::from_value(stored).unwrap();
    assert_eq!(read.spec, machine("split").spec);
    assert_eq!(read.status.unwrap().conditions[0].reason, "AllRun");

    let changed = json!({ "spec": { "image": "debian:14" }, "status": { "phase": "Failed" } });
    let stored = served.merge("split", changed).await.expect_accepted().object.unwrap();
    assert_eq!(stored["metadata"]["generation"], 2);
    assert_eq!(stored["status"]["phase"], "Running");
}

#[tokio::test]
async fn conditions_are_applied_by_their_type() {
    let Some(served) = served::<VirtualMachine>().await else {
        return;
    };
    created(&served, "applied", json!({ "phase": "Pending" })).await;
    for (manager, type_) in [("first", "Ready"), ("second", "Placed")] {
        let object = json!({
            "apiVersion": "infra.example.com/v1",
            "kind": "VirtualMachine",
            "status": { "phase": "Pending", "conditions": [{
                "type": type_,
                "status": "True",
                "reason": "Test",
                "message": "",
                "lastTransitionTime": "2030-01-31T12:00:00Z",
            }] },
        });
        served.apply(manager, "applied/status", object).await.expect_accepted();
    }
    let stored = served.get("applied").await;
    let conditions = stored["status"]["conditions"].as_array().unwrap();
    let types: Vec<_> = conditions.iter().map(|condition| &condition["type"]).collect();
    assert_eq!(types, ["Ready", "Placed"]);
}

#[tokio::test]
async fn it_is_scaled() {
    let Some(served) = served::<VirtualMachine>().await else {
        return;
    };
    let status = json!({ "phase": "Running", "replicas": 2, "selector": "app=vm" });
    created(&served, "scaled", status).await;

    let mut scale = served.get("scaled/scale").await;
    assert_eq!(scale["apiVersion"], "autoscaling/v1");
    assert_eq!(scale["spec"], json!({ "replicas": 3 }));
    assert_eq!(scale["status"], json!({ "replicas": 2, "selector": "app=vm" }));

    scale["spec"]["replicas"] = json!(5);
    let path = format!("{}/scaled/scale", served.collection());
    let put: Verdict = served.send(Request::put(path, scale)).await.into();
    put.expect_accepted();
    assert_eq!(served.get("scaled").await["spec"]["replicas"], 5);

    let patch = json!({ "spec": { "replicas": 7 } });
    served.merge("scaled/scale", patch).await.expect_accepted();
    assert_eq!(served.get("scaled").await["spec"]["replicas"], 7);

    let too_many = json!({ "spec": { "replicas": 1001 } });
    assert!(!served.merge("scaled/scale", too_many).await.accepted);
}

#[tokio::test]
async fn its_columns_are_printed() {
    let Some(served) = served::<VirtualMachine>().await else {
        return;
    };
    let status = json!({
        "phase": "Running",
        "replicas": 2,
        "conditions": [{
            "type": "Ready",
            "status": "False",
            "reason": "OneFailed",
            "message": "",
            "lastTransitionTime": "2030-01-31T12:00:00Z",
        }],
    });
    created(&served, "printed", status).await;
    let expected = columns(&[
        ("Image", "string", 0),
        ("Desired", "integer", 0),
        ("Phase", "string", 0),
        ("Current", "integer", 0),
        ("Ready", "string", 0),
        ("Age", "date", 0),
    ]);
    assert_eq!(served.columns().await, expected);
    let cells = served.cells("printed").await;
    let image = "registry.example.com/debian:13";
    assert_eq!(json!(cells[..5]), json!([image, 3, "Running", 2, "False"]));
}

#[tokio::test]
async fn its_fields_select() {
    let Some(served) = served::<VirtualMachine>().await else {
        return;
    };
    created(&served, "starting", json!({ "phase": "Starting" })).await;
    let selected = served.select("status.phase=Starting").await;
    assert_eq!(selected, ["starting"]);
    assert!(served.select("spec.image=other").await.is_empty());
}

#[tokio::test]
async fn the_deprecated_version_warns() {
    let Some(old) = served::<v1alpha1::VirtualMachine>().await else {
        return;
    };
    let v1 = served::<VirtualMachine>().await.unwrap();
    v1.create(machine("old")).await.expect_accepted();
    let answer = old.send(Request::get(format!("{}/old", old.collection()))).await;
    let warning = "infra.example.com/v1alpha1 VirtualMachine does not ask for a bootable disk; use v1";
    assert_eq!(answer.warnings, [warning]);
    let read: v1alpha1::VirtualMachine = serde_json::from_value(answer.body).unwrap();
    assert_eq!(read.spec.image, machine("old").spec.image);
}
