//! Changes in both directions, and changes that accept the same values.

use super::*;

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
