//! Duplicate items of the list types `set` and `map`.

use alloc::{borrow::Cow, collections::BTreeMap, format, string::String, vec::Vec};

use super::{
    FieldError, ValuePath,
    value_path::ValueStep,
    visit::{Overlap, visit_values},
};
use crate::{go, json::Json, schema::SchemaProps, violation::ErrorType};

/// Reports duplicate items of the list types `set` and `map`.
pub fn validate_list_types(schema: &SchemaProps<'_>, value: &Json<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    visit_values(schema, value, &ValuePath::ROOT, Overlap::Twice, &mut |schema, value, path| {
        let Json::Array(items) = value else { return };
        match schema.list_type.as_deref() {
            Some("set") => repeated(items.iter().cloned(), path, &mut errors),
            Some("map") => entries(schema, items, path, &mut errors),
            _ => {}
        }
    });
    errors
}

fn entries(schema: &SchemaProps<'_>, items: &[Json<'_>], path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let is_entry = |item: &Json<'_>| matches!(item, Json::Null | Json::Object(_));
    if let Some(at) = items.iter().position(|item| !is_entry(item)) {
        errors.push(FieldError {
            place: path.then(ValueStep::Item(at)).place(),
            kind: ErrorType::Invalid,
            value: Some(go::quoted(&items[at])),
            detail: "must be an object for an array of list-type map".into(),
        });
        return;
    }
    let keys = items.iter().map(|item| {
        let keys = schema.list_map_keys.iter();
        let there = keys.filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
        Json::Object(there.collect())
    });
    repeated(keys, path, errors);
}

/// Reports the second of equal items, but no further ones.
fn repeated<'a>(items: impl Iterator<Item = Json<'a>>, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (at, item) in items.enumerate() {
        let times = seen.entry(identity(&item)).or_default();
        *times += 1;
        if *times == 2 {
            errors.push(FieldError {
                place: path.then(ValueStep::Item(at)).place(),
                kind: ErrorType::Duplicate,
                value: Some(go::quoted(&item)),
                detail: String::new(),
            });
        }
    }
}

/// Returns a string that is equal for equal items. A number with a fraction differs from one without.
fn identity(item: &Json<'_>) -> String {
    match item {
        Json::Object(members) if members.len() == 1 => {
            let (name, value) = &members[0];
            format!("{{{}:{}}}", Cow::Borrowed(&**name), identity(value))
        }
        Json::Float(_) | Json::Unsigned(_) => format!("float {}", go::json(item)),
        other => go::json(other),
    }
}
