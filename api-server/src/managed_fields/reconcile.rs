//! Field sets of an earlier schema.

use std::mem;

use super::{
    field_set::{FieldSet, Node},
    path_element::PathElement,
    topology::{ListKind, Shape, Topology, TypeId},
};

/// Replaces fields below values that have become atomic by the values. Returns whether there were some.
pub(super) fn reconcile(topology: &Topology, set: &mut FieldSet<'_>) -> bool {
    reconcile_below(topology, topology.root(), set)
}

fn reconcile_below(topology: &Topology, type_: TypeId, set: &mut FieldSet<'_>) -> bool {
    let mut is_changed = false;
    match shape(topology, type_, set) {
        Shape::Map(map) if !map.is_deduced() => {
            for node in &mut set.nodes {
                let type_ = match &node.element {
                    PathElement::Field(name) => map.field(name),
                    _ => map.others(),
                };
                is_changed |= reconcile_node(topology, type_, node);
            }
        }
        Shape::List(list) => {
            for node in &mut set.nodes {
                is_changed |= reconcile_node(topology, list.items, node);
            }
        }
        _ => {}
    }
    is_changed
}

fn reconcile_node(topology: &Topology, type_: TypeId, node: &mut Node<'_>) -> bool {
    let is_atomic = match shape(topology, type_, &node.below) {
        Shape::Map(map) => map.is_atomic && !map.is_deduced(),
        Shape::List(list) => list.kind == ListKind::Atomic,
        _ => false,
    };
    if !is_atomic {
        return reconcile_below(topology, type_, &mut node.below);
    }
    let is_changed = !mem::take(&mut node.below).is_empty();
    node.is_member |= is_changed;
    is_changed
}

/// Returns the shape of the value that has these fields: a built-in type can be a map and a list.
fn shape<'t>(topology: &'t Topology, type_: TypeId, set: &FieldSet<'_>) -> Shape<'t> {
    let type_ = topology.get(type_);
    let has_items = set.nodes.iter().any(|node| !matches!(node.element, PathElement::Field(_)));
    match &type_.list {
        Some(list) if has_items => Shape::List(list),
        _ => type_.first(),
    }
}
