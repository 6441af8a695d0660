//! Maps and values of any form.

use std::collections::{BTreeMap, HashMap};

use crdkit::{Foreign, KubeSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, value::RawValue};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Resource {
    Cpu,
    /// In bytes.
    MainMemory,
}

#[derive(KubeSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(Resource);

#[derive(KubeSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OpenKey {
    Known,
    #[serde(untagged)]
    Other(String),
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Limits {
    #[crd(values(maximum = 10))]
    limits: BTreeMap<Resource, u8>,
    nested: Option<BTreeMap<String, HashMap<Resource, Vec<bool>>>>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Raw {
    raw: Box<RawValue>,
    maybe: Option<Box<RawValue>>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Ports {
    #[crd(max_properties = 3, validation = "self.all(key, key.matches('^[0-9]{1,5}$') && int(key) < 65536)")]
    ports: BTreeMap<u16, String>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Rest {
    name: String,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Anything {
    value: Value,
    maybe: Option<Value>,
    foreign: OfSchemars,
    wrapped: Foreign<Value>,
    #[serde(flatten)]
    rest: Value,
}

#[derive(schemars::JsonSchema, Serialize, Deserialize)]
pub(crate) struct OfSchemars {
    value: Value,
    map: BTreeMap<String, Value>,
}

forms! {
    flattened_map: Rest = {
        "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"],
        "x-kubernetes-preserve-unknown-fields": true,
    },
    accepts [{ "name": "a" }, { "name": "a", "other": { "b": [1, {}] }, "more": "c", "null": null }],
    refuses [{}, { "name": 1 }, { "other": 1 }];

    by_text: BTreeMap<String, u8> = {
        "type": "object", "additionalProperties": { "type": "integer", "minimum": 0, "maximum": 255 },
    },
    accepts [{}, { "a": 1, "b/c": 255 }], refuses [{ "a": 256 }, { "a": "b" }, []];

    by_number: HashMap<u8, bool> = { "type": "object", "additionalProperties": { "type": "boolean" } },
    accepts [{ "1": true }], refuses [{ "1": 1 }];

    by_ruled_number: Ports = {
        "type": "object",
        "properties": {
            "ports": {
                "type": "object",
                "additionalProperties": { "type": "string" },
                "maxProperties": 3,
                "x-kubernetes-validations": [
                    { "rule": "self.all(key, key.matches('^[0-9]{1,5}$') && int(key) < 65536)" },
                ],
            },
        },
        "required": ["ports"],
    },
    accepts [{ "ports": { "80": "http", "65535": "" } }],
    refuses [{ "ports": { "a": "b" } }, { "ports": { "65536": "" } }, { "ports": { "-1": "" } }];

    by_name: BTreeMap<Resource, u8> = {
        "type": "object",
        "properties": {
            "cpu": { "type": "integer", "minimum": 0, "maximum": 255 },
            "main-memory": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
    },
    accepts [{}, { "cpu": 1 }, { "cpu": 255, "main-memory": 0 }], refuses [{ "cpu": 256 }, { "disk": 1 }, { "Cpu": 1 }];

    by_newtype: BTreeMap<Key, String> = {
        "type": "object", "properties": { "cpu": { "type": "string" }, "main-memory": { "type": "string" } },
    },
    accepts [{ "cpu": "1" }], refuses [{ "disk": "1" }];

    by_open_name: BTreeMap<OpenKey, bool> = { "type": "object", "additionalProperties": { "type": "boolean" } },
    accepts [{ "Known": true, "other": false }], refuses [{ "Known": 1 }];

    limits: Limits = {
        "type": "object",
        "properties": {
            "limits": {
                "type": "object",
                "properties": {
                    "cpu": { "type": "integer", "minimum": 0, "maximum": 10 },
                    "main-memory": { "type": "integer", "minimum": 0, "maximum": 10 },
                },
            },
            "nested": {
                "type": "object",
                "nullable": true,
                "additionalProperties": {
                    "type": "object",
                    "properties": {
                        "cpu": { "type": "array", "items": { "type": "boolean" } },
                        "main-memory": { "type": "array", "items": { "type": "boolean" } },
                    },
                },
            },
        },
        "required": ["limits"],
    },
    accepts [{ "limits": { "cpu": 10 }, "nested": null }, { "limits": {}, "nested": { "a": { "cpu": [true] } } }],
    refuses [{ "limits": { "cpu": 11 } }, { "limits": {}, "nested": { "a": { "disk": [] } } }];

    optional_values: BTreeMap<String, Option<String>> = {
        "type": "object", "additionalProperties": { "type": "string", "nullable": true },
    },
    accepts [{ "a": null, "b": "" }], refuses [{ "a": 1 }];

    any: Value = { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
    accepts [1, "a", [1, { "a": [] }], { "a": { "b": [0.5, null] }, "c": null }, null], refuses [];

    anys: Vec<Value> = {
        "type": "array", "items": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
    },
    accepts [[1, null, "a", [true], { "a": {} }]], refuses [{}];

    any_map: Map<String, Value> = {
        "type": "object",
        "additionalProperties": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
    },
    accepts [{ "a": [1], "b": { "c": 1 } }, { "a": null }], refuses [1];

    any_by_name: BTreeMap<Resource, Value> = {
        "type": "object",
        "properties": {
            "cpu": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
            "main-memory": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
        },
    },
    accepts [{ "cpu": null, "main-memory": 1 }], refuses [1];

    any_fields: Anything = {
        "type": "object",
        "properties": {
            "value": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
            "maybe": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
            "foreign": {
                "type": "object",
                "properties": {
                    "value": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
                    "map": {
                        "type": "object",
                        "additionalProperties": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
                    },
                },
                "required": ["value", "map"],
            },
            "wrapped": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
        },
        "required": ["value", "foreign", "wrapped"],
        "x-kubernetes-preserve-unknown-fields": true,
    },
    accepts [
        { "value": null, "maybe": null, "foreign": { "value": null, "map": { "a": null } }, "wrapped": null, "b": null },
        { "value": 1, "maybe": 1, "foreign": { "value": [null], "map": {} }, "wrapped": { "a": null } },
    ],
    refuses [
        { "value": null, "foreign": { "value": null, "map": {} } },
        { "foreign": { "value": null, "map": {} }, "wrapped": null },
    ];

    raw: Raw = {
        "type": "object",
        "properties": {
            "raw": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
            "maybe": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
        },
        "required": ["raw"],
    },
    accepts [{ "raw": { "a": [1] }, "maybe": null }, { "raw": null, "maybe": "a" }], refuses [{}, 1];

    number: Number = { "type": "number" },
    accepts [1, 0.5], refuses ["1"];
}
