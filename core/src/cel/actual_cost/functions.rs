//! The results of functions, as far as they are needed to know which parts of an expression are evaluated.

use alloc::{borrow::Cow, format, rc::Rc, string::ToString, vec::Vec};
use core::cmp::Ordering;

use super::{Run, value::Value};

impl<'v> Run<'v, '_> {
    /// Returns the result of a call.
    pub(super) fn result(&mut self, function: &str, mut args: Vec<Value<'v>>) -> Value<'v> {
        match (function, args.as_mut_slice()) {
            ("matches", [Value::Text(text), Value::Text(pattern)]) => self.is_match(text, pattern),
            ("cel.@mapInsert", [map, key, value]) => with_entry(map, key, value),
            ("replace", [Value::Text(text), Value::Text(from), Value::Text(to)]) => {
                Value::Text(Cow::Owned(text.replace(&**from, to)))
            }
            ("cel.@mapInsert", [map, Value::Map(entries)]) => {
                let mut entries = entries.iter();
                entries
                    .try_fold(map.clone(), |mut map, (key, value)| match with_entry(&mut map, key, value) {
                        Value::Unknown => None,
                        map => Some(map),
                    })
                    .unwrap_or(Value::Unknown)
            }
            (_, [value]) => of_one(function, value),
            (_, [one, other]) => of_two(function, one, other),
            ("optional.none", []) => Value::Optional(None),
            _ => Value::Unknown,
        }
    }

    fn is_match(&mut self, text: &str, pattern: &str) -> Value<'v> {
        match self.matchers.of(pattern) {
            Ok(matcher) => Value::Bool(matcher.is_match(text)),
            Err(_) => Value::Unknown,
        }
    }
}

#[allow(clippy::cast_precision_loss)] // as Go converts it
fn of_one<'v>(function: &str, value: &Value<'v>) -> Value<'v> {
    match (function, value) {
        ("!_", Value::Bool(value)) => Value::Bool(!value),
        ("@not_strictly_false", Value::Bool(value)) => Value::Bool(*value),
        ("-_", Value::Int(value)) => value.checked_neg().map_or(Value::Unknown, Value::Int),
        ("-_", Value::Double(value)) => Value::Double(-value),
        ("type", value) => value.type_(),
        ("dyn", value)
        | ("string", value @ Value::Text(_))
        | ("int", value @ Value::Int(_))
        | ("double", value @ Value::Double(_)) => value.clone(),
        ("string", Value::Int(value)) => Value::Text(Cow::Owned(value.to_string())),
        ("double", Value::Int(value)) => Value::Double(*value as f64),
        ("lowerAscii", Value::Text(text)) => Value::Text(Cow::Owned(text.to_ascii_lowercase())),
        ("upperAscii", Value::Text(text)) => Value::Text(Cow::Owned(text.to_ascii_uppercase())),
        ("size", Value::Text(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_) | Value::Data(..)) => {
            let size = value.size().and_then(|size| i64::try_from(size).ok());
            size.map_or(Value::Unknown, Value::Int)
        }
        ("hasValue", Value::Optional(value)) => Value::Bool(value.is_some()),
        ("value", Value::Optional(Some(value))) => Value::clone(value),
        ("optional.unwrap" | "unwrapOpt", list) => present(list),
        ("optional.ofNonZeroValue", value) => value
            .is_zero()
            .map_or(Value::Unknown, |is_zero| Value::Optional((!is_zero).then(|| Rc::new(value.clone())))),
        ("optional.of", value) if !matches!(value, Value::Unknown) => Value::Optional(Some(Rc::new(value.clone()))),
        _ => Value::Unknown,
    }
}

fn of_two<'v>(function: &str, one: &mut Value<'v>, other: &Value<'v>) -> Value<'v> {
    let ordered = |is: fn(Ordering) -> bool| one.order(other).map_or(Value::Unknown, |order| Value::Bool(is(order)));
    match function {
        "_==_" => one.equals(other).map_or(Value::Unknown, Value::Bool),
        "_!=_" => one.equals(other).map_or(Value::Unknown, |is_equal| Value::Bool(!is_equal)),
        "_<_" => ordered(Ordering::is_lt),
        "_<=_" => ordered(Ordering::is_le),
        "_>_" => ordered(Ordering::is_gt),
        "_>=_" => ordered(Ordering::is_ge),
        "@in" => other.contains(one),
        "_+_" => sum(one, other),
        "@sortByAssociatedKeys" => sorted(one, other),
        _ => match (function, &*one, other) {
            ("startsWith", Value::Text(text), Value::Text(part)) => Value::Bool(text.starts_with(&**part)),
            ("endsWith", Value::Text(text), Value::Text(part)) => Value::Bool(text.ends_with(&**part)),
            ("contains", Value::Text(text), Value::Text(part)) => Value::Bool(text.contains(&**part)),
            ("indexOf", Value::Text(text), Value::Text(part)) => position(text, text.find(&**part)),
            ("lastIndexOf", Value::Text(text), Value::Text(part)) => position(text, text.rfind(&**part)),
            ("split", Value::Text(text), Value::Text(separator)) if !separator.is_empty() => {
                let parts = text.split(&**separator).map(|part| Value::Text(Cow::Owned(part.into())));
                Value::List(Rc::new(parts.collect()))
            }
            (_, Value::Int(one), Value::Int(other)) => of_integers(function, *one, *other),
            (_, Value::Double(one), Value::Double(other)) => of_doubles(function, *one, *other),
            _ => Value::Unknown,
        },
    }
}

/// Returns the values of a list of optional values.
fn present<'v>(list: &Value<'v>) -> Value<'v> {
    let Some(items) = list.items() else { return Value::Unknown };
    let mut present = Vec::new();
    for item in items {
        match item {
            Value::Optional(item) => present.extend(item.as_deref().cloned()),
            _ => return Value::Unknown,
        }
    }
    Value::List(Rc::new(present))
}

/// Sorts a list by a list of keys.
fn sorted<'v>(list: &Value<'v>, keys: &Value<'v>) -> Value<'v> {
    let (Some(items), Some(keys)) = (list.items(), keys.items()) else { return Value::Unknown };
    let mut pairs: Vec<_> = keys.zip(items).collect();
    if pairs.iter().any(|(key, _)| key.order(&pairs[0].0).is_none()) {
        return Value::Unknown;
    }
    pairs.sort_by(|(one, _), (other, _)| one.order(other).unwrap_or(Ordering::Equal));
    Value::List(Rc::new(pairs.into_iter().map(|(_, item)| item).collect()))
}

/// Returns the number of characters before an offset; -1 without one.
fn position<'v>(text: &str, offset: Option<usize>) -> Value<'v> {
    let position = offset.map_or(Ok(-1), |offset| i64::try_from(text[..offset].chars().count()));
    position.map_or(Value::Unknown, Value::Int)
}

fn of_integers<'v>(function: &str, one: i64, other: i64) -> Value<'v> {
    let result = match function {
        "_-_" => one.checked_sub(other),
        "_*_" => one.checked_mul(other),
        "_/_" => one.checked_div(other),
        "_%_" => one.checked_rem(other),
        _ => None,
    };
    result.map_or(Value::Unknown, Value::Int)
}

fn of_doubles<'v>(function: &str, one: f64, other: f64) -> Value<'v> {
    match function {
        "_-_" => Value::Double(one - other),
        "_*_" => Value::Double(one * other),
        "_/_" => Value::Double(one / other),
        _ => Value::Unknown,
    }
}

fn sum<'v>(one: &mut Value<'v>, other: &Value<'v>) -> Value<'v> {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => one.checked_add(*other).map_or(Value::Unknown, Value::Int),
        (Value::Double(one), Value::Double(other)) => Value::Double(*one + other),
        (Value::Text(one), Value::Text(other)) => Value::Text(Cow::Owned(format!("{one}{other}"))),
        (Value::Bytes(one), Value::Bytes(other)) => Value::Bytes(*one + other),
        (Value::List(one), other) => match other.items() {
            Some(items) => {
                Rc::make_mut(one).extend(items);
                Value::List(Rc::clone(one))
            }
            None => Value::Unknown,
        },
        (Value::Data(list, declared), other) if !declared.is_keyed_list => {
            match (Value::Data(list, declared).items(), other.items()) {
                (Some(items), Some(others)) => Value::List(Rc::new(items.chain(others).collect())),
                _ => Value::Unknown,
            }
        }
        _ => Value::Unknown,
    }
}

fn with_entry<'v>(map: &mut Value<'v>, key: &Value<'v>, value: &Value<'v>) -> Value<'v> {
    // A key that is there is an error.
    let is_new = matches!(map.contains(key), Value::Bool(false));
    let Value::Map(entries) = map else {
        return Value::Unknown;
    };
    if !is_new {
        return Value::Unknown;
    }
    Rc::make_mut(entries).push((key.clone(), value.clone()));
    Value::Map(Rc::clone(entries))
}
