//! Values that the server is known to accept and to reject.

use serde_json::json;

use crate::crd::generate::value::*;

fn accepts(schema: &Value, value: &Value) -> bool {
    let node = SchemaNode::new(serde_json::from_value(schema.clone()).unwrap());
    check(&node, value).is_ok()
}

#[test]
fn values_pass_or_do_not() {
    let integer = json!({ "type": "integer" });
    let bounded = json!({ "type": "integer", "minimum": 1, "maximum": 3, "exclusiveMaximum": true });
    for (schema, accepted, rejected) in [
        (json!({ "type": "boolean" }), json!([true]), json!([0, "true", null])),
        (integer, json!([0, i64::MIN, 1e3]), json!([0.5, "1", u64::MAX, 1e17, null])),
        (
            json!({ "type": "integer", "multipleOf": 5 }),
            json!([0, -5, 9_223_372_036_854_775_805_i64]),
            json!([1, i64::MIN]),
        ),
        (bounded, json!([1, 2]), json!([0, 3])),
        (json!({ "type": "integer", "format": "int32" }), json!([i32::MIN]), json!([1_i64 << 31])),
        (json!({ "type": "integer", "maximum": 9_223_372_036_854_775_807_i64 }), json!([]), json!([0])),
        (json!({ "type": "integer", "minimum": 0.5 }), json!([]), json!([1])),
        (json!({ "type": "integer", "multipleOf": 3 }), json!([0, -3]), json!([4])),
        (json!({ "type": "number", "minimum": 0.5 }), json!([0.5, 0]), json!([0.25, -1])),
        (json!({ "type": "number", "multipleOf": 0.5 }), json!([1.5]), json!([1.25])),
        (json!({ "type": "number", "format": "float" }), json!([1, 1e38]), json!([1e39, "1"])),
        (json!({ "type": "string", "minLength": 1, "maxLength": 2 }), json!(["ßß"]), json!(["", "aaa", 1])),
        (json!({ "type": "string", "pattern": "^a" }), json!(["ab"]), json!(["ba"])),
        (json!({ "type": "string", "pattern": "(?i)^a" }), json!(["ab", "Ab"]), json!(["ba"])),
        (json!({ "type": "string", "format": "date" }), json!(["2020-01-01", [], ["a", 1]]), json!(["2020", 1, {}])),
        (json!({ "type": "string", "format": "uint8" }), json!(["x"]), json!([[]])),
        (json!({ "type": "string", "enum": ["a"] }), json!(["a"]), json!(["b"])),
        (json!({ "type": "integer", "enum": [1] }), json!([1, 1.0]), json!([2])),
        (json!({ "type": "string", "nullable": true }), json!([null, "a"]), json!([1])),
        (json!({ "type": "string", "nullable": true, "enum": ["a", null] }), json!(["a"]), json!([null])),
        (
            json!({ "x-kubernetes-int-or-string": true, "maximum": 9, "pattern": "^a" }),
            json!([9, "a"]),
            json!([10, "b", true, 0.5, null]),
        ),
        (json!({ "x-kubernetes-preserve-unknown-fields": true }), json!([null, 1, { "a": [] }]), json!([])),
        (
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "maxItems": 2 }),
            json!([["a"], ["a", "a"]]),
            json!([[], ["a", "a", "a"], [1], [null], {}]),
        ),
        (
            json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" }),
            json!([["a", "b"]]),
            json!([["a", "a"]]),
        ),
        (
            json!({
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"],
                "items": { "type": "object" },
            }),
            json!([[{ "k": 1, "l": 1 }, { "k": 1, "l": 2 }, { "k": 1 }]]),
            json!([[{ "k": 1, "l": 1 }, { "k": 1, "l": 1, "m": 1 }], [{}, {}]]),
        ),
        (
            json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } }),
            json!([{ "a": "" }, { "a": "", "b": 1 }]),
            json!([{}, { "a": 1 }, []]),
        ),
        (
            json!({ "type": "object", "additionalProperties": { "type": "integer" }, "maxProperties": 1 }),
            json!([{}, { "a": 1 }]),
            json!([{ "a": "" }, { "a": 1, "b": 1 }]),
        ),
        (json!({ "type": "object", "additionalProperties": false }), json!([{}]), json!([{ "a": 1 }])),
        (
            json!({ "type": "object", "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            json!([{ "a": 1 }, { "b": 1 }]),
            json!([{}, { "a": 1, "b": 1 }]),
        ),
        (
            json!({ "type": "object", "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
            json!([{ "a": 1 }, { "a": 1, "b": 1 }]),
            json!([{}]),
        ),
        (
            json!({ "type": "integer", "allOf": [{ "minimum": 1 }, { "multipleOf": 2 }], "not": { "enum": [4] } }),
            json!([2, 6]),
            json!([0, 3, 4]),
        ),
        (json!({ "type": "object", "not": { "required": ["a"] } }), json!([{}]), json!([{ "a": 1 }])),
        (json!({ "type": "object", "nullable": true, "oneOf": [{ "required": ["a"] }] }), json!([null]), json!([{}])),
        (
            json!({ "type": "object", "x-kubernetes-embedded-resource": true }),
            json!([
                { "apiVersion": "a/v1", "kind": "Pod", "metadata": { "name": "a b" } },
                { "apiVersion": "v1", "kind": "Pod" },
            ]),
            json!([
                { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "." } },
                { "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a/b" } },
                { "kind": "Pod" }, { "apiVersion": "a/b/c", "kind": "Pod" }, { "apiVersion": "v1", "kind": "A_B" },
                { "apiVersion": "v1", "kind": "Pod", "metadata": { "labels": { "a": 1 } } },
            ]),
        ),
    ] {
        for value in accepted.as_array().unwrap() {
            assert!(accepts(&schema, value), "{schema} {value}");
        }
        for value in rejected.as_array().unwrap() {
            assert!(!accepts(&schema, value), "{schema} {value}");
        }
    }
}

#[test]
fn a_mismatch_has_its_place() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "array", "items": { "type": "string" } } } });
    let node = SchemaNode::new(serde_json::from_value(schema).unwrap());
    let mismatch = check(&node, &json!({ "a": ["", 1] })).unwrap_err();
    assert_eq!(
        (mismatch.path.as_str(), mismatch.message.as_str()),
        (".a[1]", "a[1]: Invalid value: \"integer\": a[1] in body must be of type string: \"integer\"")
    );
}
