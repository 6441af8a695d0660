//! Values that fields are set to.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::fields::Json;

/// What a field of the type `T` can be set to: whatever is [`Into`] the type, with all that is in it, or the part of a
/// `T` that [`derive(Apply)`](derive@crate::Apply) made a type for.
#[diagnostic::on_unimplemented(
    message = "a field of the type `{T}` cannot be set to a `{Self}`",
    label = "no value of this field",
    note = "expected what is `Into<{T}>`, or the type that `#[derive(Apply)]` makes, if `{T}` derives it"
)]
pub trait ApplyValue<T> {
    /// The value in JSON.
    #[doc(hidden)]
    fn into_json(self) -> Json;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize, V: Into<T>> ApplyValue<T> for V {
    fn into_json(self) -> Json {
        json(&self.into())
    }
}

/// A value in JSON.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Json {
    serde_json::to_value(value)
}

/// A value that a function writes where there is an `Option` of it, or where there is not.
pub fn json_with<T: Into<W>, W>(value: T, write: impl FnOnce(&W) -> Json) -> Json {
    write(&value.into())
}

/// A map of texts in JSON.
pub fn string_map<K: Into<String>, V: Into<String>>(entries: impl IntoIterator<Item = (K, V)>) -> Json {
    let texts = entries.into_iter().map(|(key, value)| (key.into(), value.into().into()));
    Ok(Value::Object(texts.collect()))
}

/// A list in JSON.
pub fn list<T>(items: impl IntoIterator<Item = T>, json: impl Fn(T) -> Json) -> Json {
    items.into_iter().map(json).collect()
}

/// A map in JSON.
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
