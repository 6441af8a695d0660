//! The exact differences between the schemas of enums of both derives, and the enums for which kube-derive has no schema.

use serde_json::{Value, json};

use crate::schema_differences::{SchemaDifference, differences};

pub(crate) fn differences_of_enums() -> Vec<SchemaDifference> {
    let gaps = json!({
        "one": { "type": "string" }, "three": { "type": "string" },
        "two": { "type": "string", "enum": ["Last", "First", "Second"] },
    });
    let count = json!({
        "type": "object", "properties": { "least": { "type": "integer", "format": "int32" } }, "required": ["least"],
    });
    let external = json!({
        "name": { "type": "string" }, "Text": { "type": "string" }, "Number": { "type": "integer", "format": "int64" },
    });
    let untagged = json!({
        "name": { "type": "string" }, "first": { "type": "string" }, "other": { "type": "integer", "format": "int32" },
        "second": { "type": "string", "enum": ["read-only", "rw"] },
    });
    differences! {
        other: { "type": "string", "enum": ["Known", "Unknown"] } => { "type": "string" };
        tuple: {
            "type": "object",
            "properties": {
                "Pair": {
                    "type": "array", "items": [{ "type": "boolean" }, { "type": "boolean" }], "minItems": 2, "maxItems": 2,
                },
                "One": { "type": "boolean" },
            },
            "oneOf": [{ "required": ["Pair"] }, { "required": ["One"] }],
        } => {
            "type": "object",
            "properties": {
                "Pair": { "type": "array", "items": { "type": "boolean" }, "minItems": 2, "maxItems": 2 },
                "One": { "type": "boolean" },
            },
            "oneOf": [{ "required": ["Pair"] }, { "required": ["One"] }],
        };
        exact: {
            "type": "object",
            "properties": { "first": { "type": "string" }, "other": { "type": "integer", "format": "int32" } },
            "anyOf": [{ "required": ["first"] }, { "required": ["other"] }],
        } => {
            "type": "object",
            "properties": { "first": { "type": "string" }, "other": { "type": "integer", "format": "int32" } },
            "anyOf": [
                { "required": ["first"], "not": { "required": ["other"] } },
                { "required": ["other"], "not": { "required": ["first"] } },
            ],
        };
        titled: {
            "type": "object",
            "properties": {
                "By": {
                    "type": "object",
                    "properties": { "distance": { "type": "integer", "format": "int32" } },
                    "required": ["distance"],
                },
                "To": { "type": "string" },
            },
            "oneOf": [{ "title": "By so much", "required": ["By"] }, { "required": ["To"] }],
        } => {
            "type": "object",
            "properties": {
                "By": {
                    "type": "object",
                    "title": "By so much",
                    "properties": { "distance": { "type": "integer", "format": "int32" } },
                    "required": ["distance"],
                },
                "To": { "type": "string" },
            },
            "oneOf": [{ "required": ["By"] }, { "required": ["To"] }],
        };
        overlapping: {
            "type": "object",
            "properties": { "only": { "type": "string" }, "shared": { "type": "integer", "format": "int32" } },
            "anyOf": [{ "required": ["only", "shared"] }, { "required": ["shared"] }],
        } => {
            "type": "object",
            "properties": { "only": { "type": "string" }, "shared": { "type": "integer", "format": "int32" } },
            "required": ["shared"],
        };
        gaps: {
            "type": "object", "properties": gaps,
            "anyOf": [{ "required": ["one"] }, { "required": ["two", "three"] }, {}],
        } => { "type": "object", "properties": gaps };
        flattened_gaps: {
            "type": "object", "properties": gaps,
            "anyOf": [{ "required": ["one"] }, { "required": ["two", "three"] }, {}],
        } => { "type": "object", "properties": gaps };
        flattened_both: {
            "type": "object",
            "allOf": [
                {
                    "type": "object",
                    "properties": { "Text": { "type": "string" }, "Number": { "type": "integer", "format": "int64" } },
                    "oneOf": [{ "required": ["Text"] }, { "required": ["Number"] }],
                },
                {
                    "type": "object",
                    "properties": { "Share": { "type": "number", "format": "double" }, "Count": count },
                    "oneOf": [{ "required": ["Share"] }, { "required": ["Count"] }],
                },
            ],
        } => {
            "type": "object",
            "properties": {
                "Text": { "type": "string" }, "Number": { "type": "integer", "format": "int64" },
                "Share": { "type": "number", "format": "double" }, "Count": count,
            },
            "oneOf": [{ "required": ["Text"] }, { "required": ["Number"] }],
            "allOf": [{ "oneOf": [{ "required": ["Share"] }, { "required": ["Count"] }] }],
        };
        maybe_external: {
            "type": "object", "properties": external, "required": ["name"],
            "anyOf": [{ "oneOf": [{ "required": ["Text"] }, { "required": ["Number"] }] }, {}],
        } => {
            "type": "object", "properties": external, "required": ["name"],
            "anyOf": [
                { "oneOf": [{ "required": ["Text"] }, { "required": ["Number"] }] },
                { "not": { "anyOf": [{ "required": ["Number"] }, { "required": ["Text"] }] } },
            ],
        };
        maybe_untagged: {
            "type": "object", "properties": untagged, "required": ["name"],
            "anyOf": [{ "required": ["first", "second"] }, { "required": ["other"] }, {}],
        } => {
            "type": "object", "properties": untagged, "required": ["name"],
            "anyOf": [
                { "anyOf": [{ "required": ["first", "second"] }, { "required": ["other"] }] },
                { "not": { "anyOf": [{ "required": ["first"] }, { "required": ["other"] }, { "required": ["second"] }] } },
            ],
        };
        scalars: { "anyOf": [{ "format": "int32" }, {}] } => {
            "x-kubernetes-int-or-string": true, "minimum": -2147483648_i64, "maximum": 2147483647,
        };
    }
}

/// The same enums in an `Option`, which is nullable but where it is a string; the server refuses null there.
pub(crate) fn differences_of_optional_enums() -> Vec<SchemaDifference> {
    let mut all = differences! {
        plain: { "type": "string", "enum": ["read-only", "rw", null], "nullable": true }
            => { "type": "string", "enum": ["read-only", "rw"] };
        described: { "type": "string", "enum": ["Last", "First", "Second"], "nullable": true }
            => { "type": "string", "enum": ["Last", "First", "Second"] };
    };
    for mut one in differences_of_enums() {
        one.kube["nullable"] = json!(true);
        one.crdkit["nullable"] = json!(true);
        if let Some(values) = one.kube.get_mut("enum") {
            values.as_array_mut().unwrap().push(Value::Null);
        }
        if one.name == "flattened_both" {
            one.kube.as_object_mut().unwrap().remove("type");
        }
        all.push(one);
    }
    all
}

/// The enums of which kube-derive's `crd()` panics, and part of the message.
pub(crate) const PANICS: &[(&str, &str)] = &[
    ("internal", "Property \"type\" has the schema"),
    ("adjacent", "Property \"type\" has the schema"),
    ("differing", "Property \"shared\" has the schema"),
    ("flattened_twice", "Property \"type\" has the schema"),
    ("maybe_internal", "Property \"type\" has the schema"),
    ("maybe_adjacent", "Property \"type\" has the schema"),
    ("internal_other", "Property \"type\" has the schema"),
    ("adjacent_other", "Property \"type\" has the schema"),
    ("bytes", "valid JSONSchemaProps from schemars schema"),
    ("c_text", "valid JSONSchemaProps from schemars schema"),
];
