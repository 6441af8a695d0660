mod documents;
mod of_kubernetes;
mod of_standard;
mod roots;
mod types;

use std::{
    collections,
    fmt::Debug,
    hash::{BuildHasherDefault, DefaultHasher},
};

use super::*;

/// A map that is the same each time.
type HashMap<K, V> = collections::HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// What a decoder says, which serde has to say too if it is anything.
#[track_caller]
fn compare<T: Decode + DeserializeOwned + Debug>(text: &str) -> Option<T> {
    let value = read::<T>(text)?;
    let serde = serde_json::from_str::<T>(text);
    let serde = serde.unwrap_or_else(|error| panic!("{error}: {text}"));
    // Unlike `==`, this tells the zeros apart.
    assert_eq!(format!("{value:?}"), format!("{serde:?}"), "{text}");
    Some(value)
}

/// Expects the decoder to know what to do with a text.
#[track_caller]
fn knows<T: Decode + DeserializeOwned + Debug>(text: &str) -> T {
    compare(text).unwrap_or_else(|| panic!("left to serde: {text}"))
}

/// Expects the decoder to leave a text to serde.
#[track_caller]
fn leaves<T: Decode + DeserializeOwned + Debug>(text: &str) {
    assert!(read::<T>(text).is_none(), "{text}");
}
