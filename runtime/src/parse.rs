//! Decoders that derives emit: what they call, and what calls them.
//!
//! A [`Decode`] answers only where it is sure to answer as serde does. All else (keys with escapes, keys that occur
//! twice, types that do not fit) is `None`, and serde reads the same text: it has the value, or knows what is wrong.

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
    /// The value that comes next; `None` where serde might say something else.
    fn decode(parser: &mut Parser<'_>) -> Option<Self>;

    /// The value of a field that is not there; `None` where serde might say something else.
    fn missing() -> Option<Self> {
        None
    }
}

/// Decodes a text that is one value; `None` where serde might say something else.
pub fn read<T: Decode>(text: &str) -> Option<T> {
    let mut parser = Parser::new(text);
    let value = T::decode(&mut parser)?;
    parser.end()?;
    Some(value)
}

/// Decodes values of `T`, by serde if it knows no better: `Reader::<T>::decode(parser)`.
///
/// The functions of this type are found before those of [`BySerde`], where `T` has them.
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

/// What [`Reader`] falls back to.
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

/// What serde makes of a field that is not there.
pub fn by_serde_missing<T: DeserializeOwned>() -> Option<T> {
    T::deserialize(missing::Missing).ok()
}

#[cfg(test)]
mod tests;
