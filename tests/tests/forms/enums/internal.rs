//! Enums with a tag among their fields.

use serde::{Deserialize, Serialize};

use super::forms;

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
        #[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
        pub(crate) enum Exact {
            ByHand { by_size: u8, name: Option<String> },
            ByForce(Force),
            ByTurn(Turn),
            Stop,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Force {
            force: u8,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Turn {
            right: bool,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type", deny_unknown_fields)]
        pub(crate) enum ExactOrOther {
            A { size: u8 },
            B { size: u8, name: Option<String> },
            #[serde(other)]
            Other,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub(crate) enum ExactBelow {
            Push { with: Force },
            Both { with: Both, all: Vec<Both> },
            Pull { with: Pull, all: Vec<Force> },
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Pull {
            rope: Option<u8>,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Both {
            force: u8,
            rope: Option<u8>,
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

    exact: Exact = {
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["stop", "by-hand", "by-force", "by-turn"] },
            "bySize": { "type": "integer", "minimum": 0, "maximum": 255 },
            "name": { "type": "string", "nullable": true },
            "force": { "type": "integer", "minimum": 0, "maximum": 255 },
            "right": { "type": "boolean" },
        },
        "required": ["type"],
        "oneOf": [
            { "properties": { "type": { "enum": ["stop"] } } },
            {
                "properties": { "type": { "enum": ["by-hand"] } },
                "required": ["bySize"],
                "not": { "anyOf": [{ "required": ["force"] }, { "required": ["right"] }] },
            },
            {
                "properties": { "type": { "enum": ["by-force"] } },
                "required": ["force"],
                "not": { "anyOf": [{ "required": ["bySize"] }, { "required": ["name"] }, { "required": ["right"] }] },
            },
            { "properties": { "type": { "enum": ["by-turn"] } }, "required": ["right"] },
        ],
    },
    accepts [
        { "type": "stop" }, { "type": "by-hand", "bySize": 1, "name": null },
        { "type": "by-force", "force": 1 }, { "type": "by-turn", "right": true },
    ],
    refuses [
        { "type": "by-hand", "bySize": 1, "force": 1 }, { "type": "by-hand", "bySize": 1, "right": true },
        { "type": "by-force", "force": 1, "bySize": 1 }, { "type": "by-force", "force": 1, "name": null },
        { "type": "by-force", "force": 1, "right": true }, { "type": "by-force" },
    ];

    exact_or_other: ExactOrOther = {
        "type": "object",
        "properties": {
            "type": { "type": "string" },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            "name": { "type": "string", "nullable": true },
        },
        "required": ["type"],
        "anyOf": [
            { "not": { "properties": { "type": { "enum": ["A", "B"] } }, "required": ["type"] } },
            {
                "properties": { "type": { "enum": ["A"] } },
                "required": ["size"],
                "not": { "required": ["name"] },
            },
            { "properties": { "type": { "enum": ["B"] } }, "required": ["size"] },
        ],
    },
    accepts [{ "type": "A", "size": 1 }, { "type": "B", "size": 1, "name": "b" }, { "type": "Other" }],
    refuses [{ "type": "A", "size": 1, "name": "b" }, { "type": "A", "size": 1, "name": null }, { "type": "A" }];

    exact_below: ExactBelow = {
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["Push", "Both", "Pull"] },
            "with": {
                "type": "object",
                "properties": {
                    "force": { "type": "integer", "minimum": 0, "maximum": 255 },
                    "rope": { "type": "integer", "minimum": 0, "maximum": 255, "nullable": true },
                },
            },
            "all": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "force": { "type": "integer", "minimum": 0, "maximum": 255 },
                        "rope": { "type": "integer", "minimum": 0, "maximum": 255, "nullable": true },
                    },
                    "required": ["force"],
                },
            },
        },
        "required": ["type", "with"],
        "oneOf": [
            {
                "properties": {
                    "type": { "enum": ["Push"] },
                    "with": { "required": ["force"], "not": { "required": ["rope"] } },
                },
            },
            {
                "properties": { "type": { "enum": ["Both"] }, "with": { "required": ["force"] } },
                "required": ["all"],
            },
            {
                "properties": {
                    "type": { "enum": ["Pull"] },
                    "with": { "not": { "required": ["force"] } },
                    "all": { "items": { "not": { "required": ["rope"] } } },
                },
                "required": ["all"],
            },
        ],
    },
    accepts [
        { "type": "Push", "with": { "force": 1 } },
        { "type": "Both", "with": { "force": 1, "rope": 1 }, "all": [{ "force": 1, "rope": null }] },
        { "type": "Pull", "with": { "rope": null }, "all": [{ "force": 1 }] },
    ],
    refuses [
        { "type": "Push", "with": { "force": 1, "rope": 1 } }, { "type": "Pull", "with": { "force": 1 }, "all": [] },
        { "type": "Pull", "with": {}, "all": [{ "force": 1, "rope": 1 }] },
    ];

    circle: Circle = {
        "type": "object",
        "description": "A struct with its name.",
        "properties": {
            "type": { "type": "string", "enum": ["circle"] },
            "radius": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
        "required": ["radius"],
    },
    accepts [{ "type": "circle", "radius": 1 }],
    refuses [{ "type": "square", "radius": 1 }, { "type": "circle" }, {}];
}
