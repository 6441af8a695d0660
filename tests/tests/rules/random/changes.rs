//! Changes of a schema that may break it.

use serde_json::{Map, Value, json};

use super::{
    rng::Rng,
    schema::{fitting, schema},
    values::{self, TYPES, value},
};

/// Changes a keyword of some schema within.
pub(crate) fn change(rng: &mut Rng, root: &mut Value) {
    let count = count(root);
    let mut at = rng.below(count);
    visit(root, &mut |node| {
        if at == 0 {
            change_here(rng, node);
        }
        at = at.wrapping_sub(1);
    });
}

fn count(root: &mut Value) -> usize {
    let mut count = 0;
    visit(root, &mut |_| count += 1);
    count
}

/// Calls `seen` with every schema within, the outer ones last.
fn visit(value: &mut Value, seen: &mut dyn FnMut(&mut Map<String, Value>)) {
    let Value::Object(schema) = value else { return };
    for (name, value) in schema.iter_mut() {
        match (name.as_str(), value) {
            ("properties", Value::Object(all)) => all.values_mut().for_each(|it| visit(it, seen)),
            ("items" | "additionalProperties" | "not", value) => visit(value, seen),
            ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => all.iter_mut().for_each(|it| visit(it, seen)),
            _ => {}
        }
    }
    seen(schema);
}

fn change_here(rng: &mut Rng, node: &mut Map<String, Value>) {
    if rng.once_in(5) {
        let names: Vec<_> = node.keys().cloned().collect();
        if !names.is_empty() {
            node.remove(rng.pick(&names));
        }
        return;
    }
    let (name, value) = keyword(rng, node);
    node.insert(name.to_owned(), value);
}

/// A keyword and a value that it may have.
fn keyword(rng: &mut Rng, node: &Map<String, Value>) -> (&'static str, Value) {
    let flag = |rng: &mut Rng| Value::Bool(!rng.once_in(4));
    match rng.below(40) {
        0 => ("type", json!(rng.pick(TYPES))),
        1 => ("type", json!(rng.pick(&["null", "strange", ""]))),
        2 => ("format", values::format(rng)),
        3 | 4 => ("pattern", values::pattern(rng)),
        5 => ("minLength", values::count(rng)),
        6 => ("maxLength", values::count(rng)),
        7 => ("minItems", values::count(rng)),
        8 => ("maxProperties", values::count(rng)),
        9 => ("minimum", values::number(rng)),
        10 => ("maximum", values::number(rng)),
        11 => ("multipleOf", values::number(rng)),
        12 => ("exclusiveMinimum", flag(rng)),
        13 => ("nullable", flag(rng)),
        14 => ("uniqueItems", flag(rng)),
        15 => ("enum", json!([value(rng, 1), value(rng, 1)])),
        16 => ("required", values::fields(rng)),
        17 | 18 => ("default", fitting(rng, node)),
        19 => ("default", value(rng, 2)),
        20 => ("items", schema(rng, 1)),
        21 => ("items", rng.pick(&[json!([]), json!([{ "type": "string" }]), json!({})]).clone()),
        22 => ("properties", json!({ (values::field(rng)): schema(rng, 1) })),
        23 => ("additionalProperties", schema(rng, 1)),
        24 => ("additionalProperties", rng.pick(&[json!(true), json!(false), json!({})]).clone()),
        25 => ("anyOf", json!([{ "type": "integer" }, { "type": "string" }])),
        26 => (*rng.pick(&["allOf", "anyOf", "oneOf"]), json!([branch(rng), branch(rng)])),
        27 => ("not", branch(rng)),
        28 => (
            "allOf",
            rng.pick(&[json!([]), json!([{}]), json!([{ "anyOf": [{ "type": "integer" }, { "type": "string" }] }])])
                .clone(),
        ),
        29 => ("x-kubernetes-preserve-unknown-fields", flag(rng)),
        30 => ("x-kubernetes-embedded-resource", flag(rng)),
        31 => ("x-kubernetes-int-or-string", flag(rng)),
        32 => ("x-kubernetes-list-type", json!(rng.pick(&["atomic", "set", "map", "bag", ""]))),
        33 => ("x-kubernetes-list-map-keys", values::fields(rng)),
        34 => ("x-kubernetes-map-type", json!(rng.pick(&["atomic", "granular", "set"]))),
        35 => ("x-kubernetes-validations", json!([rule(rng), rule(rng)])),
        36 => (*rng.pick(&["description", "title"]), json!("a")),
        37 => rng
            .pick(&[
                ("$ref", json!("#/a")),
                ("id", json!("a")),
                ("$schema", json!("a")),
                ("definitions", json!({ "a": {} })),
                ("definitions", json!({})),
                ("patternProperties", json!({})),
                ("dependencies", json!({})),
                ("patternProperties", json!({ "a": {} })),
                ("dependencies", json!({ "a": ["b"] })),
                ("additionalItems", json!(false)),
            ])
            .clone(),
        38 => rng
            .pick(&[("example", json!(1)), ("externalDocs", json!({ "url": "a" })), ("example", Value::Null)])
            .clone(),
        _ => ("exclusiveMaximum", flag(rng)),
    }
}

/// A branch with one keyword, allowed there or not.
fn branch(rng: &mut Rng) -> Value {
    let (name, value) = keyword(rng, &Map::new());
    match rng.below(3) {
        0 => json!({ "properties": { (values::field(rng)): { (name): value } } }),
        1 => json!({ "items": { (name): value } }),
        _ => json!({ (name): value }),
    }
}

fn rule(rng: &mut Rng) -> Value {
    let mut rule =
        Map::from_iter([("rule".to_owned(), json!(rng.pick(&["true", "true", "1 == 1", "", " ", "true &&\ntrue"])))]);
    let more = [
        ("message", "a"),
        ("message", " "),
        ("message", "a\nb"),
        ("messageExpression", "'a'"),
        ("messageExpression", " "),
        ("reason", "FieldValueInvalid"),
        ("reason", "Invalid"),
        ("fieldPath", ".a"),
        ("fieldPath", ".b.c"),
        ("fieldPath", "a"),
        ("fieldPath", "['a']"),
        ("fieldPath", ".a.b['c']"),
        ("fieldPath", " "),
    ];
    if rng.once_in(2) {
        let (name, value) = *rng.pick(&more);
        rule.insert(name.to_owned(), value.into());
    }
    if rng.once_in(12) {
        rule.insert("optionalOldSelf".to_owned(), true.into());
    }
    rule.into()
}
