//! Allowed values, null, and descriptions of values.

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Values {
    #[crd(enum_values = ["a", "b"])]
    text: String,
    #[crd(enum_values = [-1, 1])]
    sign: Option<i64>,
    #[crd(enum_values = ["Ready", "Failed"])]
    phase: Option<Phase>,
    #[crd(items(enum_values = ["Pending"]))]
    phases: Vec<Phase>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) enum Phase {
    Pending,
    Ready,
    Failed,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Nulls {
    #[crd(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none")]
    never: Option<i64>,
    #[crd(values(nullable))]
    values: std::collections::BTreeMap<String, serde_json::Map<String, serde_json::Value>>,
}

/// Documented.
#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Words {
    /// The documentation.
    #[crd(title = "A name", description = "What it is called.", example = "foo")]
    #[crd(external_docs(url = "https://example.com/names", description = "All names."))]
    name: String,
    #[crd(items(description = "One.", example = 1), external_docs(url = "https://example.com"))]
    list: Vec<i64>,
}

/// An object with or without a group of fields.
#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Around {
    name: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    group: Option<Group>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Group {
    host: String,
    #[crd(default = 80)]
    port: i64,
}

forms! {
    values: Values = {
        "type": "object",
        "properties": {
            "text": { "type": "string", "enum": ["a", "b"] },
            "sign": { "type": "integer", "format": "int64", "enum": [-1, 1] },
            "phase": { "type": "string", "enum": ["Ready", "Failed"] },
            "phases": { "type": "array", "items": { "type": "string", "enum": ["Pending"] } },
        },
        "required": ["phases", "text"],
    },
    accepts [{ "text": "a", "sign": -1, "phase": "Failed", "phases": ["Pending"] }],
    refuses [
        { "text": "c", "phases": [] },
        { "text": "a", "sign": 0, "phases": [] },
        { "text": "a", "phase": "Pending", "phases": [] },
        { "text": "a", "phases": ["Ready"] },
    ];

    words: Words = {
        "type": "object",
        "description": "Documented.",
        "properties": {
            "name": {
                "type": "string", "title": "A name", "description": "What it is called.", "example": "foo",
                "externalDocs": { "url": "https://example.com/names", "description": "All names." },
            },
            "list": {
                "type": "array",
                "items": { "type": "integer", "format": "int64", "description": "One.", "example": 1 },
                "externalDocs": { "url": "https://example.com" },
            },
        },
        "required": ["list", "name"],
    },
    accepts [{ "name": "a", "list": [1] }],
    refuses [{ "name": 1, "list": [] }];

    nulls: Nulls = {
        "type": "object",
        "properties": {
            "never": { "type": "integer", "format": "int64" },
            "values": {
                "type": "object",
                "additionalProperties": {
                    "type": "object", "nullable": true,
                    "additionalProperties": { "x-kubernetes-preserve-unknown-fields": true, "nullable": true },
                },
            },
        },
        "required": ["values"],
    },
    accepts [{ "never": 1, "values": {} }],
    refuses [{ "values": { "a": 1 } }];
    around: Around = {
        "type": "object", "description": "An object with or without a group of fields.",
        "properties": {
            "name": { "type": "string" },
            "host": { "type": "string" },
            "port": { "type": "integer", "format": "int64" },
        },
        "required": ["name"],
        "anyOf": [
            { "required": ["host", "port"] },
            { "not": { "anyOf": [{ "required": ["host"] }, { "required": ["port"] }] } },
        ],
    },
    accepts [{ "name": "a" }, { "name": "a", "host": "b", "port": 1 }],
    refuses [{ "name": "a", "host": "b" }, { "name": "a", "port": 1 }];
}
