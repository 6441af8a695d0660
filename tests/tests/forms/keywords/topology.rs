//! List types and map types: how server-side apply merges lists, maps and objects.

use std::collections::BTreeMap;

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Topology {
    #[crd(list_type = "map", list_map_keys = ["name", "port"], max_items = 2)]
    ports: Vec<Port>,
    #[crd(list_type = "set")]
    zones: Vec<String>,
    #[crd(list_type = "atomic")]
    arguments: Option<Vec<String>>,
    #[crd(map_type = "atomic")]
    labels: Option<BTreeMap<String, String>>,
    #[crd(struct_type = "granular")]
    main: Option<Port>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Port {
    name: String,
    #[serde(default)]
    port: i64,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Named {
    #[crd(list_type = "map", list_map_keys = ["name"])]
    ports: Vec<NamedPort>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct NamedPort {
    #[schemars(required)]
    name: Option<String>,
}

forms! {
    required_key: Named = {
        "type": "object",
        "properties": { "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
            "items": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
        } },
        "required": ["ports"],
    },
    accepts [{ "ports": [{ "name": "a" }, { "name": "b" }] }],
    refuses [{ "ports": [{}] }, { "ports": [{ "name": "a" }, { "name": "a" }] }];

    topology: Topology = {
        "type": "object",
        "properties": {
            "ports": {
                "type": "array", "maxItems": 2,
                "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"],
                "items": {
                    "type": "object",
                    "properties": {
                        "name": { "type": "string" },
                        "port": { "type": "integer", "format": "int64", "default": 0 },
                    },
                    "required": ["name"],
                },
            },
            "zones": { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" },
            "arguments": {
                "type": "array", "nullable": true, "items": { "type": "string" },
                "x-kubernetes-list-type": "atomic",
            },
            "labels": {
                "type": "object", "nullable": true, "additionalProperties": { "type": "string" },
                "x-kubernetes-map-type": "atomic",
            },
            "main": {
                "type": "object", "nullable": true, "x-kubernetes-map-type": "granular",
                "properties": {
                    "name": { "type": "string" },
                    "port": { "type": "integer", "format": "int64", "default": 0 },
                },
                "required": ["name"],
            },
        },
        "required": ["ports", "zones"],
    },
    accepts [{
        "ports": [{ "name": "a", "port": 1 }, { "name": "a", "port": 2 }],
        "zones": ["a", "b"],
        "arguments": ["a", "a"],
        "labels": { "a": "b" },
        "main": { "name": "a", "port": 0 },
    }],
    refuses [
        { "ports": [{ "name": "a", "port": 1 }, { "name": "a", "port": 1 }], "zones": [] },
        { "ports": [], "zones": ["a", "a"] },
    ];
}
