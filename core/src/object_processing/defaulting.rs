//! Defaults, and nulls of fields that are not nullable.

use crate::{go::Number, json::Json, schema::SchemaProps};

/// Drops null members that are not nullable and have no default.
pub fn prune_nulls(schema: &SchemaProps<'_>, value: &mut Json<'_>) {
    match value {
        Json::Object(members) => members.retain_mut(|(name, value)| {
            let Some(member) = of_member(schema, name) else {
                return true;
            };
            if is_misplaced(member, value) && member.default.is_none() {
                return false;
            }
            prune_nulls(member, value);
            true
        }),
        Json::Array(items) => {
            if let Some(of_items) = schema.items() {
                items.iter_mut().for_each(|item| prune_nulls(of_items, item));
            }
        }
        _ => {}
    }
}

/// Sets fields that are missing, or null but not nullable, to their defaults, also within such defaults.
pub fn apply_defaults(schema: &SchemaProps<'_>, value: &mut Json<'_>) {
    match value {
        Json::Object(members) => {
            for (name, property) in schema.properties.iter().flatten() {
                let is_there = members.iter().any(|(member, _)| member == name);
                if let Some(default) = property.default.as_ref().filter(|_| !is_there) {
                    members.push((name.clone().into_owned().into(), default.clone().into_owned()));
                }
            }
            for (name, value) in members {
                if let Some(member) = of_member(schema, name) {
                    replace(member, value);
                    apply_defaults(member, value);
                }
            }
        }
        Json::Array(items) => {
            if let Some(of_items) = schema.items() {
                for item in items {
                    replace(of_items, item);
                    apply_defaults(of_items, item);
                }
            }
        }
        _ => {}
    }
}

/// Converts whole numbers to integers, and integers beyond 64 bits to floats, as a round trip through the server does.
pub fn normalize_numbers(value: &mut Json<'_>) {
    match value {
        Json::Unsigned(_) | Json::Float(_) => {
            if let Some(number) = Number::of(value) {
                *value = match number.as_integer() {
                    Some(integer) => Json::Integer(integer),
                    None => Json::Float(number.as_f64()),
                };
            }
        }
        Json::Array(items) => items.iter_mut().for_each(normalize_numbers),
        Json::Object(members) => members.iter_mut().for_each(|(_, value)| normalize_numbers(value)),
        _ => {}
    }
}

fn replace(schema: &SchemaProps<'_>, value: &mut Json<'_>) {
    if let Some(default) = schema.default.as_ref().filter(|_| is_misplaced(schema, value)) {
        *value = default.clone().into_owned();
    }
}

fn is_misplaced(schema: &SchemaProps<'_>, value: &Json<'_>) -> bool {
    value.is_null() && !schema.nullable
}

fn of_member<'s, 'a>(schema: &'s SchemaProps<'a>, name: &str) -> Option<&'s SchemaProps<'a>> {
    schema.property(name).or_else(|| schema.values())
}
