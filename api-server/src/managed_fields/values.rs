//! The order and the equality of JSON values, in which `1` and `1.0` are the same number.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

/// Whether two values are equal.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare_numbers(one, other).is_eq(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_equal = |(name, value): (&String, &Value)| other.get(name).is_some_and(|other| equal(value, other));
            one.len() == other.len() && one.iter().all(is_equal)
        }
        _ => one == other,
    }
}

/// Whether two objects are equal, apart from one member.
pub(super) fn equal_besides(one: &Value, other: &Value, member: &str) -> bool {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else {
        return one == other;
    };
    let others = |object: &Map<String, Value>| object.keys().filter(|name| *name != member).count();
    let is_equal =
        |(name, value): (&String, &Value)| name == member || other.get(name).is_some_and(|other| equal(value, other));
    others(one) == others(other) && one.iter().all(is_equal)
}

/// Returns the order of two scalars: numbers, strings, booleans, and other values, which cannot identify an item.
pub(super) fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare_numbers(one, other),
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        _ => rank(one).cmp(&rank(other)).then_with(|| one.to_string().cmp(&other.to_string())),
    }
}

fn compare_numbers(one: &Number, other: &Number) -> Ordering {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => one.cmp(&other),
        _ => one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal),
    }
}

const fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_compared_by_their_value() {
        assert!(equal(&json!({"a": [1, 2.5]}), &json!({"a": [1.0, 2.5]})));
        assert!(!equal(&json!({"a": [1]}), &json!({"a": [1, 2]})));
        assert!(!equal(&json!({"a": 1}), &json!({"b": 1})));
        assert!(!equal(&json!(1), &json!("1")));
        assert_eq!(compare(&json!(1.5), &json!(2)), Ordering::Less);
    }

    #[test]
    fn values_of_different_types_have_an_order() {
        let sorted = [json!(-1), json!(1.5), json!("a"), json!("b"), json!(false), json!(true), json!(null)];
        assert!(sorted.is_sorted_by(|one, other| compare(one, other).is_lt()));
    }
}
