//! Values of Rust types as JSON values.

use serde::{Serialize, ser::Error as _};
use serde_json::Value;

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
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Value> {
    check_finite(value)?;
    write(value, T::serialize, |value, text| value.serialize(text))
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

/// Writes a value as JSON text.
type TextSerializer<'a> = &'a mut serde_json::Serializer<Vec<u8>>;

/// The same as `to_value`, of a value that two functions write: what `#[serde(serialize_with)]` names, for each serializer.
pub fn write<T: ?Sized>(
    value: &T,
    json: impl FnOnce(&T, serde_json::value::Serializer) -> serde_json::Result<Value>,
    text: impl FnOnce(&T, TextSerializer<'_>) -> serde_json::Result<()>,
) -> serde_json::Result<Value> {
    // An error for integers beyond 64 bits, which would be rounded when the text is read.
    let json = json(value, serde_json::value::Serializer)?;
    let mut serializer = serde_json::Serializer::new(Vec::new());
    text(value, &mut serializer)?;
    // A text that is nested too deep to be read is too deep for an API server too.
    Ok(serde_json::from_slice(&serializer.into_inner()).unwrap_or(json))
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
            prop_assert_eq!(to_value(&large).unwrap().as_f64(), Some(large).filter(|large| large.is_finite()));
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

    #[test]
    fn integers_beyond_64_bits_are_errors() {
        for number in [i128::MIN, i128::from(u64::MAX) + 1] {
            to_value(&[number]).unwrap_err();
        }
    }
}
