//! The choice between a type that decodes and encodes itself, and one that only serde knows.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::{
    generated::{by_serde, missing_by_serde},
    sink::{Encode, Part},
    source::{Decode, Decoded, Source},
};

/// A type whose inherent functions take precedence over those of [`ForeignDecode`] and [`ForeignEncode`].
pub struct Probe<'de, T>(PhantomData<(&'de (), T)>);

impl<'de, T: Decode<'de>> Probe<'de, T> {
    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// As [`Decode::decode`].
    #[inline]
    pub fn decode(source: &mut dyn Source<'de>) -> Decoded<T> {
        T::decode(source)
    }

    /// Decodes the value of a field.
    ///
    /// # Errors
    ///
    /// As [`Decode::decode`].
    pub fn decode_field(field: &mut Option<T>, source: &mut dyn Source<'de>) -> Decoded<()> {
        *field = Some(T::decode(source)?);
        Ok(())
    }

    /// Returns the value of a field, or of a missing one.
    ///
    /// # Errors
    ///
    /// As [`Decode::missing`].
    pub fn present(field: Option<T>, name: &'static str) -> Decoded<T> {
        field.map_or_else(|| T::missing(name), Ok)
    }
}

impl<T: Encode> Probe<'_, T> {
    /// Returns the value for a sink.
    #[inline]
    pub fn part(value: &T) -> Part<'_> {
        Part::Own(value)
    }
}

/// Decodes a type that only serde knows.
pub trait ForeignDecode<'de, T> {
    /// Decodes a value.
    ///
    /// # Errors
    ///
    /// As `T::deserialize`.
    fn decode(source: &mut dyn Source<'de>) -> Decoded<T>
    where
        T: Deserialize<'de>,
    {
        by_serde(source, |deserializer| erased_serde::deserialize(deserializer))
    }

    /// Decodes the value of a field.
    ///
    /// # Errors
    ///
    /// As `T::deserialize`.
    fn decode_field(field: &mut Option<T>, source: &mut dyn Source<'de>) -> Decoded<()>
    where
        T: Deserialize<'de>,
    {
        *field = Some(Self::decode(source)?);
        Ok(())
    }

    /// Returns the value of a field, or of a missing one.
    ///
    /// # Errors
    ///
    /// If the field may not be missing.
    fn present(field: Option<T>, name: &'static str) -> Decoded<T>
    where
        T: Deserialize<'de>,
    {
        field.map_or_else(|| missing_by_serde(name), Ok)
    }
}

impl<'de, T> ForeignDecode<'de, T> for Probe<'de, T> {}

/// Encodes a type that only serde knows.
pub trait ForeignEncode<T> {
    /// Returns the value for a sink.
    fn part(value: &T) -> Part<'_>
    where
        T: Serialize,
    {
        Part::Foreign(value)
    }
}

impl<T> ForeignEncode<T> for Probe<'_, T> {}
