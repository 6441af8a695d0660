//! Enums that are tagged by the name of their only field.

use serde::{Deserialize, Serialize};

use super::forms;

forms! {
    {
        /// Where to.
        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub(crate) enum Order {
            /// By so much.
            MoveOn(Move),
            /// At a place.
            #[serde(rename_all = "camelCase")]
            Stop { right_now: bool, why: Option<String> },
            Count(u8),
            #[serde(rename = "go-to")]
            GoTo(i32, i32),
            Wait {},
            Names(Vec<String>),
            Maybe(Option<bool>),
            #[serde(skip)]
            #[allow(dead_code)]
            Secret,
        }

        /// A move.
        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Move {
            /// How far.
            distance: u8,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum Single {
            Only { value: u8 },
        }

        /// How it is.
        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum State {
            /// Well.
            Good,
            Bad,
            /// Another state.
            #[serde(untagged)]
            Other(String),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum Titled {
            /// # By so much
            ///
            /// Or by nothing.
            By { distance: u8 },
            #[schemars(title = "Where to", description = "The name of a place.")]
            To(String),
        }
    }

    order: Order = {
        "type": "object",
        "description": "Where to.",
        "properties": {
            "moveOn": {
                "type": "object",
                "description": "By so much.",
                "properties": {
                    "distance": { "type": "integer", "minimum": 0, "maximum": 255, "description": "How far." },
                },
                "required": ["distance"],
            },
            "stop": {
                "type": "object",
                "description": "At a place.",
                "properties": { "rightNow": { "type": "boolean" }, "why": { "type": "string", "nullable": true } },
                "required": ["rightNow"],
            },
            "count": { "type": "integer", "minimum": 0, "maximum": 255 },
            "go-to": {
                "type": "array", "items": { "type": "integer", "format": "int32" }, "minItems": 2, "maxItems": 2,
            },
            "wait": { "type": "object" },
            "names": { "type": "array", "items": { "type": "string" } },
            "maybe": { "type": "boolean", "nullable": true },
        },
        "oneOf": [
            { "required": ["moveOn"] }, { "required": ["stop"] }, { "required": ["count"] },
            { "required": ["go-to"] }, { "required": ["wait"] }, { "required": ["names"] },
            { "required": ["maybe"] },
        ],
    },
    accepts [
        { "moveOn": { "distance": 1 } }, { "stop": { "rightNow": true, "why": null } }, { "count": 255 },
        { "go-to": [1, -1] }, { "wait": {} }, { "names": ["a"] }, { "maybe": null }, { "maybe": true },
    ],
    refuses [
        {}, "wait", { "moveOn": {} }, { "moveOn": { "distance": 1 }, "wait": {} }, { "stop": { "why": "a" } },
        { "stop": { "right_now": true } }, { "count": 256 }, { "go-to": [1] }, { "go-to": [1, 2, 3] },
        { "go-to": [1, "a"] }, { "names": [1] }, { "Wait": {} }, { "Secret": {} }, { "maybe": 1 }, [],
    ];

    single: Single = {
        "type": "object",
        "properties": {
            "Only": {
                "type": "object",
                "properties": { "value": { "type": "integer", "minimum": 0, "maximum": 255 } },
                "required": ["value"],
            },
        },
        "required": ["Only"],
    },
    accepts [{ "Only": { "value": 1 } }],
    refuses [{}, { "Only": {} }, { "Other": {} }];

    optional_order: Option<Single> = {
        "type": "object",
        "nullable": true,
        "properties": {
            "Only": {
                "type": "object",
                "properties": { "value": { "type": "integer", "minimum": 0, "maximum": 255 } },
                "required": ["value"],
            },
        },
        "required": ["Only"],
    },
    accepts [null, { "Only": { "value": 1 } }],
    refuses [{}, "Only"];

    state: State = {
        "type": "string",
        "description": "How it is.\n\n- `Good`: Well.\n- `Other`: Another state.",
    },
    accepts ["Good", "Bad", "Odd", ""],
    refuses [1, {}];

    titled: Titled = {
        "type": "object",
        "properties": {
            "By": {
                "type": "object", "title": "By so much", "description": "Or by nothing.",
                "properties": { "distance": { "type": "integer", "minimum": 0, "maximum": 255 } },
                "required": ["distance"],
            },
            "To": { "type": "string", "title": "Where to", "description": "The name of a place." },
        },
        "oneOf": [{ "required": ["By"] }, { "required": ["To"] }],
    },
    accepts [{ "By": { "distance": 1 } }, { "To": "a" }],
    refuses [{ "By": {} }, { "To": 1 }, {}];
}
