//! Partial specs, and the API server's results of applying them.

use proptest::{collection::btree_map, option, prelude::*, sample::select};
use serde_json::{Map, Value, json};

fn word() -> impl Strategy<Value = String> {
    select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

/// An object with some of these members.
fn some(members: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    members
        .into_iter()
        .fold(Just(Map::new()).boxed(), |object, (name, value)| {
            (object, option::of(value))
                .prop_map(move |(mut object, value)| {
                    object.extend(value.map(|value| (name.to_owned(), value)));
                    object
                })
                .boxed()
        })
        .prop_map(Value::Object)
        .boxed()
}

fn string_map() -> BoxedStrategy<Value> {
    word().prop_map(Value::from).boxed()
}

fn numbers() -> BoxedStrategy<Value> {
    (0..9).prop_map(Value::from).boxed()
}

fn booleans() -> BoxedStrategy<Value> {
    any::<bool>().prop_map(Value::from).boxed()
}

/// Disks with different names, each with some of its fields.
fn disks() -> BoxedStrategy<Value> {
    let fields = some(vec![("size", numbers()), ("boot", booleans())]);
    btree_map(word(), fields, 0..4)
        .prop_map(|disks| {
            let named = disks.into_iter().map(|(name, mut disk)| {
                disk["name"] = name.into();
                disk
            });
            named.collect()
        })
        .boxed()
}

/// A part of a spec.
pub(super) fn part() -> BoxedStrategy<Value> {
    let tags = btree_map(word(), Just(()), 0..4);
    some(vec![
        ("cpuKind", string_map()),
        ("count", numbers()),
        ("disks", disks()),
        ("tags", tags.prop_map(|tags| tags.into_keys().collect()).boxed()),
        ("ports", prop::collection::vec(0..9, 0..3).prop_map(Value::from).boxed()),
        ("nodes", btree_map(word(), word(), 0..3).prop_map(|it| json!(it)).boxed()),
        ("secret", word().prop_map(|name| json!({ "name": name })).boxed()),
        ("nested", some(vec![("a", string_map()), ("b", booleans())])),
    ])
}

/// Returns the names of the fields in a value, in the API server's format.
pub(super) fn fields_of(value: &Value, name: &str) -> Value {
    match value {
        Value::Object(members) if name != "secret" => {
            members.iter().map(|(name, member)| (format!("f:{name}"), fields_of(member, name))).collect()
        }
        Value::Array(items) if name == "disks" => items
            .iter()
            .map(|disk| {
                let mut fields = fields_of(disk, "");
                fields["."] = json!({});
                (format!("k:{}", json!({ "name": disk["name"] })), fields)
            })
            .collect(),
        Value::Array(items) if name == "tags" => items.iter().map(|tag| (format!("v:{tag}"), json!({}))).collect(),
        _ => json!({}),
    }
}

/// Applies a part to an object, as the API server does.
pub(super) fn merge(object: &mut Value, part: &Value, name: &str) {
    match (object, part) {
        (Value::Object(members), Value::Object(others)) if name != "secret" => {
            for (name, other) in others {
                merge(members.entry(name).or_insert(Value::Null), other, name);
            }
        }
        (Value::Array(items), Value::Array(others)) if name == "disks" => {
            for other in others {
                match items.iter_mut().find(|item| item["name"] == other["name"]) {
                    Some(item) => merge(item, other, ""),
                    None => items.push(other.clone()),
                }
            }
        }
        (Value::Array(items), Value::Array(others)) if name == "tags" => {
            let new: Vec<_> = others.iter().filter(|it| !items.contains(it)).cloned().collect();
            items.extend(new);
        }
        (object, part) => *object = part.clone(),
    }
}

/// Returns the spec with unordered lists sorted.
pub(super) fn ordered(mut spec: Value) -> Value {
    for name in ["disks", "tags"] {
        if let Some(Value::Array(items)) = spec.get_mut(name) {
            items.sort_by_key(ToString::to_string);
        }
    }
    spec
}
