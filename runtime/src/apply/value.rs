//! Values that fields can be set to.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::fields::Json;
use crate::json::json_value::to_value;

/// A value that a field of the type `T` can be set to: any value that is [`Into<T>`](Into), which is set with all its
/// content, or the type that [`derive(Apply)`](derive@crate::Apply) generates for `T`.
#[diagnostic::on_unimplemented(
    message = "a field of the type `{T}` cannot be set to a `{Self}`",
    label = "no value of this field",
    note = "expected what is `Into<{T}>`, or the type that `#[derive(Apply)]` makes, if `{T}` derives it"
)]
pub trait ApplyValue<T> {
    /// Returns the value as JSON.
    #[doc(hidden)]
    fn into_json(self) -> Json;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize, V: Into<T>> ApplyValue<T> for V {
    fn into_json(self) -> Json {
        json(&self.into())
    }
}

/// Serializes a value to JSON.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Json {
    to_value(value)
}

/// Returns a map of strings as JSON.
pub fn string_map<K: Into<String>, V: Into<String>>(entries: impl IntoIterator<Item = (K, V)>) -> Json {
    let texts = entries.into_iter().map(|(key, value)| (key.into(), value.into().into()));
    Ok(Value::Object(texts.collect()))
}

/// Returns a list as JSON.
pub fn list<T>(items: impl IntoIterator<Item = T>, json: impl Fn(T) -> Json) -> Json {
    items.into_iter().map(json).collect()
}

/// Returns a map as JSON.
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
