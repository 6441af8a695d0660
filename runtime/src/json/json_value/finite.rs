//! Refuses numbers that JSON does not have: serde_json writes null in their place, which removes the field.

use std::fmt;

use serde::{
    Serialize, Serializer,
    ser::{
        SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
        SerializeTupleVariant,
    },
};

/// The text before the path of a number.
pub(crate) const NOT_FINITE: &str = "a number is NaN or infinite, which JSON does not have: `";

/// Why a value cannot be sent.
#[derive(Debug)]
pub(super) enum Problem {
    /// A number is infinite or not a number. The names of its path are in the order from the number to the root.
    NotFinite { path: Vec<String> },
    /// The value cannot be serialized at all.
    Other,
}

impl Problem {
    fn below(mut self, name: &str) -> Self {
        if let Self::NotFinite { path } = &mut self {
            path.push(name.to_owned());
        }
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::NotFinite { path } = self else {
            return f.write_str("it cannot be serialized");
        };
        let names: Vec<_> = path.iter().rev().map(String::as_str).collect();
        write!(f, "{NOT_FINITE}{}`", names.join("."))
    }
}

impl std::error::Error for Problem {}

impl serde::ser::Error for Problem {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Other
    }
}

/// Fails if a value contains a number that is not finite.
pub(super) fn check<T: Serialize + ?Sized>(value: &T) -> Result<(), Problem> {
    match value.serialize(Check) {
        // The serialization that follows has the reason.
        Err(Problem::Other) => Ok(()),
        checked => checked,
    }
}

/// A serializer that writes nothing.
struct Check;

fn check_number(number: f64) -> Result<(), Problem> {
    if number.is_finite() { Ok(()) } else { Err(Problem::NotFinite { path: Vec::new() }) }
}

fn check_below<T: Serialize + ?Sized>(name: &str, value: &T) -> Result<(), Problem> {
    value.serialize(Check).map_err(|problem| problem.below(name))
}

macro_rules! always_finite {
    ($($method:ident: $type:ty,)+) => {$(
        fn $method(self, _: $type) -> Result<(), Problem> {
            Ok(())
        }
    )+};
}

impl Serializer for Check {
    type Ok = ();
    type Error = Problem;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    always_finite! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_char: char, serialize_str: &str, serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    fn serialize_f32(self, number: f32) -> Result<(), Problem> {
        check_number(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<(), Problem> {
        check_number(number)
    }

    fn serialize_none(self) -> Result<(), Problem> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Problem> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Problem> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Problem> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Problem> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Problem> {
        check_below(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Problem> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Problem> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Problem> {
        Ok(self)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Self, Problem> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Problem> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Problem> {
        Ok(self)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Self, Problem> {
        Ok(self)
    }
}

macro_rules! items {
    ($($trait:ident: $method:ident,)+) => {$(
        impl $trait for Check {
            type Ok = ();
            type Error = Problem;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Problem> {
                value.serialize(Check)
            }

            fn end(self) -> Result<(), Problem> {
                Ok(())
            }
        }
    )+};
}

items! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field,
}

macro_rules! fields {
    ($($trait:ident,)+) => {$(
        impl $trait for Check {
            type Ok = ();
            type Error = Problem;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Problem> {
                check_below(name, value)
            }

            fn end(self) -> Result<(), Problem> {
                Ok(())
            }
        }
    )+};
}

fields! { SerializeStruct, SerializeStructVariant, }

impl SerializeMap for Check {
    type Ok = ();
    type Error = Problem;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), Problem> {
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Problem> {
        value.serialize(Check)
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), Problem> {
        value.serialize(Check).map_err(|problem| {
            let key = serde_json::to_value(key).ok();
            problem.below(key.as_ref().and_then(|key| key.as_str()).unwrap_or("*"))
        })
    }

    fn end(self) -> Result<(), Problem> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    struct Ratios {
        #[serde(skip_serializing_if = "Option::is_none")]
        one: Option<f64>,
        small: f32,
        list: Vec<(u8, f64)>,
        map: BTreeMap<&'static str, Ratio>,
        #[serde(flatten)]
        more: BTreeMap<String, f64>,
    }

    #[derive(Serialize)]
    enum Ratio {
        None,
        Whole(f64),
        Part { of: f64 },
    }

    fn ratios() -> Ratios {
        let map = [("a", Ratio::None), ("b", Ratio::Whole(1.0)), ("c", Ratio::Part { of: 1.0 })];
        Ratios { one: None, small: 1.0, list: vec![(1, 2.0)], map: map.into(), more: BTreeMap::new() }
    }

    #[test]
    fn each_number_is_checked_and_named() {
        assert!(check(&ratios()).is_ok());
        assert!(check(&json!({ "a": [null, 1.5, {}] })).is_ok());
        let path_in = |ratios: Ratios| {
            let problem = check(&ratios).unwrap_err().to_string();
            problem.strip_prefix(NOT_FINITE).unwrap().trim_end_matches('`').to_owned()
        };
        assert_eq!(path_in(Ratios { one: Some(f64::NAN), ..ratios() }), "one");
        assert_eq!(path_in(Ratios { small: f32::INFINITY, ..ratios() }), "small");
        assert_eq!(path_in(Ratios { list: vec![(1, f64::NEG_INFINITY)], ..ratios() }), "list");
        for (ratio, path) in [(Ratio::Whole(f64::NAN), "map.b.Whole"), (Ratio::Part { of: f64::NAN }, "map.b.of")] {
            assert_eq!(path_in(Ratios { map: [("b", ratio)].into(), ..ratios() }), path);
        }
        let more = [("other".to_owned(), f64::NAN)].into();
        assert_eq!(path_in(Ratios { more, ..ratios() }), "other");
    }
}
