//! The value of a field that is missing, of a type that only serde knows.

use serde::{
    Deserializer,
    de::{Visitor, value::Error},
    forward_to_deserialize_any,
};

use super::fault::Fault;

/// A deserializer without a value: types that ask for an option get none, and all others fail, as serde's derive treats a missing
/// field.
pub(super) struct MissingField(pub(super) &'static str);

/// Why a type has no value if its field is missing.
#[derive(Debug)]
pub(super) enum NoValue {
    Missing(&'static str),
    Custom(String),
}

impl std::fmt::Display for NoValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "{}", <Error as serde::de::Error>::missing_field(name)),
            Self::Custom(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for NoValue {}

impl serde::de::Error for NoValue {
    fn custom<T: std::fmt::Display>(text: T) -> Self {
        Self::Custom(text.to_string())
    }
}

impl From<NoValue> for Fault {
    fn from(error: NoValue) -> Self {
        match error {
            NoValue::Missing(name) => Self::missing_field(name),
            NoValue::Custom(text) => Self::custom(text),
        }
    }
}

impl<'de> Deserializer<'de> for MissingField {
    type Error = NoValue;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NoValue> {
        Err(NoValue::Missing(self.0))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NoValue> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
