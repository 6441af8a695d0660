//! Changes of schemas.

use crdkit::compare::ChangeSeverity;
use serde_json::{Value, json};

use super::effects::{Case, Effect, Probe};

/// Returns the versions of a definition whose schema has this spec.
fn with_spec(spec: &Value) -> Value {
    let schema = json!({ "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } });
    json!({ "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }] })
}

/// Returns a case whose schemas are those of `.spec.a`.
fn field(check: &'static str, severity: ChangeSeverity, old: Value, new: Value, a: Value, effect: Effect) -> Case {
    let of = |a: Value| match a {
        Value::Null => with_spec(&json!({ "type": "object" })),
        a => with_spec(&json!({ "type": "object", "properties": { "a": a } })),
    };
    let spec = if a.is_null() { json!({}) } else { json!({ "a": a }) };
    Case { check, severity, old: of(old), new: of(new), spec, effect }
}

fn text(key: &str, value: Value) -> Value {
    json!({ "type": "string", key: value })
}

pub(super) fn cases() -> Vec<Case> {
    use ChangeSeverity::{Breaking, Compatible, Risky};
    let plain = || json!({ "type": "string" });
    let number = |key: &str, value: Value| json!({ "type": "integer", key: value });
    let integer = || json!({ "type": "integer" });
    let list = |key: &str, value: Value| json!({ "type": "array", "items": { "type": "string" }, key: value });
    let map =
        |key: &str, value: Value| json!({ "type": "object", "additionalProperties": { "type": "string" }, key: value });
    let required =
        |names: Value| json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": names });
    let rule = |rule: &str| json!({ "type": "integer", "x-kubernetes-validations": [{ "rule": rule }] });
    let branch = |key: &str, pattern: &str| json!({ "type": "string", key: [{ "pattern": pattern }] });
    let map_list = |keys: &[&str]| {
        let items = json!({ "type": "object", "properties": { "k": plain(), "l": plain() }, "required": ["k", "l"] });
        json!({
            "type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys,
        })
    };
    let items = ["x", "y"].map(|l| json!([{ "k": "x", "l": l }]));
    let both = json!([items[0][0], items[1][0]]);
    let applied = |values: [Value; 2], before: Value, after: Value| {
        let [before, after] = [before, after].map(|a| json!({ "a": a }));
        Effect::of(Probe::Applied(values.map(|a| json!({ "a": a }))), before, after)
    };
    let mut cases = vec![
        field(
            "existingFieldRemoval",
            Breaking,
            plain(),
            Value::Null,
            json!("x"),
            Effect::rewritten("/spec/a", json!("x"), json!(null)),
        ),
        field("newField", Compatible, Value::Null, plain(), Value::Null, Effect::same()),
        field("type", Breaking, integer(), plain(), json!(1), Effect::rejected()),
        field(
            "type",
            Breaking,
            integer(),
            json!({ "x-kubernetes-int-or-string": true }),
            json!("1"),
            Effect::accepted(),
        ),
        field(
            "nullable",
            Risky,
            list("x-kubernetes-list-type", json!("atomic")),
            json!({
                "type": "array", "items": { "type": "string", "nullable": true }, "x-kubernetes-list-type": "atomic",
            }),
            json!([null]),
            Effect::accepted(),
        ),
        field(
            "enum",
            Breaking,
            text("enum", json!(["x", "y"])),
            text("enum", json!(["y"])),
            json!("x"),
            Effect::rejected(),
        ),
        field(
            "enum",
            Risky,
            text("enum", json!(["y"])),
            text("enum", json!(["x", "y"])),
            json!("x"),
            Effect::accepted(),
        ),
        field("format", Breaking, plain(), text("format", json!("ipv4")), json!("x"), Effect::rejected()),
        field("pattern", Breaking, plain(), text("pattern", json!("^y")), json!("x"), Effect::rejected()),
        field("pattern", Risky, text("pattern", json!("^y")), plain(), json!("x"), Effect::accepted()),
        field("minimum", Breaking, integer(), number("minimum", json!(3)), json!(2), Effect::rejected()),
        field(
            "minimum",
            Compatible,
            number("minimum", json!(3)),
            number("minimum", json!(2)),
            json!(2),
            Effect::accepted(),
        ),
        field(
            "exclusiveMinimum",
            Breaking,
            number("minimum", json!(3)),
            json!({ "type": "integer", "minimum": 3, "exclusiveMinimum": true }),
            json!(3),
            Effect::rejected(),
        ),
        field("maximum", Breaking, integer(), number("maximum", json!(3)), json!(4), Effect::rejected()),
        field(
            "exclusiveMaximum",
            Breaking,
            number("maximum", json!(3)),
            json!({ "type": "integer", "maximum": 3, "exclusiveMaximum": true }),
            json!(3),
            Effect::rejected(),
        ),
        field("multipleOf", Breaking, integer(), number("multipleOf", json!(5)), json!(4), Effect::rejected()),
        field("minLength", Breaking, plain(), text("minLength", json!(2)), json!("x"), Effect::rejected()),
        field("maxLength", Breaking, plain(), text("maxLength", json!(2)), json!("xyz"), Effect::rejected()),
        field(
            "minItems",
            Breaking,
            list("minItems", json!(0)),
            list("minItems", json!(1)),
            json!([]),
            Effect::rejected(),
        ),
        field(
            "maxItems",
            Breaking,
            list("maxItems", json!(2)),
            list("maxItems", json!(1)),
            json!(["x", "y"]),
            Effect::rejected(),
        ),
        field(
            "listType",
            Breaking,
            list("x-kubernetes-list-type", json!("atomic")),
            list("x-kubernetes-list-type", json!("set")),
            json!(["x", "x"]),
            Effect::rejected(),
        ),
        field(
            "minProperties",
            Breaking,
            map("minProperties", json!(0)),
            map("minProperties", json!(1)),
            json!({}),
            Effect::rejected(),
        ),
        field(
            "maxProperties",
            Breaking,
            map("maxProperties", json!(2)),
            map("maxProperties", json!(1)),
            json!({ "x": "", "y": "" }),
            Effect::rejected(),
        ),
        field(
            "listType",
            Risky,
            list("x-kubernetes-list-type", json!("set")),
            list("x-kubernetes-list-type", json!("atomic")),
            json!(["x"]),
            applied([json!(["x"]), json!(["y"])], json!(["x", "y"]), json!(["y"])),
        ),
        field(
            "listMapKeys",
            Risky,
            map_list(&["k"]),
            map_list(&["k", "l"]),
            json!([{ "k": "x", "l": "x" }]),
            applied(items.clone(), items[1].clone(), both.clone()),
        ),
        field(
            "listMapKeys",
            Compatible,
            map_list(&["k", "l"]),
            map_list(&["l", "k"]),
            json!([{ "k": "x", "l": "x" }]),
            applied(items.clone(), both.clone(), both.clone()),
        ),
        field("listMapKeys", Breaking, map_list(&["k", "l"]), map_list(&["k"]), both.clone(), Effect::rejected()),
        field(
            "mapType",
            Risky,
            map("x-kubernetes-map-type", json!("granular")),
            map("x-kubernetes-map-type", json!("atomic")),
            json!({ "x": "" }),
            applied([json!({ "x": "" }), json!({ "y": "" })], json!({ "x": "", "y": "" }), json!({ "y": "" })),
        ),
        field("xvalidations", Breaking, integer(), rule("self > 3"), json!(2), Effect::rejected()),
        field("xvalidations", Risky, rule("self > 3"), integer(), json!(2), Effect::accepted()),
        field(
            "default",
            Risky,
            plain(),
            text("default", json!("x")),
            Value::Null,
            Effect::rewritten("/spec/a", json!(null), json!("x")),
        ),
        field(
            "default",
            Breaking,
            text("default", json!("x")),
            text("default", json!("y")),
            Value::Null,
            Effect::of(Probe::Created("/spec/a"), "x", "y"),
        ),
        field(
            "default",
            Breaking,
            text("default", json!("x")),
            plain(),
            Value::Null,
            Effect::of(Probe::Created("/spec/a"), "x", Value::Null),
        ),
        field("allOf", Breaking, plain(), branch("allOf", "^y"), json!("x"), Effect::rejected()),
        field("anyOf", Breaking, plain(), branch("anyOf", "^y"), json!("x"), Effect::rejected()),
        field("oneOf", Breaking, plain(), branch("oneOf", "^y"), json!("x"), Effect::rejected()),
        field("not", Breaking, plain(), text("not", json!({ "pattern": "^x" })), json!("x"), Effect::rejected()),
        field(
            "embeddedResource",
            Breaking,
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
            json!({
                "type": "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true,
            }),
            json!({ "x": 1 }),
            Effect::rejected(),
        ),
        field(
            "existingFieldRemoval",
            Breaking,
            json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
            json!({ "type": "object" }),
            json!({ "x": 1 }),
            Effect::rewritten("/spec/a/x", json!(1), json!(null)),
        ),
        field(
            "preserveUnknownFields",
            Compatible,
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            map("x-kubernetes-preserve-unknown-fields", json!(true)),
            json!({ "x": "" }),
            Effect::same(),
        ),
        field("title", Compatible, plain(), text("title", json!("A")), json!("x"), Effect::same()),
        field("example", Compatible, plain(), text("example", json!("x")), json!("x"), Effect::same()),
        field(
            "externalDocs",
            Compatible,
            plain(),
            text("externalDocs", json!({ "url": "https://example.com" })),
            json!("x"),
            Effect::same(),
        ),
        field("description", Compatible, plain(), text("description", json!("An a.")), json!("x"), Effect::same()),
    ];
    cases.push(Case {
        check: "required",
        severity: Breaking,
        old: with_spec(&required(json!([]))),
        new: with_spec(&required(json!(["a"]))),
        spec: json!({}),
        effect: Effect::rejected(),
    });
    cases.push(Case {
        check: "required",
        severity: Risky,
        old: with_spec(&required(json!(["a"]))),
        new: with_spec(&required(json!([]))),
        spec: json!({}),
        effect: Effect::accepted(),
    });
    cases
}
