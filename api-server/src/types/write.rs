//! What Go writes of an object besides what a client sent: defaults, and fields that are never omitted.

use serde_json::{Map, Value};

use super::{zero, zero_of_field};
use crate::go_types::{Field, GoType, Shape};

/// Sets the defaults of an object that was decoded, and the empty values that Go writes.
pub(crate) fn complete(type_: &'static GoType, object: &mut Value) {
    complete_struct(object, type_);
}

fn complete_value(value: &mut Value, shape: &Shape) {
    match (shape, value) {
        (Shape::Struct(of), value) => complete_struct(value, of),
        (Shape::List(inner) | Shape::Items(inner), Value::Array(items)) if is_deep(&inner.shape) => {
            items.iter_mut().for_each(|item| complete_value(item, &inner.shape));
        }
        (Shape::Map(inner), Value::Object(members)) if is_deep(&inner.shape) => {
            members.values_mut().for_each(|member| complete_value(member, &inner.shape));
        }
        _ => {}
    }
}

const fn is_deep(shape: &Shape) -> bool {
    matches!(shape, Shape::Struct(_) | Shape::List(_) | Shape::Items(_) | Shape::Map(_))
}

fn complete_struct(value: &mut Value, of: &'static GoType) {
    // Those of a type come before those of the types in it, as in `zz_generated.defaults.go`.
    if let (Some(set_defaults), Value::Object(members)) = (of.set_defaults, &mut *value) {
        // Functions set fields of the structs inside, which are never absent in Go.
        let is_inner = |field: &Field| !field.is_pointer && matches!(field.type_.shape, Shape::Struct(_));
        for (_, field) in of.members().filter(|(_, field)| is_inner(field)) {
            if members.get(field.name).is_none_or(Value::is_null) {
                members.insert(field.name.to_owned(), zero(&field.type_));
            }
        }
        set_defaults(value);
    }
    if let Value::Object(members) = value {
        complete_members(members, of);
    }
}

fn complete_members(members: &mut Map<String, Value>, of: &'static GoType) {
    members.retain(|_, value| !value.is_null());
    for (member, value) in members.iter_mut() {
        if let Some((_, field)) = of.member(member)
            && is_deep(&field.type_.shape)
        {
            complete_value(value, &field.type_.shape);
        }
    }
    for (_, field) in of.members().filter(|(_, field)| is_completed(field)) {
        if let Some(value) = members.get(field.name) {
            if field.omits_zero && value.as_object().is_some_and(Map::is_empty) {
                members.remove(field.name);
            }
            continue;
        }
        let mut value = field.default.clone().unwrap_or_else(|| zero_of_field(field));
        complete_value(&mut value, &field.type_.shape);
        let is_empty = value.as_object().is_some_and(Map::is_empty);
        if !(is_empty && field.omits_zero) {
            members.insert(field.name.to_owned(), value);
        }
    }
}

/// Whether a field is written though a client does not send it.
fn is_completed(field: &Field) -> bool {
    let is_written = if field.is_struct() {
        !field.omits_zero || matches!(field.type_.shape, Shape::Struct(_))
    } else {
        !field.omits_empty
    };
    is_written || field.default.is_some()
}
