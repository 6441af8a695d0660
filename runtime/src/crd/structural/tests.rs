//! Conversion of schemas in the forms that generators write.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Value, json};

use crate::{
    crd::structural::{strip_internal_marks, structural, to_schemars},
    error::RenderError,
};

mod closed;
mod derived;
mod meaning;
mod properties;
mod rules;

/// Returns the schema in the form that the server accepts.
fn settled(schema: Value) -> Result<JSONSchemaProps, RenderError> {
    let mut props = structural(schema)?;
    strip_internal_marks(&mut props);
    Ok(props)
}

#[track_caller]
fn becomes(schema: Value, expected: Value) {
    let props = settled(schema).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(serde_json::to_value(props).unwrap(), expected);
}

#[track_caller]
fn fails(schema: Value, expected: &str) {
    let error = structural(schema).unwrap_err().to_string();
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn null_becomes_nullable() {
    let string = json!({ "type": "string", "nullable": true });
    becomes(json!({ "type": ["string", "null"] }), string.clone());
    becomes(json!({ "type": "string", "nullable": true }), string.clone());
    for junctor in ["anyOf", "oneOf"] {
        for only_null in [json!({ "type": "null" }), json!({ "const": null })] {
            becomes(json!({ junctor: [{ "type": "string" }, only_null] }), string.clone());
        }
        let only_null = json!({ "enum": [null], "nullable": true });
        becomes(json!({ junctor: [{ "type": "string" }, only_null] }), string.clone());
    }
    fails(json!({ "type": "null" }), "a type whose only value is null");
    fails(json!({ "anyOf": [{ "const": null }] }), "a type whose only value is null");
}

#[test]
fn optional_enums_have_one_form() {
    let left_out = json!({ "type": "string", "enum": ["A", "B"] });
    let must_be_there = json!({ "type": "string", "nullable": true, "allOf": [{ "enum": ["A", "B", null] }] });
    for schema in [
        json!({ "type": ["string", "null"], "enum": ["A", "B", null] }),
        json!({ "type": "string", "enum": ["A", "B"], "nullable": true }),
        json!({ "anyOf": [{ "type": "string", "enum": ["A", "B"] }, { "type": "null" }] }),
        json!({ "anyOf": [
            { "oneOf": [{ "type": "string", "const": "A" }, { "type": "string", "const": "B" }] },
            { "type": "null" },
        ] }),
    ] {
        becomes(schema.clone(), must_be_there.clone());
        becomes(json!({ "type": "array", "items": schema }), json!({ "type": "array", "items": must_be_there }));
        let properties = |one: &Value, other: &Value| {
            let properties = json!({ "a": one, "b": other });
            json!({ "type": "object", "properties": properties, "required": ["a"] })
        };
        becomes(properties(&schema, &schema), properties(&must_be_there, &left_out));
    }
}

#[test]
fn any_value_is_preserved() {
    let any = json!({ "nullable": true, "x-kubernetes-preserve-unknown-fields": true });
    becomes(json!(true), any.clone());
    becomes(json!({}), any.clone());
    becomes(json!({ "anyOf": [{ "type": "string" }, true] }), any.clone());
    becomes(json!({ "type": ["array", "boolean", "integer", "null", "number", "object", "string"] }), any);
    let not_null = json!({ "x-kubernetes-preserve-unknown-fields": true });
    becomes(json!({ "type": ["array", "boolean", "number", "object", "string"] }), not_null.clone());
    becomes(not_null.clone(), not_null);
    fails(json!(false), "no value matches the schema");
    fails(json!({ "properties": { "a": { "enum": [] } } }), ".a: no value matches the schema");
    fails(json!([]), "expected a JSON schema, found `[]`");
}

#[test]
fn ranges_are_true_and_in_reach_of_the_server() {
    let integer = |keywords: Value| {
        let mut schema = json!({ "type": "integer" });
        let members = keywords.as_object().unwrap().clone();
        schema.as_object_mut().unwrap().extend(members);
        schema
    };
    for (keywords, expected) in [
        (json!({ "format": "uint8" }), json!({ "minimum": 0.0, "maximum": 255.0 })),
        (json!({ "format": "uint8", "minimum": 1, "maximum": 300 }), json!({ "minimum": 1.0, "maximum": 255.0 })),
        (json!({ "format": "uint64", "maximum": u64::MAX }), json!({ "minimum": 0.0 })),
        (json!({ "format": "int64", "minimum": i64::MIN }), json!({ "format": "int64" })),
        (json!({ "format": "int32", "maximum": 1_u64 << 31 }), json!({ "format": "int32" })),
        (
            json!({ "exclusiveMinimum": 0, "exclusiveMaximum": 9, "maximum": 9 }),
            json!({
                "minimum": 0.0, "exclusiveMinimum": true, "maximum": 9.0, "exclusiveMaximum": true,
            }),
        ),
        (
            json!({ "minimum": 1, "exclusiveMinimum": true, "exclusiveMaximum": false }),
            json!({ "minimum": 1.0, "exclusiveMinimum": true }),
        ),
        (json!({ "not": { "const": 0 } }), json!({ "not": { "enum": [0] } })),
    ] {
        becomes(integer(keywords), integer(expected));
    }
}

/// As for the API server, 1.0 is 1.
#[test]
fn equal_numbers_are_one_value() {
    let one = json!({ "type": "number", "enum": [1] });
    becomes(json!({ "type": "number", "enum": [1.0] }), one.clone());
    becomes(json!({ "type": "number", "enum": [1.0, 2], "allOf": [{ "enum": [1, 3] }] }), one.clone());
    becomes(json!({ "allOf": [{ "type": "number", "const": 1 }, { "type": "number", "enum": [1e0] }] }), one.clone());
    becomes(json!({ "anyOf": [one, { "type": "number", "const": 1.0 }] }), one.clone());
    becomes(
        json!({ "type": "number", "not": { "type": "number", "enum": [1.0] } }),
        json!({ "type": "number", "not": { "enum": [1] } }),
    );
    fails(json!({ "enum": [1.0], "allOf": [{ "enum": [2] }] }), "no value matches the schema");
    let branches = json!([{ "const": "a", "x-kubernetes-int-or-string": true }, { "enum": [[]], "minimum": 0 }]);
    fails(json!({ "anyOf": branches, "enum": [false] }), "no value matches the schema");
}

#[test]
fn formats_are_those_of_the_server() {
    for (type_, format, is_known) in [
        ("string", "date-time", true),
        ("string", "ip", false),
        ("string", "int32", false),
        ("number", "double", true),
        ("integer", "int64", true),
        ("integer", "int", false),
        ("boolean", "date", false),
    ] {
        let known = json!({ "type": type_, "format": format });
        let unknown = json!({ "type": type_ });
        becomes(known.clone(), if is_known { known } else { unknown });
    }
}

#[test]
fn texts_and_values_are_kept() {
    becomes(
        json!({
            "$schema": "s", "$id": "i", "$comment": "c", "title": "T", "description": "D", "deprecated": true,
            "readOnly": true, "type": "object", "examples": [{ "a": 1 }], "default": { "a": null, "b": [null] },
            "minProperties": 1.0, "x-kubernetes-map-type": "atomic", "x-other": 1,
        }),
        json!({
            "title": "T", "description": "D\n\nDeprecated.", "type": "object", "example": { "a": 1 },
            "default": { "b": [null] }, "minProperties": 1, "x-kubernetes-map-type": "atomic",
        }),
    );
    becomes(json!({ "type": "string", "default": null }), json!({ "type": "string" }));
    becomes(json!({ "const": 1 }), json!({ "type": "integer", "enum": [1] }));
    fails(json!({ "minLength": "a" }), "`minLength` of the schema is `\"a\"`: expected a number");
    fails(json!({ "minLength": 0.5 }), "`minLength` of the schema is `0.5`: expected a whole number");
    fails(json!({ "type": "text" }), "`\"text\"` is not a schema type: expected one of");
}

#[test]
fn integers_and_strings_are_int_or_string() {
    let plain = json!({ "x-kubernetes-int-or-string": true });
    let types = json!([{ "type": "integer" }, { "type": "string" }]);
    becomes(json!({ "type": ["integer", "string"] }), plain.clone());
    becomes(json!({ "anyOf": types }), plain.clone());
    becomes(json!({ "anyOf": types, "x-kubernetes-int-or-string": true }), plain.clone());
    becomes(json!({ "type": "string", "x-kubernetes-int-or-string": true }), plain);
    becomes(
        json!({ "anyOf": [
            { "type": "string", "enum": ["a.b", "c"] },
            { "type": "integer", "format": "uint8" },
            { "type": "null" },
        ] }),
        json!({
            "x-kubernetes-int-or-string": true, "nullable": true, "pattern": r"^(a\.b|c)$",
            "minimum": 0.0, "maximum": 255.0,
        }),
    );
    let no_integer = json!({ "minLength": 1, "maxLength": 0 });
    let no_string = json!({ "minimum": 1.0, "maximum": 0.0 });
    for (integer, string, expected) in [
        (
            json!({ "format": "int32" }),
            json!({ "format": "date-time" }),
            json!({ "minimum": -2147483648.0, "maximum": 2147483647.0, "format": "date-time" }),
        ),
        (
            json!({ "format": "int64", "enum": [80, 443] }),
            json!({ "enum": ["a"], "pattern": "b" }),
            json!({
                "anyOf": [{ "enum": [80, 443] }, no_string], "pattern": "b", "allOf": [{ "pattern": "^(a)$" }],
            }),
        ),
        (
            json!({ "not": { "enum": [0] } }),
            json!({ "anyOf": [{ "format": "ipv4" }, { "format": "ipv6" }] }),
            json!({
                "anyOf": [{ "not": { "enum": [0] } }, no_string],
                "allOf": [{ "anyOf": [{ "format": "ipv4" }, { "format": "ipv6" }, no_integer] }],
            }),
        ),
        (
            json!({ "anyOf": [{ "maximum": -1 }, { "minimum": 1 }], "multipleOf": 2 }),
            json!({ "not": { "pattern": "a" }, "maxLength": 3 }),
            json!({
                "multipleOf": 2.0, "maxLength": 3, "anyOf": [{ "maximum": -1.0 }, { "minimum": 1.0 }],
                "allOf": [{ "anyOf": [{ "not": { "pattern": "a" } }, no_integer] }],
            }),
        ),
    ] {
        let of_type = |mut schema: Value, type_: &str| {
            schema["type"] = type_.into();
            schema
        };
        let mut expected = expected;
        expected["x-kubernetes-int-or-string"] = true.into();
        becomes(json!({ "anyOf": [of_type(integer, "integer"), of_type(string, "string")] }), expected.clone());
        // Converting the result back and forth yields the same schema, possibly in another order.
        let read_again = |schema: Value| {
            let again = to_schemars(serde_json::from_value(schema).unwrap());
            json!(settled(again.to_value()).unwrap())
        };
        assert_eq!(read_again(read_again(expected.clone())), expected);
    }
    becomes(
        json!({ "anyOf": [
            { "type": "integer", "maximum": 1 }, { "type": "integer", "minimum": 3 },
            { "type": "string", "maxLength": 3 }, { "type": ["integer", "string"], "minimum": 9, "pattern": "a" },
        ] }),
        json!({
            "x-kubernetes-int-or-string": true,
            "anyOf": [{ "maximum": 1.0 }, { "minimum": 3.0 }, { "minimum": 9.0 }],
            "allOf": [{ "anyOf": [{ "maxLength": 3 }, { "pattern": "a" }] }],
        }),
    );
    // Fields, which only objects have, are in no branch either.
    let field = |schema: Value| json!({ "properties": { "b": schema } });
    let of_both = json!({ "anyOf": [
        { "allOf": [field(json!({}))], "enum": ["a"], "x-kubernetes-int-or-string": true },
        { "allOf": [{ "type": "string" }, field(json!({ "minimum": 0 }))] },
    ] });
    rules::check(&settled(of_both).unwrap());
    fails(
        json!({ "anyOf": [{ "type": "number" }, { "type": "string" }] }),
        "the value is a number in `variant 1` and a string in `variant 2`, which one structural schema cannot \
         express: annotate the field",
    );
}

#[test]
fn lists_have_items_of_one_type() {
    let any = json!({ "nullable": true, "x-kubernetes-preserve-unknown-fields": true });
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    let string = json!({ "type": "string" });
    becomes(json!({ "type": "array" }), json!({ "type": "array", "items": any }));
    becomes(json!({ "type": "array", "prefixItems": [string, string] }), strings.clone());
    becomes(json!({ "type": "array", "items": [string], "additionalItems": false }), strings.clone());
    becomes(
        json!({ "type": "array", "items": string, "uniqueItems": true }),
        json!({ "type": "array", "items": string, "x-kubernetes-list-type": "set" }),
    );
    becomes(
        json!({ "type": "array", "items": strings, "uniqueItems": true }),
        json!({ "type": "array", "items": strings }),
    );
    fails(
        json!({ "type": "array", "prefixItems": [string, { "type": "integer" }] }),
        "a tuple with different types has no structural schema",
    );
    fails(json!({ "type": "array", "items": { "type": "null" } }), "[]: a type whose only value is null");
}

#[test]
fn objects_have_fields_or_values() {
    let string = json!({ "type": "string" });
    let strings = json!({ "type": "object", "additionalProperties": string });
    let fields = json!({ "type": "object", "properties": { "a": string }, "required": ["a"] });
    let with = |keyword: &str, value: Value| {
        let mut schema = fields.clone();
        schema[keyword] = value;
        schema
    };
    becomes(with("additionalProperties", json!(false)), fields.clone());
    let open = with("x-kubernetes-preserve-unknown-fields", json!(true));
    for others in [json!(true), json!({}), string.clone()] {
        becomes(with("additionalProperties", others.clone()), open.clone());
        becomes(with("unevaluatedProperties", others), open.clone());
    }
    becomes(strings.clone(), strings.clone());
    becomes(
        json!({
            "type": "object", "patternProperties": { r"^\d+$": string }, "additionalProperties": false,
        }),
        strings,
    );
    becomes(
        json!({ "type": "object", "additionalProperties": true }),
        json!({
            "type": "object",
            "additionalProperties": { "nullable": true, "x-kubernetes-preserve-unknown-fields": true },
        }),
    );
    fails(
        json!({ "properties": { "a": { "items": { "$ref": "#/components/schemas/A" } } } }),
        ".a[]: the type contains itself (`$ref` is \"#/components/schemas/A\")",
    );
}

#[test]
fn all_of_is_one_schema() {
    becomes(
        json!({ "description": "Field.", "allOf": [{ "type": "string", "description": "Type." }] }),
        json!({ "description": "Field.", "type": "string" }),
    );
    becomes(
        json!({ "allOf": [
            { "type": "object", "properties": { "a": { "type": "integer", "minimum": 1 } }, "required": ["a"] },
            { "properties": { "a": { "minimum": 2 }, "b": { "type": "string" } } },
        ] }),
        json!({
            "type": "object", "required": ["a"],
            "properties": { "a": { "type": "integer", "minimum": 2.0 }, "b": { "type": "string" } },
        }),
    );
    becomes(
        json!({ "type": "string", "allOf": [{ "pattern": "a" }, { "pattern": "b" }] }),
        json!({ "type": "string", "pattern": "a", "allOf": [{ "pattern": "b" }] }),
    );
    fails(json!({ "allOf": [{ "type": "string" }, { "type": "object" }] }), "no value is both a string and an object");
}

#[test]
fn nothing_is_too_deep() {
    let deep = (0..1000).fold(json!({}), |schema, _| json!({ "items": schema }));
    let error = structural(deep).unwrap_err();
    assert!(error.message.contains("nested more than"), "{error}");
}
