//! Skipped variants, and variants with `#[serde(other)]`.

use serde::{Deserialize, Serialize};

use super::forms;

/// What no schema can say.
pub(crate) struct Handle;

forms! {
    {
        #[derive(JsonSchema, Serialize, Deserialize)]
        #[allow(dead_code)]
        pub(crate) enum External {
            Size { size: u8 },
            Name(String),
            #[serde(skip)]
            Open(Handle),
            #[serde(skip)]
            Opened { handle: Handle },
            #[serde(skip_deserializing)]
            Written(u8),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type")]
        #[allow(dead_code)]
        pub(crate) enum Internal {
            Size { size: u8 },
            #[serde(skip)]
            Opened { handle: Handle },
            #[serde(skip_deserializing)]
            Written { size: String },
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type", content = "value")]
        pub(crate) enum AdjacentOpen {
            Known { size: u8 },
            #[serde(other)]
            Unknown,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub(crate) enum InternalOpen {
            Known { size: u8 },
            #[serde(other)]
            Unknown,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Flat {
            name: String,
            #[serde(flatten)]
            inner: InternalOpen,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct FlatAdjacent {
            name: String,
            #[serde(flatten)]
            inner: AdjacentOpen,
        }
    }

    skipped_external: External = {
        "type": "object",
        "properties": {
            "Size": {
                "type": "object",
                "properties": { "size": { "type": "integer", "minimum": 0, "maximum": 255 } },
                "required": ["size"],
            },
            "Name": { "type": "string" },
        },
        "oneOf": [{ "required": ["Size"] }, { "required": ["Name"] }],
    },
    accepts [{ "Size": { "size": 1 } }, { "Name": "a" }],
    refuses [{}, { "Written": 1 }, { "Open": null }, { "Opened": {} }];

    skipped_internal: Internal = {
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["Size"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
        "required": ["type", "size"],
    },
    accepts [{ "type": "Size", "size": 1 }],
    refuses [{ "type": "Size" }, { "type": "Opened" }, { "type": "Written", "size": "a" }];

    adjacent_open: AdjacentOpen = {
        "type": "object",
        "properties": {
            "type": { "type": "string" },
            "value": {
                "type": "object",
                "properties": { "size": { "type": "integer", "minimum": 0, "maximum": 255 } },
                "required": ["size"],
            },
        },
        "required": ["type"],
        "anyOf": [
            {
                "not": {
                    "anyOf": [
                        { "required": ["value"] },
                        { "properties": { "type": { "enum": ["Known"] } }, "required": ["type"] },
                    ],
                },
            },
            { "properties": { "type": { "enum": ["Known"] } }, "required": ["value"] },
        ],
    },
    accepts [{ "type": "Known", "value": { "size": 1 } }, { "type": "Unknown" }],
    refuses [{}, { "type": "Known" }, { "type": "Known", "value": {} }, { "type": "New", "value": { "size": 1 } }];

    flat_open: Flat = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "type": { "type": "string" },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
        "required": ["name", "type"],
        "anyOf": [
            { "not": { "properties": { "type": { "enum": ["Known"] } }, "required": ["type"] } },
            { "properties": { "type": { "enum": ["Known"] } }, "required": ["size"] },
        ],
    },
    accepts [{ "name": "a", "type": "Known", "size": 1 }, { "name": "a", "type": "Unknown" }],
    refuses [{ "name": "a" }, { "name": "a", "type": "Known" }, { "type": "Unknown" }];

    flat_adjacent_open: FlatAdjacent = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "type": { "type": "string" },
            "value": {
                "type": "object",
                "properties": { "size": { "type": "integer", "minimum": 0, "maximum": 255 } },
                "required": ["size"],
            },
        },
        "required": ["name", "type"],
        "anyOf": [
            {
                "not": {
                    "anyOf": [
                        { "required": ["value"] },
                        { "properties": { "type": { "enum": ["Known"] } }, "required": ["type"] },
                    ],
                },
            },
            { "properties": { "type": { "enum": ["Known"] } }, "required": ["value"] },
        ],
    },
    accepts [{ "name": "a", "type": "Known", "value": { "size": 1 } }, { "name": "a", "type": "Unknown" }],
    refuses [{ "name": "a" }, { "name": "a", "type": "Known" }, { "name": "a", "type": "New", "value": { "size": 1 } }];
}
