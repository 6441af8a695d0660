//! Merging a configuration into an object, and removing fields from it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map as Fields, Value};

use super::{
    field_set::FieldSet,
    path_element::PathElement,
    topology::{List, ListKind, Map, Shape, Topology, TypeId},
};

/// Returns an object with the fields of a configuration, without managed fields.
pub(super) fn merge(topology: &Topology, object: &Value, configuration: &Value) -> Value {
    merge_value(topology, topology.root(), object, configuration)
}

fn merge_value(topology: &Topology, type_: TypeId, old: &Value, new: &Value) -> Value {
    match topology.deduce(type_, Some(new)) {
        Shape::Map(map) if !map.is_atomic => match (old.as_object(), new.as_object()) {
            (Some(old), Some(new)) => Value::Object(merge_fields(topology, map, old, new)),
            (Some(fields), None) if !fields.is_empty() => old.clone(),
            _ => new.clone(),
        },
        Shape::List(list) if list.kind != ListKind::Atomic => match (old.as_array(), new.as_array()) {
            (Some(old), Some(new)) => Value::Array(merge_items(topology, list, old, new)),
            (Some(items), None) if !items.is_empty() => old.clone(),
            _ => new.clone(),
        },
        _ => new.clone(),
    }
}

fn merge_fields(
    topology: &Topology,
    map: &Map,
    old: &Fields<String, Value>,
    new: &Fields<String, Value>,
) -> Fields<String, Value> {
    let of_old = old.iter().filter_map(|(name, old)| {
        let value = match new.get(name) {
            Some(new) => merge_value(topology, map.field(name), old, new),
            None if topology.get(map.field(name)).is_ignored => return None,
            None => old.clone(),
        };
        Some((name.clone(), value))
    });
    let only_new = new.iter().filter(|(name, _)| !old.contains_key(*name));
    of_old.chain(only_new.map(|(name, new)| (name.clone(), new.clone()))).collect()
}

/// Merges two lists. The items of the configuration keep their order; other items stay where they are between them.
fn merge_items(topology: &Topology, list: &List, old: &[Value], new: &[Value]) -> Vec<Value> {
    let (old, new) = (with_identities(list, old), with_identities(list, new));
    let mut old_items = BTreeMap::new();
    for (identity, item) in &old {
        // Items with the same identity are not merged.
        old_items.entry(identity).and_modify(|item| *item = &Value::Null).or_insert(*item);
    }
    let new_identities: BTreeSet<_> = new.iter().map(|(identity, _)| identity).collect();
    let mut shared = new.iter().map(|(identity, _)| identity).filter(|identity| old_items.contains_key(identity));
    let mut next_shared = shared.next();
    let merge_item = |identity: &PathElement<'_>, item: &Value| match old_items.get(identity) {
        Some(old) => merge_value(topology, list.items, old, item),
        None => item.clone(),
    };

    let mut merged = Vec::with_capacity(old.len().max(new.len()));
    let mut done = BTreeSet::new();
    let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
    loop {
        if let (Some((old_identity, _)), Some((identity, item))) = (old.peek(), new.peek()) {
            if old_identity == identity {
                merged.push(merge_item(identity, item));
                done.insert(identity);
                old.next();
                new.next();
                next_shared = shared.next();
                continue;
            }
            if new_identities.contains(old_identity) && next_shared.is_some_and(|next| next != old_identity) {
                old.next();
                continue;
            }
        }
        if let Some((identity, item)) = old.peek() {
            if !new_identities.contains(identity) {
                merged.push((*item).clone());
                old.next();
                continue;
            }
            if done.contains(identity) {
                old.next();
            }
        }
        let Some((identity, item)) = new.next() else {
            if old.peek().is_none() {
                return merged;
            }
            continue;
        };
        merged.push(merge_item(identity, item));
        done.insert(identity);
        if next_shared == Some(identity) {
            next_shared = shared.next();
        }
    }
}

fn with_identities<'a>(list: &'a List, items: &'a [Value]) -> Vec<(PathElement<'a>, &'a Value)> {
    items.iter().filter_map(|item| Some((PathElement::of_item(list, item).ok()?, item))).collect()
}

/// Returns an object without these fields and items.
pub(super) fn remove(topology: &Topology, object: &Value, fields: &FieldSet<'_>) -> Value {
    if fields.is_empty() { object.clone() } else { remove_below(topology, topology.root(), object, fields) }
}

/// Removes what is below a value. Returns null if nothing is left.
fn remove_below(topology: &Topology, type_: TypeId, value: &Value, fields: &FieldSet<'_>) -> Value {
    match (topology.deduce(type_, Some(value)), value) {
        (Shape::Map(map), Value::Object(old)) if !map.is_atomic => {
            let kept: Fields<_, _> = old
                .iter()
                .filter_map(|(name, value)| {
                    let kept = remove_one(topology, map.field(name), &PathElement::field(name), value, fields)?;
                    Some((name.clone(), kept))
                })
                .collect();
            if kept.is_empty() { Value::Null } else { Value::Object(kept) }
        }
        (Shape::List(list), Value::Array(items)) if list.kind != ListKind::Atomic => {
            let kept: Vec<_> = items
                .iter()
                .filter_map(|item| match PathElement::of_item(list, item) {
                    Ok(identity) => remove_one(topology, list.items, &identity, item, fields),
                    Err(_) => Some(item.clone()),
                })
                .collect();
            if kept.is_empty() { Value::Null } else { Value::Array(kept) }
        }
        (Shape::Map(_) | Shape::List(_), _) => Value::Null,
        _ => value.clone(),
    }
}

fn remove_one(
    topology: &Topology,
    type_: TypeId,
    element: &PathElement<'_>,
    value: &Value,
    fields: &FieldSet<'_>,
) -> Option<Value> {
    match fields.get(element) {
        None => Some(value.clone()),
        Some(node) if node.is_member => None,
        Some(node) => Some(remove_below(topology, type_, value, &node.below)),
    }
}
