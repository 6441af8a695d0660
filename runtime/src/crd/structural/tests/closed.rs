//! Objects that deny unknown fields.

use serde_json::{Value, json};

use crate::crd::structural::tests::becomes;

/// Returns an object that requires the first of these fields.
fn object(names: &[&str], others: Value) -> Value {
    let properties: serde_json::Map<_, _> =
        names.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    json!({
        "type": "object", "properties": properties, "required": [names[0]], "additionalProperties": others,
    })
}

fn closed(names: &[&str]) -> Value {
    object(names, json!(false))
}

fn convert(names: &[&str]) -> Value {
    let mut object = object(names, json!(false));
    object.as_object_mut().unwrap().remove("additionalProperties");
    object
}

/// Checks the branches of the schema that results from these variants.
#[track_caller]
fn has_branches(junctor: &str, variants: Value, expected: Value) {
    let mut found = serde_json::to_value(super::settled(json!({ junctor: variants })).unwrap()).unwrap();
    assert_eq!(found[junctor].take(), expected);
}

#[test]
fn variants_refuse_the_fields_of_others() {
    for closing in ["additionalProperties", "unevaluatedProperties"] {
        let mut one = convert(&["a", "b"]);
        one[closing] = json!(false);
        has_branches(
            "anyOf",
            json!([one, convert(&["b", "c"])]),
            json!([{ "required": ["a"], "not": { "required": ["c"] } }, { "required": ["b"] }]),
        );
    }
    has_branches(
        "anyOf",
        json!([closed(&["a"]), closed(&["b", "c"])]),
        json!([
            { "required": ["a"], "not": { "anyOf": [{ "required": ["b"] }, { "required": ["c"] }] } },
            { "required": ["b"], "not": { "required": ["a"] } },
        ]),
    );
}

#[test]
fn what_was_refused_before_still_is() {
    let mut one = closed(&["a", "b"]);
    one["not"] = json!({ "required": ["b"] });
    has_branches(
        "anyOf",
        json!([one, convert(&["c"])]),
        json!([
            { "required": ["a"], "not": { "anyOf": [{ "required": ["b"] }, { "required": ["c"] }] } },
            { "required": ["c"] },
        ]),
    );
}

#[test]
fn one_of_several_fields_is_required_once() {
    let one_field_each = json!([closed(&["a"]), closed(&["b"])]);
    let each = json!([{ "required": ["a"] }, { "required": ["b"] }]);
    has_branches("oneOf", one_field_each, each);
    has_branches(
        "oneOf",
        json!([closed(&["a"]), convert(&["b"])]),
        json!([{ "required": ["a"], "not": { "required": ["b"] } }, { "required": ["b"] }]),
    );
}

#[test]
fn fields_and_items_are_as_exact() {
    let holding = |name: &str, inner: Value| {
        json!({
            "type": "object",
            "properties": { name: { "type": "string" }, "in": { "type": "array", "items": inner } },
            "required": [name],
        })
    };
    has_branches(
        "anyOf",
        json!([holding("x", closed(&["a", "b"])), holding("y", convert(&["a", "c"]))]),
        json!([
            { "required": ["x"], "properties": { "in": { "items": { "not": { "required": ["c"] } } } } },
            { "required": ["y"] },
        ]),
    );
}

#[test]
fn enums_within_are_exact_as_a_whole_or_in_part() {
    let of = |inner: Value| json!([{ "anyOf": inner }, convert(&["z"])]);
    has_branches(
        "anyOf",
        of(json!([closed(&["a", "b"]), closed(&["b"])])),
        json!([
            {
                "anyOf": [{ "required": ["a"] }, { "required": ["b"], "not": { "required": ["a"] } }],
                "not": { "required": ["z"] },
            },
            { "required": ["z"] },
        ]),
    );
    has_branches(
        "anyOf",
        of(json!([closed(&["a", "b"]), convert(&["b"])])),
        json!([
            { "anyOf": [{ "required": ["a"], "not": { "required": ["z"] } }, { "required": ["b"] }] },
            { "required": ["z"] },
        ]),
    );
}

#[test]
fn no_mark_is_left() {
    let nested = json!({
        "type": "object",
        "properties": {
            "list": { "type": "array", "items": closed(&["a"]) },
            "map": { "type": "object", "additionalProperties": closed(&["a"]) },
        },
        "additionalProperties": false,
    });
    becomes(
        nested,
        json!({
            "type": "object",
            "properties": {
                "list": { "type": "array", "items": convert(&["a"]) },
                "map": { "type": "object", "additionalProperties": convert(&["a"]) },
            },
        }),
    );
}
