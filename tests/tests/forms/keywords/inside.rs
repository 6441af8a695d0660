//! Keywords of the items of lists and of the values of maps.

use std::collections::BTreeMap;

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Inside {
    #[crd(max_items = 2, items(minimum = 1))]
    ports: Vec<u16>,
    #[crd(inner(pattern = "^a"))]
    names: Option<Vec<String>>,
    #[crd(values(max_length = 2))]
    labels: BTreeMap<String, String>,
    #[crd(values(min_items = 1, items(values(maximum = 3))))]
    deep: BTreeMap<String, Vec<BTreeMap<String, i64>>>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Row(#[crd(items(minimum = 1))] Vec<i64>);

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Table {
    #[crd(items(min_items = 1, items(minimum = 0, maximum = 9)))]
    rows: Vec<Row>,
}

/// What stands where null stood.
#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Defaults {
    #[crd(items(default = "none", max_length = 4))]
    names: Vec<String>,
    #[crd(items(items(default = size())))]
    rows: Option<Vec<Vec<i64>>>,
}

fn size() -> i64 {
    5
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Words {
    #[crd(items(multiple_of = 5, title = "A size", external_docs(url = "https://example.com/sizes")))]
    sizes: Vec<i64>,
    #[crd(values(title = "A name", schema_patch({ "maxLength": 3 })))]
    names: BTreeMap<String, String>,
    #[crd(items(schema_patch({ "description": "One of them.", "x-kubernetes-map-type": "atomic" })))]
    rows: Option<Vec<Named>>,
}

/// Whatever has a name.
#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Named {
    name: String,
}

forms! {
    words_inside: Words = {
        "type": "object",
        "properties": {
            "sizes": {
                "type": "array",
                "items": {
                    "type": "integer", "format": "int64", "multipleOf": 5, "title": "A size",
                    "externalDocs": { "url": "https://example.com/sizes" },
                },
            },
            "names": {
                "type": "object",
                "additionalProperties": { "type": "string", "title": "A name", "maxLength": 3 },
            },
            "rows": {
                "type": "array", "nullable": true,
                "items": {
                    "type": "object", "description": "One of them.", "x-kubernetes-map-type": "atomic",
                    "properties": { "name": { "type": "string" } }, "required": ["name"],
                },
            },
        },
        "required": ["names", "sizes"],
    },
    accepts [
        { "sizes": [5, -10], "names": { "a": "abc" }, "rows": [{ "name": "a" }] },
        { "sizes": [], "names": {}, "rows": null },
    ],
    refuses [
        { "sizes": [4], "names": {} },
        { "sizes": [], "names": { "a": "abcd" } },
        { "sizes": [], "names": {}, "rows": [{}] },
    ];

    defaults_inside: Defaults = {
        "type": "object",
        "description": "What stands where null stood.",
        "properties": {
            "names": { "type": "array", "items": { "type": "string", "maxLength": 4, "default": "none" } },
            "rows": {
                "type": "array", "nullable": true,
                "items": { "type": "array", "items": { "type": "integer", "format": "int64", "default": 5 } },
            },
        },
        "required": ["names"],
    },
    accepts [{ "names": ["a"], "rows": [[1], []] }],
    refuses [{ "names": ["abcde"], "rows": null }, { "names": [], "rows": [["a"]] }];

    inside: Inside = {
        "type": "object",
        "properties": {
            "ports": {
                "type": "array", "maxItems": 2,
                "items": { "type": "integer", "minimum": 1, "maximum": 65535 },
            },
            "names": {
                "type": "array", "nullable": true,
                "items": { "type": "string", "pattern": "^a" },
            },
            "labels": {
                "type": "object",
                "additionalProperties": { "type": "string", "maxLength": 2 },
            },
            "deep": {
                "type": "object",
                "additionalProperties": {
                    "type": "array", "minItems": 1,
                    "items": {
                        "type": "object",
                        "additionalProperties": { "type": "integer", "format": "int64", "maximum": 3 },
                    },
                },
            },
        },
        "required": ["deep", "labels", "ports"],
    },
    accepts [
        { "ports": [1, 2], "names": ["a"], "labels": { "a": "bc" }, "deep": { "a": [{ "b": 3 }] } },
        { "ports": [], "names": null, "labels": {}, "deep": {} },
    ],
    refuses [
        { "ports": [0], "labels": {}, "deep": {} },
        { "ports": [1, 2, 3], "labels": {}, "deep": {} },
        { "ports": [], "names": ["b"], "labels": {}, "deep": {} },
        { "ports": [], "labels": { "a": "abc" }, "deep": {} },
        { "ports": [], "labels": {}, "deep": { "a": [] } },
        { "ports": [], "labels": {}, "deep": { "a": [{ "b": 4 }] } },
    ];

    table: Table = {
        "type": "object",
        "properties": {
            "rows": {
                "type": "array",
                "items": {
                    "type": "array", "minItems": 1,
                    "items": { "type": "integer", "format": "int64", "minimum": 1, "maximum": 9 },
                },
            },
        },
        "required": ["rows"],
    },
    accepts [{ "rows": [[1, 9]] }, { "rows": [] }],
    refuses [{ "rows": [[]] }, { "rows": [[0]] }, { "rows": [[10]] }];
}
