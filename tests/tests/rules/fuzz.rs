//! `crdkit::validate` returns for any JSON, without a panic.
//!
//! Good definitions are changed at random places, to values that no definition has there; `CRDKIT_FUZZED_DEFINITIONS=n` sets
//! their number. What panics is shown with the definition.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use crdkit_tests::{case_count, number};
use serde_json::{Map, Value, json};

use crate::{
    base, comparison, corpus,
    random::{Rng, definition},
};

const DEFINITIONS: u64 = 1_000;

/// The depth of the most deeply nested definitions.
const DEPTH: usize = 5_000;

#[test]
fn any_json_has_an_answer() {
    let count: u64 = case_count("CRDKIT_FUZZED_DEFINITIONS", DEFINITIONS);
    let mut rng = Rng::new(number("CRDKIT_RANDOM_DEFINITIONS_SEED").unwrap_or(1));
    let cases = ["corpus", "cel"].map(corpus::cases).concat();
    let mut panicked = Vec::new();
    for _ in 0..count {
        let mut crd = if rng.once_in(2) { definition(&mut rng) } else { rng.pick(&cases).crd.clone() };
        for _ in 0..=rng.below(4) {
            change(&mut rng, &mut crd);
        }
        let answer = catch_unwind(AssertUnwindSafe(|| {
            comparison::ours(&crd);
            if let Ok(crd) = serde_json::from_value(crd.clone()) {
                crdkit::validate::validate_all(&[crd]);
            }
        }));
        if answer.is_err() {
            panicked.push(crd.to_string());
        }
    }
    assert!(panicked.is_empty(), "{}", panicked.join("\n"));
}

/// Changes one place of a value.
fn change(rng: &mut Rng, value: &mut Value) {
    let is_leaf = rng.once_in(6);
    match value {
        Value::Object(members) if !members.is_empty() && !is_leaf => {
            let names: Vec<String> = members.keys().cloned().collect();
            let name = rng.pick(&names);
            #[expect(clippy::same_functions_in_if_condition, reason = "each call draws a number")]
            if rng.once_in(12) {
                members.remove(name);
            } else if rng.once_in(12) {
                members.insert(rng.pick(NAMES).to_owned().to_owned(), any(rng));
            } else {
                change(rng, &mut members[name]);
            }
        }
        Value::Array(items) if !items.is_empty() && !is_leaf => {
            let at = rng.below(items.len());
            if rng.once_in(12) {
                let copy = items[at].clone();
                items.push(copy);
            } else {
                change(rng, &mut items[at]);
            }
        }
        Value::String(text) if !is_leaf => *text = torn(rng, text),
        value => *value = any(rng),
    }
}

const NAMES: &[&str] = &[
    "type",
    "items",
    "properties",
    "additionalProperties",
    "default",
    "enum",
    "required",
    "format",
    "pattern",
    "maximum",
    "maxLength",
    "allOf",
    "not",
    "metadata",
    "kind",
    "x-kubernetes-validations",
    "x-kubernetes-list-type",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-int-or-string",
    "definitions",
    "$ref",
    "",
    "ä",
];

/// A value of any kind, often an odd one.
fn any(rng: &mut Rng) -> Value {
    match rng.below(14) {
        0 => Value::Null,
        1 => json!(rng.once_in(2)),
        2 => json!(i64::MIN),
        3 => json!(u64::MAX),
        4 => json!(-1),
        5 => json!(1.5e300),
        6 => json!(0.1),
        7 => json!(""),
        8 => json!("\u{0}\u{feff}é\u{10ffff}"),
        9 => json!([]),
        10 => json!({}),
        11 => json!([any(rng)]),
        12 => json!({ *rng.pick(NAMES): any(rng) }),
        _ => json!(*rng.pick(NAMES)),
    }
}

/// A text that lost or gained a piece.
fn torn(rng: &mut Rng, text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let (one, other) = (rng.below(letters.len() + 1), rng.below(letters.len() + 1));
    let (start, end) = (one.min(other), one.max(other));
    let piece: String = letters[start..end].iter().collect();
    let rest: String = letters[..start].iter().chain(&letters[end..]).collect();
    match rng.below(5) {
        0 => rest,
        1 => text.repeat(2),
        2 => piece,
        3 => format!("{rest}{piece}"),
        _ => {
            let odd = ["(", ")", "[", "{", "'", "\"", "\\", ".", "|", "é", "\u{0}", "\n", "*", "?", "0", "-", "`"];
            let before: String = letters[..start].iter().collect();
            let after: String = letters[start..].iter().collect();
            format!("{before}{}{after}", rng.pick(&odd))
        }
    }
}

#[test]
fn nesting_has_no_end() {
    // What builds and drops values is not to be tested.
    let builder = thread::Builder::new().stack_size(1 << 30);
    let nested = builder.spawn(|| {
        for schema in nested_schemas() {
            judged_on_a_small_stack(&base::changed("f", schema));
        }
        let value = nested(json!(1), |inner| object("a", Value::Array(vec![inner])));
        for name in ["default", "unknown"] {
            judged_on_a_small_stack(&base::changed("f", object(name, value.clone())));
        }
        judged_on_a_small_stack(&value);
    });
    nested.expect("there are threads").join().expect("each has an answer");
}

fn judged_on_a_small_stack(crd: &Value) {
    let small = thread::Builder::new().stack_size(2 << 20);
    thread::scope(|scope| {
        let validation = small.spawn_scoped(scope, || drop(comparison::ours(crd)));
        validation.expect("there are threads").join().expect("it has an answer");
    });
}

fn nested(innermost: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..DEPTH).fold(innermost, |inner, _| wrap(inner))
}

fn nested_schemas() -> impl Iterator<Item = Value> {
    let typed = |type_: &str, keyword: &str, inner: Value| {
        let mut schema = object(keyword, inner);
        schema["type"] = type_.into();
        schema
    };
    let wraps: [Box<dyn Fn(Value) -> Value>; 4] = [
        Box::new(move |inner| typed("object", "properties", object("a", inner))),
        Box::new(move |inner| typed("object", "not", inner)),
        Box::new(move |inner| typed("object", "definitions", object("a", inner))),
        Box::new(move |inner| {
            let mut schema = typed("object", "properties", object("spec", inner));
            schema["x-kubernetes-embedded-resource"] = true.into();
            schema
        }),
    ];
    wraps.into_iter().map(|wrap| nested(object("type", "string".into()), wrap))
}

/// An object of one member, which is moved, as `json!` would copy it.
fn object(name: &str, member: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), member)]))
}
