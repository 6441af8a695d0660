//! Operators and comparisons.

use alloc::{string::String, sync::Arc, vec::Vec};
use core::cmp::Ordering;

use super::{Function, no_overload};
use crate::cel::{
    decl_type::{DeclType, ListType},
    evaluate::{
        Run,
        equality::{map_key, order, same, set_key},
        error::{Evaluated, Stop},
        program::Call,
        value::{List, Value},
    },
};

pub(super) fn named(name: &str) -> Option<Function> {
    Some(match name {
        "!_" => |_, args, _| match args {
            [Value::Bool(value)] => Ok(Value::Bool(!*value)),
            _ => Err(Stop::NO_OVERLOAD),
        },
        "-_" => negate,
        "_+_" => add,
        "_-_" => subtract,
        "_*_" => multiply,
        "_/_" => divide,
        "_%_" => modulo,
        "_<_" => |_, args, call| compare(args, call, Ordering::is_lt),
        "_<=_" => |_, args, call| compare(args, call, Ordering::is_le),
        "_>_" => |_, args, call| compare(args, call, Ordering::is_gt),
        "_>=_" => |_, args, call| compare(args, call, Ordering::is_ge),
        "@in" => is_in,
        "size" => size,
        _ => return None,
    })
}

/// The error of an operator, whose first operand has none for its type, or whose second one does not fit.
pub(super) fn unsupported<'v>(args: &[Value<'v>], call: &Call, supports: fn(&Value<'v>) -> bool) -> Evaluated<'v> {
    // Values with methods of their own are asked for the operator, and do not name it.
    let has_methods = |value: &Value<'v>| matches!(value, Value::Text(_) | Value::Timestamp(_) | Value::Duration(_));
    if args.first().is_some_and(|value| supports(value) || has_methods(value)) {
        return Err(Stop::NO_OVERLOAD);
    }
    Err(alloc::format!("no such overload: {}", call.name).into())
}

fn negate<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [Value::Int(value)] => value.checked_neg().map(Value::Int).ok_or(Stop::INT_OVERFLOW),
        [Value::Double(value)] => Ok(Value::Double(-*value)),
        [Value::Duration(value)] => value.checked_neg().map(Value::Duration).ok_or(Stop::INT_OVERFLOW),
        args => unsupported(args, call, |value| matches!(value, Value::Bool(_))),
    }
}

fn add<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [Value::Int(one), Value::Int(other)] => one.checked_add(*other).map(Value::Int).ok_or(Stop::INT_OVERFLOW),
        [Value::Uint(one), Value::Uint(other)] => one.checked_add(*other).map(Value::Uint).ok_or(Stop::UINT_OVERFLOW),
        [Value::Double(one), Value::Double(other)] => Ok(Value::Double(*one + *other)),
        [Value::Text(one), Value::Text(other)] => {
            run.allocate(one.len() + other.len())?;
            let mut text = String::with_capacity(one.len() + other.len());
            text.push_str(one);
            text.push_str(other);
            Ok(Value::text(text))
        }
        [Value::Bytes(one), Value::Bytes(other)] => {
            run.allocate(one.len() + other.len())?;
            Ok(Value::Bytes([&**one, &**other].concat().into()))
        }
        [Value::Timestamp(time), Value::Duration(nanos)] | [Value::Duration(nanos), Value::Timestamp(time)] => {
            time.plus(*nanos).map(Value::Timestamp).map_err(Stop::from)
        }
        [Value::Duration(one), Value::Duration(other)] => {
            one.checked_add(*other).map(Value::Duration).ok_or(Stop::INT_OVERFLOW)
        }
        [one, other] if one.is_list() && other.is_list() => sum_of_lists(run, one, other),
        args => unsupported(args, call, |value| value.is_list() || value.has_addition()),
    }
}

fn sum_of_lists<'v>(run: &mut Run<'v, '_>, one: &mut Value<'v>, other: &Value<'v>) -> Evaluated<'v> {
    if let Some(declared) = one.keyed() {
        let items = keyed_sum(one.items()?, other.items()?, declared)?;
        run.allocate_items(items.len())?;
        return Ok(Value::List(Arc::new(List { items, declared: Some(declared) })));
    }
    // The server returns the other list itself, with its semantics.
    if one.count() == Some(0) && !one.is_of_schema() && other.keyed().is_some() {
        return Ok(other.clone());
    }
    if other.count() == Some(0) && !one.is_of_schema() {
        return Ok(core::mem::take(one));
    }
    run.allocate_items(other.count().unwrap_or(0))?;
    let mut items = match core::mem::take(one) {
        Value::List(list) => match Arc::try_unwrap(list) {
            Ok(list) => list.items,
            Err(shared) => {
                run.allocate_items(shared.items.len())?;
                shared.items.clone()
            }
        },
        data => {
            run.allocate_items(data.count().unwrap_or(0))?;
            data.items()?
        }
    };
    match other {
        Value::List(list) => items.extend(list.items.iter().cloned()),
        data => items.extend(data.items()?),
    }
    Ok(Value::list(items))
}

/// Adds the items of a list that are not in the other. In a list of type map, they replace those with their keys.
fn keyed_sum<'v>(
    mut items: Vec<Value<'v>>,
    others: Vec<Value<'v>>,
    declared: &DeclType,
) -> Result<Vec<Value<'v>>, Stop> {
    let key = |item: &Value<'v>| match &declared.list_type {
        ListType::Map(keys) => Ok(map_key(item, keys)),
        ListType::Set | ListType::Atomic => set_key(item),
    };
    let mut places = alloc::collections::BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        places.insert(key(item)?, at);
    }
    let replaces = matches!(declared.list_type, ListType::Map(_));
    for other in others {
        let key = key(&other)?;
        match places.get(&key) {
            Some(at) if replaces => items[*at] = other,
            Some(_) => {}
            None => {
                // The server replaces only items of the first list.
                if !replaces {
                    places.insert(key, items.len());
                }
                items.push(other);
            }
        }
    }
    Ok(items)
}

fn subtract<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [Value::Int(one), Value::Int(other)] => one.checked_sub(*other).map(Value::Int).ok_or(Stop::INT_OVERFLOW),
        [Value::Uint(one), Value::Uint(other)] => one.checked_sub(*other).map(Value::Uint).ok_or(Stop::UINT_OVERFLOW),
        [Value::Double(one), Value::Double(other)] => Ok(Value::Double(*one - *other)),
        [Value::Duration(one), Value::Duration(other)] => {
            one.checked_sub(*other).map(Value::Duration).ok_or(Stop::INT_OVERFLOW)
        }
        [Value::Timestamp(one), Value::Timestamp(other)] => {
            one.since(other).map(Value::Duration).ok_or(Stop::INT_OVERFLOW)
        }
        [Value::Timestamp(time), Value::Duration(nanos)] => {
            let negated = nanos.checked_neg().ok_or(Stop::INT_OVERFLOW)?;
            time.plus(negated).map(Value::Timestamp).map_err(Stop::from)
        }
        args => unsupported(args, call, |value| {
            is_number(value) || matches!(value, Value::Timestamp(_) | Value::Duration(_))
        }),
    }
}

const fn is_number(value: &Value<'_>) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_))
}

fn multiply<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [Value::Int(one), Value::Int(other)] => one.checked_mul(*other).map(Value::Int).ok_or(Stop::INT_OVERFLOW),
        [Value::Uint(one), Value::Uint(other)] => one.checked_mul(*other).map(Value::Uint).ok_or(Stop::UINT_OVERFLOW),
        [Value::Double(one), Value::Double(other)] => Ok(Value::Double(*one * *other)),
        args => unsupported(args, call, is_number),
    }
}

fn divide<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => Err(Stop::DIVISION_BY_ZERO),
        [Value::Int(one), Value::Int(other)] => one.checked_div(*other).map(Value::Int).ok_or(Stop::INT_OVERFLOW),
        [Value::Uint(one), Value::Uint(other)] => Ok(Value::Uint(*one / *other)),
        [Value::Double(one), Value::Double(other)] => Ok(Value::Double(*one / *other)),
        args => unsupported(args, call, is_number),
    }
}

fn modulo<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => Err(Stop::MODULUS_BY_ZERO),
        [Value::Int(one), Value::Int(other)] => one.checked_rem(*other).map(Value::Int).ok_or(Stop::INT_OVERFLOW),
        [Value::Uint(one), Value::Uint(other)] => Ok(Value::Uint(*one % *other)),
        args => unsupported(args, call, |value| matches!(value, Value::Int(_) | Value::Uint(_))),
    }
}

fn compare<'v>(args: &[Value<'v>], call: &Call, is: fn(Ordering) -> bool) -> Evaluated<'v> {
    match args {
        [one, other] if is_ordered(one) => order(one, other).map(|order| Value::Bool(is(order))),
        args => unsupported(args, call, is_ordered),
    }
}

/// Whether values of the type have an order.
pub(super) const fn is_ordered(value: &Value<'_>) -> bool {
    matches!(
        value,
        Value::Bool(_)
            | Value::Int(_)
            | Value::Uint(_)
            | Value::Double(_)
            | Value::Text(_)
            | Value::Bytes(_)
            | Value::Timestamp(_)
            | Value::Duration(_)
    )
}

fn is_in<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], _: &Call) -> Evaluated<'v> {
    match args {
        [item, list] if list.is_list() => contains(list, item).map(Value::Bool),
        [key, map] if map.is_map() => match map.find(key) {
            Ok(found) => Ok(Value::Bool(found.is_some())),
            Err(panicked) if panicked.is_final() => {
                run.has_panicked = true;
                Err(panicked)
            }
            // The maps of the language only contain the value or not.
            Err(_) if !map.is_of_schema() => Ok(Value::Bool(true)),
            Err(error) => Err(error),
        },
        _ => Err(Stop::NO_OVERLOAD),
    }
}

/// Whether a list contains an item.
pub(super) fn contains<'v>(list: &Value<'v>, item: &Value<'v>) -> Result<bool, Stop> {
    let is_of_schema = list.is_of_schema();
    let mut error = None;
    for [other, _] in list.each(false).into_iter().flatten() {
        let is_equal = match other {
            Ok(other) if is_of_schema => same(&other, item),
            // The server compares in the other direction.
            Ok(other) => same(item, &other),
            Err(error) => Err(error),
        };
        match is_equal {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(failed) if is_of_schema => error = error.or(Some(failed)),
            Err(_) => {}
        }
    }
    error.map_or(Ok(false), Err)
}

fn size<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [value] => value.size().map_or_else(|| unsupported(args, call, |_| false), |size| Ok(Value::count_of(size))),
        args => no_overload(call, args),
    }
}
