//! JSON objects in string literals, which kube-derive accepts.

use darling::{Error, Result};
use serde_json::{Map, Value};

use super::{items, text::Text};

/// A JSON object in a string literal. Reports unknown members.
pub(super) fn object(text: &Text, known: &[&str]) -> Result<Map<String, Value>> {
    let object: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| Error::custom(format!("the text is not a JSON object: {error}")).with_span(&text.span()))?;
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(Error::custom(items::unknown_key(key, known)).with_span(&text.span())),
        None => Ok(object),
    }
}

/// A string member of a JSON object.
pub(super) fn string(object: &Map<String, Value>, key: &str, text: &Text) -> Result<Option<Text>> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(value)) => Ok(Some(Text::new(value, text.span()))),
        Some(other) => Err(Error::custom(format!("`{key}` is {other}, expected a string")).with_span(&text.span())),
    }
}

/// A required string member.
pub(super) fn required_string(object: &Map<String, Value>, key: &str, text: &Text) -> Result<Text> {
    string(object, key, text)?.ok_or_else(|| Error::custom(format!("the JSON has no `{key}`")).with_span(&text.span()))
}
