//! Violations in the schemas of decoded definitions.

use serde_json::{Value, json};

use crate::crd::validate::tests::{validate, with_spec};

fn of_spec(spec: Value) -> Vec<String> {
    let found = validate(&with_spec(spec)).into_iter();
    let fatal = found.filter(|it| it.severity.is_fatal());
    fatal.map(|it| format!("{} {it}", it.rule)).collect()
}

#[test]
fn nodes() {
    for (schema, expected) in [
        (json!({}), "has no type"),
        (json!({ "type": "null" }), "`null` is not a type"),
        (json!({ "type": "array" }), "a list needs a schema"),
        (
            json!({
                "type": "object",
                "properties": { "a": { "type": "string" } },
                "additionalProperties": { "type": "string" },
            }),
            "both named fields and entries",
        ),
        (json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true }), "uniqueItems"),
        (json!({ "type": "string", "nullable": true, "enum": ["a"] }), "null never matches"),
        (json!({ "type": "object", "required": ["a"] }), "`a` is required"),
        (json!({ "type": "integer", "minimum": 3, "maximum": 2 }), "no number is both at least 3 and at most 2"),
        (json!({ "type": "integer", "minimum": 0.5 }), "`minimum` is 0.5"),
        (json!({ "type": "integer", "format": "int32", "maximum": 3_000_000_000_i64 }), "`maximum` is 3000000000"),
        (json!({ "type": "integer", "maximum": u64::MAX }), "out of the range of the type `integer`"),
        (json!({ "type": "string", "enum": [1] }), "1 of the `enum`"),
        (json!({ "type": "integer", "pattern": "a" }), "`pattern` applies to text"),
        (json!({ "type": "string", "maximum": 1 }), "`maximum` applies to numbers"),
        (json!({ "type": "object", "minItems": 1 }), "`minItems` applies to lists"),
        (json!({ "type": "boolean", "maxProperties": 1 }), "`maxProperties` applies to maps and objects"),
        (
            json!({
                "x-kubernetes-preserve-unknown-fields": true,
                "x-kubernetes-validations": [{ "rule": "self == self" }],
            }),
            "a rule needs a value",
        ),
    ] {
        let found = of_spec(schema.clone());
        assert_eq!(found.len(), 1, "{schema}: {found:?}");
        assert!(found[0].contains(expected), "{schema}: {found:?}");
    }
}

#[test]
fn nothing_to_say() {
    for schema in [
        json!({ "x-kubernetes-preserve-unknown-fields": true }),
        json!({ "x-kubernetes-int-or-string": true }),
        json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        json!({ "type": "integer", "enum": [1, 2.0] }),
        json!({ "x-kubernetes-int-or-string": true, "minimum": 1, "pattern": "%$" }),
    ] {
        assert!(of_spec(schema.clone()).is_empty(), "{schema}");
    }
}
