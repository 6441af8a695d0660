//! Changes of a schema that may break it.

use serde_json::{Map, Value, json};

use super::{
    pieces::{self, TYPES, value},
    schema::{fitting, schema},
    source::Source,
};

/// Changes a keyword of some schema within.
pub(crate) fn change(source: &mut Source, root: &mut Value) {
    let count = count(root);
    let mut at = source.below(count);
    visit(root, &mut |node| {
        if at == 0 {
            change_here(source, node);
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

fn change_here(source: &mut Source, node: &mut Map<String, Value>) {
    if source.once_in(5) {
        let names: Vec<_> = node.keys().cloned().collect();
        if !names.is_empty() {
            node.remove(source.pick(&names));
        }
        return;
    }
    let (name, value) = keyword(source, node);
    node.insert(name.to_owned(), value);
}

/// A keyword and a value that it may have.
fn keyword(source: &mut Source, node: &Map<String, Value>) -> (&'static str, Value) {
    let flag = |source: &mut Source| Value::Bool(!source.once_in(4));
    match source.below(40) {
        0 => ("type", json!(source.pick(TYPES))),
        1 => ("type", json!(source.pick(&["null", "strange", ""]))),
        2 => ("format", pieces::format(source)),
        3 | 4 => ("pattern", pieces::pattern(source)),
        5 => ("minLength", pieces::count(source)),
        6 => ("maxLength", pieces::count(source)),
        7 => ("minItems", pieces::count(source)),
        8 => ("maxProperties", pieces::count(source)),
        9 => ("minimum", pieces::number(source)),
        10 => ("maximum", pieces::number(source)),
        11 => ("multipleOf", pieces::number(source)),
        12 => ("exclusiveMinimum", flag(source)),
        13 => ("nullable", flag(source)),
        14 => ("uniqueItems", flag(source)),
        15 => ("enum", json!([value(source, 1), value(source, 1)])),
        16 => ("required", pieces::fields(source)),
        17 | 18 => ("default", fitting(source, node)),
        19 => ("default", value(source, 2)),
        20 => ("items", schema(source, 1)),
        21 => ("items", source.pick(&[json!([]), json!([{ "type": "string" }]), json!({})]).clone()),
        22 => ("properties", json!({ (pieces::field(source)): schema(source, 1) })),
        23 => ("additionalProperties", schema(source, 1)),
        24 => ("additionalProperties", source.pick(&[json!(true), json!(false), json!({})]).clone()),
        25 => ("anyOf", json!([{ "type": "integer" }, { "type": "string" }])),
        26 => (*source.pick(&["allOf", "anyOf", "oneOf"]), json!([branch(source), branch(source)])),
        27 => ("not", branch(source)),
        28 => (
            "allOf",
            source
                .pick(&[json!([]), json!([{}]), json!([{ "anyOf": [{ "type": "integer" }, { "type": "string" }] }])])
                .clone(),
        ),
        29 => ("x-kubernetes-preserve-unknown-fields", flag(source)),
        30 => ("x-kubernetes-embedded-resource", flag(source)),
        31 => ("x-kubernetes-int-or-string", flag(source)),
        32 => ("x-kubernetes-list-type", json!(source.pick(&["atomic", "set", "map", "bag", ""]))),
        33 => ("x-kubernetes-list-map-keys", pieces::fields(source)),
        34 => ("x-kubernetes-map-type", json!(source.pick(&["atomic", "granular", "set"]))),
        35 => ("x-kubernetes-validations", json!([rule(source), rule(source)])),
        36 => (*source.pick(&["description", "title"]), json!("a")),
        37 => source
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
        38 => source
            .pick(&[("example", json!(1)), ("externalDocs", json!({ "url": "a" })), ("example", Value::Null)])
            .clone(),
        _ => ("exclusiveMaximum", flag(source)),
    }
}

/// A branch with one keyword, allowed there or not.
fn branch(source: &mut Source) -> Value {
    let (name, value) = keyword(source, &Map::new());
    match source.below(3) {
        0 => json!({ "properties": { (pieces::field(source)): { (name): value } } }),
        1 => json!({ "items": { (name): value } }),
        _ => json!({ (name): value }),
    }
}

fn rule(source: &mut Source) -> Value {
    let mut rule = Map::from_iter([(
        "rule".to_owned(),
        json!(source.pick(&["true", "true", "1 == 1", "", " ", "true &&\ntrue"])),
    )]);
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
    if source.once_in(2) {
        let (name, value) = *source.pick(&more);
        rule.insert(name.to_owned(), value.into());
    }
    if source.once_in(12) {
        rule.insert("optionalOldSelf".to_owned(), true.into());
    }
    rule.into()
}
