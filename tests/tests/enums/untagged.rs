//! Enums that are told by what they look like.

use serde::{Deserialize, Serialize};

use crate::forms;

forms! {
    {
        /// Something.
        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Shape {
            /// A circle.
            Circle { radius: u8 },
            /// A box.
            Square(Square),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Square {
            side: u8,
            name: Option<String>,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged, deny_unknown_fields)]
        pub(crate) enum ExactShape {
            Circle { radius: u8, name: Option<String> },
            Square(ExactSquare),
            Line(Line),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct ExactSquare {
            side: u8,
            #[serde(rename = "name")]
            label: Option<String>,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Line {
            length: u8,
            width: Option<u8>,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum ExactLine {
            Square(ExactSquare),
            Choice(Choice),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum Choice {
            One(u8),
            Other(u8),
            #[serde(untagged)]
            Line(Line),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Port {
            Number(u16),
            Name(String),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Level {
            Number(u8),
            Name(Name),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum Name {
            Low,
            High,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Number {
            Whole(i64),
            Any(f64),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum MaybeText {
            Text(String),
            Nothing,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Lists {
            Pair(u8, u8),
            All(Vec<u8>),
        }
    }

    shape: Shape = {
        "type": "object",
        "description": "Something.\n\n- `Circle`: A circle.\n- `Square`: A box.",
        "properties": {
            "radius": { "type": "integer", "minimum": 0, "maximum": 255 },
            "side": { "type": "integer", "minimum": 0, "maximum": 255 },
            "name": { "type": "string", "nullable": true },
        },
        "anyOf": [{ "required": ["radius"] }, { "required": ["side"] }],
    },
    accepts [{ "radius": 1 }, { "side": 1, "name": "a" }, { "side": 1, "name": null }],
    refuses [{}, { "name": "a" }, { "radius": 256 }, 1, "a"];

    exact_shape: ExactShape = {
        "type": "object",
        "properties": {
            "radius": { "type": "integer", "minimum": 0, "maximum": 255 },
            "name": { "type": "string", "nullable": true },
            "side": { "type": "integer", "minimum": 0, "maximum": 255 },
            "length": { "type": "integer", "minimum": 0, "maximum": 255 },
            "width": { "type": "integer", "minimum": 0, "maximum": 255, "nullable": true },
        },
        "anyOf": [
            {
                "required": ["radius"],
                "not": { "anyOf": [{ "required": ["length"] }, { "required": ["side"] }, { "required": ["width"] }] },
            },
            {
                "required": ["side"],
                "not": { "anyOf": [{ "required": ["length"] }, { "required": ["radius"] }, { "required": ["width"] }] },
            },
            { "required": ["length"] },
        ],
    },
    accepts [
        { "radius": 1, "name": null }, { "side": 1, "name": "a" }, { "length": 1, "width": 1 },
    ],
    refuses [
        {}, { "radius": 1, "side": 1 }, { "radius": 1, "width": null }, { "side": 1, "width": 1, "name": "a" },
    ];

    exact_line: ExactLine = {
        "type": "object",
        "properties": {
            "side": { "type": "integer", "minimum": 0, "maximum": 255 },
            "name": { "type": "string", "nullable": true },
            "One": { "type": "integer", "minimum": 0, "maximum": 255 },
            "Other": { "type": "integer", "minimum": 0, "maximum": 255 },
            "length": { "type": "integer", "minimum": 0, "maximum": 255 },
            "width": { "type": "integer", "minimum": 0, "maximum": 255, "nullable": true },
        },
        "anyOf": [
            {
                "required": ["side"],
                "not": {
                    "anyOf": [{ "required": ["One"] }, { "required": ["Other"] }, { "required": ["length"] }, { "required": ["width"] }],
                },
            },
            {
                "oneOf": [
                    {
                        "required": ["One"],
                        "not": { "anyOf": [
                            { "required": ["Other"] }, { "required": ["length"] }, { "required": ["width"] },
                            { "required": ["name"] }, { "required": ["side"] },
                        ] },
                    },
                    {
                        "required": ["Other"],
                        "not": { "anyOf": [
                            { "required": ["One"] }, { "required": ["length"] }, { "required": ["width"] },
                            { "required": ["name"] }, { "required": ["side"] },
                        ] },
                    },
                    { "required": ["length"] },
                ],
            },
        ],
    },
    accepts [{ "side": 1, "name": null }, { "One": 1 }, { "Other": 1 }, { "length": 1, "width": 1 }],
    refuses [{}, { "One": 1, "Other": 1 }, { "One": 1, "width": 1 }, { "side": 1, "One": 1 }];

    port: Port = { "x-kubernetes-int-or-string": true, "minimum": 0, "maximum": 65535 },
    accepts [0, 65535, "http"],
    refuses [-1, 65536, 0.5, true, {}];

    level: Level = {
        "x-kubernetes-int-or-string": true, "minimum": 0, "maximum": 255, "pattern": "^(Low|High)$",
    },
    accepts [1, "Low", "High"],
    refuses ["low", 256, {}];

    number: Number = { "type": "number" },
    accepts [1, 0.5],
    refuses ["1", {}];

    maybe_text: MaybeText = { "type": "string", "nullable": true },
    accepts ["a", null],
    refuses [1, {}];

    lists: Lists = { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
    accepts [[], [1], [1, 2], [1, 2, 3]],
    refuses [["a"], [256], 1];
}
