use serde_json::{Value, json};

mod bounds;
mod branches;
mod definitions;
mod directions;
mod objects;

use crate::crd::compare::*;

fn schema(value: Value) -> JSONSchemaProps {
    serde_json::from_value(value).unwrap()
}

fn spec(value: Value) -> JSONSchemaProps {
    schema(json!({ "type": "object", "properties": { "spec": value } }))
}

fn texts(old: Value, new: Value) -> Vec<String> {
    let differences = differences(&spec(old), &spec(new), Pruning::default()).into_iter();
    differences.map(|difference| difference.change.to_string()).collect()
}

fn object(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

fn open() -> Value {
    json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

/// Returns the value with another value at a key.
fn with(mut value: Value, key: &str, other: Value) -> Value {
    value[key] = other;
    value
}

#[test]
fn removed_fields() {
    let text = json!({ "type": "string" });
    let named = object(json!({ "a": text }));
    let map = json!({ "type": "object", "additionalProperties": text });
    let any_map = json!({ "type": "object", "additionalProperties": true });
    for (old, new, expected) in [
        (named.clone(), object(json!({})), vec!["`.spec.a` is removed"]),
        (object(json!({ "a": named })), object(json!({ "b": named })), vec!["`.spec.a` is removed"]),
        (
            json!({ "type": "array", "items": named }),
            json!({ "type": "array", "items": { "type": "object" } }),
            vec!["`.spec[*].a` is removed"],
        ),
        (
            json!({ "type": "object", "additionalProperties": named }),
            json!({ "type": "object", "additionalProperties": { "type": "object" } }),
            vec!["`.spec.*.a` is removed"],
        ),
        (map.clone(), json!({ "type": "object" }), vec!["`.spec.*` is removed"]),
        (map.clone(), named.clone(), vec!["`.spec.*` is removed"]),
        (any_map.clone(), json!({ "type": "object" }), vec!["`.spec.*` is removed"]),
        (open(), json!({ "type": "object" }), vec!["`.spec.*` is removed"]),
        (open(), named.clone(), vec!["the type of `.spec.a` changes from any to string", "`.spec.*` is removed"]),
        // Everything is kept, although it is declared differently.
        (named.clone(), open(), vec![]),
        (named.clone(), map.clone(), vec![]),
        (map.clone(), open(), vec![]),
        (map, any_map.clone(), vec![]),
        // Values without a type may be lists of such values, without end.
        (any_map.clone(), any_map.clone(), vec![]),
        (
            json!({ "type": "object", "additionalProperties": { "x-kubernetes-preserve-unknown-fields": true } }),
            any_map,
            vec!["`.spec.*.*` is removed", "`.spec.*[*].*` is removed"],
        ),
        (object(json!({})), named.clone(), vec![]),
        (named.clone(), with(object(json!({})), "x-kubernetes-preserve-unknown-fields", json!(true)), vec![]),
        (
            json!({ "type": "object", "x-kubernetes-embedded-resource": true }),
            json!({ "type": "object" }),
            vec!["`.spec.apiVersion` is removed", "`.spec.kind` is removed", "`.spec.metadata` is removed"],
        ),
    ] {
        assert_eq!(texts(old.clone(), new.clone()), expected, "{old} {new}");
    }
}

#[test]
fn an_object_keeps_its_type_and_metadata() {
    let declared = schema(object(json!({ "metadata": { "type": "object" }, "kind": { "type": "string" } })));
    assert_eq!(schema_changes(&declared, &schema(object(json!({})))), []);
}

#[test]
fn a_definition_that_pruned_nothing_does_so_now() {
    let closed = spec(json!({ "type": "object" }));
    let pruning = Pruning { old_keeps_all: true, new_keeps_all: false };
    let changes = differences(&closed, &closed, pruning);
    let paths: Vec<_> = changes.iter().map(|it| it.change.path.as_str()).collect();
    assert_eq!(paths, [".spec.*", ".*"]);
    let both = Pruning { new_keeps_all: true, ..pruning };
    assert!(differences(&spec(open()), &closed, both).is_empty());
}

#[test]
fn types() {
    let of = |type_: &str| match type_ {
        "int-or-string" => json!({ "x-kubernetes-int-or-string": true }),
        "any" => json!({ "x-kubernetes-preserve-unknown-fields": true }),
        type_ => json!({ "type": type_ }),
    };
    for (from, to) in [
        ("integer", "string"),
        ("number", "integer"),
        ("int-or-string", "string"),
        ("int-or-string", "integer"),
        ("any", "string"),
        ("object", "array"),
        ("array", "boolean"),
    ] {
        let expected = format!("the type of `.spec` changes from {from} to {to}");
        assert_eq!(texts(of(from), of(to)), [expected]);
    }
    for (from, to) in [
        ("integer", "number"),
        ("integer", "int-or-string"),
        ("string", "int-or-string"),
        ("string", "any"),
        ("int-or-string", "any"),
    ] {
        assert!(texts(of(from), of(to)).is_empty(), "{from} {to}");
    }
    let nullable = json!({ "type": "string", "nullable": true });
    let text = json!({ "type": "string" });
    let expected = "`nullable` of `.spec` changes from true to false";
    assert_eq!(texts(nullable.clone(), text.clone()), [expected]);
    assert!(texts(text, nullable).is_empty());
}

#[test]
fn required_fields() {
    let text = json!({ "type": "string" });
    let defaulted = json!({ "type": "string", "default": "a" });
    let of = |property: &Value, required: Value| with(object(json!({ "a": property })), "required", required);
    let expected = ["`.spec.a` is required, without a default"];
    assert_eq!(texts(of(&text, json!([])), of(&text, json!(["a"]))), expected);
    assert_eq!(texts(object(json!({})), of(&text, json!(["a"]))), expected);
    assert_eq!(texts(of(&defaulted, json!(["a"])), of(&text, json!(["a"]))), expected);
    for new in [of(&defaulted, json!(["a"])), of(&text, json!([])), of(&text, json!(["a"]))] {
        assert!(texts(of(&text, json!(["a"])), new).is_empty());
    }
    assert!(texts(of(&text, json!([])), of(&defaulted, json!(["a"]))).is_empty());
}

#[test]
fn what_changes_nothing() {
    let old = json!({
        "type": "object", "description": "a", "required": ["a", "b"],
        "properties": {
            "a": { "type": "string", "description": "b", "enum": ["x", "y"], "default": "x" },
            "b": { "type": "integer", "format": "int32", "minimum": 0 },
        },
    });
    let new = json!({
        "type": "object", "description": "c", "required": ["b", "a"],
        "properties": {
            "c": { "type": "string" },
            "b": { "type": "integer", "format": "int64" },
            "a": { "type": "string", "enum": ["z", "y", "x"], "default": "y" },
        },
        "x-kubernetes-map-type": "atomic",
    });
    assert_eq!(texts(old, new), Vec::<String>::new());
}
