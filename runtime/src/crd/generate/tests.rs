//! Values fit their schemas.

use super::*;

fn node(schema: &Value) -> SchemaNode {
    SchemaNode::new(serde_json::from_value(schema.clone()).unwrap())
}

/// Returns values of a schema; in the values of objects, fields that the server drops are absent.
fn values(schema: &Value) -> impl Iterator<Item = Value> {
    let (node, mut random) = (node(schema), Random::new(1));
    (0..200).map(move |_| {
        let mut value = value(&node, &mut random);
        if let Value::Object(members) = &mut value {
            members.retain(|_, value| !value.is_null());
        }
        value
    })
}

#[test]
fn values_fit_without_branches() {
    let text = json!({ "type": "string" });
    let three = json!({ "a": text, "b": text, "c": text });
    for schema in [
        json!({ "type": "number", "minimum": 2e9 }),
        json!({ "type": "number", "maximum": -2e9 }),
        json!({ "type": "number", "minimum": 1.7e308 }),
        json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true, "multipleOf": 0.01 }),
        json!({ "type": "number", "minimum": -10, "maximum": -6, "multipleOf": 5 }),
        json!({ "type": "number", "minimum": 0.1, "maximum": 0.2, "format": "float" }),
        json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 0.3, "format": "float" }),
        json!({ "type": "integer", "minimum": -10, "maximum": -6, "multipleOf": 5 }),
        json!({ "type": "integer", "minimum": 6, "maximum": 10, "multipleOf": 5 }),
        json!({ "type": "integer", "maximum": -9_223_372_036_854_700_000_i64, "multipleOf": 7 }),
        json!({ "type": "object", "properties": three, "maxProperties": 1 }),
        json!({ "type": "object", "properties": three, "required": ["c"], "maxProperties": 2 }),
        json!({ "type": "object", "properties": three, "minProperties": 2 }),
        json!({ "type": "object", "properties": three, "minProperties": 2, "maxProperties": 2 }),
    ] {
        let checker = node(&schema);
        for value in values(&schema) {
            assert_eq!(check(&checker, &value), Ok(()), "{schema} {value}");
        }
    }
}

#[test]
fn fractional_bounds_of_integers_exclude_what_is_beyond_them() {
    let of_branch = |bound: Value| json!({ "type": "integer", "allOf": [bound] });
    for (schema, least, most) in [
        (of_branch(json!({ "minimum": 0, "maximum": 2.5 })), 0, 2),
        (of_branch(json!({ "minimum": -2.5, "maximum": 0 })), -2, 0),
        (of_branch(json!({ "minimum": -2.5, "exclusiveMinimum": true, "maximum": 0 })), -1, 0),
        (of_branch(json!({ "minimum": 0, "maximum": 2.5, "exclusiveMaximum": true })), 0, 1),
    ] {
        let schema = node(&schema);
        let all = || vec![&schema, &schema.all_of[0]];
        let mut random = Random::new(1);
        let drawn: Vec<_> = (0..200).map(|_| scalars::integer(&all(), &mut random).as_i64().unwrap()).collect();
        assert_eq!((drawn.iter().min(), drawn.iter().max()), (Some(&least), Some(&most)));
        assert!(drawn.iter().all(|value| check(&schema, &json!(value)).is_ok()));
    }
}

#[test]
fn contradictory_bounds_are_no_panic() {
    for schema in [
        json!({ "type": "number", "minimum": 2, "maximum": 1, "multipleOf": 3 }),
        json!({ "type": "integer", "minimum": 2, "maximum": 1, "multipleOf": 3 }),
        json!({ "type": "integer", "minimum": i64::MAX, "exclusiveMinimum": true }),
        json!({ "type": "integer", "maximum": i64::MIN, "exclusiveMaximum": true, "multipleOf": 5 }),
    ] {
        values(&schema).count();
    }
}

#[test]
fn more_members_replace_none() {
    let integer = json!({ "type": "integer" });
    let schema = json!({
        "type": "object", "x-kubernetes-embedded-resource": true, "minProperties": 4,
        "properties": { "apiVersion": { "type": "string" }, "kind": { "type": "string" }, "size": integer },
    });
    for value in values(&schema) {
        assert!(is_resource(value.as_object().unwrap()) && value["size"].is_i64(), "{value}");
    }
}
