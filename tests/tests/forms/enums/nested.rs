//! Enums in each other, in `Option`s, lists and maps, and generic ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::forms;

forms! {
    {
        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum Outer {
            In(Inner),
            Out { inner: Option<Inner>, all: Vec<Inner> },
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub(crate) enum Inner {
            A { size: u8 },
            B,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub(crate) enum Wrapped {
            Inner(Inner),
            Choice(Choice<u8>),
            None,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "type")]
        pub(crate) enum Exact {
            Beside(Beside),
            Sizes(BTreeMap<Name, u8>),
            Inner(ExactInner),
            Half(HalfExact),
            Plain { size: u8 },
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "t", content = "c", deny_unknown_fields)]
        pub(crate) enum Beside {
            A(u8),
            B(u8),
        }

        #[derive(JsonSchema, Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Name {
            Low,
            High,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "kind", deny_unknown_fields)]
        pub(crate) enum ExactInner {
            A { size: u8 },
            B {},
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        #[serde(tag = "half", deny_unknown_fields)]
        pub(crate) enum HalfExact {
            A { size: u8 },
            B,
        }

        #[derive(JsonSchema, Serialize, Deserialize)]
        pub(crate) enum Choice<T> {
            One(T),
            Many(Vec<T>),
        }
    }

    outer: Outer = {
        "type": "object",
        "properties": {
            "In": {
                "type": "object",
                "properties": {
                    "kind": { "type": "string", "enum": ["B", "A"] },
                    "size": { "type": "integer", "minimum": 0, "maximum": 255 },
                },
                "required": ["kind"],
                "oneOf": [
                    { "properties": { "kind": { "enum": ["B"] } } },
                    { "properties": { "kind": { "enum": ["A"] } }, "required": ["size"] },
                ],
            },
            "Out": {
                "type": "object",
                "properties": {
                    "inner": {
                        "type": "object",
                        "nullable": true,
                        "properties": {
                            "kind": { "type": "string", "enum": ["B", "A"] },
                            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
                        },
                        "required": ["kind"],
                        "oneOf": [
                            { "properties": { "kind": { "enum": ["B"] } } },
                            { "properties": { "kind": { "enum": ["A"] } }, "required": ["size"] },
                        ],
                    },
                    "all": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "kind": { "type": "string", "enum": ["B", "A"] },
                                "size": { "type": "integer", "minimum": 0, "maximum": 255 },
                            },
                            "required": ["kind"],
                            "oneOf": [
                                { "properties": { "kind": { "enum": ["B"] } } },
                                { "properties": { "kind": { "enum": ["A"] } }, "required": ["size"] },
                            ],
                        },
                    },
                },
                "required": ["all"],
            },
        },
        "oneOf": [{ "required": ["In"] }, { "required": ["Out"] }],
    },
    accepts [
        { "In": { "kind": "B" } }, { "In": { "kind": "A", "size": 1 } },
        { "Out": { "inner": null, "all": [] } }, { "Out": { "inner": { "kind": "B" }, "all": [{ "kind": "B" }] } },
    ],
    refuses [
        { "In": {} }, { "In": { "kind": "A" } }, { "Out": { "all": [{}] } }, { "Out": { "inner": {}, "all": [] } },
    ];

    wrapped: Wrapped = {
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["None", "Inner", "Choice"] },
            "kind": { "type": "string", "enum": ["B", "A"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            "One": { "type": "integer", "minimum": 0, "maximum": 255 },
            "Many": { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
        },
        "required": ["type"],
        "oneOf": [
            { "properties": { "type": { "enum": ["None"] } } },
            {
                "properties": { "type": { "enum": ["Inner"] } },
                "required": ["kind"],
                "oneOf": [
                    { "properties": { "kind": { "enum": ["B"] } } },
                    { "properties": { "kind": { "enum": ["A"] } }, "required": ["size"] },
                ],
            },
            {
                "properties": { "type": { "enum": ["Choice"] } },
                "oneOf": [{ "required": ["One"] }, { "required": ["Many"] }],
                "not": { "anyOf": [{ "required": ["kind"] }, { "required": ["size"] }] },
            },
        ],
    },
    accepts [
        { "type": "None" }, { "type": "Inner", "kind": "B" }, { "type": "Inner", "kind": "A", "size": 1 },
        { "type": "Choice", "One": 1 }, { "type": "Choice", "Many": [1, 2] },
    ],
    refuses [
        {}, { "kind": "B" }, { "type": "Inner" }, { "type": "Inner", "kind": "A" }, { "type": "Choice" },
        { "type": "Choice", "One": 1, "Many": [] }, { "type": "Choice", "One": "a" },
        { "type": "Choice", "One": 1, "kind": "B" }, { "type": "Choice", "Many": [], "size": 1 },
    ];

    exact_nested: Exact = {
        "type": "object",
        "properties": {
            "type": { "type": "string", "enum": ["Beside", "Sizes", "Inner", "Half", "Plain"] },
            "t": { "type": "string", "enum": ["A", "B"] },
            "c": { "type": "integer", "minimum": 0, "maximum": 255 },
            "Low": { "type": "integer", "minimum": 0, "maximum": 255 },
            "High": { "type": "integer", "minimum": 0, "maximum": 255 },
            "kind": { "type": "string", "enum": ["A", "B"] },
            "half": { "type": "string", "enum": ["B", "A"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
        },
        "required": ["type"],
        "oneOf": [
            {
                "properties": { "type": { "enum": ["Beside"] } },
                "required": ["t", "c"],
                "not": { "anyOf": [
                    { "required": ["High"] }, { "required": ["Low"] }, { "required": ["half"] }, { "required": ["kind"] },
                    { "required": ["size"] },
                ] },
            },
            {
                "properties": { "type": { "enum": ["Sizes"] } },
                "not": { "anyOf": [
                    { "required": ["c"] }, { "required": ["half"] }, { "required": ["kind"] }, { "required": ["size"] },
                    { "required": ["t"] },
                ] },
            },
            {
                "properties": { "type": { "enum": ["Inner"] } },
                "required": ["kind"],
                "oneOf": [
                    { "properties": { "kind": { "enum": ["A"] } }, "required": ["size"] },
                    { "properties": { "kind": { "enum": ["B"] } }, "not": { "required": ["size"] } },
                ],
                "not": { "anyOf": [
                    { "required": ["High"] }, { "required": ["Low"] }, { "required": ["c"] }, { "required": ["half"] },
                    { "required": ["t"] },
                ] },
            },
            {
                "properties": { "type": { "enum": ["Half"] } },
                "required": ["half"],
                "oneOf": [
                    { "properties": { "half": { "enum": ["B"] } } },
                    {
                        "properties": { "half": { "enum": ["A"] } },
                        "required": ["size"],
                        "not": { "anyOf": [
                            { "required": ["High"] }, { "required": ["Low"] }, { "required": ["c"] },
                            { "required": ["kind"] }, { "required": ["t"] },
                        ] },
                    },
                ],
            },
            { "properties": { "type": { "enum": ["Plain"] } }, "required": ["size"] },
        ],
    },
    accepts [
        { "type": "Beside", "t": "A", "c": 1 }, { "type": "Sizes" }, { "type": "Sizes", "Low": 1, "High": 2 },
        { "type": "Inner", "kind": "A", "size": 1 }, { "type": "Inner", "kind": "B" },
        { "type": "Half", "half": "A", "size": 1 }, { "type": "Half", "half": "B" }, { "type": "Plain", "size": 1 },
    ],
    refuses [
        { "type": "Beside", "t": "A", "c": 1, "size": 1 }, { "type": "Sizes", "Low": 1, "size": 2 },
        { "type": "Inner", "kind": "B", "size": 1 }, { "type": "Half", "half": "A", "size": 1, "kind": "B" },
        { "type": "Inner", "kind": "A", "size": 1, "Low": 1 },
    ];

    choice: Choice<String> = {
        "type": "object",
        "properties": {
            "One": { "type": "string" },
            "Many": { "type": "array", "items": { "type": "string" } },
        },
        "oneOf": [{ "required": ["One"] }, { "required": ["Many"] }],
    },
    accepts [{ "One": "a" }, { "Many": ["a"] }],
    refuses [{ "One": 1 }, { "Many": "a" }, {}];

    map_of_choices: BTreeMap<String, Choice<bool>> = {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": {
                "One": { "type": "boolean" },
                "Many": { "type": "array", "items": { "type": "boolean" } },
            },
            "oneOf": [{ "required": ["One"] }, { "required": ["Many"] }],
        },
    },
    accepts [{}, { "a": { "One": true } }],
    refuses [{ "a": {} }];
}
