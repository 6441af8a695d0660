//! The fields that an object has, as its manager owns them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    field_set::FieldSet,
    path_element::PathElement,
    topology::{List, ListKind, Map, Shape, Topology, TypeId},
};

/// Returns the fields and items of an object.
pub(super) fn field_set<'a>(topology: &'a Topology, object: &'a Value) -> FieldSet<'a> {
    of_value(topology, topology.root(), object).1
}

/// Returns whether the value itself is owned, and what is owned below it.
fn of_value<'a>(topology: &'a Topology, type_: TypeId, value: &'a Value) -> (bool, FieldSet<'a>) {
    match (topology.deduce(type_, Some(value)), value) {
        (Shape::Scalar(_), _) => (true, FieldSet::default()),
        (Shape::Map(Map { is_atomic: true, .. }) | Shape::List(List { kind: ListKind::Atomic, .. }), _) => {
            (true, FieldSet::default())
        }
        (Shape::Map(map), Value::Object(fields)) => {
            let mut below = FieldSet::default();
            for (name, value) in fields {
                let (is_owned, inner) = of_value(topology, map.field(name), value);
                let is_empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
                below.insert(PathElement::field(name), is_owned || is_empty || !map.declares(name), inner);
            }
            (false, below)
        }
        (Shape::List(list), Value::Array(items)) => (false, of_items(topology, list, items)),
        _ => (false, FieldSet::default()),
    }
}

fn of_items<'a>(topology: &'a Topology, list: &'a List, items: &'a [Value]) -> FieldSet<'a> {
    let mut by_identity: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for item in items {
        if let Ok(identity) = PathElement::of_item(list, item) {
            by_identity.entry(identity).or_default().push(item);
        }
    }
    let mut set = FieldSet::default();
    for (identity, items) in by_identity {
        let below = match items.as_slice() {
            [item] => of_value(topology, list.items, item).1,
            // Items with the same identity are one value.
            _ => FieldSet::default(),
        };
        set.insert(identity, true, below);
    }
    set
}
