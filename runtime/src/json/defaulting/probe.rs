//! Whether a type fills in defaults, where only its `Deserialize` is known.

use std::cell::Cell;

use serde::{
    Deserialize, Deserializer,
    de::{Visitor, value::Error},
    forward_to_deserialize_any,
};

use crate::json::defaulting::{DEFAULTED_RESOURCE, DEFAULTED_TEXT_RESOURCE};

/// Whether the deserialization of a type fills in defaults.
pub(crate) fn fills_in_defaults<'de, T: Deserialize<'de>>() -> bool {
    let found = Cell::new(false);
    // Fails, because there is no value.
    drop(T::deserialize(Probe { found: &found }));
    found.get()
}

struct Probe<'a> {
    found: &'a Cell<bool>,
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(serde::de::Error::custom("there is no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.found.set(name == DEFAULTED_RESOURCE || name == DEFAULTED_TEXT_RESOURCE);
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
