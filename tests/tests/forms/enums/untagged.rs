//! Enums whose variants differ in their shape.

use std::{net::IpAddr, num::NonZero};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};

use super::forms;

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
        pub(crate) enum Signed {
            Number(i32),
            Name(String),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum When {
            Seconds(u64),
            At(Time),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Host {
            Number(u16),
            Address(IpAddr),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Offset {
            Number(NonZero<i32>),
            Name(String),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Either {
            Offset(NonZero<i8>),
            Port(Port),
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

    signed: Signed = {
        "x-kubernetes-int-or-string": true, "minimum": -2147483648_i64, "maximum": 2147483647,
    },
    accepts [-2147483648_i64, 2147483647, "http"],
    refuses [5000000000_i64, -2147483649_i64, 0.5, {}];

    when: When = { "x-kubernetes-int-or-string": true, "minimum": 0, "format": "date-time" },
    accepts [0, "2020-01-01T00:00:00Z"],
    refuses [-1, "", "now", "2020-01-01"];

    host: Host = {
        "x-kubernetes-int-or-string": true, "minimum": 0, "maximum": 65535,
        "anyOf": [
            { "format": "ipv4", "pattern": "^[0-9.]+$" }, { "format": "ipv6" }, { "minLength": 1, "maxLength": 0 },
        ],
    },
    accepts [0, 65535, "127.0.0.1", "::1"],
    refuses [-1, 65536, "", "here", "::ffff:127.0.0.1.1"];

    offset: Offset = {
        "x-kubernetes-int-or-string": true, "minimum": -2147483648_i64, "maximum": 2147483647,
        "anyOf": [{ "maximum": -1 }, { "minimum": 1 }],
    },
    accepts [-1, 1, "", "a"],
    refuses [0, 2147483648_i64, -2147483649_i64, true];

    either: Either = {
        "x-kubernetes-int-or-string": true, "minimum": -128, "maximum": 65535,
        "anyOf": [{ "anyOf": [{ "maximum": -1 }, { "minimum": 1 }], "maximum": 127 }, { "minimum": 0 }],
    },
    accepts [-128, 0, 65535, "a"],
    refuses [-129, 65536, {}];

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
