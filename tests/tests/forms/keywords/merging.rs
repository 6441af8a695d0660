//! Keywords and merge strategies of values inside of other values, or on a type.

use std::collections::BTreeMap;

use crdkit::{KubeSchema, schema::Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Merging {
    #[crd(values(list_type = "map", list_map_keys = ["name"]))]
    ports: BTreeMap<String, Vec<Named>>,
    #[crd(items(struct_type = "atomic"))]
    names: Vec<Named>,
    #[crd(items(list_type = "set", max_items = 2))]
    groups: Vec<Vec<String>>,
    list: Set,
    #[crd(list_type = "atomic")]
    own: Set,
    whole: Whole,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Named {
    name: String,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(list_type = "set")]
pub(crate) struct Set(Vec<i64>);

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(map_type = "atomic")]
pub(crate) struct Whole {
    a: bool,
}

/// Only serde reads it.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Stranger(Value);

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Forms {
    #[crd(items(preserve_unknown_fields))]
    any: Vec<Stranger>,
    #[crd(values(int_or_string, minimum = 1))]
    shares: Option<BTreeMap<String, Stranger>>,
    #[crd(items(schema = Schema::string(), min_length = 1))]
    texts: Vec<Option<Stranger>>,
    #[crd(max_items = 3, items(max_length = 9, validation = ("self != 'a'", "not a")))]
    ruled: Vec<String>,
}

forms! {
    merging: Merging = {
        "type": "object",
        "properties": {
            "ports": {
                "type": "object",
                "additionalProperties": {
                    "type": "array",
                    "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "properties": { "name": { "type": "string" } },
                        "required": ["name"],
                    },
                },
            },
            "names": {
                "type": "array",
                "items": {
                    "type": "object", "x-kubernetes-map-type": "atomic",
                    "properties": { "name": { "type": "string" } },
                    "required": ["name"],
                },
            },
            "groups": {
                "type": "array",
                "items": {
                    "type": "array", "x-kubernetes-list-type": "set", "maxItems": 2,
                    "items": { "type": "string" },
                },
            },
            "list": {
                "type": "array", "x-kubernetes-list-type": "set",
                "items": { "type": "integer", "format": "int64" },
            },
            "own": {
                "type": "array", "x-kubernetes-list-type": "atomic",
                "items": { "type": "integer", "format": "int64" },
            },
            "whole": {
                "type": "object", "x-kubernetes-map-type": "atomic",
                "properties": { "a": { "type": "boolean" } },
                "required": ["a"],
            },
        },
        "required": ["ports", "names", "groups", "list", "own", "whole"],
    },
    accepts [{
        "ports": { "a": [{ "name": "a" }, { "name": "b" }], "b": [{ "name": "a" }] },
        "names": [{ "name": "a" }, { "name": "a" }],
        "groups": [["a", "b"], ["a", "b"]],
        "list": [1, 2],
        "own": [1, 1],
        "whole": { "a": true },
    }],
    refuses [
        { "ports": { "a": [{ "name": "a" }, { "name": "a" }] }, "names": [], "groups": [], "list": [], "own": [], "whole": { "a": true } },
        { "ports": {}, "names": [], "groups": [["a", "a"]], "list": [], "own": [], "whole": { "a": true } },
        { "ports": {}, "names": [], "groups": [], "list": [1, 1], "own": [], "whole": { "a": true } },
    ];
    forms_inside: Forms = {
        "type": "object",
        "properties": {
            "any": { "type": "array", "items": { "x-kubernetes-preserve-unknown-fields": true } },
            "shares": {
                "type": "object", "nullable": true,
                "additionalProperties": {
                    "x-kubernetes-int-or-string": true, "minimum": 1,
                },
            },
            "texts": { "type": "array", "items": { "type": "string", "nullable": true, "minLength": 1 } },
            "ruled": {
                "type": "array", "maxItems": 3,
                "items": {
                    "type": "string", "maxLength": 9,
                    "x-kubernetes-validations": [{ "rule": "self != 'a'", "message": "not a" }],
                },
            },
        },
        "required": ["any", "texts", "ruled"],
    },
    accepts [
        { "any": [1, "a", { "b": [null] }], "shares": { "a": 1, "b": "10%" }, "texts": ["a", null], "ruled": ["b"] },
    ],
    refuses [
        { "any": [], "shares": { "a": 0 }, "texts": [], "ruled": [] },
        { "any": [], "shares": { "a": true }, "texts": [], "ruled": [] },
        { "any": [], "texts": [""], "ruled": [] },
        { "any": [], "texts": [], "ruled": ["a"] },
    ];
}
