//! JSON objects in string literals, which kube-derive accepts.

use crdkit_core::json::Json;
use darling::{Error, Result};

use super::{items, text::Text};

mod parser;

/// The members of a JSON object.
pub(super) struct JsonMembers(Json<'static>);

impl JsonMembers {
    /// A member, unless it is null.
    pub(super) fn get(&self, name: &str) -> Option<&Json<'static>> {
        self.0.get(name).filter(|value| !value.is_null())
    }
}

/// A JSON object in a string literal. Reports unknown members.
pub(super) fn object(text: &Text, known: &[&str]) -> Result<JsonMembers> {
    let error = |message: String| Error::custom(message).with_span(&text.span());
    let not_an_object = |problem: String| error(format!("the text is not a JSON object: {problem}"));
    let object = parser::parse(text).map_err(not_an_object)?;
    let Json::Object(members) = &object else {
        return Err(not_an_object(format!("it is `{object}`")));
    };
    match members.iter().find(|(key, _)| !known.contains(&&**key)) {
        Some((key, _)) => Err(error(items::unknown_key(key, known))),
        None => Ok(JsonMembers(object)),
    }
}

/// A string member of a JSON object.
pub(super) fn string(object: &JsonMembers, key: &str, text: &Text) -> Result<Option<Text>> {
    match object.get(key) {
        None => Ok(None),
        Some(Json::String(value)) => Ok(Some(Text::new(value.as_ref(), text.span()))),
        Some(other) => Err(Error::custom(format!("`{key}` is {other}, expected a string")).with_span(&text.span())),
    }
}

/// A required string member.
pub(super) fn required_string(object: &JsonMembers, key: &str, text: &Text) -> Result<Text> {
    string(object, key, text)?.ok_or_else(|| Error::custom(format!("the JSON has no `{key}`")).with_span(&text.span()))
}
