//! Optional values.

use alloc::format;

use super::{Function, no_overload};
use crate::cel::evaluate::{
    Run,
    error::{Evaluated, Stop},
    program::Call,
    value::Value,
};

pub(super) fn named(name: &str) -> Option<Function> {
    Some(match name {
        "optional.none" => |_, _, _| Ok(Value::Optional(None)),
        "optional.of" => |_, args, _| Ok(Value::some(core::mem::take(&mut args[0]))),
        "optional.ofNonZeroValue" => |_, args, _| {
            let value = core::mem::take(&mut args[0]);
            Ok(if value.is_zero() { Value::Optional(None) } else { Value::some(value) })
        },
        "optional.unwrap" | "unwrapOpt" => unwrap,
        "hasValue" => |_, args, call| match args {
            [Value::Optional(value)] => Ok(Value::Bool(value.is_some())),
            args => no_overload(call, args),
        },
        "value" => |_, args, call| match args {
            [Value::Optional(Some(value))] => Ok(Value::clone(value)),
            [Value::Optional(None)] => Err("optional.none() dereference".into()),
            args => no_overload(call, args),
        },
        _ => return None,
    })
}

/// Returns the values of a list of optional values.
fn unwrap<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let [list] = args else { return no_overload(call, args) };
    if !list.is_list() {
        return no_overload(call, args);
    }
    run.allocate_items(list.count().unwrap_or(0))?;
    let items = list.items()?;
    // The server finds the overload by the first item.
    if items.first().is_some_and(|first| !matches!(first, Value::Optional(_))) {
        return no_overload(call, args);
    }
    let mut present = alloc::vec::Vec::new();
    for item in items {
        match item {
            Value::Optional(value) => present.extend(value.as_deref().cloned()),
            other => return Err(Stop::from(format!("value {other} is not optional"))),
        }
    }
    Ok(Value::list(present))
}
