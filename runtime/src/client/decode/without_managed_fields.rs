//! A deserializer that skips `metadata.managedFields`.

use std::{borrow::Cow, fmt};

use serde::{
    Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
        value::{BorrowedStrDeserializer, StringDeserializer},
    },
};

use crate::json::cow_str::CowStr;

/// A deserializer, seed, visitor or map with the level at which it filters.
pub(crate) struct WithoutManagedFields<T> {
    inner: T,
    level: Level,
}

#[derive(Clone, Copy)]
enum Level {
    /// In an object, which has metadata.
    Object,
    /// In the metadata of an object.
    Metadata,
}

impl<D> WithoutManagedFields<D> {
    /// Wraps the deserializer of an object.
    pub(crate) fn object(inner: D) -> Self {
        Self { inner, level: Level::Object }
    }

    /// Wraps the deserializer or the seed of the metadata of an object.
    pub(crate) fn metadata(inner: D) -> Self {
        Self { inner, level: Level::Metadata }
    }

    fn same_level<T>(&self, inner: T) -> WithoutManagedFields<T> {
        WithoutManagedFields { inner, level: self.level }
    }
}

macro_rules! forward {
    ($($method:ident($($argument:ident: $type:ty),*);)+) => {$(
        fn $method<V: Visitor<'de>>(self $(, $argument: $type)*, visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.same_level(visitor);
            self.inner.$method($($argument,)* visitor)
        }
    )+};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for WithoutManagedFields<D> {
    type Error = D::Error;

    forward! {
        deserialize_any();
        deserialize_bool();
        deserialize_i8();
        deserialize_i16();
        deserialize_i32();
        deserialize_i64();
        deserialize_i128();
        deserialize_u8();
        deserialize_u16();
        deserialize_u32();
        deserialize_u64();
        deserialize_u128();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_identifier();
        deserialize_ignored_any();
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! forward_values {
    ($($method:ident($type:ty);)+) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$method(value)
        }
    )+};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for WithoutManagedFields<V> {
    type Value = V::Value;

    forward_values! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_f64(f64);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
        visit_bytes(&[u8]);
        visit_borrowed_bytes(&'de [u8]);
        visit_byte_buf(Vec<u8>);
    }

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.same_level(deserializer);
        self.inner.visit_some(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.same_level(deserializer);
        self.inner.visit_newtype_struct(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(seq)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(data)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let map = FilteredMap { map, level: self.level, at_metadata: false };
        self.inner.visit_map(map)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for WithoutManagedFields<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let deserializer = self.same_level(deserializer);
        self.inner.deserialize(deserializer)
    }
}

struct FilteredMap<A> {
    map: A,
    level: Level,
    /// Whether the next value is `metadata`.
    at_metadata: bool,
}

impl<'de, A: MapAccess<'de>> FilteredMap<A> {
    /// Returns the next key that is not skipped.
    fn next(&mut self) -> Result<Option<Cow<'de, str>>, A::Error> {
        while let Some(CowStr(key)) = self.map.next_key::<CowStr<'de>>()? {
            match self.level {
                Level::Metadata if key == "managedFields" => {
                    self.map.next_value::<IgnoredAny>()?;
                }
                Level::Metadata => return Ok(Some(key)),
                Level::Object => {
                    self.at_metadata = key == "metadata";
                    return Ok(Some(key));
                }
            }
        }
        Ok(None)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for FilteredMap<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let key = match self.next()? {
            None => return Ok(None),
            Some(Cow::Borrowed(key)) => seed.deserialize(BorrowedStrDeserializer::new(key)),
            Some(Cow::Owned(key)) => seed.deserialize(StringDeserializer::new(key)),
        };
        key.map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        if self.at_metadata {
            return self.map.next_value_seed(WithoutManagedFields::metadata(seed));
        }
        self.map.next_value_seed(seed)
    }
}
