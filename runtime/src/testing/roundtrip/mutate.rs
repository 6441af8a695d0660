//! Documents with one modification, which often makes them invalid.

use serde_json::{Value, json};

use super::{
    node::SchemaNode,
    place::{get, places, with, without},
};
use crate::crd::generate::{Random, unrelated_value};

/// Returns the document with one modification at a random path.
pub(super) fn mutant(root: &SchemaNode, document: &Value, random: &mut Random) -> Value {
    let all = places(document);
    // The type determines the identity of a resource.
    let is_free = |place: &&Vec<_>| root.at(place).is_none_or(|node| node.only.is_empty());
    let all: Vec<_> = all.iter().filter(is_free).collect();
    let Some(place) = (!all.is_empty()).then(|| *random.pick(&all)) else {
        return unrelated_value(random);
    };
    let value = get(document, place).unwrap_or(&Value::Null);
    match random.below(6) {
        0 => with(document, place, Value::Null),
        1 => with(document, place, unrelated_value(random)),
        2 => without(document, place).unwrap_or(Value::Null),
        _ => with(document, place, changed(value, root.at(place), random)),
    }
}

/// Returns a slightly different value.
fn changed(value: &Value, node: Option<&SchemaNode>, random: &mut Random) -> Value {
    match value {
        Value::Number(_) => number(value, node, random),
        Value::String(text) => changed_text(text, random).into(),
        Value::Bool(is) => (!is).into(),
        Value::Array(items) => {
            let mut items = items.clone();
            if items.is_empty() {
                items.push(unrelated_value(random));
            } else {
                items.push(random.pick(&items).clone());
            }
            items.into()
        }
        Value::Object(members) => {
            let mut members = members.clone();
            let unknown = ["extra".to_owned()];
            let named: Vec<_> = node.iter().flat_map(|node| node.properties.keys()).chain(&unknown).collect();
            members.insert((*random.pick(&named)).clone(), unrelated_value(random));
            members.into()
        }
        Value::Null => unrelated_value(random),
    }
}

/// Returns a number at a bound, or outside of it.
fn number(value: &Value, node: Option<&SchemaNode>, random: &mut Random) -> Value {
    let mut all = vec![
        json!(i64::MIN),
        json!(i64::MAX),
        json!(u64::MAX),
        json!(1_i64 << 32),
        json!(256),
        json!(-1),
        json!(0),
        json!(0.5),
    ];
    if let Some(value) = value.as_i64() {
        all.extend([json!(value.saturating_add(1)), json!(value.saturating_sub(1)), json!(value.to_string())]);
    }
    for bound in node.iter().flat_map(|node| [node.keywords.minimum, node.keywords.maximum]).flatten() {
        let whole = bound as i64;
        all.extend([json!(whole.saturating_sub(1)), json!(whole), json!(whole.saturating_add(1))]);
    }
    random.pick(&all).clone()
}

fn changed_text(text: &str, random: &mut Random) -> String {
    match random.below(7) {
        0 => String::new(),
        1 => text.to_uppercase(),
        2 => text.to_lowercase(),
        3 => text.chars().skip(1).collect(),
        4 => format!("{text}a"),
        5 => text.repeat(9),
        _ => "Other".to_owned(),
    }
}
