//! Changes in both directions, and changes that accept the same values.

use crate::crd::compare::tests::*;

/// Returns the severity, the check, the direction and the text of each change of `.spec`.
fn reviewed(old: Value, new: Value) -> Vec<String> {
    let changes = schema_changes(&spec(old), &spec(new)).into_iter();
    let line = |it: Change| format!("{} {} {}: {it}", it.severity().name(), it.check, it.kind.name());
    changes.map(line).collect()
}

#[test]
fn what_is_loosened_is_the_reverse_of_what_is_tightened() {
    let text = |key: &str, value: Value| json!({ "type": "string", key: value });
    let plain = || json!({ "type": "string" });
    for (old, new, expected) in [
        (
            plain(),
            text("maxLength", json!(3)),
            "breaking maxLength tightened: `maxLength` of `.spec` changes from none to 3",
        ),
        (
            text("maxLength", json!(3)),
            plain(),
            "compatible maxLength loosened: `maxLength` of `.spec` changes from 3 to none",
        ),
        (text("pattern", json!("a")), plain(), "risky pattern loosened: `pattern` of `.spec` changes from `a` to none"),
        (
            text("enum", json!(["a"])),
            text("enum", json!(["a", "b"])),
            r#"risky enum loosened: `enum` of `.spec` changes from ["a"] to ["a","b"]"#,
        ),
        (
            text("enum", json!(["a"])),
            text("enum", json!(["b"])),
            r#"breaking enum tightened: `enum` of `.spec` changes from ["a"] to ["b"]"#,
        ),
        (
            plain(),
            text("nullable", json!(true)),
            "risky nullable loosened: `nullable` of `.spec` changes from false to true",
        ),
        (
            plain(),
            json!({ "type": "integer" }),
            "breaking type changed: the type of `.spec` changes from string to integer",
        ),
        (
            plain(),
            json!({ "x-kubernetes-int-or-string": true }),
            "breaking type loosened: the type of `.spec` changes from string to int-or-string",
        ),
        (plain(), text("default", json!("a")), "risky default added: `default` of `.spec` changes from none to a"),
        (
            text("default", json!("a")),
            text("default", json!("b")),
            "breaking default changed: `default` of `.spec` changes from a to b",
        ),
        (text("default", json!("a")), plain(), "breaking default removed: `default` of `.spec` changes from a to none"),
        (plain(), text("description", json!("a")), "compatible description added: the description of `.spec` is added"),
        (
            json!({ "type": "integer", "format": "int32" }),
            json!({ "type": "integer", "format": "int64" }),
            "risky format loosened: `format` of `.spec` changes from int32 to int64",
        ),
        (
            json!({ "type": "object" }),
            json!({ "type": "object", "x-kubernetes-map-type": "atomic" }),
            "risky mapType added: `x-kubernetes-map-type` of `.spec` changes from none to atomic",
        ),
        (object(json!({})), object(json!({ "a": plain() })), "compatible newField added: `.spec.a` is added"),
        (
            object(json!({ "a": plain() })),
            object(json!({})),
            "breaking existingFieldRemoval removed: `.spec.a` is removed",
        ),
        (
            with(object(json!({ "a": plain() })), "required", json!(["a"])),
            object(json!({ "a": plain() })),
            "risky required loosened: `.spec.a` is no longer required",
        ),
        (open(), json!({ "type": "object" }), "breaking existingFieldRemoval removed: `.spec.*` is removed"),
    ] {
        assert_eq!(reviewed(old, new), [expected]);
    }
}

#[test]
fn rules() {
    let of = |rules: Value| json!({ "type": "integer", "x-kubernetes-validations": rules });
    let rule = |rule: &str| json!([{ "rule": rule }]);
    for (old, new, expected) in [
        (json!([]), rule("self > 1"), "breaking xvalidations tightened: the rule `self > 1` of `.spec` is added"),
        (rule("self > 1"), json!([]), "risky xvalidations loosened: the rule `self > 1` of `.spec` is removed"),
        (
            rule("self > 1"),
            json!([{ "rule": "self > 1", "message": "small" }]),
            "compatible xvalidations changed: the message of the rule `self > 1` of `.spec` changes",
        ),
    ] {
        assert_eq!(reviewed(of(old), of(new)), [expected]);
    }
    let [immutable, new] = ["self == oldSelf", "self > 1"].map(|text| {
        let changes = schema_changes(&spec(of(json!([]))), &spec(of(rule(text))));
        changes[0].affects()
    });
    assert_eq!(immutable, [Audience::Writers]);
    assert_eq!(new, [Audience::StoredObjects, Audience::Writers]);
}

#[test]
fn what_becomes_open_is_one_change() {
    let nested = object(json!({ "a": object(json!({ "b": { "type": "string" } })) }));
    let any = json!({ "x-kubernetes-preserve-unknown-fields": true });
    assert_eq!(reviewed(nested, any), ["breaking type loosened: the type of `.spec` changes from object to any"]);
}

#[test]
fn names_of_objects_can_be_restricted() {
    let named = |name: Value| schema(object(json!({ "metadata": object(json!({ "name": name })) })));
    let short = named(json!({ "type": "string", "maxLength": 8 }));
    let changes = schema_changes(&schema(object(json!({}))), &short);
    assert_eq!(changes[0].to_string(), "`maxLength` of `.metadata.name` changes from none to 8");
    assert!(changes[0].is_breaking());
}

/// Schemas that the API server treats alike, in each order.
fn alike() -> Vec<(Value, Value)> {
    let list =
        |type_: Value| json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": type_ });
    let number = |key: &str, value: Value| json!({ "type": "number", key: value });
    let branch = |key: &str, branch: Value| json!({ "type": "number", key: [branch, { "minimum": 9 }] });
    let text = |key: &str, value: Value| json!({ "type": "string", key: value });
    let plain = json!({ "type": "string" });
    let rule = |rule: Value| json!({ "type": "integer", "x-kubernetes-validations": [rule] });
    let nested = |default: Value| json!({ "type": "object", "default": default, "properties": { "a": { "type": "integer", "default": 1 } } });
    let mut alike = vec![
        (number("default", json!(0.0)), number("default", json!(0))),
        (number("default", json!(1e3)), number("default", json!(1000))),
        (number("default", json!(-0.0)), number("default", json!(0))),
        (number("default", json!(1e18)), number("default", json!(1_000_000_000_000_000_000_i64))),
        (
            number("default", json!(18_446_744_073_709_551_615_u64)),
            number("default", json!(1.844_674_407_370_955_2e19)),
        ),
        (number("enum", json!([1, 2.5])), number("enum", json!([1.0, 2.5]))),
        (number("example", json!(2.0)), number("example", json!(2))),
        (nested(json!({ "a": 2.0 })), nested(json!({ "a": 2 }))),
        (
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true, "default": { "a": [{ "b": 1.0 }] } }),
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true, "default": { "a": [{ "b": 1 }] } }),
        ),
        (branch("anyOf", json!({ "enum": [1.0] })), branch("anyOf", json!({ "enum": [1] }))),
        (branch("oneOf", json!({ "enum": [1.0, 2] })), branch("oneOf", json!({ "enum": [2, 1] }))),
        (branch("allOf", json!({ "minimum": 1 })), branch("allOf", json!({ "minimum": 1.0, "title": "A" }))),
        (json!({ "type": "number", "not": { "enum": [1.0] } }), json!({ "type": "number", "not": { "enum": [1] } })),
        (list(Value::Null), list(json!("atomic"))),
        (object(json!({})), with(object(json!({})), "x-kubernetes-map-type", json!("granular"))),
        (object(json!({})), with(object(json!({})), "x-kubernetes-preserve-unknown-fields", json!(false))),
        (object(json!({})), with(object(json!({})), "x-kubernetes-embedded-resource", json!(false))),
        (object(json!({})), with(object(json!({})), "required", json!([]))),
        (object(json!({})), json!({ "type": "object" })),
        (object(json!({})), with(object(json!({})), "minProperties", json!(0))),
        (list(Value::Null), with(list(Value::Null), "minItems", json!(0))),
        (list(Value::Null), with(list(Value::Null), "uniqueItems", json!(false))),
        (plain.clone(), text("minLength", json!(0))),
        (plain.clone(), text("nullable", json!(false))),
        (plain.clone(), text("pattern", json!(""))),
        (plain.clone(), text("description", json!(""))),
        (plain.clone(), text("x-kubernetes-validations", json!([]))),
        (plain.clone(), text("enum", json!([]))),
        (plain.clone(), text("anyOf", json!([]))),
        (number("minimum", json!(1)), json!({ "type": "number", "minimum": 1.0, "exclusiveMinimum": false })),
        (
            rule(json!({ "rule": "self > 1" })),
            rule(json!({
                "rule": " self > 1\n", "message": "", "reason": "FieldValueInvalid", "optionalOldSelf": false,
            })),
        ),
        (nested(json!({})), nested(json!({ "a": 1 }))),
    ];
    let resource = |properties: Value| {
        json!({
            "type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true,
            "properties": properties,
        })
    };
    let stated = json!({ "apiVersion": plain, "kind": plain, "metadata": { "type": "object" } });
    alike.push((resource(json!({})), resource(stated)));
    let swapped: Vec<_> = alike.iter().map(|(one, other)| (other.clone(), one.clone())).collect();
    alike.extend(swapped);
    alike
}

#[test]
fn what_the_server_treats_alike_is_no_change() {
    for (old, new) in alike() {
        assert_eq!(reviewed(old.clone(), new.clone()), Vec::<String>::new(), "{old} {new}");
        let (old, new) = (object(json!({ "a": [old] })), object(json!({ "a": [new] })));
        let items = |of: Value| json!({ "type": "array", "items": of["properties"]["a"][0] });
        assert_eq!(reviewed(items(old.clone()), items(new)), Vec::<String>::new(), "items: {old}");
    }
}

#[test]
fn numbers_that_differ_for_the_server_are_a_change() {
    let default = |value: Value| json!({ "type": "integer", "default": value });
    for (old, new) in [
        (json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992_i64)),
        (json!(9_007_199_254_740_992.0), json!(9_007_199_254_740_993_i64)),
        (json!(1), json!("1")),
        (json!(1), json!(true)),
    ] {
        assert_eq!(reviewed(default(old.clone()), default(new.clone())).len(), 1, "{old} {new}");
    }
}

#[test]
fn keywords_that_reject_nothing_are_compatible() {
    let number = |bounds: Value| with(bounds, "type", json!("integer"));
    for (old, new) in [
        (number(json!({ "minimum": 0, "exclusiveMinimum": true })), number(json!({ "minimum": 1 }))),
        (number(json!({ "maximum": 3, "exclusiveMaximum": true })), number(json!({ "maximum": 2 }))),
        (number(json!({})), number(json!({ "multipleOf": 1 }))),
        (number(json!({ "format": "int32" })), number(json!({ "format": "int32", "minimum": -2_147_483_648_i64 }))),
        (
            number(json!({ "minimum": 0, "maximum": 9 })),
            number(json!({ "minimum": 0, "maximum": 9, "format": "int64" })),
        ),
        (
            json!({ "type": "string", "enum": ["a", "bc"] }),
            json!({ "type": "string", "enum": ["a", "bc"], "maxLength": 2 }),
        ),
        (json!({ "type": "string", "enum": ["a", "b"] }), json!({ "type": "string", "enum": ["b", "a"] })),
        (json!({ "type": "number", "multipleOf": 0.3 }), json!({ "type": "number", "multipleOf": 0.1 })),
    ] {
        let lines = reviewed(old, new);
        let is_harmless = |line: &String| !line.starts_with("breaking");
        assert!(lines.iter().all(is_harmless), "{lines:?}");
    }
}

/// Returns the severity and the reason of each change.
fn reasons(old: &Value, new: &Value) -> Vec<String> {
    let changes = schema_changes(&spec(old.clone()), &spec(new.clone())).into_iter();
    changes.map(|it| format!("{} {}: {}", it.severity().name(), it.check, it.reason())).collect()
}

#[test]
fn reasons_are_true_of_the_case() {
    let a = |schema: Value| object(json!({ "a": schema }));
    let required = |schema: Value| with(a(schema), "required", json!(["a"]));
    let list = |schema: Value| json!({ "type": "array", "items": schema });
    let [plain, nullable, default] = [
        json!({ "type": "string" }),
        json!({ "type": "string", "nullable": true }),
        json!({ "type": "string", "default": "x" }),
    ];
    for (old, new, expected) in [
        (a(nullable.clone()), a(plain.clone()), vec!["risky nullable: null is dropped, as if the field were absent"]),
        (
            required(nullable.clone()),
            required(plain.clone()),
            vec!["breaking nullable: objects with null as the value are rejected"],
        ),
        (
            a(with(default.clone(), "nullable", json!(true))),
            a(default.clone()),
            vec!["breaking nullable: null is replaced by the default"],
        ),
        (list(nullable), list(plain.clone()), vec!["breaking nullable: lists that contain null are rejected"]),
        (
            required(plain.clone()),
            required(default.clone()),
            vec!["compatible default: all objects have the field already"],
        ),
        (
            required(default.clone()),
            required(plain.clone()),
            vec![
                "breaking required: objects without the field are rejected",
                "breaking default: requests without the field are rejected",
            ],
        ),
        // The default takes the place of the requirement.
        (required(plain.clone()), a(default), vec!["compatible default: all objects have the field already"]),
        (
            object(json!({})),
            required(plain),
            vec![
                "compatible newField: no object has the field yet",
                "breaking required: objects without the field are rejected",
            ],
        ),
    ] {
        assert_eq!(reasons(&old, &new), expected, "{old} {new}");
    }
}
