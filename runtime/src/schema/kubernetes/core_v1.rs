//! Schemas of the types of the API group `v1`.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    ConfigMapKeySelector, EnvVar, EnvVarSource, LocalObjectReference, ObjectFieldSelector, ObjectReference,
    ResourceClaim, ResourceFieldSelector, ResourceRequirements, SecretKeySelector, SecretReference, Toleration,
    TypedLocalObjectReference, TypedObjectReference, VolumeResourceRequirements,
};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use serde_json::Value;

use crate::schema::Keyword::{Default, Description, ListMapKeys, ListType, MapType};
use crate::schema::{Field, KubeSchema, ListType as List, MapType as Map, Schema};

objects! {
    /// Refers to an object, or to a part of it.
    ObjectReference with [MapType(Map::Atomic)] {
        /// The group and version of the object.
        optional "apiVersion": String;
        /// The part of the object, such as `spec.containers[2]`.
        optional "fieldPath": String;
        /// The kind of the object.
        optional "kind": String;
        /// The name of the object.
        optional "name": String;
        /// The namespace of the object.
        optional "namespace": String;
        /// The state of the object that is meant.
        optional "resourceVersion": String;
        /// The uid of the object.
        optional "uid": String;
    }

    /// Refers to an object in the same namespace.
    LocalObjectReference with [MapType(Map::Atomic)] {
        /// The name of the object.
        optional "name": String, Default(empty);
    }

    /// Refers to an object of any kind in the same namespace.
    TypedLocalObjectReference with [MapType(Map::Atomic)] {
        /// The API group of the object; the core group if there is none.
        optional "apiGroup": String;
        /// The kind of the object.
        "kind": String;
        /// The name of the object.
        "name": String;
    }

    /// Refers to an object of any kind.
    TypedObjectReference {
        /// The API group of the object; the core group if there is none.
        optional "apiGroup": String;
        /// The kind of the object.
        "kind": String;
        /// The name of the object.
        "name": String;
        /// The namespace of the object, if it is another one.
        optional "namespace": String;
    }

    /// Refers to a Secret.
    SecretReference with [MapType(Map::Atomic)] {
        /// The name of the Secret.
        optional "name": String;
        /// The namespace of the Secret.
        optional "namespace": String;
    }

    /// Selects a key of a Secret in the same namespace.
    SecretKeySelector with [MapType(Map::Atomic)] {
        /// The key.
        "key": String;
        /// The name of the Secret.
        optional "name": String, Default(empty);
        /// Whether the Secret or the key may be missing.
        optional "optional": bool;
    }

    /// Selects a key of a ConfigMap in the same namespace.
    ConfigMapKeySelector with [MapType(Map::Atomic)] {
        /// The key.
        "key": String;
        /// The name of the ConfigMap.
        optional "name": String, Default(empty);
        /// Whether the ConfigMap or the key may be missing.
        optional "optional": bool;
    }

    /// Selects a field of an object.
    ObjectFieldSelector with [MapType(Map::Atomic)] {
        /// The version that the path is written for.
        optional "apiVersion": String;
        /// The path of the field.
        "fieldPath": String;
    }

    /// Selects a resource of a container.
    ResourceFieldSelector with [MapType(Map::Atomic)] {
        /// The name of the container.
        optional "containerName": String;
        /// The unit that the value is divided by.
        optional "divisor": Quantity;
        /// The resource, such as `limits.cpu`.
        "resource": String;
    }

    /// An environment variable of a container.
    EnvVar in_list [ListType(List::Map), ListMapKeys(&["name"])] {
        /// The name of the variable.
        "name": String;
        /// The value; `$(NAME)` stands for the value of another variable.
        optional "value": String;
        /// Where the value comes from, if it is not given here.
        optional "valueFrom": EnvVarSource;
    }

    /// A taint of nodes that a pod tolerates.
    Toleration in_list [ListType(List::Atomic)] {
        /// The effect of the taint; any effect if there is none.
        optional "effect": String;
        /// The key of the taint; any key if there is none.
        optional "key": String;
        /// How the values are compared: `Exists` or `Equal`, which is the default.
        optional "operator": String;
        /// For how many seconds a `NoExecute` taint is tolerated; for ever if there is no number.
        optional "tolerationSeconds": i64;
        /// The value of the taint.
        optional "value": String;
    }

    /// The resources that a container needs and may use.
    ResourceRequirements {
        /// Resource claims of the pod that the container uses.
        optional "claims": Vec<ResourceClaim>;
        /// The most that the container may use.
        optional "limits": BTreeMap<String, Quantity>;
        /// The least that the container needs.
        optional "requests": BTreeMap<String, Quantity>;
    }

    /// A resource claim of the pod.
    ResourceClaim in_list [ListType(List::Map), ListMapKeys(&["name"])] {
        /// The name of the claim in the pod.
        "name": String;
        /// The request of the claim that is meant; all of them if there is no name.
        optional "request": String;
    }

    /// The storage that a volume needs and may use.
    VolumeResourceRequirements {
        /// The most that the volume may use.
        optional "limits": BTreeMap<String, Quantity>;
        /// The least that the volume needs.
        optional "requests": BTreeMap<String, Quantity>;
    }
}

impl KubeSchema for EnvVarSource {
    const SCHEMA: Schema = Schema::object(&[
        Field::new("configMapKeyRef", &ConfigMapKeySelector::SCHEMA).optional(),
        Field::new("fieldRef", &ObjectFieldSelector::SCHEMA).optional(),
        Field::flattened(&FILE_KEY_REF),
        Field::new("resourceFieldRef", &ResourceFieldSelector::SCHEMA).optional(),
        Field::new("secretKeyRef", &SecretKeySelector::SCHEMA).optional(),
    ])
    .named("EnvVarSource")
    .of_kubernetes()
    .with(&[Description("Where the value of a variable comes from.")]);
}

k8s_openapi::k8s_if_ge_1_34! {
    use k8s_openapi::api::core::v1::FileKeySelector;

    objects! {
        /// Selects a key of a file of variables in a volume of the pod.
        FileKeySelector with [MapType(Map::Atomic)] {
            /// The key.
            "key": String;
            /// Whether the file or the key may be missing.
            optional "optional": bool;
            /// The path of the file in the volume.
            "path": String;
            /// The name of the volume.
            "volumeName": String;
        }
    }

    const FILE_KEY_REF: Schema =
        Schema::object(&[Field::new("fileKeyRef", &FileKeySelector::SCHEMA).optional()]);
}

k8s_openapi::k8s_if_le_1_33! {
    const FILE_KEY_REF: Schema = Schema::object(&[]);
}

fn empty() -> serde_json::Result<Option<Value>> {
    Ok(Some(Value::String(String::new())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::super::accepts::assert_roundtrips;
    use super::*;

    #[test]
    fn references_accept_what_serde_writes_and_reads() {
        assert_roundtrips::<ObjectReference>(json!({
            "apiVersion": "v1", "fieldPath": "spec", "kind": "Pod", "name": "a", "namespace": "b",
            "resourceVersion": "1", "uid": "c",
        }));
        assert_roundtrips::<LocalObjectReference>(json!({ "name": "a" }));
        assert_roundtrips::<TypedLocalObjectReference>(json!({ "apiGroup": "a", "kind": "Pod", "name": "b" }));
        assert_roundtrips::<TypedObjectReference>(
            json!({ "apiGroup": "a", "kind": "Pod", "name": "b", "namespace": "c" }),
        );
        assert_roundtrips::<SecretReference>(json!({ "name": "a", "namespace": "b" }));
    }

    #[test]
    fn parts_of_pods_accept_what_serde_writes_and_reads() {
        let key = json!({ "name": "a", "key": "b", "optional": true });
        assert_roundtrips::<EnvVar>(json!({ "name": "A", "value": "a", "valueFrom": {
            "configMapKeyRef": key,
            "fieldRef": { "apiVersion": "v1", "fieldPath": "metadata.name" },
            "fileKeyRef": { "key": "a", "optional": true, "path": "b", "volumeName": "c" },
            "resourceFieldRef": { "containerName": "a", "divisor": "1", "resource": "limits.cpu" },
            "secretKeyRef": key,
        } }));
        assert_roundtrips::<Toleration>(json!({
            "effect": "NoExecute", "key": "a", "operator": "Equal", "tolerationSeconds": 1, "value": "b",
        }));
        assert_roundtrips::<ResourceRequirements>(json!({
            "claims": [{ "name": "a", "request": "b" }], "limits": { "cpu": "1" },
            "requests": { "cpu": "1" },
        }));
        assert_roundtrips::<VolumeResourceRequirements>(
            json!({ "limits": { "storage": "1Gi" }, "requests": { "storage": "1Gi" } }),
        );
    }
}
