use serde_json::{Value, json};

mod objects;

use super::*;

fn schema(value: Value) -> JSONSchemaProps {
    serde_json::from_value(value).unwrap()
}

fn spec(value: Value) -> JSONSchemaProps {
    schema(json!({ "type": "object", "properties": { "spec": value } }))
}

fn texts(old: Value, new: Value) -> Vec<String> {
    let changes = schema_changes(&spec(old), &spec(new)).into_iter();
    changes.map(|change| change.to_string()).collect()
}

fn object(properties: Value) -> Value {
    json!({ "type": "object", "properties": properties })
}

fn open() -> Value {
    json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

/// Another value at a key.
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
        (
            named.clone(),
            object(json!({})),
            vec!["`.spec.a` is removed"],
        ),
        (
            object(json!({ "a": named })),
            object(json!({ "b": named })),
            vec!["`.spec.a` is removed"],
        ),
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
        (
            map.clone(),
            json!({ "type": "object" }),
            vec!["`.spec.*` is removed"],
        ),
        (map.clone(), named.clone(), vec!["`.spec.*` is removed"]),
        (
            any_map.clone(),
            json!({ "type": "object" }),
            vec!["`.spec.*` is removed"],
        ),
        (
            open(),
            json!({ "type": "object" }),
            vec!["`.spec.*` is removed"],
        ),
        (
            open(),
            named.clone(),
            vec![
                "the type of `.spec.a` changes from any to string",
                "`.spec.*` is removed",
            ],
        ),
        // Kept in another way, each of them.
        (named.clone(), open(), vec![]),
        (named.clone(), map.clone(), vec![]),
        (map.clone(), open(), vec![]),
        (map, any_map, vec![]),
        (object(json!({})), named.clone(), vec![]),
        (
            named.clone(),
            with(
                object(json!({})),
                "x-kubernetes-preserve-unknown-fields",
                json!(true),
            ),
            vec![],
        ),
        (
            json!({ "type": "object", "x-kubernetes-embedded-resource": true }),
            json!({ "type": "object" }),
            vec![
                "`.spec.apiVersion` is removed",
                "`.spec.kind` is removed",
                "`.spec.metadata` is removed",
            ],
        ),
    ] {
        assert_eq!(texts(old.clone(), new.clone()), expected, "{old} {new}");
    }
}

#[test]
fn an_object_keeps_its_type_and_metadata() {
    let declared = schema(object(
        json!({ "metadata": { "type": "object" }, "kind": { "type": "string" } }),
    ));
    assert_eq!(schema_changes(&declared, &schema(object(json!({})))), []);
}

#[test]
fn a_definition_that_pruned_nothing_does_so_now() {
    let closed = spec(json!({ "type": "object" }));
    let pruning = Pruning {
        old_keeps_all: true,
        new_keeps_all: false,
    };
    let changes = differences(&closed, &closed, pruning);
    let paths: Vec<_> = changes.iter().map(|it| it.change.path.as_str()).collect();
    assert_eq!(paths, [".spec.*", ".*"]);
    let both = Pruning {
        new_keeps_all: true,
        ..pruning
    };
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
    let of = |property: &Value, required: Value| {
        with(object(json!({ "a": property })), "required", required)
    };
    let expected = ["`.spec.a` is required, without a default"];
    assert_eq!(
        texts(of(&text, json!([])), of(&text, json!(["a"]))),
        expected
    );
    assert_eq!(texts(object(json!({})), of(&text, json!(["a"]))), expected);
    assert_eq!(
        texts(of(&defaulted, json!(["a"])), of(&text, json!(["a"]))),
        expected
    );
    for new in [
        of(&defaulted, json!(["a"])),
        of(&text, json!([])),
        of(&text, json!(["a"])),
    ] {
        assert!(texts(of(&text, json!(["a"])), new).is_empty());
    }
    assert!(texts(of(&text, json!([])), of(&defaulted, json!(["a"]))).is_empty());
}

#[test]
fn bounds() {
    let number = |bounds: Value| {
        let mut schema = bounds;
        schema["type"] = json!("integer");
        schema
    };
    let text = |bounds| with(bounds, "type", json!("string"));
    let list = |bounds| {
        with(
            with(bounds, "type", json!("array")),
            "items",
            json!({ "type": "string" }),
        )
    };
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
        (
            number(json!({})),
            number(json!({ "minimum": 1 })),
            "`minimum` of `.spec` changes from none to 1",
        ),
        (
            number(json!({ "minimum": 1 })),
            number(json!({ "minimum": 2 })),
            "`minimum` of `.spec` changes from 1 to 2",
        ),
        (
            number(json!({ "minimum": 1 })),
            number(json!({ "minimum": 1, "exclusiveMinimum": true })),
            "`minimum` of `.spec` changes from 1 to more than 1",
        ),
        (
            number(json!({ "maximum": 3 })),
            number(json!({ "maximum": 2 })),
            "`maximum` of `.spec` changes from 3 to 2",
        ),
        (
            number(json!({ "maximum": 3 })),
            number(json!({ "maximum": 3, "exclusiveMaximum": true })),
            "`maximum` of `.spec` changes from 3 to less than 3",
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
        (
            text(json!({})),
            text(json!({ "minLength": 1 })),
            "`minLength` of `.spec` changes from none to 1",
        ),
        (
            text(json!({})),
            text(json!({ "maxLength": 1 })),
            "`maxLength` of `.spec` changes from none to 1",
        ),
        (
            text(json!({ "pattern": "a" })),
            text(json!({ "pattern": "b" })),
            "`pattern` of `.spec` changes from `a` to `b`",
        ),
        (
            text(json!({})),
            text(json!({ "format": "date" })),
            "`format` of `.spec` changes from none to date",
        ),
        (
            text(json!({ "enum": ["a", "b"] })),
            text(json!({ "enum": ["b", "c"] })),
            r#"`enum` of `.spec` changes from ["a","b"] to ["b","c"]"#,
        ),
        (
            text(json!({})),
            text(json!({ "enum": ["a"] })),
            r#"`enum` of `.spec` changes from none to ["a"]"#,
        ),
        (
            list(json!({})),
            list(json!({ "minItems": 1 })),
            "`minItems` of `.spec` changes from none to 1",
        ),
        (
            list(json!({ "maxItems": 3 })),
            list(json!({ "maxItems": 2 })),
            "`maxItems` of `.spec` changes from 3 to 2",
        ),
        (
            list(json!({})),
            list(json!({ "x-kubernetes-list-type": "set" })),
            "`x-kubernetes-list-type` of `.spec` changes from atomic to set",
        ),
        (
            maps(json!(["a", "b"])),
            maps(json!(["a"])),
            "`x-kubernetes-list-type` of `.spec` changes from map by a, b to map by a",
        ),
        (
            map(json!({})),
            map(json!({ "minProperties": 1 })),
            "`minProperties` of `.spec` changes from none to 1",
        ),
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
        assert!(
            differs_both_ways || texts(new, old).is_empty(),
            "{expected}"
        );
    }
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

#[test]
fn schemas_beside_each_other() {
    let one_of = |names: &[&str]| {
        let properties: serde_json::Map<_, _> = names
            .iter()
            .map(|name| ((*name).to_owned(), json!({ "type": "string" })))
            .collect();
        let branches: Vec<_> = names
            .iter()
            .map(|name| json!({ "required": [name] }))
            .collect();
        json!({ "type": "object", "properties": properties, "oneOf": branches })
    };
    assert!(texts(one_of(&["a", "b"]), one_of(&["c", "b", "a"])).is_empty());
    let fewer = texts(one_of(&["a", "b"]), one_of(&["a"]));
    assert_eq!(
        fewer,
        [
            r#"`oneOf` of `.spec` changes from [{"required":["a"]},{"required":["b"]}] to [{"required":["a"]}]"#,
            "`.spec.b` is removed",
        ]
    );
    let tagged = |tags: &[&str]| {
        let branch =
            |tag: &&str| json!({ "required": ["tag"], "properties": { "tag": { "enum": [tag] } } });
        let branches: Vec<_> = tags.iter().map(branch).collect();
        with(
            object(json!({ "tag": { "type": "string", "enum": tags } })),
            "oneOf",
            json!(branches),
        )
    };
    assert!(texts(tagged(&["a"]), tagged(&["a", "b"])).is_empty());
    assert_eq!(texts(tagged(&["a", "b"]), tagged(&["b"])).len(), 2);

    let text = |key: &str, branches: &[&str]| {
        let branches: Vec<_> = branches
            .iter()
            .map(|pattern| json!({ "pattern": pattern }))
            .collect();
        json!({ "type": "string", key: branches })
    };
    for (key, old, new, count) in [
        ("anyOf", &["a"][..], &["b", "a"][..], 0),
        ("anyOf", &["a", "b"], &["a"], 1),
        ("anyOf", &[], &["a"], 1),
        ("allOf", &["a", "b"], &["b"], 0),
        ("allOf", &["a"], &["b", "a"], 1),
    ] {
        assert_eq!(
            texts(text(key, old), text(key, new)).len(),
            count,
            "{key} {old:?} {new:?}"
        );
    }
    let not = |not: &str| json!({ "type": "string", "not": { "pattern": not } });
    assert_eq!(texts(not("a"), not("b")).len(), 1);
    assert!(texts(not("a"), json!({ "type": "string" })).is_empty());

    let plain = json!({ "x-kubernetes-int-or-string": true });
    let said = with(
        plain.clone(),
        "anyOf",
        json!([{ "type": "integer" }, { "type": "string" }]),
    );
    assert!(texts(plain, said).is_empty());
}
