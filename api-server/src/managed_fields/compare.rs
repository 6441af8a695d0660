//! The fields that differ between two objects.

use std::collections::BTreeMap;

use serde_json::{Map as Fields, Value};

use super::{
    field_set::FieldSet,
    path_element::PathElement,
    topology::{List, ListKind, Map, Shape, Topology, TypeId},
    values,
};

/// The fields that differ between two objects. No field is in two of the sets.
#[derive(Debug, Default)]
pub(super) struct Comparison<'a> {
    pub(super) removed: FieldSet<'a>,
    pub(super) modified: FieldSet<'a>,
    pub(super) added: FieldSet<'a>,
}

impl<'a> Comparison<'a> {
    /// Compares two objects, of which at most one may be absent.
    pub(super) fn new(topology: &'a Topology, old: Option<&'a Value>, new: Option<&'a Value>) -> Self {
        Comparer { topology }.value(topology.root(), old, new).below
    }

    const fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.modified.is_empty() && self.added.is_empty()
    }

    /// Removes fields and those below them.
    pub(super) fn without(self, fields: &FieldSet<'_>) -> Self {
        Self {
            removed: self.removed.recursive_difference(fields),
            modified: self.modified.recursive_difference(fields),
            added: self.added.recursive_difference(fields),
        }
    }

    fn insert(&mut self, element: PathElement<'a>, change: Change<'a>) {
        if change.is_none() {
            return;
        }
        let Change { is_removed, is_modified, is_added, below } = change;
        self.removed.insert(element.clone(), is_removed, below.removed);
        self.modified.insert(element.clone(), is_modified, below.modified);
        self.added.insert(element, is_added, below.added);
    }
}

/// What differs in a value.
#[derive(Default)]
struct Change<'a> {
    is_removed: bool,
    is_modified: bool,
    is_added: bool,
    below: Comparison<'a>,
}

impl Change<'_> {
    const fn is_none(&self) -> bool {
        let Self { is_removed, is_modified, is_added, below } = self;
        !*is_removed && !*is_modified && !*is_added && below.is_empty()
    }
}

struct Comparer<'a> {
    topology: &'a Topology,
}

impl<'a> Comparer<'a> {
    fn value(&self, type_: TypeId, old: Option<&'a Value>, new: Option<&'a Value>) -> Change<'a> {
        if old == new {
            return Change::default();
        }
        let (old_shape, shape) = (self.topology.deduce(type_, old), self.topology.deduce(type_, new));
        if matches!(shape, Shape::Ignored) {
            return Change::default();
        }
        let mut change = Change { is_removed: new.is_none(), is_added: old.is_none(), ..Change::default() };
        // Where a list has keys, its type is known, of which null is a value.
        let is_null_list =
            old == Some(&Value::Null) && matches!(shape, Shape::List(list) if list.kind != ListKind::Atomic);
        if new.is_some() && old.is_some() && !old_shape.is(shape) && !is_null_list {
            self.shape(old_shape, old, new, &mut change);
        }
        self.shape(if new.is_none() { old_shape } else { shape }, old, new, &mut change);
        change
    }

    fn shape(&self, shape: Shape<'a>, old: Option<&'a Value>, new: Option<&'a Value>, change: &mut Change<'a>) {
        match shape {
            Shape::Map(map) if !map.is_atomic => {
                let (old, new) = (old.and_then(Value::as_object), new.and_then(Value::as_object));
                if old.is_some_and(|old| !old.is_empty()) || new.is_some_and(|new| !new.is_empty()) {
                    return self.fields(map, old, new, &mut change.below);
                }
            }
            Shape::List(list) if list.kind != ListKind::Atomic => {
                let (old, new) = (items(old), items(new));
                if !old.is_empty() || !new.is_empty() {
                    return self.items(list, old, new, &mut change.below);
                }
            }
            _ => {}
        }
        if let (Some(old), Some(new)) = (old, new) {
            change.is_modified |= !values::equal(old, new);
        }
    }

    fn fields(
        &self,
        map: &Map,
        old: Option<&'a Fields<String, Value>>,
        new: Option<&'a Fields<String, Value>>,
        below: &mut Comparison<'a>,
    ) {
        for (name, old) in old.into_iter().flatten() {
            let change = self.value(map.field(name), Some(old), new.and_then(|new| new.get(name)));
            below.insert(PathElement::field(name), change);
        }
        for (name, new) in new.into_iter().flatten() {
            if !old.is_some_and(|old| old.contains_key(name)) {
                below.insert(PathElement::field(name), self.value(map.field(name), None, Some(new)));
            }
        }
    }

    fn items(&self, list: &'a List, old: &'a [Value], new: &'a [Value], below: &mut Comparison<'a>) {
        let mut by_identity: BTreeMap<_, (Vec<&'a Value>, Vec<&'a Value>)> = BTreeMap::new();
        for item in old {
            if let Ok(identity) = PathElement::of_item(list, item) {
                by_identity.entry(identity).or_default().0.push(item);
            }
        }
        for item in new {
            if let Ok(identity) = PathElement::of_item(list, item) {
                by_identity.entry(identity).or_default().1.push(item);
            }
        }
        for (identity, (old, new)) in by_identity {
            let change = self.items_with_identity(list, &old, &new);
            below.insert(identity, change);
        }
    }

    /// Compares the items with one identity. Several items with the same identity are one value.
    fn items_with_identity(&self, list: &List, old: &[&'a Value], new: &[&'a Value]) -> Change<'a> {
        match (old, new) {
            ([] | [_], [] | [_]) => self.value(list.items, old.first().copied(), new.first().copied()),
            ([_, _, ..], [_, _, ..]) => {
                let is_same = old.len() == new.len() && old.iter().zip(new).all(|(old, new)| values::equal(old, new));
                Change { is_modified: !is_same, ..Change::default() }
            }
            ([_, _, ..], _) => {
                let change = new.first().map(|new| self.value(list.items, None, Some(new)));
                Change { is_removed: true, ..change.unwrap_or_default() }
            }
            (_, [_, _, ..]) => {
                let change = old.first().map(|old| self.value(list.items, Some(old), None));
                Change { is_added: true, ..change.unwrap_or_default() }
            }
        }
    }
}

fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
