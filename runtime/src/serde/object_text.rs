//! A deserializer that passes types the text of an object if they request it.

use std::cell::Cell;

use serde::{
    Deserializer,
    de::{DeserializeOwned, Error as _, Visitor, value::BorrowedStrDeserializer},
    forward_to_deserialize_any,
};
use serde_json::Error;

use super::root::TEXT_RESOURCE;
use crate::json::defaulting::DEFAULTED_TEXT_RESOURCE;

/// The name of a newtype struct that requests the JSON text of an object: its deserializer passes it to
/// [`visit_borrowed_str`](Visitor::visit_borrowed_str).
///
/// The text is the received object, possibly without `metadata.managedFields`. Only its UTF-8 has been checked.
pub(crate) const OBJECT_TEXT: &str = "$crdkit::private::ObjectText";

/// Decodes an object from its text.
///
/// # Errors
///
/// As `serde_json::from_str`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    T::deserialize(ObjectText { text, passes_roots: true })
}

/// Returns whether a type requests the text of an object.
pub(crate) fn is_requested_by<T: DeserializeOwned>() -> bool {
    let is_requested = Cell::new(false);
    let _ = T::deserialize(RequestProbe(&is_requested));
    is_requested.get()
}

/// A deserializer without a value, which records a request of the text.
struct RequestProbe<'a>(&'a Cell<bool>);

impl<'de> Deserializer<'de> for RequestProbe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("there is no value"))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.0.set(name == OBJECT_TEXT);
        self.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.set([TEXT_RESOURCE, DEFAULTED_TEXT_RESOURCE].contains(&name));
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map enum identifier ignored_any
    }
}

/// The text of an object.
pub(crate) struct ObjectText<'a> {
    text: &'a str,
    /// Whether roots get the text, which they read up to its last member.
    passes_roots: bool,
}

impl<'de> ObjectText<'de> {
    /// Returns a deserializer of which a wrapper can leave out members: only types that request the text get it.
    pub(crate) fn of_members(text: &'de str) -> Self {
        Self { text, passes_roots: false }
    }

    /// Decodes the text with serde_json, up to its end.
    fn with_serde_json<T>(self, decode: impl FnOnce(&mut Json<'de>) -> Result<T, Error>) -> Result<T, Error> {
        let mut json = serde_json::Deserializer::from_str(self.text);
        let decoded = decode(&mut json)?;
        json.end()?;
        Ok(decoded)
    }
}

type Json<'de> = serde_json::Deserializer<serde_json::de::StrRead<'de>>;

impl<'de> Deserializer<'de> for ObjectText<'de> {
    type Error = Error;

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        if name == OBJECT_TEXT {
            return visitor.visit_borrowed_str(self.text);
        }
        self.with_serde_json(|json| json.deserialize_newtype_struct(name, visitor))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.with_serde_json(|json| json.deserialize_any(visitor))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.with_serde_json(|json| json.deserialize_map(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.passes_roots && [TEXT_RESOURCE, DEFAULTED_TEXT_RESOURCE].contains(&name) {
            return visitor.visit_newtype_struct(BorrowedStrDeserializer::new(self.text));
        }
        self.with_serde_json(|json| json.deserialize_struct(name, fields, visitor))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.with_serde_json(|json| json.deserialize_enum(name, variants, visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.with_serde_json(|json| json.deserialize_option(visitor))
    }

    // Other types get an error that contains the actual type.
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct identifier ignored_any
    }
}
