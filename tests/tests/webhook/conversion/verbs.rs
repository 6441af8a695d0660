//! Three versions of a kind through every verb, in each direction.

use std::time::Duration;

use crdkit::{
    client::{Watch, WatchEvent},
    kube::{
        api::{ApiResource, DynamicObject},
        core::GroupVersionKind,
    },
};
use crdkit_tests::Request;
use example_resources::virtual_machine::versions;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::cluster::{Cluster, serve};
use crate::machine::machine_converter;

const GROUP: &str = "infra.example.com";
const VERSIONS: [&str; 3] = ["v1alpha1", "v1", "v2alpha1"];
const MERGE: &str = "application/merge-patch+json";

fn path(version: &str, rest: &str) -> String {
    format!("/apis/{GROUP}/{version}/namespaces/default/virtualmachines{rest}")
}

/// Returns an object that uses what only its version has.
fn machine(name: &str, version: &str) -> Value {
    let v1 = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "VirtualMachine",
        "metadata": { "name": name, "namespace": "default", "labels": { "test": "verbs" } },
        "spec": {
            "cpu": "500m", "memory": "2Gi", "image": "registry.example.com:5000/debian:13",
            "disks": [
                { "name": "root", "size": "10Gi", "boot": true, "cache": "WriteBack" },
                { "name": "data", "size": "1Ti", "boot": false, "cache": "None" },
            ],
            "networks": [{ "name": "front", "address": "10.0.0.1" }],
            "replicas": 3, "pullSecret": { "name": "registry" }, "nodeSelector": { "zone": "a" },
        },
    });
    let mut machine = converted(&v1, version);
    if version == "v2alpha1" {
        machine["spec"]["restart"] = "Never".into();
    }
    machine
}

fn converted(object: &Value, version: &str) -> Value {
    versions().converter().convert(object.clone(), version).unwrap()
}

#[track_caller]
fn assert_same(found: &Value, expected: &Value) {
    assert_eq!(found["apiVersion"], expected["apiVersion"]);
    for member in ["spec", "status"] {
        assert_eq!(found[member], expected[member], "{member} of\n{found}\nand\n{expected}");
    }
}

/// The labels of nodes, which have another name in the last version.
fn zones(version: &str) -> &'static str {
    if version == "v2alpha1" { "nodeLabels" } else { "nodeSelector" }
}

/// One object, which is written in one version and read in another, and the other way around.
struct Pair<'a> {
    cluster: &'a Cluster,
    from: &'static str,
    to: &'static str,
    name: String,
}

impl Pair<'_> {
    fn at(&self, version: &str, subresource: &str) -> String {
        path(version, &format!("/{}{subresource}", self.name))
    }

    async fn get(&self, version: &str) -> Value {
        self.cluster.expect(Request::get(self.at(version, ""))).await
    }

    async fn watch(&self) -> Watch<DynamicObject> {
        let kind = GroupVersionKind::gvk(GROUP, self.to, "VirtualMachine");
        let kind = ApiResource::from_gvk_with_plural(&kind, "virtualmachines");
        let machines = self.cluster.client.resources_with::<DynamicObject>(kind).namespace("default");
        machines.watch().fields(&format!("metadata.name={}", self.name)).await.unwrap()
    }

    async fn check(&self) {
        let mut watch = self.watch().await;
        self.reads().await;
        self.writes().await;
        self.subresources().await;
        self.applies().await;
        let last = self.get(self.to).await;
        self.cluster.expect(Request::delete(self.at(self.from, ""))).await;
        assert_eq!(self.cluster.send(Request::get(self.at(self.to, ""))).await.status, 404);
        self.check_events(&mut watch, &last).await;
    }

    async fn reads(&self) {
        let machine = machine(&self.name, self.from);
        let created = self.cluster.expect(Request::post(path(self.from, ""), machine.clone())).await;
        assert_same(&created, &machine);
        let read = self.get(self.to).await;
        assert_same(&read, &converted(&created, self.to));
        let list = self.cluster.expect(Request::get(path(self.to, "?labelSelector=test%3Dverbs"))).await;
        let items = list["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["metadata"]["name"] == *self.name).unwrap();
        assert_same(item, &read);
    }

    /// A change in the other version changes nothing else.
    async fn writes(&self) {
        let before = self.get(self.from).await;
        let expect_replicas = async |replicas: i32| {
            let mut expected = before.clone();
            expected["spec"]["replicas"] = replicas.into();
            assert_same(&self.get(self.from).await, &expected);
        };
        let mut read = self.get(self.to).await;
        read["spec"]["replicas"] = 5.into();
        self.cluster.expect(Request::put(self.at(self.to, ""), read)).await;
        expect_replicas(5).await;
        let merge = json!({ "spec": { "replicas": 6 } });
        self.cluster.expect(Request::patch(self.at(self.to, ""), MERGE, merge)).await;
        expect_replicas(6).await;
        let operations = json!([{ "op": "replace", "path": "/spec/replicas", "value": 7 }]);
        self.cluster.expect(Request::patch(self.at(self.to, ""), "application/json-patch+json", operations)).await;
        expect_replicas(7).await;
    }

    async fn subresources(&self) {
        let status = json!({ "status": { "phase": "Running", "replicas": 7, "observedGeneration": 4 } });
        let before = self.get(self.from).await;
        self.cluster.expect(Request::patch(self.at(self.to, "/status"), MERGE, status.clone())).await;
        let read = self.cluster.expect(Request::get(self.at(self.from, "/status"))).await;
        assert_eq!((&read["spec"], &read["status"]), (&before["spec"], &status["status"]));
        let scale = self.cluster.expect(Request::get(self.at(self.from, "/scale"))).await;
        assert_eq!((&scale["spec"]["replicas"], &scale["status"]["replicas"]), (&json!(7), &json!(7)));
        let scale = json!({ "spec": { "replicas": 8 } });
        self.cluster.expect(Request::patch(self.at(self.to, "/scale"), MERGE, scale)).await;
        let read = self.get(self.from).await;
        assert_eq!((&read["spec"]["replicas"], &read["spec"]["disks"]), (&json!(8), &before["spec"]["disks"]));
    }

    /// Two managers in two versions.
    async fn applies(&self) {
        let apply = async |version: &'static str, manager: &str, spec: Value| {
            let object = json!({
                "apiVersion": format!("{GROUP}/{version}"), "kind": "VirtualMachine",
                "metadata": { "name": self.name }, "spec": spec,
            });
            let query = format!("?fieldManager={manager}&force=true");
            self.cluster.expect(Request::apply(self.at(version, &query), object)).await
        };
        apply(self.from, "one", json!({ "replicas": 9, zones(self.from): { "one": "a" } })).await;
        apply(self.to, "two", json!({ zones(self.to): { "two": "b" } })).await;
        let read = self.get(self.from).await;
        assert_eq!(read["spec"]["replicas"], 9);
        assert_eq!(read["spec"][zones(self.from)], json!({ "zone": "a", "one": "a", "two": "b" }));
        let managers = read["metadata"]["managedFields"].as_array().unwrap();
        for (manager, version) in [("one", self.from), ("two", self.to)] {
            let entry = managers.iter().find(|entry| entry["manager"] == manager).unwrap();
            assert_eq!(entry["apiVersion"], format!("{GROUP}/{version}"));
        }
        // What a manager no longer applies is removed, in its version and in the other one.
        apply(self.to, "two", json!({})).await;
        apply(self.from, "one", json!({ "replicas": 9 })).await;
        let read = self.get(self.to).await;
        assert_eq!(read["spec"][zones(self.to)], json!({ "zone": "a" }));
        assert_eq!(read["spec"]["replicas"], 9);
    }

    async fn check_events(&self, watch: &mut Watch<DynamicObject>, last: &Value) {
        let mut events = 0;
        let deleted = loop {
            let event = timeout(Duration::from_secs(30), watch.next()).await.unwrap().unwrap().unwrap();
            let Some(object) = event.object() else { continue };
            assert_eq!(object.types.as_ref().unwrap().api_version, format!("{GROUP}/{}", self.to));
            events += 1;
            if let WatchEvent::Deleted(object) = event {
                break object;
            }
        };
        assert_same(&serde_json::to_value(deleted).unwrap(), last);
        // The creation, three writes, the status, the scale, four applies, and the deletion.
        assert_eq!(events, 11);
    }
}

async fn check_all(cluster: &Cluster) {
    // The first converter is that of another kind.
    let (_server, client) = serve([machine_converter(), versions().converter()]);
    let definition = versions().versions(client.conversion()).merge().unwrap().crd;
    cluster.client.install([definition]).await.unwrap();
    for from in VERSIONS {
        for to in VERSIONS {
            Pair { cluster, from, to, name: format!("{from}-{to}") }.check().await;
        }
    }
    let names = ["a", "b", "c"];
    for (name, version) in names.iter().zip(VERSIONS) {
        cluster.expect(Request::post(path(version, ""), machine(name, version))).await;
    }
    for (name, version) in names.iter().zip(VERSIONS) {
        let read = cluster.expect(Request::get(path(version, &format!("/{name}")))).await;
        assert_same(&read, &machine(name, version));
    }
    cluster.expect(Request::delete(path("v1alpha1", "?labelSelector=test%3Dverbs"))).await;
    let left = cluster.expect(Request::get(path("v2alpha1", ""))).await;
    assert_eq!(left["items"], json!([]));
}

#[tokio::test]
async fn every_verb_on_the_control_plane() {
    let Some(cluster) = Cluster::real("verbs") else { return };
    check_all(&cluster).await;
}
