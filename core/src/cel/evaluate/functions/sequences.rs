//! The functions of lists of ordered values, and of lists as sets.

use alloc::{format, vec::Vec};

use super::{
    Function, no_overload,
    operators::{contains, is_ordered},
};
use crate::cel::evaluate::{
    Run,
    equality::{order, same},
    error::{Evaluated, Stop},
    program::Call,
    value::Value,
};

pub(super) fn named(name: &str) -> Option<Function> {
    Some(match name {
        "isSorted" => is_sorted,
        "sum" => sum,
        "min" => |_, args, call| extreme(args, call, core::cmp::Ordering::Greater),
        "max" => |_, args, call| extreme(args, call, core::cmp::Ordering::Less),
        "includes" => includes,
        "sets.contains" => |_, args, call| match args {
            [list, other] if list.is_list() && other.is_list() => has_all(list, other).map(Value::Bool),
            args => no_overload(call, args),
        },
        "sets.equivalent" => |_, args, call| match args {
            [list, other] if list.is_list() && other.is_list() => {
                Ok(Value::Bool(has_all(list, other)? && has_all(other, list)?))
            }
            args => no_overload(call, args),
        },
        "sets.intersects" => |_, args, call| match args {
            [list, other] if list.is_list() && other.is_list() => {
                let items = list.items()?;
                Ok(Value::Bool(items.iter().any(|item| contains(other, item) == Ok(true))))
            }
            args => no_overload(call, args),
        },
        _ => return None,
    })
}

/// Returns the items of the list that is the only argument, all of which have an order.
fn ordered_items<'v>(args: &[Value<'v>], call: &Call) -> Result<Vec<Value<'v>>, Stop> {
    let list = match args {
        [list] if list.is_list() => list,
        args => return Err(Stop::no_such_overload(&call.name, args)),
    };
    let items = list.items()?;
    if items.first().is_some_and(|first| !is_ordered(first) || !is_of_overload(first, call)) {
        return Err(Stop::no_such_overload(&call.name, args));
    }
    if items.iter().all(is_ordered) { Ok(items) } else { Err(Stop::NO_OVERLOAD) }
}

fn is_sorted<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let items = ordered_items(args, call)?;
    let is_descent = |pair: &[Value<'v>]| order(&pair[0], &pair[1]).is_ok_and(core::cmp::Ordering::is_gt);
    Ok(Value::Bool(!items.windows(2).any(is_descent)))
}

/// Whether the first item of a list has the type of the overload, if there is only one. A list of any type that a function returns
/// takes the type of the first overload when it is checked.
fn is_of_overload(first: &Value<'_>, call: &Call) -> bool {
    let Some((type_, _)) = call.overload.strip_prefix("list_").and_then(|rest| rest.split_once('_')) else {
        return true;
    };
    match first {
        Value::Timestamp(_) => type_ == "timestamp",
        Value::Duration(_) => type_ == "duration",
        first => type_ == first.type_name(),
    }
}

fn sum<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let [list] = args else { return no_overload(call, args) };
    if !list.is_list() {
        return no_overload(call, args);
    }
    let mut total = match call.overload {
        "list_uint_sum_uint" => Value::Uint(0),
        "list_double_sum_double" => Value::Double(0.0),
        "list_duration_sum_duration" => Value::Duration(0),
        _ => Value::Int(0),
    };
    let items = list.items()?;
    match items.first() {
        None => {}
        Some(first) if !is_of_overload(first, call) => return no_overload(call, args),
        Some(Value::Int(_)) => total = Value::Int(0),
        Some(Value::Uint(_)) => total = Value::Uint(0),
        Some(Value::Double(_)) => total = Value::Double(0.0),
        Some(Value::Duration(_)) => total = Value::Duration(0),
        Some(_) => return no_overload(call, args),
    }
    let add = super::named("_+_");
    for item in items {
        total = add(run, &mut [total, item], call)?;
    }
    Ok(total)
}

/// Returns the first item that no other one precedes. An item replaces another one with this order to it.
fn extreme<'v>(args: &[Value<'v>], call: &Call, replaces: core::cmp::Ordering) -> Evaluated<'v> {
    let mut found: Option<Value<'v>> = None;
    for item in ordered_items(args, call)? {
        let is_replaced = found.as_ref().is_none_or(|found| order(found, &item) == Ok(replaces));
        if is_replaced {
            found = Some(item);
        }
    }
    found.ok_or_else(|| format!("{} called on empty list", call.name).into())
}

/// Returns the index of the first item that is equal to a value.
pub(super) fn index_of<'v>(args: &[Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [list, item] if list.is_list() => {
            let found = list.items()?.iter().position(|other| same(other, item) == Ok(true));
            Ok(found.map_or(Value::Int(-1), Value::count_of))
        }
        args => no_overload(call, args),
    }
}

/// Returns the index of the last item that is equal to a value.
pub(super) fn last_index_of<'v>(args: &[Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [list, item] if list.is_list() => {
            let found = list.items()?.iter().rposition(|other| same(other, item) == Ok(true));
            Ok(found.map_or(Value::Int(-1), Value::count_of))
        }
        args => no_overload(call, args),
    }
}

fn includes<'v>(_: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [list, item] if list.is_list() => {
            Ok(Value::Bool(list.items()?.iter().any(|other| same(other, item) == Ok(true))))
        }
        [value, other] => Ok(Value::Bool(same(value, other) == Ok(true))),
        args => no_overload(call, args),
    }
}

/// Whether a list contains all items of another one.
fn has_all<'v>(list: &Value<'v>, items: &Value<'v>) -> Result<bool, Stop> {
    for item in items.items()? {
        if !contains(list, &item)? {
            return Ok(false);
        }
    }
    Ok(true)
}
