//! The library of lists.

use alloc::{format, sync::Arc, vec::Vec};
use core::cmp::Ordering;

use super::{
    Function, no_overload,
    operators::{is_ordered, unsupported},
};
use crate::cel::evaluate::{
    Run,
    equality::{order, same},
    error::{Evaluated, Stop},
    key::Key,
    program::Call,
    value::{Map, Value},
};

pub(super) fn named(name: &str) -> Option<Function> {
    Some(match name {
        "cel.@mapInsert" => insert,
        "first" => |_, args, call| match args {
            [list] if list.is_list() => end(list, |items| items.first().cloned()),
            args => no_overload(call, args),
        },
        "last" => |_, args, call| match args {
            [list] if list.is_list() => end(list, |items| items.last().cloned()),
            args => no_overload(call, args),
        },
        "lists.range" => range,
        "slice" => slice,
        "flatten" => flatten,
        "reverse" => reverse,
        "distinct" => distinct,
        "sort" => |run, args, call| match args {
            [list] if list.is_list() => sorted(run, list, list),
            args => unsupported(args, call, |_| false),
        },
        "@sortByAssociatedKeys" => |run, args, call| match args {
            [list, keys] if list.is_list() && keys.is_list() => sorted(run, list, keys),
            args => unsupported(args, call, |_| false),
        },
        _ => return None,
    })
}

fn end<'v>(list: &Value<'v>, of: fn(&[Value<'v>]) -> Option<Value<'v>>) -> Evaluated<'v> {
    Ok(of(&list.items()?).map_or(Value::Optional(None), Value::some))
}

/// The largest size of `lists.range`.
const MAX_RANGE: i64 = 1_000_000;

/// Returns the items, whose memory is counted.
fn items<'v>(run: &mut Run<'v, '_>, list: &Value<'v>) -> Result<Vec<Value<'v>>, Stop> {
    run.allocate_items(list.count().unwrap_or(0))?;
    list.items()
}

fn range<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [Value::Int(count @ ..0)] => Err(format!("lists.range: size must be non-negative, got {count}").into()),
        [Value::Int(count)] if *count > MAX_RANGE => {
            Err(format!("lists.range: size {count} exceeds maximum allowed ({MAX_RANGE})").into())
        }
        [Value::Int(count)] => {
            run.allocate_items(usize::try_from(*count).unwrap_or(usize::MAX))?;
            Ok(Value::list((0..*count).map(Value::Int).collect()))
        }
        args => no_overload(call, args),
    }
}

fn slice<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let &mut [ref list, Value::Int(start), Value::Int(end)] = args else { return no_overload(call, args) };
    let Some(count) = list.count().filter(|_| list.is_list()) else { return no_overload(call, args) };
    let error = |why: &str| Err(format!("cannot slice({start}, {end}), {why}").into());
    if start < 0 || end < 0 {
        return error("negative indexes not supported");
    }
    if start > end {
        return error("start index must be less than or equal to end index");
    }
    let (Ok(first), Ok(after)) = (usize::try_from(start), usize::try_from(end)) else {
        return error("list is too short");
    };
    if after > count {
        return error(&format!("list is length {count}"));
    }
    let items = items(run, list)?;
    Ok(Value::list(items[first..after].to_vec()))
}

fn flatten<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let (list, depth) = match args {
        [list] if list.is_list() => (&*list, 1),
        [list, Value::Int(depth)] if list.is_list() => (&*list, *depth),
        [list] => return Err(format!("no such overload: {}.flatten()", list.described_type()).into()),
        args => return no_overload(call, args),
    };
    if depth < 0 {
        return Err("level must be non-negative".into());
    }
    let mut flat = Vec::new();
    push_flat(run, list, depth, &mut flat)?;
    Ok(Value::list(flat))
}

fn push_flat<'v>(run: &mut Run<'v, '_>, list: &Value<'v>, depth: i64, flat: &mut Vec<Value<'v>>) -> Result<(), Stop> {
    for item in items(run, list)? {
        if depth > 0 && item.is_list() {
            push_flat(run, &item, depth - 1, flat)?;
        } else {
            flat.push(item);
        }
    }
    Ok(())
}

fn reverse<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [list] if list.is_list() => {
            let mut reversed = items(run, list)?;
            reversed.reverse();
            Ok(Value::list(reversed))
        }
        args => no_overload(call, args),
    }
}

fn distinct<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    let [list] = args else { return no_overload(call, args) };
    if !list.is_list() {
        return no_overload(call, args);
    }
    let mut unique: Vec<Value<'v>> = Vec::new();
    for item in items(run, list)? {
        if !unique.iter().any(|other| same(&item, other) == Ok(true)) {
            unique.push(item);
        }
    }
    Ok(Value::list(unique))
}

/// Sorts a list by a list of keys.
fn sorted<'v>(run: &mut Run<'v, '_>, list: &Value<'v>, keys: &Value<'v>) -> Evaluated<'v> {
    let (items, keys) = (items(run, list)?, items(run, keys)?);
    if items.len() != keys.len() {
        let message = format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            items.len(),
            keys.len()
        );
        return Err(message.into());
    }
    let Some(first) = keys.first() else {
        return Ok(list.clone());
    };
    if !is_ordered(first) {
        return Err("list elements must be comparable".into());
    }
    if keys.len() > 1 && keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Err("list elements must have the same type".into());
    }
    let mut pairs: Vec<_> = keys.iter().zip(items).collect();
    if pairs.len() <= MAX_INSERTION {
        sort_by_insertion(&mut pairs);
    } else {
        pairs.sort_by(|(one, _), (other, _)| match (one, other) {
            // The order of floats with NaN must be total.
            (Value::Double(one), Value::Double(other)) => {
                one.partial_cmp(other).unwrap_or_else(|| one.total_cmp(other))
            }
            (one, other) => order(one, other).unwrap_or(Ordering::Equal),
        });
    }
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item).collect()))
}

/// The length up to which Go's `sort.Slice` inserts each item. It does not keep the order of equal items of longer lists.
const MAX_INSERTION: usize = 12;

/// Sorts pairs by their keys, among which NaN is neither less nor greater than others: where it stands depends on the algorithm.
fn sort_by_insertion<'v>(pairs: &mut [(&Value<'v>, Value<'v>)]) {
    for end in 1..pairs.len() {
        let mut at = end;
        while at > 0 && order(pairs[at].0, pairs[at - 1].0) == Ok(Ordering::Less) {
            pairs.swap(at, at - 1);
            at -= 1;
        }
    }
}

/// Adds an entry, or the entries of a map, to a map.
fn insert<'v>(run: &mut Run<'v, '_>, args: &mut [Value<'v>], call: &Call) -> Evaluated<'v> {
    match args {
        [map, key, value] if map.is_map() => {
            let mut entries = entries(run, core::mem::take(map))?;
            let value = core::mem::take(value);
            insert_entry(run, Arc::make_mut(&mut entries), key, value)?;
            Ok(Value::Map(entries))
        }
        [map, other] if map.is_map() && other.is_map() => {
            let mut entries = entries(run, core::mem::take(map))?;
            let changed = Arc::make_mut(&mut entries);
            for [key, value] in other.each(true).into_iter().flatten() {
                insert_entry(run, changed, &key?, value?)?;
            }
            Ok(Value::Map(entries))
        }
        args => no_overload(call, args),
    }
}

fn insert_entry<'v>(
    run: &mut Run<'v, '_>,
    entries: &mut Map<'v>,
    key: &Value<'v>,
    value: Value<'v>,
) -> Result<(), Stop> {
    let Some(found) = Key::of_entry(key) else {
        run.has_panicked = true;
        return Err(Stop::unhashable(key));
    };
    if entries.contains_key(&found) {
        return Err(format!("insert failed: key {key} already exists").into());
    }
    run.allocate_items(2)?;
    entries.insert(found, value);
    Ok(())
}

/// Returns the entries of a map, which are copied if there is another reference to it.
fn entries<'v>(run: &mut Run<'v, '_>, map: Value<'v>) -> Result<Arc<Map<'v>>, Stop> {
    if let Value::Map(entries) = map {
        if Arc::strong_count(&entries) > 1 {
            run.allocate_items(entries.len().saturating_mul(2))?;
        }
        return Ok(entries);
    }
    let mut entries = Map::new();
    for [key, value] in map.each(true).into_iter().flatten() {
        if let Some(key) = Key::of_entry(&key?) {
            entries.insert(key, value?);
        }
    }
    Ok(Arc::new(entries))
}
