//! Enums with a tag beside their data.

use serde::{Deserialize, Serialize};

use super::forms;

forms! {
    {
        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "by")]
        pub(crate) enum Part {
            /// A move.
            Move(Move),
            Turn { right: bool },
            Stop,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Move {
            distance: u8,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "by", deny_unknown_fields)]
        pub(crate) enum ExactPart {
            Move(Move),
            Lift(Lift),
            #[serde(rename_all = "kebab-case")]
            Turn { to_right: bool, speed: Option<u8> },
            Stop,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Lift {
            height: u8,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "t", content = "c")]
        pub(crate) enum Number {
            Small(u8),
            Large(u32),
            Any(f64),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "t", content = "c")]
        pub(crate) enum Lists {
            Pair(u8, u8),
            All(Vec<u8>),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "t", content = "c")]
        pub(crate) enum Units {
            A,
            B,
        }
    }

    adjacent_part: Part = {
        "type": "object",
        "properties": {
            "kind": { "type": "string", "enum": ["Stop", "Move", "Turn"], "description": "- `Move`: A move." },
            "by": {
                "type": "object",
                "properties": {
                    "distance": { "type": "integer", "minimum": 0, "maximum": 255 },
                    "right": { "type": "boolean" },
                },
            },
        },
        "required": ["kind"],
        "oneOf": [
            { "properties": { "kind": { "enum": ["Stop"] } }, "not": { "required": ["by"] } },
            { "properties": { "kind": { "enum": ["Move"] }, "by": { "required": ["distance"] } }, "required": ["by"] },
            { "properties": { "kind": { "enum": ["Turn"] }, "by": { "required": ["right"] } }, "required": ["by"] },
        ],
    },
    accepts [
        { "kind": "Move", "by": { "distance": 1 } }, { "kind": "Turn", "by": { "right": true } }, { "kind": "Stop" },
    ],
    refuses [
        {}, { "kind": "Move" }, { "kind": "Move", "by": { "right": true } }, { "kind": "Turn", "by": {} },
        { "kind": "Stop", "by": {} }, { "by": { "distance": 1 } }, { "kind": "Fly" }, { "kind": "Move", "by": 1 },
        "Stop", { "kind": "Turn", "by": { "right": 1 } },
    ];

    exact_adjacent: ExactPart = {
        "type": "object",
        "properties": {
            "kind": { "type": "string", "enum": ["Stop", "Move", "Lift", "Turn"] },
            "by": {
                "type": "object",
                "properties": {
                    "distance": { "type": "integer", "minimum": 0, "maximum": 255 },
                    "height": { "type": "integer", "minimum": 0, "maximum": 255 },
                    "to-right": { "type": "boolean" },
                    "speed": { "type": "integer", "minimum": 0, "maximum": 255, "nullable": true },
                },
            },
        },
        "required": ["kind"],
        "oneOf": [
            { "properties": { "kind": { "enum": ["Stop"] } }, "not": { "required": ["by"] } },
            { "properties": { "kind": { "enum": ["Move"] }, "by": { "required": ["distance"] } }, "required": ["by"] },
            {
                "properties": {
                    "kind": { "enum": ["Lift"] },
                    "by": {
                        "required": ["height"],
                        "not": {
                            "anyOf": [{ "required": ["distance"] }, { "required": ["speed"] }, { "required": ["to-right"] }],
                        },
                    },
                },
                "required": ["by"],
            },
            {
                "properties": {
                    "kind": { "enum": ["Turn"] },
                    "by": {
                        "required": ["to-right"],
                        "not": { "anyOf": [{ "required": ["distance"] }, { "required": ["height"] }] },
                    },
                },
                "required": ["by"],
            },
        ],
    },
    accepts [
        { "kind": "Move", "by": { "distance": 1 } }, { "kind": "Lift", "by": { "height": 1 } }, { "kind": "Stop" },
        { "kind": "Turn", "by": { "to-right": true, "speed": null } },
    ],
    refuses [
        { "kind": "Lift", "by": { "height": 1, "distance": 1 } }, { "kind": "Lift", "by": { "height": 1, "speed": null } },
        { "kind": "Turn", "by": { "to-right": true, "height": 1 } }, { "kind": "Stop", "by": { "height": 1 } },
    ];

    adjacent_number: Number = {
        "type": "object",
        "properties": {
            "t": { "type": "string", "enum": ["Small", "Large", "Any"] },
            "c": { "type": "number" },
        },
        "required": ["t", "c"],
        "oneOf": [
            {
                "properties": { "t": { "enum": ["Small"] }, "c": { "minimum": 0, "maximum": 255, "multipleOf": 1 } },
            },
            {
                "properties": {
                    "t": { "enum": ["Large"] }, "c": { "minimum": 0, "maximum": 4_294_967_295_u32, "multipleOf": 1 },
                },
            },
            { "properties": { "t": { "enum": ["Any"] } } },
        ],
    },
    accepts [{ "t": "Small", "c": 255 }, { "t": "Large", "c": 256 }, { "t": "Any", "c": -0.5 }],
    refuses [{ "t": "Small", "c": 256 }, { "t": "Large", "c": 0.5 }, { "t": "Any" }, { "t": "Any", "c": "1" }];

    adjacent_lists: Lists = {
        "type": "object",
        "properties": {
            "t": { "type": "string", "enum": ["Pair", "All"] },
            "c": { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
        },
        "required": ["t", "c"],
        "oneOf": [
            { "properties": { "t": { "enum": ["Pair"] }, "c": { "minItems": 2, "maxItems": 2 } } },
            { "properties": { "t": { "enum": ["All"] } } },
        ],
    },
    accepts [{ "t": "Pair", "c": [1, 2] }, { "t": "All", "c": [] }, { "t": "All", "c": [1, 2] }],
    refuses [{ "t": "Pair", "c": [1] }, { "t": "All" }, { "t": "All", "c": [256] }];

    adjacent_units: Units = {
        "type": "object",
        "properties": { "t": { "type": "string", "enum": ["A", "B"] } },
        "required": ["t"],
        "not": { "required": ["c"] },
    },
    accepts [{ "t": "A" }, { "t": "B" }],
    refuses [{}, { "t": "C" }, { "t": "A", "c": {} }];

    adjacent_option: Option<Number> = {
        "type": "object",
        "nullable": true,
        "properties": {
            "t": { "type": "string", "enum": ["Small", "Large", "Any"] },
            "c": { "type": "number" },
        },
        "required": ["t", "c"],
        "oneOf": [
            {
                "properties": { "t": { "enum": ["Small"] }, "c": { "minimum": 0, "maximum": 255, "multipleOf": 1 } },
            },
            {
                "properties": {
                    "t": { "enum": ["Large"] }, "c": { "minimum": 0, "maximum": 4_294_967_295_u32, "multipleOf": 1 },
                },
            },
            { "properties": { "t": { "enum": ["Any"] } } },
        ],
    },
    accepts [{ "t": "Small", "c": 255 }, { "t": "Any", "c": -0.5 }, null],
    refuses [{ "t": "Small", "c": 256 }, { "t": "Any" }, {}];
}
