//! Enums whose fields stand among those of a struct.

use serde::{Deserialize, Serialize};

use super::forms;

forms! {
    {
        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct One {
            name: String,
            #[serde(flatten)]
            inner: Internal,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Several {
            #[serde(flatten)]
            internal: Internal,
            #[serde(flatten)]
            external: External,
            #[serde(flatten)]
            adjacent: Adjacent,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Maybe {
            name: String,
            #[serde(flatten)]
            #[serde(skip_serializing_if = "Option::is_none")]
            external: Option<External>,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct MaybeBoth {
            size: u8,
            #[serde(flatten)]
            #[serde(skip_serializing_if = "Option::is_none")]
            place: Option<Place>,
            #[serde(flatten)]
            #[serde(skip_serializing_if = "Option::is_none")]
            internal: Option<Other>,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Place {
            zone: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            rack: Option<u8>,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct OneExact {
            name: String,
            #[serde(flatten)]
            inner: ExactInternal,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "kind", deny_unknown_fields)]
        pub(crate) enum ExactInternal {
            A { size: u8 },
            B { text: Option<String> },
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub(crate) enum Other {
            A { name: String },
            B,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub(crate) enum Internal {
            A { size: u8 },
            B,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum External {
            Number(u8),
            Text(String),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "t", content = "c")]
        pub(crate) enum Adjacent {
            One(bool),
        }

        /// Where it is.
        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Located {
            name: String,
            #[serde(flatten)]
            location: Location,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Location {
            /// On a disk.
            Disk { path: String },
            /// Elsewhere,
            /// by its address.
            Web { url: String },
        }
    }

    located: Located = {
        "type": "object",
        "description": "Where it is.\n\n- `Disk`: On a disk.\n- `Web`: Elsewhere,\n  by its address.",
        "properties": {
            "name": { "type": "string" },
            "path": { "type": "string" },
            "url": { "type": "string" },
        },
        "required": ["name"],
        "anyOf": [{ "required": ["path"] }, { "required": ["url"] }],
    },
    accepts [{ "name": "a", "path": "/" }, { "name": "a", "url": "b" }],
    refuses [{ "name": "a" }, { "path": "/" }];

    flat: One = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "kind": { "type": "string", "enum": ["B", "A"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
        "required": ["kind", "name"],
        "oneOf": [
            { "properties": { "kind": { "enum": ["B"] } } },
            { "properties": { "kind": { "enum": ["A"] } }, "required": ["size"] },
        ],
    },
    accepts [{ "name": "a", "kind": "B" }, { "name": "a", "kind": "A", "size": 1 }],
    refuses [{ "kind": "B" }, { "name": "a" }, { "name": "a", "kind": "A" }];

    flat_exact: OneExact = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "kind": { "type": "string", "enum": ["A", "B"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            "text": { "type": "string", "nullable": true },
        },
        "required": ["kind", "name"],
        "oneOf": [
            { "properties": { "kind": { "enum": ["A"] } }, "required": ["size"], "not": { "required": ["text"] } },
            { "properties": { "kind": { "enum": ["B"] } }, "not": { "required": ["size"] } },
        ],
    },
    accepts [{ "name": "a", "kind": "A", "size": 1 }, { "name": "a", "kind": "B", "text": "b" }],
    refuses [
        { "name": "a", "kind": "A", "size": 1, "text": "b" }, { "name": "a", "kind": "A", "size": 1, "text": null },
        { "name": "a", "kind": "B", "size": 1 },
    ];

    several: Several = {
        "type": "object",
        "properties": {
            "kind": { "type": "string", "enum": ["B", "A"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            "Number": { "type": "integer", "minimum": 0, "maximum": 255 },
            "Text": { "type": "string" },
            "t": { "type": "string", "enum": ["One"] },
            "c": { "type": "boolean" },
        },
        "required": ["c", "kind", "t"],
        "oneOf": [
            { "properties": { "kind": { "enum": ["B"] } } },
            { "properties": { "kind": { "enum": ["A"] } }, "required": ["size"] },
        ],
        "allOf": [{ "oneOf": [{ "required": ["Number"] }, { "required": ["Text"] }] }],
    },
    accepts [
        { "kind": "B", "Number": 1, "t": "One", "c": true },
        { "kind": "A", "size": 1, "Text": "a", "t": "One", "c": true },
    ],
    refuses [
        { "kind": "B", "Number": 1 }, { "kind": "B", "t": "One", "c": true },
        { "kind": "A", "Text": "a", "t": "One", "c": true }, { "Text": "a", "t": "One", "c": true },
    ];

    maybe: Maybe = {
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "Number": { "type": "integer", "minimum": 0, "maximum": 255 },
            "Text": { "type": "string" },
        },
        "required": ["name"],
        "anyOf": [
            { "oneOf": [{ "required": ["Number"] }, { "required": ["Text"] }] },
            { "not": { "anyOf": [{ "required": ["Number"] }, { "required": ["Text"] }] } },
        ],
    },
    accepts [{ "name": "a" }, { "name": "a", "Number": 1 }, { "name": "a", "Text": "b" }],
    refuses [{ "Number": 1 }, { "name": "a", "Number": "b" }, { "name": "a", "Number": 1, "Text": "b" }];

    maybe_both: MaybeBoth = {
        "type": "object",
        "properties": {
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            "zone": { "type": "string" },
            "rack": { "type": "integer", "minimum": 0, "maximum": 255, "nullable": true },
            "kind": { "type": "string", "enum": ["B", "A"] },
            "name": { "type": "string" },
        },
        "required": ["size"],
        "anyOf": [
            { "required": ["zone"] },
            { "not": { "anyOf": [{ "required": ["rack"] }, { "required": ["zone"] }] } },
        ],
        "allOf": [{
            "anyOf": [
                {
                    "required": ["kind"],
                    "oneOf": [
                        { "properties": { "kind": { "enum": ["B"] } } },
                        { "properties": { "kind": { "enum": ["A"] } }, "required": ["name"] },
                    ],
                },
                { "not": { "anyOf": [{ "required": ["kind"] }, { "required": ["name"] }] } },
            ],
        }],
    },
    accepts [
        { "size": 1 }, { "size": 1, "zone": "a" }, { "size": 1, "zone": "a", "rack": 1, "kind": "B" },
        { "size": 1, "kind": "A", "name": "a" },
    ],
    refuses [
        {}, { "size": 1, "rack": 1 }, { "size": 1, "name": "a" }, { "size": 1, "kind": "A" },
        { "size": 1, "kind": "C" }, { "zone": "a" },
    ];
}
