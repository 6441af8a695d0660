//! The objects that are read and written, as the API server sends them.

use std::collections::BTreeMap;

use crdkit::{CustomResource, KubeSchema};
use k8s_openapi::{
    api::core::v1::LocalObjectReference,
    apimachinery::pkg::{api::resource::Quantity, apis::meta::v1::Condition},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Virtual machines of one kind.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "infra.example.com",
    version = "v1",
    kind = "VirtualMachine",
    namespaced,
    status = "VirtualMachineStatus"
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VirtualMachineSpec {
    cpu: Quantity,
    memory: Quantity,
    image: String,
    replicas: i32,
    zone: String,
    paused: bool,
    args: Vec<String>,
    disks: Vec<Disk>,
    networks: Vec<Network>,
    node_selector: BTreeMap<String, String>,
    env: BTreeMap<String, String>,
    pull_secret: Option<LocalObjectReference>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
struct Disk {
    name: String,
    size: Quantity,
    storage_class: Option<String>,
    #[serde(default)]
    boot: bool,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
struct Network {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VirtualMachineStatus {
    phase: Phase,
    replicas: i32,
    observed_generation: Option<i64>,
    #[serde(default)]
    conditions: Vec<Condition>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Copy, Debug)]
enum Phase {
    Pending,
    Running,
}

/// A custom resource of 2.6 KB, of which `metadata.managedFields` are a quarter.
pub(crate) fn virtual_machine(number: usize) -> Value {
    json!({
        "apiVersion": "infra.example.com/v1",
        "kind": "VirtualMachine",
        "metadata": {
            "name": format!("web-{number:05}"),
            "namespace": "default",
            "uid": format!("9c6f6f0a-6d5c-4a7f-9a35-0000000{number:05}"),
            "resourceVersion": format!("{}", 1_000_000 + number),
            "generation": 3,
            "creationTimestamp": "2026-03-01T09:30:12Z",
            "labels": {
                "app.kubernetes.io/name": "web",
                "app.kubernetes.io/part-of": "shop",
                "tier": "front",
            },
            "annotations": {
                "example.com/owner": "The team of the shop, who answer at any time of day, in the office or on call, and who know where the runbook is kept",
                "example.com/revision": "b2f6f1a8d2bc4d9ab6c1a3f7e6f0c9d10",
            },
            "managedFields": managed_fields(),
        },
        "spec": spec(number),
        "status": status(),
    })
}

/// What is to be created: no field that the API server sets.
pub(crate) fn new_virtual_machine() -> Value {
    json!({
        "apiVersion": "infra.example.com/v1",
        "kind": "VirtualMachine",
        "metadata": {
            "name": "web-00000",
            "namespace": "default",
            "labels": { "app.kubernetes.io/name": "web", "app.kubernetes.io/part-of": "shop", "tier": "front" },
        },
        "spec": spec(0),
    })
}

fn spec(number: usize) -> Value {
    json!({
        "cpu": "2500m",
        "memory": "16Gi",
        "image": "registry.example.com/images/debian-trixie-cloud:2026.02.11",
        "replicas": 3,
        "zone": "eu-central-1b",
        "paused": false,
        "args": ["--serial-console", "--cloud-init=/etc/cloud/web.yaml", "--log-level=info"],
        "disks": [
            { "name": "root", "size": "40Gi", "storageClass": "fast-replicated", "boot": true },
            { "name": "data", "size": "500Gi", "storageClass": "capacity", "boot": false },
        ],
        "networks": [
            { "name": "frontend", "address": format!("10.20.{}.{}", number / 250, number % 250) },
            { "name": "storage" },
        ],
        "nodeSelector": { "kubernetes.io/arch": "amd64", "node.example.com/pool": "virtual-machines" },
        "env": {
            "HTTP_PROXY": "http://proxy.example.com:3128",
            "LANG": "en_GB.UTF-8",
            "SHOP_REGION": "central",
        },
        "pullSecret": { "name": "registry-credentials" },
    })
}

fn status() -> Value {
    json!({
        "phase": "Running",
        "replicas": 3,
        "observedGeneration": 3,
        "conditions": [
            condition("Ready", "AllRunning", "all of the 3 machines answer their health checks"),
            condition("Scheduled", "Placed", "all machines have a node of the pool that their selector names, in the zone that the spec requests, none twice"),
            condition("DisksBound", "Bound", "all claims are bound"),
        ],
    })
}

fn condition(name: &str, reason: &str, message: &str) -> Value {
    json!({
        "type": name,
        "status": "True",
        "reason": reason,
        "message": message,
        "lastTransitionTime": "2026-03-01T09:31:40Z",
        "observedGeneration": 3,
    })
}

fn managed_fields() -> Value {
    json!([
        {
            "manager": "shop-deployer-primary",
            "operation": "Apply",
            "apiVersion": "infra.example.com/v1",
            "time": "2026-03-01T09:30:12Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": { "f:labels": { "f:tier": {} } },
                "f:spec": {
                    "f:cpu": {}, "f:memory": {}, "f:image": {}, "f:replicas": {}, "f:zone": {}, "f:args": {},
                    "f:env": {}, "f:paused": {}, "f:nodeSelector": {}, "f:pullSecret": {}, "f:networks": {},
                    "f:disks": { "k:{\"name\":\"root\"}": { ".": {}, "f:size": {} } },
                },
            },
        },
        {
            "manager": "vm-operator",
            "operation": "Update",
            "apiVersion": "infra.example.com/v1",
            "time": "2026-03-01T09:31:40Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:status": { ".": {}, "f:phase": {}, "f:replicas": {}, "f:conditions": {} },
            },
            "subresource": "status",
        },
    ])
}

/// A ConfigMap of 2 KB without `metadata.managedFields`: nothing that could be left out.
pub(crate) fn config_map(number: usize) -> Value {
    let entries = (0..6).map(|entry| (format!("site-{entry}.conf"), Value::from(site(entry))));
    json!({
        "metadata": {
            "name": format!("config-{number:05}"),
            "namespace": "default",
            "uid": format!("4f1d1bb4-0f5e-4b47-8a57-0000000{number:05}"),
            "resourceVersion": format!("{}", 2_000_000 + number),
            "creationTimestamp": "2026-03-01T09:30:12Z",
            "labels": { "app.kubernetes.io/name": "web", "app.kubernetes.io/part-of": "shop" },
        },
        "data": Value::Object(entries.collect()),
    })
}

fn site(number: usize) -> String {
    format!(
        "server {{\n    listen 180{number:02};\n    charset utf-8;\n    server_name shop-{number}.example.com;\n    \
         root /srv/www/shop-{number}/public;\n    access_log /var/log/shop-{number}.log combined;\n    \
         location /api {{\n        proxy_pass http://backend-{number}:8080;\n        \
         proxy_read_timeout 30s;\n    }}\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;

    use super::*;

    fn size(value: &Value) -> usize {
        value.to_string().len()
    }

    #[test]
    fn objects_are_of_the_stated_size() {
        let vm = virtual_machine(1);
        assert_eq!(size(&vm), 2600);
        assert_eq!(size(&vm["metadata"]["managedFields"]), 665);
        assert_eq!(size(&config_map(1)), 2000);
    }

    #[test]
    fn objects_are_read_whole() {
        let whole = virtual_machine(1);
        let vm: VirtualMachine = serde_json::from_value(whole.clone()).unwrap();
        assert_eq!(serde_json::to_value(vm).unwrap()["spec"], whole["spec"]);
        let config: ConfigMap = serde_json::from_value(config_map(1)).unwrap();
        assert_eq!(config.data.unwrap().len(), 6);
    }
}
