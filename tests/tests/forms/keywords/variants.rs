//! Keywords on the variants of enums.

use std::collections::BTreeMap;

use crdkit::KubeSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::served_fields::forms;

const LIMIT: i64 = 9;

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) enum External {
    /// Bytes.
    #[crd(title = "Size", minimum = 2, maximum = LIMIT, example = 5)]
    #[crd(external_docs(url = "https://example.com"))]
    Size(#[crd(maximum = 7, title = "Number", multiple_of = 2)] i64),
    #[crd(description = "Names.", list_type = "set", max_items = 2, items(min_length = 1))]
    Names(Vec<String>),
    #[crd(values(maximum = LIMIT), min_properties = 1, map_type = "atomic")]
    Limits(BTreeMap<String, u8>),
    #[crd(validation = Rule::new("self.low <= self.high").message("low is above high"))]
    #[crd(struct_type = "atomic")]
    Range {
        low: u8,
        high: u8,
    },
    #[crd(items(maximum = 9))]
    Pair(u8, u8),
    #[crd(nullable)]
    Nothing(Option<bool>),
    #[crd(int_or_string, minimum = 1, pattern = "%$")]
    Share(Value),
    #[crd(items(int_or_string, minimum = 1))]
    Shares(Vec<Value>),
    Levels(Levels),
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[crd(values(int_or_string, minimum = 1))]
pub(crate) struct Levels(BTreeMap<String, Value>);

fn shorten(schema: &mut schemars::Schema) {
    schema.insert("maxLength".to_owned(), 4.into());
}

/// In schemars' words.
#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) enum OfSchemars {
    /// # A word
    ///
    /// In lower case.
    #[schemars(regex(pattern = "^[a-z]*$"), length(min = 1), example = "word", transform = shorten)]
    Word(String),
    #[schemars(title = "Tags", extend("maxItems" = 2), length(min = 1), inner(length(max = 3)))]
    Tags(Vec<String>),
    #[schemars(description = "Up to three.", range(max = 3))]
    Count(u8),
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) struct Beside {
    name: String,
    #[serde(flatten)]
    choice: Choice,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Choice {
    #[crd(title = "A", max_length = 3)]
    Left(String),
    #[crd(max_properties = 1)]
    #[crd(validation = "!has(self.a) || self.a")]
    Right {
        #[serde(skip_serializing_if = "Option::is_none")]
        a: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        b: Option<bool>,
    },
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type")]
pub(crate) enum Internal {
    #[crd(description = "Nothing.")]
    Unit,
    /// # No place for a title
    ///
    /// Some.
    #[crd(min_properties = 1, validation = "!has(self.a) || !has(self.b) || self.a < self.b")]
    Some {
        #[serde(skip_serializing_if = "Option::is_none")]
        a: Option<u8>,
        #[serde(skip_serializing_if = "Option::is_none")]
        b: Option<u8>,
    },
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type", content = "value")]
pub(crate) enum Adjacent {
    #[crd(minimum = 4, maximum = 8)]
    Small(#[crd(minimum = 3)] i64),
    #[crd(description = "Even ones.", multiple_of = 2)]
    Even(i64),
    Unit,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type", content = "value")]
pub(crate) enum AdjacentLists {
    #[crd(max_items = 2, items(minimum = 3))]
    Short(Vec<i64>),
    #[schemars(length(min = 1), inner(range(max = 2)))]
    Low(Vec<i64>),
}

/// The data of one variant has the field for itself.
#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(tag = "type", content = "value")]
pub(crate) enum Single {
    #[crd(title = "Count", maximum = 8, validation = "self != 5")]
    Count(u8),
    Unit,
}

#[derive(KubeSchema, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Untagged {
    #[crd(minimum = 1)]
    Number(u8),
    #[crd(pattern = "%$")]
    Share(String),
}

#[derive(KubeSchema, Serialize, Deserialize)]
pub(crate) enum Units {
    #[crd(description = "The first.")]
    A,
    /// The second.
    #[schemars(description = "The other.")]
    B,
}

forms! {
    external: External = {
        "type": "object",
        "properties": {
            "Size": {
                "type": "integer", "format": "int64", "title": "Size", "description": "Bytes.",
                "minimum": 2, "maximum": 7, "multipleOf": 2, "example": 5,
                "externalDocs": { "url": "https://example.com" },
            },
            "Names": {
                "type": "array", "description": "Names.", "maxItems": 2, "x-kubernetes-list-type": "set",
                "items": { "type": "string", "minLength": 1 },
            },
            "Limits": {
                "type": "object", "minProperties": 1, "x-kubernetes-map-type": "atomic",
                "additionalProperties": { "type": "integer", "minimum": 0, "maximum": 9 },
            },
            "Range": {
                "type": "object", "x-kubernetes-map-type": "atomic",
                "properties": {
                    "low": { "type": "integer", "minimum": 0, "maximum": 255 },
                    "high": { "type": "integer", "minimum": 0, "maximum": 255 },
                },
                "required": ["high", "low"],
                "x-kubernetes-validations": [
                    { "rule": "self.low <= self.high", "message": "low is above high" },
                ],
            },
            "Pair": {
                "type": "array", "minItems": 2, "maxItems": 2,
                "items": { "type": "integer", "minimum": 0, "maximum": 9 },
            },
            "Nothing": { "type": "boolean", "nullable": true },
            "Share": { "x-kubernetes-int-or-string": true, "minimum": 1, "pattern": "%$" },
            "Shares": { "type": "array", "items": { "x-kubernetes-int-or-string": true, "minimum": 1 } },
            "Levels": {
                "type": "object", "additionalProperties": { "x-kubernetes-int-or-string": true, "minimum": 1 },
            },
        },
        "oneOf": [
            { "required": ["Size"] }, { "required": ["Names"] }, { "required": ["Limits"] },
            { "required": ["Range"] }, { "required": ["Pair"] }, { "required": ["Nothing"] },
            { "required": ["Share"] }, { "required": ["Shares"] }, { "required": ["Levels"] },
        ],
    },
    accepts [
        { "Size": 6 }, { "Names": ["a", "b"] }, { "Limits": { "a": 9 } }, { "Range": { "low": 1, "high": 2 } },
        { "Pair": [9, 0] }, { "Nothing": null }, { "Share": 1 }, { "Share": "5%" },
        { "Shares": [1, "a"] }, { "Levels": { "a": 1, "b": "c" } },
    ],
    refuses [
        { "Size": 0 }, { "Size": 8 }, { "Size": 5 },
        { "Names": ["a", "a"] }, { "Names": ["a", "b", "c"] }, { "Names": [""] },
        { "Limits": {} }, { "Limits": { "a": 10 } },
        { "Range": { "low": 2, "high": 1 } },
        { "Pair": [10, 0] },
        { "Share": 0 }, { "Share": "5" }, { "Shares": [0] }, { "Shares": [true] }, { "Levels": { "a": 0 } },
    ];
    of_schemars: OfSchemars = {
        "type": "object",
        "description": "In schemars' words.",
        "properties": {
            "Word": {
                "type": "string", "title": "A word", "description": "In lower case.", "example": "word",
                "pattern": "^[a-z]*$", "minLength": 1, "maxLength": 4,
            },
            "Tags": {
                "type": "array", "title": "Tags", "minItems": 1, "maxItems": 2,
                "items": { "type": "string", "maxLength": 3 },
            },
            "Count": { "type": "integer", "description": "Up to three.", "minimum": 0, "maximum": 3 },
        },
        "oneOf": [
            { "required": ["Word"] }, { "required": ["Tags"] }, { "required": ["Count"] },
        ],
    },
    accepts [{ "Word": "word" }, { "Tags": ["abc"] }, { "Count": 3 }],
    refuses [
        { "Word": "" }, { "Word": "words" }, { "Word": "A" },
        { "Tags": [] }, { "Tags": ["abcd"] }, { "Tags": ["a", "b", "c"] },
        { "Count": 4 },
    ];
    beside: Beside = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "left": { "type": "string", "title": "A", "maxLength": 3 },
            "right": {
                "type": "object", "maxProperties": 1,
                "properties": {
                    "a": { "type": "boolean", "nullable": true },
                    "b": { "type": "boolean", "nullable": true },
                },
                "x-kubernetes-validations": [{ "rule": "!has(self.a) || self.a" }],
            },
        },
        "required": ["name"],
        "oneOf": [{ "required": ["left"] }, { "required": ["right"] }],
    },
    accepts [{ "name": "a", "left": "abc" }, { "name": "a", "right": { "a": true } }, { "name": "a", "right": {} }],
    refuses [
        { "name": "a", "left": "abcd" },
        { "name": "a", "right": { "a": true, "b": true } },
        { "name": "a", "right": { "a": false } },
    ];
    internal: Internal = {
        "type": "object",
        "properties": {
            "type": {
                "type": "string", "enum": ["Unit", "Some"],
                "description": "- `Unit`: Nothing.\n- `Some`: Some.",
            },
            "a": { "type": "integer", "minimum": 0, "maximum": 255, "nullable": true },
            "b": { "type": "integer", "minimum": 0, "maximum": 255, "nullable": true },
        },
        "required": ["type"],
        "oneOf": [
            { "properties": { "type": { "enum": ["Unit"] } } },
            { "properties": { "type": { "enum": ["Some"] } }, "minProperties": 2 },
        ],
        "x-kubernetes-validations": [
            { "rule": "self.type != \"Some\" || (!has(self.a) || !has(self.b) || self.a < self.b)" },
        ],
    },
    accepts [{ "type": "Unit" }, { "type": "Some", "a": 1 }, { "type": "Some", "a": 1, "b": 2 }],
    refuses [{ "type": "Some" }, { "type": "Some", "a": 2, "b": 1 }];
    adjacent: Adjacent = {
        "type": "object",
        "properties": {
            "type": {
                "type": "string", "enum": ["Unit", "Small", "Even"],
                "description": "- `Even`: Even ones.",
            },
            "value": { "type": "integer", "format": "int64" },
        },
        "required": ["type"],
        "oneOf": [
            { "properties": { "type": { "enum": ["Unit"] } }, "not": { "required": ["value"] } },
            {
                "properties": { "type": { "enum": ["Small"] }, "value": { "minimum": 4, "maximum": 8 } },
                "required": ["value"],
            },
            {
                "properties": { "type": { "enum": ["Even"] }, "value": { "multipleOf": 2 } },
                "required": ["value"],
            },
        ],
    },
    accepts [{ "type": "Small", "value": 5 }, { "type": "Even", "value": 10 }, { "type": "Unit" }],
    refuses [{ "type": "Small", "value": 3 }, { "type": "Small", "value": 9 }, { "type": "Even", "value": 5 }];
    adjacent_lists: AdjacentLists = {
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["Short", "Low"] },
            "value": { "type": "array", "items": { "type": "integer", "format": "int64" } },
        },
        "required": ["type", "value"],
        "oneOf": [
            { "properties": {
                "type": { "enum": ["Short"] }, "value": { "maxItems": 2, "items": { "minimum": 3 } },
            } },
            { "properties": {
                "type": { "enum": ["Low"] }, "value": { "minItems": 1, "items": { "maximum": 2 } },
            } },
        ],
    },
    accepts [{ "type": "Short", "value": [3, 4] }, { "type": "Low", "value": [1, 2, 0] }],
    refuses [
        { "type": "Short", "value": [3, 4, 5] }, { "type": "Short", "value": [2] },
        { "type": "Low", "value": [] }, { "type": "Low", "value": [3] },
    ];
    single: Single = {
        "type": "object",
        "description": "The data of one variant has the field for itself.",
        "properties": {
            "type": { "type": "string", "enum": ["Unit", "Count"] },
            "value": {
                "type": "integer", "title": "Count", "minimum": 0, "maximum": 8,
                "x-kubernetes-validations": [{ "rule": "self != 5" }],
            },
        },
        "required": ["type"],
        "oneOf": [
            { "properties": { "type": { "enum": ["Unit"] } }, "not": { "required": ["value"] } },
            { "properties": { "type": { "enum": ["Count"] } }, "required": ["value"] },
        ],
    },
    accepts [{ "type": "Count", "value": 8 }, { "type": "Unit" }],
    refuses [{ "type": "Count", "value": 9 }, { "type": "Count", "value": 5 }];
    untagged: Untagged = {
        "x-kubernetes-int-or-string": true, "minimum": 1, "maximum": 255, "pattern": "%$",
    },
    accepts [1, "5%"],
    refuses [0, "5"];
    units: Units = {
        "type": "string", "enum": ["A", "B"], "description": "- `A`: The first.\n- `B`: The other.",
    },
    accepts ["A", "B"],
    refuses ["C"];
}
