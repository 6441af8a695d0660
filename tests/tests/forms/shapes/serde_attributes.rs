//! Serde's attributes on structs.

use std::marker::PhantomData;

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};

use crate::served_fields::forms;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Written {
    #[serde(with = "hex")]
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{1,2}$"))]
    hex: u8,
    #[serde(with = "PointDef")]
    point: other::Point,
    #[serde(deserialize_with = "hex::deserialize", serialize_with = "hex::serialize")]
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{1,2}$"))]
    again: u8,
}

mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(number: &u8, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{number:x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
        let text = String::deserialize(deserializer)?;
        u8::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}

mod other {
    pub(crate) struct Point {
        pub(crate) x: i32,
    }
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(remote = "other::Point")]
struct PointDef {
    x: i32,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Outer {
    name: String,
    #[serde(flatten)]
    required: Inner,
    #[serde(flatten)]
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<Group>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Inner {
    size: u8,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Group {
    host: String,
    port: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Defaults {
    first_size: u8,
    text: Option<String>,
    list: Vec<u8>,
    nested: Nested,
}

#[derive(KubeSchema, Serialize, Deserialize, Default)]
#[serde(default)]
pub(crate) struct Nested {
    on: bool,
    level: Level,
}

#[derive(KubeSchema, Serialize, Deserialize, Default)]
pub(crate) enum Level {
    Low,
    #[default]
    High,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { first_size: 3, text: None, list: vec![1], nested: Nested { on: true, level: Level::Low } }
    }
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(default = "by_a_function")]
pub(crate) struct ByAFunction {
    size: u8,
    level: Level,
    #[serde(default)]
    own: u8,
}

fn by_a_function() -> ByAFunction {
    ByAFunction { size: 7, level: Level::Low, own: 7 }
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Aliased {
    #[serde(rename = "type", alias = "kind", alias = "class")]
    class: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "Digits")]
pub(crate) struct Number(u32);

#[derive(KubeSchema)]
#[allow(dead_code)]
struct Digits(#[crd(pattern = "^(0|[1-9][0-9]{0,8})$")] String);

impl TryFrom<String> for Number {
    type Error = std::num::ParseIntError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self)
    }
}

impl From<Number> for String {
    fn from(number: Number) -> Self {
        number.0.to_string()
    }
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Transparent {
    inner: Vec<bool>,
    #[serde(skip)]
    marker: PhantomData<u8>,
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Nothing {}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Skipping {
    #[serde(skip_serializing_if = "Option::is_none")]
    optional: Option<u8>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    list: Vec<u8>,
    #[serde(skip_serializing_if = "is_off", default)]
    flag: bool,
    #[serde(skip)]
    #[allow(dead_code)]
    never: u8,
}

fn is_off(flag: &bool) -> bool {
    !flag
}

/// What no schema can say.
#[derive(Default)]
pub(crate) struct Cache;

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum Source {
    Disk { size: u8 },
    Cached(#[serde(skip)] Cache),
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) enum Place {
    Memory,
    Cached(#[serde(skip)] Cache),
}

forms! {
    skipped_data: Source = {
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["Cached", "Disk"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
        "required": ["type"],
        "oneOf": [
            { "properties": { "type": { "enum": ["Cached"] } } },
            { "properties": { "type": { "enum": ["Disk"] } }, "required": ["size"] },
        ],
    },
    accepts [{ "type": "Disk", "size": 1 }, { "type": "Cached" }],
    refuses [{ "type": "Disk" }, "Cached", {}];

    skipped_text: Place = { "type": "string", "enum": ["Memory", "Cached"] },
    accepts ["Memory", "Cached"], refuses [{ "Cached": null }, "High"];

    written: Written = {
        "type": "object",
        "properties": {
            "hex": { "type": "string", "pattern": "^[0-9a-f]{1,2}$" },
            "point": {
                "type": "object", "properties": { "x": { "type": "integer", "format": "int32" } }, "required": ["x"],
            },
            "again": { "type": "string", "pattern": "^[0-9a-f]{1,2}$" },
        },
        "required": ["again", "hex", "point"],
    },
    accepts [{ "hex": "ff", "point": { "x": 1 }, "again": "0" }],
    refuses [{ "hex": 1, "point": { "x": 1 }, "again": "0" }, { "hex": "g", "point": { "x": 1 }, "again": "0" }];

    flattened: Outer = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            "host": { "type": "string" },
            "port": { "type": "integer", "minimum": 0, "maximum": 65535 },
            "path": { "type": "string", "nullable": true },
        },
        "required": ["name", "size"],
        "anyOf": [
            { "required": ["host", "port"] },
            { "not": { "anyOf": [{ "required": ["host"] }, { "required": ["path"] }, { "required": ["port"] }] } },
        ],
    },
    accepts [
        { "name": "a", "size": 1 },
        { "name": "a", "size": 1, "host": "b", "port": 80 },
        { "name": "a", "size": 1, "host": "b", "port": 80, "path": "c" },
    ],
    refuses [
        { "name": "a" }, { "name": "a", "size": 1, "host": "b" }, { "name": "a", "size": 1, "path": "b" },
        { "name": "a", "size": 1, "host": "b", "port": 65536 },
    ];

    defaults: Defaults = {
        "type": "object",
        "properties": {
            "firstSize": { "type": "integer", "minimum": 0, "maximum": 255, "default": 3 },
            "text": { "type": "string", "nullable": true },
            "list": { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 }, "default": [1] },
            "nested": {
                "type": "object",
                "properties": {
                    "on": { "type": "boolean", "default": false },
                    "level": { "type": "string", "enum": ["Low", "High"], "default": "High" },
                },
                "default": { "on": true, "level": "Low" },
            },
        },
    },
    accepts [{ "firstSize": 1, "text": null, "list": [], "nested": { "on": false, "level": "High" } }],
    refuses [{ "firstSize": 256 }, { "first_size": 1 }, { "nested": { "level": "Middle" } }];

    default_by_a_function: ByAFunction = {
        "type": "object",
        "properties": {
            "size": { "type": "integer", "minimum": 0, "maximum": 255, "default": 7 },
            "level": { "type": "string", "enum": ["Low", "High"], "default": "Low" },
            "own": { "type": "integer", "minimum": 0, "maximum": 255, "default": 0 },
        },
    },
    accepts [{ "size": 1, "level": "High", "own": 2 }],
    refuses [{ "size": 256 }, { "level": "Middle" }, 1];

    aliased: Aliased = {
        "type": "object", "properties": { "type": { "type": "string" } }, "required": ["type"],
    },
    accepts [{ "type": "a" }], refuses [{ "kind": "a" }, { "class": "a" }];

    converted: Number = { "type": "string", "pattern": "^(0|[1-9][0-9]{0,8})$" },
    accepts ["0", "123456789"], refuses [1, "a", "1234567890"];

    transparent: Transparent = { "type": "array", "items": { "type": "boolean" } },
    accepts [[], [true]], refuses [{ "inner": [] }];

    nothing: Nothing = { "type": "object" },
    accepts [{}], refuses [{ "a": 1 }, [], "a"];

    skipping: Skipping = {
        "type": "object",
        "properties": {
            "optional": { "type": "integer", "nullable": true, "minimum": 0, "maximum": 255 },
            "list": { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
            "flag": { "type": "boolean" },
        },
    },
    accepts [{}, { "optional": 1, "list": [1], "flag": true }], refuses [{ "optional": 256 }, { "never": 1 }];
}
