//! Field sets of an earlier schema.

use std::mem;

use super::{
    field_set::{FieldSet, Node},
    path_element::PathElement,
    topology::{ListKind, Shape, Topology, TypeId},
};

/// Replaces fields below values that have become atomic by the values.
pub(super) fn reconcile<'a>(topology: &Topology, mut set: FieldSet<'a>) -> FieldSet<'a> {
    reconcile_below(topology, topology.root(), &mut set);
    set
}

fn reconcile_below(topology: &Topology, type_: TypeId, set: &mut FieldSet<'_>) {
    match topology.get(type_).first() {
        Shape::Map(map) if !map.is_deduced() => {
            for node in &mut set.nodes {
                let type_ = match &node.element {
                    PathElement::Field(name) => map.field(name),
                    _ => map.others(),
                };
                reconcile_node(topology, type_, node);
            }
        }
        Shape::List(list) => {
            for node in &mut set.nodes {
                reconcile_node(topology, list.items, node);
            }
        }
        _ => {}
    }
}

fn reconcile_node(topology: &Topology, type_: TypeId, node: &mut Node<'_>) {
    let is_atomic = match topology.get(type_).first() {
        Shape::Map(map) => map.is_atomic && !map.is_deduced(),
        Shape::List(list) => list.kind == ListKind::Atomic,
        _ => false,
    };
    if !is_atomic {
        return reconcile_below(topology, type_, &mut node.below);
    }
    if !mem::take(&mut node.below).is_empty() {
        node.is_member = true;
    }
}
