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

use crate::json::decode::*;

/// A map with a deterministic order.
type HashMap<K, V> = collections::HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// Decodes a text. If the decoder returns a value, serde must return the same.
#[track_caller]
fn compare<T: Decode + DeserializeOwned + Debug>(text: &str) -> Option<T> {
    let value = read::<T>(text)?;
    let serde = serde_json::from_str::<T>(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    // In contrast to `==`, this distinguishes the zeros.
    assert_eq!(format!("{value:?}"), format!("{serde:?}"), "{text}");
    Some(value)
}

/// Asserts that the decoder handles a text.
#[track_caller]
fn assert_decodes<T: Decode + DeserializeOwned + Debug>(text: &str) -> T {
    compare(text).unwrap_or_else(|| panic!("left to serde: {text}"))
}

/// Asserts that the decoder leaves a text to serde.
#[track_caller]
fn assert_left_to_serde<T: Decode + DeserializeOwned + Debug>(text: &str) {
    assert!(read::<T>(text).is_none(), "{text}");
}
