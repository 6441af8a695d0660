//! The choice between a type that decodes and encodes itself, and one that only serde knows.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::{
    generated::{by_serde, missing_by_serde},
    sink::{Encode, Part},
    slot::{Foreign, Own},
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

    /// Returns the value of a missing field.
    ///
    /// # Errors
    ///
    /// As [`Decode::missing`].
    pub fn missing(name: &'static str) -> Decoded<T> {
        T::missing(name)
    }

    /// Returns a field without a value.
    #[inline]
    pub const fn slot() -> Own<T> {
        Own(None)
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

    /// Returns the value of a missing field.
    ///
    /// # Errors
    ///
    /// If the field may not be missing.
    fn missing(name: &'static str) -> Decoded<T>
    where
        T: Deserialize<'de>,
    {
        missing_by_serde(name)
    }

    /// Returns a field without a value.
    fn slot() -> Foreign<'de, T>
    where
        T: Deserialize<'de>,
    {
        Foreign::new()
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
