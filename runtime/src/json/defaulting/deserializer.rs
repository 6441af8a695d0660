//! The wrapper of a deserializer.

use std::fmt;

use serde::{
    Deserializer,
    de::{EnumAccess, MapAccess, SeqAccess, Visitor},
};

use crate::json::defaulting::{
    DefaultedFields,
    access::{DefaultingEnum, DefaultingMap, DefaultingSeq},
};

/// A deserializer that adds the fields with defaults that its input lacks.
pub(crate) struct DefaultingDeserializer<'f, D> {
    inner: D,
    fields: Option<&'f DefaultedFields>,
}

impl<'f, D> DefaultingDeserializer<'f, D> {
    pub(crate) fn new(inner: D, fields: Option<&'f DefaultedFields>) -> Self {
        Self { inner, fields }
    }
}

/// Methods whose visitors may be passed a value with parts.
macro_rules! wrapping {
    ($($method:ident($($name:ident: $ty:ty),*);)+) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $ty,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($name,)* DefaultingVisitor { inner: visitor, fields: self.fields })
        }
    )+};
}

/// Methods for values without parts.
macro_rules! forwarding {
    ($($method:ident)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(visitor)
        }
    )+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for DefaultingDeserializer<'_, D> {
    type Error = D::Error;

    wrapping! {
        deserialize_any();
        deserialize_option();
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
    }

    forwarding! {
        deserialize_bool
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
        deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_unit deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_unit_struct(name, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

pub(super) struct DefaultingVisitor<'f, V> {
    pub(super) inner: V,
    pub(super) fields: Option<&'f DefaultedFields>,
}

macro_rules! scalars {
    ($($method:ident: $ty:ty;)+) => {$(
        fn $method<E: serde::de::Error>(self, value: $ty) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )+};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for DefaultingVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    scalars! {
        visit_bool: bool;
        visit_i8: i8;
        visit_i16: i16;
        visit_i32: i32;
        visit_i64: i64;
        visit_i128: i128;
        visit_u8: u8;
        visit_u16: u16;
        visit_u32: u32;
        visit_u64: u64;
        visit_u128: u128;
        visit_f32: f32;
        visit_f64: f64;
        visit_char: char;
        visit_str: &str;
        visit_borrowed_str: &'de str;
        visit_string: String;
        visit_bytes: &[u8];
        visit_borrowed_bytes: &'de [u8];
        visit_byte_buf: Vec<u8>;
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(DefaultingDeserializer::new(deserializer, self.fields))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(DefaultingDeserializer::new(deserializer, self.fields))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        let items = self.fields.and_then(|fields| fields.elements.as_deref());
        self.inner.visit_seq(DefaultingSeq::new(seq, items))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(DefaultingMap::new(map, self.fields))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(DefaultingEnum::new(data, self.fields))
    }
}
