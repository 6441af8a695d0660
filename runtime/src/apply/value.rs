//! Values of fields.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::fields::Json;

/// A value for a field of the type `T`: any type that implements [`Into`] for `T`, or the type that
/// [`derive(Apply)`](derive@crate::Apply) generated for a part of `T`.
#[diagnostic::on_unimplemented(
    message = "a field of the type `{T}` cannot be set to a `{Self}`",
    label = "no value of this field",
    note = "expected what is `Into<{T}>`, or the type that `#[derive(Apply)]` makes, if `{T}` derives it"
)]
pub trait ApplyValue<T> {
    /// Converts the value to JSON.
    #[doc(hidden)]
    fn into_json(self) -> Json;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize, V: Into<T>> ApplyValue<T> for V {
    fn into_json(self) -> Json {
        json(&self.into())
    }
}

/// Converts a value to JSON.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Json {
    serde_json::to_value(value)
}

/// Converts a value to JSON with a function that serializes either the value or an `Option` of it.
pub fn json_with<T: Into<W>, W>(value: T, write: impl FnOnce(&W) -> Json) -> Json {
    write(&value.into())
}

/// Converts a map of strings to JSON.
pub fn string_map<K: Into<String>, V: Into<String>>(entries: impl IntoIterator<Item = (K, V)>) -> Json {
    let texts = entries.into_iter().map(|(key, value)| (key.into(), value.into().into()));
    Ok(Value::Object(texts.collect()))
}

/// Converts a list to JSON.
pub fn list<T>(items: impl IntoIterator<Item = T>, json: impl Fn(T) -> Json) -> Json {
    items.into_iter().map(json).collect()
}

/// Converts a map to JSON.
pub fn map<T, K: Serialize>(entries: impl IntoIterator<Item = T>, json: impl Fn(T) -> (K, Json)) -> Json {
    let entries: Vec<(K, Value)> = entries
        .into_iter()
        .map(|entry| {
            let (key, value) = json(entry);
            Ok((key, value?))
        })
        .collect::<serde_json::Result<_>>()?;
    serde_json::value::Serializer.collect_map(entries)
}
