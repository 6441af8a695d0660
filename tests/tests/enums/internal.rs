//! Enums with a tag among their fields.

use serde::{Deserialize, Serialize};

use crate::forms;

forms! {
    {
        /// What it is.
        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
        pub(crate) enum Part {
            /// A move.
            Move(Move),
            /// A turn.
            TurnRound { distance: u8, to_the_right: bool },
            Stop,
            /// Nothing.
            Rest,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Move {
            distance: u8,
            name: Option<String>,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub(crate) enum Units {
            A,
            B,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub(crate) enum Bounded {
            Small {
                #[schemars(range(max = 10))]
                size: u8,
                unit: Unit,
            },
            Large {
                #[schemars(range(min = 100))]
                size: u8,
                unit: Unit,
            },
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum Unit {
            Metre,
            Foot,
        }

        /// A struct with its name.
        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type", rename = "circle")]
        pub(crate) struct Circle {
            radius: u8,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub(crate) enum Defaulted {
            A {
                #[serde(default)]
                size: u8,
            },
            B {
                name: String,
            },
        }
    }

    part: Part = {
        "type": "object",
        "description": "What it is.",
        "properties": {
            "kind": {
                "type": "string",
                "enum": ["stop", "rest", "move", "turn-round"],
                "description": "- `move`: A move.\n- `turn-round`: A turn.\n- `rest`: Nothing.",
            },
            "distance": { "type": "integer", "minimum": 0, "maximum": 255 },
            "name": { "type": "string", "nullable": true },
            "toTheRight": { "type": "boolean" },
        },
        "required": ["kind"],
        "oneOf": [
            { "properties": { "kind": { "enum": ["stop", "rest"] } } },
            { "properties": { "kind": { "enum": ["move"] } }, "required": ["distance"] },
            { "properties": { "kind": { "enum": ["turn-round"] } }, "required": ["distance", "toTheRight"] },
        ],
    },
    accepts [
        { "kind": "stop" }, { "kind": "rest" }, { "kind": "move", "distance": 1, "name": "a" },
        { "kind": "move", "distance": 1, "name": null },
        { "kind": "turn-round", "distance": 1, "toTheRight": true },
    ],
    refuses [
        {}, "stop", { "kind": "move" }, { "kind": "Stop" }, { "kind": "turn-round", "distance": 1 },
        { "kind": "move", "distance": "a" }, { "distance": 1 }, { "kind": 1 }, { "kind": null },
        { "move": { "distance": 1 } },
    ];

    units: Units = {
        "type": "object",
        "properties": { "type": { "type": "string", "enum": ["A", "B"] } },
        "required": ["type"],
    },
    accepts [{ "type": "A" }, { "type": "B" }],
    refuses [{}, "A", { "type": "C" }];

    bounded: Bounded = {
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["Small", "Large"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            "unit": { "type": "string", "enum": ["Metre", "Foot"] },
        },
        "required": ["type", "size", "unit"],
        "oneOf": [
            { "properties": { "type": { "enum": ["Small"] }, "size": { "maximum": 10 } } },
            { "properties": { "type": { "enum": ["Large"] }, "size": { "minimum": 100 } } },
        ],
    },
    accepts [
        { "type": "Small", "size": 10, "unit": "Foot" }, { "type": "Large", "size": 100, "unit": "Metre" },
    ],
    refuses [
        { "type": "Small", "size": 11, "unit": "Foot" }, { "type": "Large", "size": 99, "unit": "Foot" },
        { "type": "Large", "size": 256, "unit": "Foot" }, { "type": "Small", "size": -1, "unit": "Foot" },
        { "type": "Small", "size": 1, "unit": "Inch" }, { "type": "Small", "size": 1 },
    ];

    defaulted: Defaulted = {
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["A", "B"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            "name": { "type": "string" },
        },
        "required": ["type"],
        "oneOf": [
            { "properties": { "type": { "enum": ["A"] } } },
            { "properties": { "type": { "enum": ["B"] } }, "required": ["name"] },
        ],
    },
    accepts [{ "type": "A", "size": 1 }, { "type": "B", "name": "b" }],
    refuses [{ "type": "B" }, { "type": "A", "size": 256 }];
    circle: Circle = {
        "type": "object",
        "description": "A struct with its name.",
        "properties": {
            "type": { "type": "string", "enum": ["circle"] },
            "radius": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
        "required": ["radius", "type"],
    },
    accepts [{ "type": "circle", "radius": 1 }],
    refuses [{ "radius": 1 }, { "type": "square", "radius": 1 }, { "type": "circle" }];
}
