mod documents;
mod kubernetes;
mod roots;
mod standard;
mod types;

use std::{
    collections,
    fmt::Debug,
    hash::{BuildHasherDefault, DefaultHasher},
};

use serde::de::DeserializeOwned;

use super::{Decoded, Source, read};
use crate::serde::source::Decode;

/// A map with a deterministic order.
type HashMap<K, V> = collections::HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// What can be decoded with and without serde.
trait Read: for<'de> Decode<'de> + DeserializeOwned + Debug {}

impl<T: for<'de> Decode<'de> + DeserializeOwned + Debug> Read for T {}

/// Decodes a text with a function, without serde.
fn read_by<'de, T>(text: &'de str, decode: impl Fn(&mut dyn Source<'de>) -> Decoded<T>) -> Option<T> {
    let mut value = None;
    read(text, &mut |source| {
        value = Some(decode(source)?);
        Ok(())
    })?;
    value
}

/// Decodes a text. If the decoder returns a value, serde must return the same.
#[track_caller]
fn compare<T: Read>(text: &str) -> Option<T> {
    let value = read_by(text, T::decode)?;
    let serde = serde_json::from_str::<T>(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    // In contrast to `==`, this distinguishes the zeros.
    assert_eq!(format!("{value:?}"), format!("{serde:?}"), "{text}");
    Some(value)
}

/// Asserts that the decoder handles a text.
#[track_caller]
fn assert_decodes<T: Read>(text: &str) -> T {
    compare(text).unwrap_or_else(|| panic!("left to serde: {text}"))
}

/// Asserts that the decoder leaves a text to serde.
#[track_caller]
fn assert_left_to_serde<T: Read>(text: &str) {
    assert!(read_by(text, T::decode).is_none(), "{text}");
}
