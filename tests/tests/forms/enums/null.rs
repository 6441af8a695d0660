//! Null in the place of an enum of names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::forms;

forms! {
    {
        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum Phase {
            Pending,
            Running,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) struct Left {
            #[serde(skip_serializing_if = "Option::is_none")]
            phase: Option<Phase>,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum ByName {
            Of(Option<Phase>),
            Count(u8),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "t", content = "c")]
        pub(crate) enum BySide {
            Of(Perhaps),
            Count(Perhaps),
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(untagged)]
        pub(crate) enum Perhaps {
            Phase(Phase),
            Nothing,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "t")]
        pub(crate) enum Shared {
            Any { phase: Perhaps },
            One { phase: Single },
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum Single {
            Pending,
        }
    }

    left: Left = {
        "type": "object", "properties": { "phase": { "type": "string", "enum": ["Pending", "Running"] } },
    },
    accepts [{}, { "phase": "Running" }],
    refuses [{ "phase": "Done" }, { "phase": 1 }];

    phases: Vec<Option<Phase>> = {
        "type": "array",
        "items": { "type": "string", "nullable": true, "allOf": [{ "enum": ["Pending", "Running", null] }] },
    },
    accepts [[], [null], ["Pending", null, "Running"]],
    refuses [["Done"], ["null"], [1], [""]];

    phases_by_name: BTreeMap<String, Option<Phase>> = {
        "type": "object",
        "additionalProperties": {
            "type": "string", "nullable": true, "allOf": [{ "enum": ["Pending", "Running", null] }],
        },
    },
    accepts [{}, { "a": null, "b": "Running" }],
    refuses [{ "a": "Done" }, { "a": 1 }];

    maybe_by_name: ByName = {
        "type": "object",
        "properties": {
            "Of": { "type": "string", "nullable": true, "allOf": [{ "enum": ["Pending", "Running", null] }] },
            "Count": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
        "oneOf": [{ "required": ["Of"] }, { "required": ["Count"] }],
    },
    accepts [{ "Of": null }, { "Of": "Running" }, { "Count": 1 }],
    refuses [{}, { "Of": "Done" }, { "Count": null }, { "Of": null, "Count": 1 }];

    maybe_by_side: BySide = {
        "type": "object",
        "properties": {
            "t": { "type": "string", "enum": ["Of", "Count"] },
            "c": { "type": "string", "nullable": true, "allOf": [{ "enum": ["Pending", "Running", null] }] },
        },
        "required": ["t", "c"],
    },
    accepts [{ "t": "Of", "c": null }, { "t": "Count", "c": "Running" }],
    refuses [{ "t": "Of", "c": "Done" }, { "t": "Of" }];

    shared: Shared = {
        "type": "object",
        "properties": {
            "t": { "type": "string", "enum": ["Any", "One"] },
            "phase": { "type": "string", "nullable": true, "allOf": [{ "enum": ["Pending", "Running", null] }] },
        },
        "required": ["t", "phase"],
        "oneOf": [
            { "properties": { "t": { "enum": ["Any"] } } },
            { "properties": { "t": { "enum": ["One"] }, "phase": { "enum": ["Pending"] } } },
        ],
    },
    accepts [
        { "t": "Any", "phase": null }, { "t": "Any", "phase": "Running" }, { "t": "One", "phase": "Pending" },
    ],
    refuses [{ "t": "One", "phase": null }, { "t": "One", "phase": "Running" }, { "t": "Any" }];
}
