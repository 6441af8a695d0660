//! Lists, sets, arrays and tuples.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap, HashSet, LinkedList, VecDeque},
    time::Duration,
};

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Point(i32, i32);

#[derive(KubeSchema, Serialize, Deserialize, PartialEq, Eq, Hash)]
pub(crate) struct Name(String);

#[derive(KubeSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Colour {
    Red,
    Green,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Named<T> {
    name: String,
    rest: (T, T),
}

forms! {
    list: Vec<u8> = { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
    accepts [[], [0, 255, 255]], refuses [[256], [null], {}];

    nested_list: Vec<Vec<Option<bool>>> = {
        "type": "array", "items": { "type": "array", "items": { "type": "boolean", "nullable": true } },
    },
    accepts [[], [[]], [[true, null], [false]]], refuses [[true], [["true"]]];

    queue: VecDeque<String> = { "type": "array", "items": { "type": "string" } },
    accepts [["a", "a"]], refuses [[1]];

    linked: LinkedList<String> = { "type": "array", "items": { "type": "string" } },
    accepts [["a"]], refuses ["a"];

    heap: BinaryHeap<Reverse<u8>> = {
        "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 },
    },
    accepts [[1]], refuses [[-1]];

    set: BTreeSet<String> = { "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" },
    accepts [[], ["a", "b"]], refuses [["a", "a"], [1]];

    hash_set: HashSet<Name> = {
        "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set",
    },
    accepts [["a"]], refuses [["a", "a"]];

    enum_set: BTreeSet<Colour> = {
        "type": "array", "items": { "type": "string", "enum": ["Red", "Green"] }, "x-kubernetes-list-type": "set",
    },
    accepts [["Red", "Green"]], refuses [["Red", "Red"], ["Blue"]];

    object_set: BTreeSet<Duration> = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "secs": { "type": "integer", "minimum": 0 },
                "nanos": { "type": "integer", "minimum": 0, "maximum": 999999999 },
            },
            "required": ["nanos", "secs"],
        },
    },
    accepts [[{ "secs": 1, "nanos": 2 }]], refuses [[{ "secs": 1 }], [{ "secs": 1, "nanos": 1000000000 }]];

    array: [u8; 2] = {
        "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 }, "minItems": 2, "maxItems": 2,
    },
    accepts [[0, 1]], refuses [[0], [0, 1, 2], [0, 256]];

    array_of_arrays: [[bool; 1]; 2] = {
        "type": "array",
        "items": { "type": "array", "items": { "type": "boolean" }, "minItems": 1, "maxItems": 1 },
        "minItems": 2, "maxItems": 2,
    },
    accepts [[[true], [false]]], refuses [[[true]], [[true], [true, true]]];

    pair: (String, String) = {
        "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2,
    },
    accepts [["a", "b"]], refuses [["a"], ["a", "b", "c"], ["a", 1]];

    single: (u8,) = {
        "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 }, "minItems": 1, "maxItems": 1,
    },
    accepts [[1]], refuses [[], [256], 1];

    eight: (i64, i64, i64, i64, i64, i64, i64, i64) = {
        "type": "array", "items": { "type": "integer", "format": "int64" }, "minItems": 8, "maxItems": 8,
    },
    accepts [[1, 2, 3, 4, 5, 6, 7, 8]], refuses [[1, 2, 3, 4, 5, 6, 7]];

    mixed_tuple: (u8, u16) = {
        "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 65535 }, "minItems": 2, "maxItems": 2,
    },
    accepts [[1, 300]], refuses [[1], [-1, 1], [1, 65536]];

    tuple_struct: Point = {
        "type": "array", "items": { "type": "integer", "format": "int32" }, "minItems": 2, "maxItems": 2,
    },
    accepts [[1, -1]], refuses [[1], [1, 2147483648_i64]];

    newtype: Name = { "type": "string" },
    accepts ["a"], refuses [["a"], 1];

    generic_pair: Named<bool> = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "rest": { "type": "array", "items": { "type": "boolean" }, "minItems": 2, "maxItems": 2 },
        },
        "required": ["name", "rest"],
    },
    accepts [{ "name": "a", "rest": [true, false] }], refuses [{ "name": "a", "rest": [true] }, { "rest": [true, true] }];
}
