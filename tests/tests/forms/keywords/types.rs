//! Keywords on types.

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(minimum = 1, maximum = 9, title = "A level")]
pub(crate) struct Level(i64);

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(max_items = 2, items(max_length = 3))]
pub(crate) struct Words(#[crd(min_items = 1)] Vec<String>);

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(int_or_string, minimum = 1, pattern = "%$")]
pub(crate) struct Share(i64);

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(min_properties = 1, external_docs(url = "https://example.com"))]
pub(crate) struct Choice {
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<bool>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(max_properties = 1)]
pub(crate) struct Pair<T> {
    left: T,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Types {
    #[crd(maximum = 5)]
    level: Level,
    words: Words,
    share: Share,
    choice: Choice,
    pair: Pair<bool>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(enum_values = ["small", "large"])]
pub(crate) struct Size(String);

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(embedded_resource)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Embedded {
    api_version: String,
    kind: String,
    image: String,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(multiple_of = 2)]
pub(crate) struct Even(i64);

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Both {
    size: Size,
    #[crd(enum_values = ["large", "huge"])]
    larger: Option<Size>,
    resource: Embedded,
    #[crd(multiple_of = 3)]
    sixes: Even,
}

forms! {
    both: Both = {
        "type": "object",
        "properties": {
            "size": { "type": "string", "enum": ["small", "large"] },
            "larger": { "type": "string", "enum": ["large"] },
            "resource": {
                "type": "object", "x-kubernetes-embedded-resource": true,
                "properties": {
                    "apiVersion": { "type": "string" }, "kind": { "type": "string" }, "image": { "type": "string" },
                },
                "required": ["apiVersion", "image", "kind"],
            },
            "sixes": { "type": "integer", "format": "int64", "multipleOf": 2, "allOf": [{ "multipleOf": 3 }] },
        },
        "required": ["resource", "sixes", "size"],
    },
    accepts [
        {
            "size": "small", "larger": "large", "sixes": -6,
            "resource": { "apiVersion": "v1", "kind": "Pod", "image": "a" },
        },
    ],
    refuses [
        { "size": "huge", "sixes": 0, "resource": { "apiVersion": "v1", "kind": "Pod", "image": "a" } },
        { "size": "small", "larger": "small", "sixes": 0, "resource": { "apiVersion": "v1", "kind": "Pod", "image": "a" } },
        { "size": "small", "sixes": 2, "resource": { "apiVersion": "v1", "kind": "Pod", "image": "a" } },
        { "size": "small", "sixes": 3, "resource": { "apiVersion": "v1", "kind": "Pod", "image": "a" } },
        { "size": "small", "sixes": 0, "resource": { "apiVersion": "v1", "kind": "A_B", "image": "a" } },
        { "size": "small", "sixes": 0, "resource": { "apiVersion": "v1", "kind": "Pod" } },
    ];

    types: Types = {
        "type": "object",
        "properties": {
            "level": {
                "type": "integer", "format": "int64", "title": "A level", "minimum": 1, "maximum": 5,
            },
            "words": {
                "type": "array", "minItems": 1, "maxItems": 2,
                "items": { "type": "string", "maxLength": 3 },
            },
            "share": { "x-kubernetes-int-or-string": true, "minimum": 1, "pattern": "%$" },
            "choice": {
                "type": "object", "minProperties": 1,
                "externalDocs": { "url": "https://example.com" },
                "properties": {
                    "a": { "type": "boolean", "nullable": true },
                    "b": { "type": "boolean", "nullable": true },
                },
            },
            "pair": {
                "type": "object", "maxProperties": 1,
                "properties": { "left": { "type": "boolean" } },
                "required": ["left"],
            },
        },
        "required": ["choice", "level", "pair", "share", "words"],
    },
    accepts [{ "level": 5, "words": ["abc"], "share": 1, "choice": { "a": true }, "pair": { "left": true } }],
    refuses [
        { "level": 6, "words": ["abc"], "share": 1, "choice": { "a": true }, "pair": { "left": true } },
        { "level": 0, "words": ["abc"], "share": 1, "choice": { "a": true }, "pair": { "left": true } },
        { "level": 5, "words": ["abcd"], "share": 1, "choice": { "a": true }, "pair": { "left": true } },
        { "level": 5, "words": [], "share": 1, "choice": { "a": true }, "pair": { "left": true } },
        { "level": 5, "words": ["a"], "share": 0, "choice": { "a": true }, "pair": { "left": true } },
        { "level": 5, "words": ["a"], "share": "5", "choice": { "a": true }, "pair": { "left": true } },
        { "level": 5, "words": ["a"], "share": 5, "choice": {}, "pair": { "left": true } },
    ];
}
