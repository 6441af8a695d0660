//! Equality and order of values.

use alloc::{collections::BTreeSet, string::ToString, vec::Vec};
use core::cmp::Ordering;

use super::{
    error::Stop,
    json,
    key::Key,
    value::{Value, order_of_numbers},
};
use crate::{
    cel::decl_type::{DeclType, ListType},
    json::Json,
    literal::cel::escaped,
};

/// Whether values are equal, as `==` compares them.
pub(super) fn equal<'v>(one: &Value<'v>, other: &Value<'v>) -> Result<bool, Stop> {
    match (one, other) {
        (Value::Null, Value::Null) => Ok(true),
        (Value::Null, _) | (_, Value::Null) => Ok(false),
        _ => same(one, other),
    }
}

/// Whether values are equal: the method `Equal` of the server's value.
pub(super) fn same<'v>(one: &Value<'v>, other: &Value<'v>) -> Result<bool, Stop> {
    Ok(match (one, other) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Text(one), Value::Text(other)) => one == other,
        (Value::Type(one), Value::Type(other)) => one == other,
        (Value::Bytes(one), Value::Bytes(other)) => one == other,
        (Value::Timestamp(one), Value::Timestamp(other)) => one.order(other).is_eq(),
        (Value::Duration(one), Value::Duration(other)) => one == other,
        (Value::Int(_) | Value::Uint(_) | Value::Double(_), _) => {
            order_of_numbers(one, other).is_some_and(Ordering::is_eq)
        }
        (Value::Optional(one), Value::Optional(other)) => match (one, other) {
            (Some(one), Some(other)) => return same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        },
        (Value::Library(one), Value::Library(other)) => return one.equal(other).ok_or(Stop::NO_OVERLOAD),
        (Value::Library(_), _) => return Err(Stop::NO_OVERLOAD),
        (Value::Message(one), Value::Message(other)) => {
            one.name == other.name
                && one.fields.len() == other.fields.len()
                && one
                    .fields
                    .iter()
                    .all(|(name, value)| other.fields.get(name).is_some_and(|other| equal(value, other) == Ok(true)))
        }
        (list, _) if list.is_list() => return equal_lists(list, other),
        (map, _) if map.is_map() => return equal_maps(map, other),
        _ => false,
    })
}

fn equal_lists<'v>(one: &Value<'v>, other: &Value<'v>) -> Result<bool, Stop> {
    let keyed = one.keyed();
    let is_strict = keyed.is_some() || one.is_of_schema();
    if !other.is_list() {
        return if is_strict { Err(Stop::NO_OVERLOAD) } else { Ok(false) };
    }
    if one.count() != other.count() {
        return Ok(false);
    }
    if let Some(declared) = keyed {
        return match &declared.list_type {
            ListType::Map(keys) => equal_list_maps(one, other, keys),
            ListType::Set | ListType::Atomic => equal_sets(one, other),
        };
    }
    if let (Value::Data(one, first), Value::Data(other, second)) = (one, other)
        && are_equal_data(one, first, other, second)
    {
        return Ok(true);
    }
    let pairs = one.each(false).into_iter().flatten().zip(other.each(false).into_iter().flatten());
    for ([item, _], [other, _]) in pairs {
        let is_equal = match (item, other) {
            (Ok(item), Ok(other)) if is_strict => same(&item, &other),
            (Ok(item), Ok(other)) => equal(&item, &other),
            (Err(error), _) | (_, Err(error)) => Err(error),
        };
        match is_equal {
            Ok(true) => {}
            Err(error) if is_strict => return Err(error),
            // The lists of the language pass over errors.
            Err(_) => {}
            Ok(false) => return Ok(false),
        }
    }
    Ok(true)
}

/// Whether values of one type are equal as JSON, and so are their parts, none of which is an error.
fn are_equal_data(one: &Json<'_>, declared: &DeclType, other: &Json<'_>, other_declared: &DeclType) -> bool {
    core::ptr::eq(declared, other_declared) && !declared.has_formats && one == other
}

fn equal_sets<'v>(one: &Value<'v>, other: &Value<'v>) -> Result<bool, Stop> {
    let set = |list: &Value<'v>| -> Result<BTreeSet<ItemKey<'v>>, Stop> { list.items()?.iter().map(set_key).collect() };
    Ok(set(one)? == set(other)?)
}

/// The identity of an item of a set, or of a list of type map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ItemKey<'v> {
    Missing,
    Key(Key<'v>),
    /// A value of another type, by its text.
    Other(alloc::string::String),
    Several(Vec<Self>),
}

/// Returns the identity of an item of a set.
pub(super) fn set_key<'v>(item: &Value<'v>) -> Result<ItemKey<'v>, Stop> {
    if item.is_list() || item.is_map() {
        return Err("listSet operations are only supported on lists of scalar values".into());
    }
    Ok(scalar_key(item))
}

fn scalar_key<'v>(value: &Value<'v>) -> ItemKey<'v> {
    Key::of(value).map_or_else(|| ItemKey::Other(value.to_string()), ItemKey::Key)
}

/// Returns the identity of an item of a list of type map. `keys` are names in the schema.
pub(super) fn map_key<'v>(item: &Value<'v>, keys: &[alloc::string::String]) -> ItemKey<'v> {
    let of = |key: &alloc::string::String| {
        let name = escaped(key).unwrap_or_else(|| key.clone());
        match item.find(&Value::text(name)) {
            Ok(Some(value)) => scalar_key(&value),
            _ => ItemKey::Missing,
        }
    };
    ItemKey::Several(keys.iter().map(of).collect())
}

fn equal_list_maps<'v>(one: &Value<'v>, other: &Value<'v>, keys: &[alloc::string::String]) -> Result<bool, Stop> {
    let items = one.items()?;
    let by_key: alloc::collections::BTreeMap<_, _> = items.iter().map(|item| (map_key(item, keys), item)).collect();
    let mut seen = BTreeSet::new();
    for item in other.items()? {
        let key = map_key(&item, keys);
        let Some(same_key) = by_key.get(&key) else {
            return Ok(false);
        };
        if !same(same_key, &item)? {
            return Ok(false);
        }
        seen.insert(key);
    }
    Ok(seen.len() == by_key.len())
}

fn equal_maps<'v>(one: &Value<'v>, other: &Value<'v>) -> Result<bool, Stop> {
    let is_strict = one.is_of_schema();
    if !other.is_map() {
        return if is_strict { Err(Stop::NO_OVERLOAD) } else { Ok(false) };
    }
    if one.count() != other.count() {
        return Ok(false);
    }
    if let (Value::Data(first, declared), Value::Data(second, other_declared)) = (one, other) {
        if are_equal_data(first, declared, second, other_declared) {
            return Ok(true);
        }
        if !have_same_unknown_fields(first, second, declared) {
            return Ok(false);
        }
    }
    for [key, _] in one.each(false).into_iter().flatten() {
        let key = key?;
        let is_equal = match (one.find(&key), other.find(&key)) {
            // A null field is absent.
            (Ok(None), Ok(None)) => continue,
            (Ok(Some(value)), Ok(Some(other))) if is_strict => same(&value, &other),
            (Ok(Some(value)), Ok(Some(other))) => equal(&value, &other),
            (Ok(_), Ok(_)) => return Ok(false),
            (Err(error), _) | (_, Err(error)) => Err(error),
        };
        match is_equal {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) if is_strict => return Err(error),
            // The maps of the language pass over errors.
            Err(_) => {}
        }
    }
    Ok(true)
}

/// Whether the fields of two objects that the schema does not name are equal, where both have them.
fn have_same_unknown_fields(one: &Json<'_>, other: &Json<'_>, declared: &DeclType) -> bool {
    let Json::Object(members) = one else {
        return true;
    };
    members
        .iter()
        .filter(|(name, _)| json::key(name, declared).is_none())
        .all(|(name, value)| other.get(name).is_none_or(|other| value == other))
}

/// Compares values, as `<` does it.
pub(super) fn order(one: &Value<'_>, other: &Value<'_>) -> Result<Ordering, Stop> {
    let is_nan = |value: &Value<'_>| matches!(value, Value::Double(number) if number.is_nan());
    let found = match (one, other) {
        (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
        (Value::Text(one), Value::Text(other)) => Some((**one).cmp(other)),
        (Value::Bytes(one), Value::Bytes(other)) => Some(one.cmp(other)),
        (Value::Timestamp(one), Value::Timestamp(other)) => Some(one.order(other)),
        (Value::Duration(one), Value::Duration(other)) => Some(one.cmp(other)),
        (Value::Double(_) | Value::Int(_) | Value::Uint(_), other) if is_nan(one) || is_nan(other) => {
            return Err("NaN values cannot be ordered".into());
        }
        _ => order_of_numbers(one, other),
    };
    found.ok_or(Stop::NO_OVERLOAD)
}
