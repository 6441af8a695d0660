//! JSON decoders that derives generate, and their runtime support.
//!
//! A [`Decode`] returns a value only if it is certainly the one that serde would return. In all other cases (keys with
//! escapes, duplicate keys, mismatched types) it returns `None`, and serde reads the same text and returns the value or
//! the error.

mod kubernetes;
mod missing;
#[cfg(feature = "client")]
mod outside_strings;
mod parser;
mod root;
pub(crate) mod scan;
mod standard;
mod timestamp;

use std::marker::PhantomData;

use serde::de::DeserializeOwned;

#[cfg(feature = "client")]
pub(crate) use outside_strings::outside_strings;
pub use parser::Parser;
#[cfg(feature = "informer")]
pub(crate) use root::OBJECT_TEXT;
pub use root::{Root, deserialize, root};
#[cfg(feature = "client")]
pub(crate) use scan::MAX_DEPTH;

/// A type that is decoded from JSON without serde.
pub trait Decode: Sized {
    /// Decodes the next value; returns `None` if serde might return another result.
    fn decode(parser: &mut Parser<'_>) -> Option<Self>;

    /// Returns the value of a missing field; returns `None` if serde might return another result.
    fn missing() -> Option<Self> {
        None
    }
}

/// Decodes a text that contains one value; returns `None` if serde might return another result.
pub fn read<T: Decode>(text: &str) -> Option<T> {
    let mut parser = Parser::new(text);
    let value = T::decode(&mut parser)?;
    parser.end()?;
    Some(value)
}

/// Decodes values of `T`, and falls back to serde: `Reader::<T>::decode(parser)`.
///
/// If `T` implements [`Decode`], its inherent functions take precedence over those of [`BySerde`].
pub struct Reader<T>(PhantomData<T>);

impl<T: Decode> Reader<T> {
    /// See [`Decode::decode`].
    #[inline]
    pub fn decode(parser: &mut Parser<'_>) -> Option<T> {
        T::decode(parser)
    }

    /// See [`Decode::missing`].
    #[inline]
    pub fn missing() -> Option<T> {
        T::missing()
    }
}

/// The fallback of [`Reader`].
pub trait BySerde<T> {
    /// See [`Decode::decode`].
    fn decode(parser: &mut Parser<'_>) -> Option<T>
    where
        T: DeserializeOwned,
    {
        parser.by_serde()
    }

    /// See [`Decode::missing`].
    fn missing() -> Option<T>
    where
        T: DeserializeOwned,
    {
        by_serde_missing()
    }
}

impl<T> BySerde<T> for Reader<T> {}

/// Returns the value that serde uses for a missing field.
pub fn by_serde_missing<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(missing::Missing).ok()
}

#[cfg(test)]
mod tests;
