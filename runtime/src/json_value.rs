//! Values of Rust types as JSON values.

use serde::{Serialize, ser::Error as _};
use serde_json::{Number, Value};

mod finite;

#[cfg(feature = "client")]
pub(crate) use finite::NOT_FINITE;

/// Serializes a value as it is sent to the API server.
///
/// `serde_json::to_value` turns an `f32` into the `f64` with the same bits, so that 0.1 is stored as 0.10000000149011612, which may
/// violate the `maximum` of its schema. Its text has the shortest number that is read as this `f32`.
///
/// # Errors
///
/// If the value has no form in JSON, such as a map whose keys are lists, or a number that is infinite.
pub(crate) fn to_value<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Value> {
    check_finite(value)?;
    let mut json = serde_json::to_value(value)?;
    // A text that is nested too deep to be read is too deep for an API server too.
    if let Ok(text) = serde_json::from_slice(&serde_json::to_vec(value)?) {
        shorten(&mut json, &text);
    }
    Ok(json)
}

/// Serializes a value as text that is sent to the API server.
///
/// # Errors
///
/// The same as for [`to_value`].
#[cfg(feature = "client")]
pub(crate) fn to_vec<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Vec<u8>> {
    check_finite(value)?;
    serde_json::to_vec(value)
}

/// Fails if a value has a number that JSON does not have.
pub(crate) fn check_finite<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<()> {
    finite::check(value).map_err(serde_json::Error::custom)
}

/// Replaces the numbers of `f32` by those in the text.
fn shorten(json: &mut Value, text: &Value) {
    match (json, text) {
        (Value::Array(items), Value::Array(texts)) => {
            items.iter_mut().zip(texts).for_each(|(item, text)| shorten(item, text));
        }
        (Value::Object(members), Value::Object(texts)) => {
            for (name, member) in members {
                if let Some(text) = texts.get(name) {
                    shorten(member, text);
                }
            }
        }
        (Value::Number(number), Value::Number(text)) if number != text => {
            if let Some(short) = shortest(number, text) {
                *number = short;
            }
        }
        _ => {}
    }
}

/// Returns the shortest number of an `f32`; `None` for an `f64`, whose text serde_json may read as the next `f64`.
fn shortest(number: &Number, text: &Number) -> Option<Number> {
    const PARSER_ERROR: f64 = 4.0 * f64::EPSILON;
    let (wide, read) = (number.as_f64()?, text.as_f64()?);
    let is_near = |one: f64, other: f64| (one - other).abs() <= one.abs() * PARSER_ERROR;
    #[expect(clippy::cast_possible_truncation, reason = "they are compared with the number")]
    let (narrow, of_text) = (wide as f32, read as f32);
    if f64::from(narrow) != wide || of_text != narrow || is_near(wide, read) {
        return None;
    }
    // Between two numbers that are equally short and near, serde_json and the standard library may choose differently.
    let short: f64 = narrow.to_string().parse().ok()?;
    Number::from_f64(if is_near(short, read) { short } else { read })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_text(small in any::<f32>(), large in any::<f64>(), whole in any::<i64>()) {
            // The last is an `f64` that an `f32` has too.
            let values = (small, large, whole, u64::MAX, f64::from(small));
            let text = to_value(&values).unwrap().to_string();
            let numbers = |text: &str| {
                // Both formats have the shortest digits, but not the same exponents.
                let texts = text.trim_matches(['[', ']']).split(',').map(str::to_owned);
                texts.map(|it| it.parse::<f64>().map(f64::to_bits)).collect::<Vec<_>>()
            };
            prop_assert_eq!(numbers(&text), numbers(&serde_json::to_string(&values).unwrap()));
        }
    }

    #[test]
    fn an_f32_has_its_shortest_number() {
        assert_eq!(to_value(&[0.1_f32, 16_777_216.0]).unwrap().to_string(), "[0.1,16777216.0]");
        assert_eq!(
            to_value(&[-2_856_804.3_f32]).unwrap().to_string(),
            serde_json::to_string(&[-2_856_804.3_f32]).unwrap()
        );
        assert_eq!(to_value(&[f64::from(0.1_f32)]).unwrap().to_string(), "[0.10000000149011612]");
    }
}
