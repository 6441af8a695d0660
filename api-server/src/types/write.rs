//! What Go writes of an object besides what a client sent: defaults, and fields that are never omitted.

use serde_json::{Map, Value};

use super::{Form, Struct, TypeId, get};

/// Sets the defaults of an object that was decoded, and the empty values that Go writes.
pub(crate) fn complete(type_: TypeId, object: &mut Value) {
    complete_value(object, type_);
}

fn complete_value(value: &mut Value, id: TypeId) {
    let type_ = get(id);
    // Those of a type come before those of the types in it, as in `zz_generated.defaults.go`.
    if let Form::Struct(Struct { set_defaults: Some(set_defaults), fields, .. }) = &type_.form
        && let Value::Object(members) = &mut *value
    {
        // Functions set fields of the structs inside, which are never absent in Go.
        for field in fields.iter().filter(|field| matches!(get(field.type_).form, Form::Struct(_))) {
            if members.get(field.name).is_none_or(Value::is_null) {
                members.insert(field.name.to_owned(), get(field.type_).zero());
            }
        }
        set_defaults(value);
    }
    match (&type_.form, value) {
        (Form::Pointer(inner), value) => complete_value(value, *inner),
        (Form::Struct(of), Value::Object(members)) => complete_struct(members, of),
        (Form::List(inner), Value::Array(items)) if is_deep(*inner) => {
            items.iter_mut().for_each(|item| complete_value(item, *inner));
        }
        (Form::Map(inner), Value::Object(members)) if is_deep(*inner) => {
            members.values_mut().for_each(|member| complete_value(member, *inner));
        }
        _ => {}
    }
}

fn is_deep(id: TypeId) -> bool {
    matches!(get(id).form, Form::Struct(_) | Form::Pointer(_) | Form::List(_) | Form::Map(_))
}

fn complete_struct(members: &mut Map<String, Value>, of: &'static Struct) {
    members.retain(|_, value| !value.is_null());
    for (member, value) in members.iter_mut() {
        if let Some(field) = of.field(member)
            && is_deep(field.type_)
        {
            complete_value(value, field.type_);
        }
    }
    for field in of.completed.iter().map(|index| &of.fields[*index]) {
        if let Some(value) = members.get(field.name) {
            if field.is_omitted_if_zero && value.as_object().is_some_and(Map::is_empty) {
                members.remove(field.name);
            }
            continue;
        }
        let type_ = get(field.type_);
        let mut value = field.default.clone().unwrap_or_else(|| type_.zero());
        complete_value(&mut value, field.type_);
        let is_empty = value.as_object().is_some_and(Map::is_empty);
        if !(is_empty && field.is_omitted_if_zero) {
            members.insert(field.name.to_owned(), value);
        }
    }
}
