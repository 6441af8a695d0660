//! Bounds of numbers, lengths and sizes, patterns and formats.

use std::collections::BTreeMap;

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::served_fields::forms;

const MOST: u8 = 9;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Numbers {
    #[crd(minimum = 1, maximum = MOST)]
    both: i64,
    #[crd(exclusive_minimum = 0, exclusive_maximum = 3)]
    between: f64,
    #[crd(multiple_of = 5)]
    fives: Option<i64>,
    #[crd(minimum = -3, maximum = 1000)]
    small: i8,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Texts {
    #[crd(min_length = 2, max_length = 3)]
    short: String,
    #[crd(pattern = "^a")]
    host: Option<String>,
    #[crd(minimum = 1, maximum = 9, pattern = "%$", int_or_string)]
    share: Option<i64>,
    #[crd(format = "int32")]
    count: Option<i64>,
    #[crd(min_length = 2, int_or_string)]
    level: Option<serde_json::Value>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Sizes {
    #[crd(min_items = 1, max_items = 2)]
    list: Vec<String>,
    #[crd(min_properties = 1, max_properties = 2)]
    map: Option<BTreeMap<String, String>>,
    #[crd(max_properties = 1)]
    object: Option<Choice>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Choice {
    #[serde(skip_serializing_if = "Option::is_none")]
    a: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<bool>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Level(#[crd(minimum = 1, maximum = 9)] i64);

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Name(#[crd(pattern = "^[a-z]+$", max_length = 5)] String);

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Narrowed {
    #[crd(minimum = 5, maximum = 100)]
    raised: Level,
    #[crd(minimum = 0, exclusive_maximum = 9)]
    lowered: Option<Level>,
    #[crd(pattern = "^a", max_length = 9, min_length = 2)]
    name: Option<Name>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Evaluated {
    #[schemars(range(min = least(), max = 300))]
    level: Level,
    #[schemars(regex(pattern = prefix()))]
    name: Name,
}

fn least() -> u8 {
    MOST - 5
}

fn prefix() -> String {
    "^a".to_owned()
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) enum Target {
    Port(#[crd(minimum = 1)] u16),
    Named {
        #[crd(max_length = 3)]
        name: String,
    },
}

// Bounds that say nothing of the numbers that the server counts in.
#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Idle {
    #[schemars(range(min = 1, max = 18_446_744_073_709_551_615_u64))]
    unsigned: u64,
    #[crd(minimum = i64::MIN, maximum = 9_223_372_036_854_775_807)]
    long: i64,
    #[schemars(range(max = 4_294_967_295_i64))]
    short: i32,
}

forms! {
    idle: Idle = {
        "type": "object",
        "properties": {
            "unsigned": { "type": "integer", "minimum": 1 },
            "long": { "type": "integer", "format": "int64" },
            "short": { "type": "integer", "format": "int32" },
        },
        "required": ["long", "short", "unsigned"],
    },
    accepts [
        { "unsigned": 1, "long": i64::MIN, "short": i32::MAX },
        { "unsigned": 9_007_199_254_740_991_i64, "long": i64::MAX, "short": i32::MIN },
    ],
    refuses [
        { "unsigned": 0, "long": 1, "short": 1 },
        { "unsigned": 1, "long": 1, "short": 2_147_483_648_i64 },
    ];

    numbers: Numbers = {
        "type": "object",
        "properties": {
            "both": { "type": "integer", "format": "int64", "minimum": 1, "maximum": 9 },
            "between": {
                "type": "number", "format": "double",
                "minimum": 0, "exclusiveMinimum": true, "maximum": 3, "exclusiveMaximum": true,
            },
            "fives": { "type": "integer", "format": "int64", "nullable": true, "multipleOf": 5 },
            "small": { "type": "integer", "minimum": -3, "maximum": 127 },
        },
        "required": ["between", "both", "small"],
    },
    accepts [
        { "both": 1, "between": 0.5, "fives": 10, "small": -3 },
        { "both": 9, "between": 1.25, "fives": null, "small": 127 },
    ],
    refuses [
        { "both": 0, "between": 0.5, "small": 1 },
        { "both": 10, "between": 0.5, "small": 1 },
        { "both": 1, "between": 0.0, "small": 1 },
        { "both": 1, "between": 3, "small": 1 },
        { "both": 1, "between": 0.5, "small": 1, "fives": 4 },
        { "both": 1, "between": 0.5, "small": -4 },
        { "both": 1, "between": 0.5, "small": 128 },
        { "both": "1", "between": 0.5, "small": 1 },
    ];

    texts: Texts = {
        "type": "object",
        "properties": {
            "short": { "type": "string", "minLength": 2, "maxLength": 3 },
            "host": { "type": "string", "nullable": true, "pattern": "^a" },
            "share": {
                "x-kubernetes-int-or-string": true, "nullable": true, "minimum": 1, "maximum": 9, "pattern": "%$",
            },
            "count": { "type": "integer", "format": "int32", "nullable": true },
            "level": { "x-kubernetes-int-or-string": true, "nullable": true, "minLength": 2 },
        },
        "required": ["short"],
    },
    accepts [
        { "short": "ab", "host": "a.b", "share": 9, "count": 1, "level": 1 },
        { "short": "äöü", "host": null, "share": 1, "count": null, "level": "ab" },
    ],
    refuses [
        { "short": "a" },
        { "short": "abcd" },
        { "short": "abc", "host": "b.b" },
        { "short": "abc", "share": 0 },
        { "short": "abc", "share": "9" },
        { "short": "abc", "count": 2147483648i64 },
        { "short": "abc", "level": "a" },
    ];

    sizes: Sizes = {
        "type": "object",
        "properties": {
            "list": { "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 2 },
            "map": {
                "type": "object", "nullable": true, "additionalProperties": { "type": "string" },
                "minProperties": 1, "maxProperties": 2,
            },
            "object": {
                "type": "object", "nullable": true, "maxProperties": 1,
                "properties": {
                    "a": { "type": "boolean", "nullable": true },
                    "b": { "type": "boolean", "nullable": true },
                },
            },
        },
        "required": ["list"],
    },
    accepts [
        { "list": ["a"], "map": { "a": "b" }, "object": { "a": true } },
        { "list": ["a", "a"], "map": { "a": "b", "b": "c" }, "object": {} },
    ],
    refuses [
        { "list": [] },
        { "list": ["a", "b", "c"] },
        { "list": ["a"], "map": {} },
        { "list": ["a"], "map": { "a": "a", "b": "b", "c": "c" } },
        { "list": ["a"], "object": { "a": true, "b": true } },
    ];

    narrowed: Narrowed = {
        "type": "object",
        "properties": {
            "raised": { "type": "integer", "format": "int64", "minimum": 5, "maximum": 9 },
            "lowered": {
                "type": "integer", "format": "int64", "nullable": true,
                "minimum": 1, "maximum": 9, "exclusiveMaximum": true,
            },
            "name": {
                "type": "string", "nullable": true, "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 5,
                "allOf": [{ "pattern": "^a" }],
            },
        },
        "required": ["raised"],
    },
    accepts [
        { "raised": 5, "lowered": 1, "name": "abcde" },
        { "raised": 9, "lowered": 8, "name": null },
    ],
    refuses [
        { "raised": 4 },
        { "raised": 10 },
        { "raised": 5, "lowered": 0 },
        { "raised": 5, "lowered": 9 },
        { "raised": 5, "name": "a" },
        { "raised": 5, "name": "abcdef" },
        { "raised": 5, "name": "ba" },
        { "raised": 5, "name": "aB" },
    ];

    evaluated: Evaluated = {
        "type": "object",
        "properties": {
            "level": { "type": "integer", "format": "int64", "minimum": 4, "maximum": 9 },
            "name": {
                "type": "string", "pattern": "^[a-z]+$", "maxLength": 5,
                "allOf": [{ "pattern": "^a" }],
            },
        },
        "required": ["level", "name"],
    },
    accepts [{ "level": 4, "name": "ab" }],
    refuses [{ "level": 3, "name": "ab" }, { "level": 10, "name": "ab" }, { "level": 4, "name": "b" }];

    target: Target = {
        "type": "object",
        "properties": {
            "Port": { "type": "integer", "minimum": 1, "maximum": 65535 },
            "Named": {
                "type": "object",
                "properties": { "name": { "type": "string", "maxLength": 3 } },
                "required": ["name"],
            },
        },
        "oneOf": [{ "required": ["Port"] }, { "required": ["Named"] }],
    },
    accepts [{ "Port": 1 }, { "Named": { "name": "abc" } }],
    refuses [{ "Port": 0 }, { "Port": 65536 }, { "Named": { "name": "abcd" } }];
}
