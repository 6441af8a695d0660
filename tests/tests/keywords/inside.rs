//! Keywords of the items of lists and of the values of maps.

use std::collections::BTreeMap;

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::zoo::forms;

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

forms! {
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
