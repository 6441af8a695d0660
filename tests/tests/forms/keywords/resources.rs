//! Resources in fields, and schemas that are patched.

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Templates {
    #[crd(embedded_resource)]
    any: Value,
    #[crd(items(embedded_resource))]
    list: Vec<Value>,
    #[crd(embedded_resource)]
    own: Option<Pod>,
    #[crd(embedded_resource, max_properties = 3)]
    object: Option<Map<String, Value>>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pod {
    api_version: String,
    kind: String,
    metadata: Names,
    image: String,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Names {
    name: String,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(schema_patch({ "maxProperties": 2 }))]
pub(crate) struct Patched {
    /// What it is called.
    #[crd(maximum = 10, schema_patch({ "description": null, "maximum": 5 }))]
    size: i64,
    #[crd(schema_patch({ "items": { "maxLength": 3 } }))]
    list: Vec<String>,
}

forms! {
    templates: Templates = {
        "type": "object",
        "properties": {
            "any": {
                "type": "object",
                "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            },
            "list": {
                "type": "array",
                "items": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
                },
            },
            "own": {
                "type": "object", "nullable": true, "x-kubernetes-embedded-resource": true,
                "properties": {
                    "apiVersion": { "type": "string" },
                    "kind": { "type": "string" },
                    "metadata": {
                        "type": "object",
                        "properties": { "name": { "type": "string" } },
                        "required": ["name"],
                    },
                    "image": { "type": "string" },
                },
                "required": ["apiVersion", "image", "kind", "metadata"],
            },
            "object": {
                "type": "object", "nullable": true, "maxProperties": 3,
                "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            },
        },
        "required": ["any", "list"],
    },
    accepts [
        {
            "any": { "apiVersion": "v1", "kind": "Foo", "metadata": { "name": "a" }, "more": 1 },
            "list": [{ "apiVersion": "v1", "kind": "Foo" }],
            "own": null,
            "object": null,
        },
        {
            "any": { "apiVersion": "v1", "kind": "Foo" },
            "list": [],
            "own": { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" }, "image": "b" },
            "object": { "apiVersion": "v1", "kind": "Pod", "spec": { "containers": [{ "name": "a", "args": null }] } },
        },
    ],
    refuses [
        { "any": {}, "list": [] },
        { "any": { "apiVersion": "v1", "kind": "Foo" }, "list": [{ "kind": "Foo" }] },
        { "any": { "apiVersion": "v1", "kind": "A_B" }, "list": [] },
        { "any": 1, "list": [] },
        { "any": { "apiVersion": "v1", "kind": "Foo" }, "list": [], "object": { "kind": "Foo" } },
    ];

    patched: Patched = {
        "type": "object", "maxProperties": 2,
        "properties": {
            "size": { "type": "integer", "format": "int64", "maximum": 5 },
            "list": { "type": "array", "items": { "type": "string", "maxLength": 3 } },
        },
        "required": ["list", "size"],
    },
    accepts [{ "size": 5, "list": ["abc"] }],
    refuses [{ "size": 6, "list": [] }, { "size": 5, "list": ["abcd"] }];
}
