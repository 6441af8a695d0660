//! Objects as the API server writes them: the keys of custom resources are in alphabetical order.

use serde_json::{Value, json};

/// How many namespaces the objects live in.
pub const NAMESPACES: usize = 100;
/// How many values the label `app` has.
pub const APPS: usize = 50;

/// Which objects a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// 2.6 KB of JSON.
    VirtualMachines,
    /// Small ones.
    Volumes,
}

impl Shape {
    /// The kind of the objects.
    pub fn kind(self) -> &'static str {
        match self {
            Self::VirtualMachines => "VirtualMachine",
            Self::Volumes => "Volume",
        }
    }

    /// An object's JSON. All have the same length.
    pub fn json(self, number: usize, of: usize) -> String {
        let mut object = json!({ "apiVersion": "vm.test/v1", "kind": self.kind() });
        let mut metadata = metadata(number, of);
        match self {
            Self::VirtualMachines => {
                furnish(&mut metadata, number);
                object["spec"] = spec(number);
                object["status"] = status();
            }
            Self::Volumes => {
                object["spec"] = json!({ "class": "fast", "gigabytes": 100 + number % 900 });
                object["status"] = json!({ "ready": true });
            }
        }
        object["metadata"] = metadata;
        object.to_string()
    }
}

/// Where an object lives. The API server lists objects by namespace, then by name.
pub fn namespace_of(number: usize, of: usize) -> String {
    namespace(number * NAMESPACES / of)
}

/// A namespace.
pub fn namespace(number: usize) -> String {
    format!("team-{number:03}")
}

/// The name of an object.
pub fn name_of(number: usize) -> String {
    format!("machine-{number:07}")
}

/// A value of the label `app`.
pub fn app(number: usize) -> String {
    format!("shop-{number:02}")
}

fn metadata(number: usize, of: usize) -> Value {
    json!({
        "creationTimestamp": "2026-03-01T09:30:12Z",
        "generation": 3,
        "labels": { "app": app(number % APPS) },
        "name": name_of(number),
        "namespace": namespace_of(number, of),
        "resourceVersion": "10000000",
        "uid": format!("9c6f6f0a-6d5c-4a7f-9a35-{number:012}"),
    })
}

/// What makes metadata as large as it usually is.
fn furnish(metadata: &mut Value, number: usize) {
    metadata["labels"]["app.kubernetes.io/part-of"] = "shop".into();
    metadata["labels"]["tier"] = "front".into();
    metadata["annotations"] = json!({
        "example.com/contact": "the team of the shop, who answer at any time, all day long.",
        "example.com/revision": format!("b2f6f1a8d2bc4d9ab6c1a3f7{number:08x}"),
    });
    metadata["finalizers"] = json!(["vm.test/disks"]);
    metadata["ownerReferences"] = json!([{
        "apiVersion": "vm.test/v1",
        "blockOwnerDeletion": true,
        "controller": true,
        "kind": "VirtualMachinePool",
        "name": format!("pool-{:05}", number / 10),
        "uid": format!("1d0b9e72-83b1-4c57-8f60-{:012}", number / 10),
    }]);
    metadata["managedFields"] = managed_fields();
}

fn spec(number: usize) -> Value {
    json!({
        "args": ["--serial-console", "--cloud-init=/etc/cloud/shop-front.yaml", "--log-level=info"],
        "cpu": "2500m",
        "disks": [
            { "boot": true, "name": "root", "size": "40Gi", "storageClass": "fast-replicated" },
            { "boot": false, "name": "data", "size": "500Gi", "storageClass": "capacity" },
        ],
        "image": "registry.example.com/debian-trixie:2026.02.11",
        "memory": "16Gi",
        "networks": [
            { "address": format!("10.{}.{}.{}", 100 + number % 100, 100 + number / 100 % 100, 100 + number / 10_000 % 100), "name": "frontend" },
            { "name": "storage" },
        ],
        "nodeSelector": { "kubernetes.io/arch": "amd64", "pool": "virtual-machines" },
        "paused": false,
        "probe": { "path": "/healthz", "periodSeconds": 10, "port": 8080 },
        "replicas": 3,
        "runStrategy": "Always",
        "zone": "eu-central-1b",
    })
}

fn status() -> Value {
    json!({
        "conditions": [
            condition("Ready", "AllRunning", "all 3 machines answer their probes"),
            condition("Scheduled", "Placed", "a node of the pool was found for all"),
            condition("DisksBound", "Bound", "all claims are bound"),
        ],
        "observedGeneration": 3,
        "phase": "Running",
        "replicas": 3,
    })
}

fn condition(name: &str, reason: &str, message: &str) -> Value {
    json!({
        "lastTransitionTime": "2026-03-01T09:31:40Z",
        "message": message,
        "observedGeneration": 3,
        "reason": reason,
        "status": "True",
        "type": name,
    })
}

fn managed_fields() -> Value {
    json!([
        {
            "apiVersion": "vm.test/v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {
                "f:metadata": { "f:annotations": {}, "f:labels": { "f:app": {}, "f:tier": {} } },
                "f:spec": {
                    "f:args": {}, "f:cpu": {},
                    "f:disks": { "k:{\"name\":\"root\"}": { ".": {}, "f:size": {} } },
                    "f:image": {}, "f:memory": {}, "f:networks": {}, "f:nodeSelector": {}, "f:paused": {}, "f:probe": {},
                    "f:replicas": {}, "f:runStrategy": {}, "f:zone": {},
                },
            },
            "manager": "shop-deployment",
            "operation": "Apply",
            "time": "2026-03-01T09:30:12Z",
        },
        {
            "apiVersion": "vm.test/v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": { "f:status": { "f:conditions": {}, "f:phase": {}, "f:replicas": {} } },
            "manager": "vm-operator",
            "operation": "Update",
            "subresource": "status",
            "time": "2026-03-01T09:31:40Z",
        },
    ])
}

#[cfg(test)]
mod tests {
    use serde::{Serialize, de::DeserializeOwned};

    use super::*;
    use crate::objects::{FastVirtualMachine, VirtualMachine, Volume};

    fn size(value: &Value) -> usize {
        value.to_string().len()
    }

    fn round_trip<K: Serialize + DeserializeOwned>(text: &str) {
        let object: K = serde_json::from_str(text).unwrap();
        let [mut read, mut decoded] = [serde_json::to_value(object), serde_json::from_str(text)].map(Result::unwrap);
        for value in [&mut read, &mut decoded] {
            value["spec"]["networks"] = Value::Null;
        }
        assert_eq!(read, decoded);
    }

    #[test]
    fn objects_are_of_the_stated_size() {
        let text = Shape::VirtualMachines.json(12, 100_000);
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object.to_string(), text, "the order of keys");
        let sizes = ["metadata", "spec", "status"].map(|part| size(&object[part]));
        assert_eq!((size(&object["metadata"]["managedFields"]), sizes, text.len()), (665, [1314, 615, 565], 2575));
    }

    #[test]
    fn objects_of_a_shape_have_the_same_length() {
        for shape in [Shape::VirtualMachines, Shape::Volumes] {
            let lengths = [0, 999, 123_456, 999_999].map(|number| shape.json(number, 1_000_000).len());
            assert_eq!(lengths, [lengths[0]; 4]);
        }
    }

    #[test]
    fn objects_are_read_whole() {
        let machine = Shape::VirtualMachines.json(12, 1000);
        round_trip::<VirtualMachine>(&machine);
        round_trip::<FastVirtualMachine>(&machine);
        round_trip::<Volume>(&Shape::Volumes.json(12, 1000));
    }
}
