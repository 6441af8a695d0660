//! Keywords of numbers, strings, lists and objects.

use crate::crd::compare::tests::*;

#[test]
fn bounds() {
    let number = |bounds: Value| {
        let mut schema = bounds;
        schema["type"] = json!("integer");
        schema
    };
    let text = |bounds| with(bounds, "type", json!("string"));
    let list = |bounds| with(with(bounds, "type", json!("array")), "items", json!({ "type": "string" }));
    let map = |bounds| {
        let schema = with(bounds, "type", json!("object"));
        with(schema, "additionalProperties", json!({ "type": "string" }))
    };
    let maps = |keys: Value| {
        let item = object(json!({ "a": { "type": "string" }, "b": { "type": "string" } }));
        json!({
            "type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
        })
    };
    for (old, new, expected) in [
        (number(json!({})), number(json!({ "minimum": 1 })), "`minimum` of `.spec` changes from none to 1"),
        (number(json!({ "minimum": 1 })), number(json!({ "minimum": 2 })), "`minimum` of `.spec` changes from 1 to 2"),
        (
            number(json!({ "minimum": 1 })),
            number(json!({ "minimum": 1, "exclusiveMinimum": true })),
            "`exclusiveMinimum` of `.spec` changes from false to true",
        ),
        (number(json!({ "maximum": 3 })), number(json!({ "maximum": 2 })), "`maximum` of `.spec` changes from 3 to 2"),
        (
            number(json!({ "maximum": 3 })),
            number(json!({ "maximum": 3, "exclusiveMaximum": true })),
            "`exclusiveMaximum` of `.spec` changes from false to true",
        ),
        (
            number(json!({ "multipleOf": 2 })),
            number(json!({ "multipleOf": 4 })),
            "`multipleOf` of `.spec` changes from 2 to 4",
        ),
        (
            number(json!({ "format": "int64" })),
            number(json!({ "format": "int32" })),
            "`format` of `.spec` changes from int64 to int32",
        ),
        (text(json!({})), text(json!({ "minLength": 1 })), "`minLength` of `.spec` changes from none to 1"),
        (text(json!({})), text(json!({ "maxLength": 1 })), "`maxLength` of `.spec` changes from none to 1"),
        (
            text(json!({ "pattern": "a" })),
            text(json!({ "pattern": "b" })),
            "`pattern` of `.spec` changes from `a` to `b`",
        ),
        (text(json!({})), text(json!({ "format": "date" })), "`format` of `.spec` changes from none to date"),
        (
            text(json!({ "enum": ["a", "b"] })),
            text(json!({ "enum": ["b", "c"] })),
            r#"`enum` of `.spec` changes from ["a","b"] to ["b","c"]"#,
        ),
        (text(json!({})), text(json!({ "enum": ["a"] })), r#"`enum` of `.spec` changes from none to ["a"]"#),
        (list(json!({})), list(json!({ "minItems": 1 })), "`minItems` of `.spec` changes from none to 1"),
        (list(json!({ "maxItems": 3 })), list(json!({ "maxItems": 2 })), "`maxItems` of `.spec` changes from 3 to 2"),
        (
            list(json!({})),
            list(json!({ "x-kubernetes-list-type": "set" })),
            "`x-kubernetes-list-type` of `.spec` changes from atomic to set",
        ),
        (maps(json!(["a", "b"])), maps(json!(["a"])), "`x-kubernetes-list-map-keys` of `.spec` changes from a, b to a"),
        (map(json!({})), map(json!({ "minProperties": 1 })), "`minProperties` of `.spec` changes from none to 1"),
        (
            map(json!({ "maxProperties": 3 })),
            map(json!({ "maxProperties": 2 })),
            "`maxProperties` of `.spec` changes from 3 to 2",
        ),
        (
            open(),
            with(open(), "x-kubernetes-embedded-resource", json!(true)),
            "`x-kubernetes-embedded-resource` of `.spec` changes from false to true",
        ),
    ] {
        assert_eq!(texts(old.clone(), new.clone()), [expected]);
        let differs_both_ways = old.get("enum").or(old.get("pattern")).is_some();
        assert!(differs_both_ways || texts(new, old).is_empty(), "{expected}");
    }
}
