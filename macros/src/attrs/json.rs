//! JSON objects in string literals, which kube-derive accepts.

use std::marker::PhantomData;

use crdkit_core::json::Json;
use darling::{Error, Result};

use super::{items, key::Key, text::Text};

mod parser;

/// The members of a JSON object with the keys `K`.
pub(super) struct JsonMembers<K>(Json<'static>, PhantomData<K>);

impl<K: Key> JsonMembers<K> {
    /// A member, unless it is null.
    pub(super) fn get(&self, key: K) -> Option<&Json<'static>> {
        self.0.get(key.name()).filter(|value| !value.is_null())
    }
}

/// A JSON object in a string literal. Reports unknown members.
pub(super) fn object<K: Key>(text: &Text) -> Result<JsonMembers<K>> {
    let error = |message: String| Error::custom(message).with_span(&text.span());
    let not_an_object = |problem: String| error(format!("the text is not a JSON object: {problem}"));
    let object = parser::parse(text).map_err(not_an_object)?;
    let Json::Object(members) = &object else {
        return Err(not_an_object(format!("it is `{object}`")));
    };
    match members.iter().find(|(key, _)| !K::is(key)) {
        Some((key, _)) => Err(error(items::unknown_key(key, &K::names()))),
        None => Ok(JsonMembers(object, PhantomData)),
    }
}

/// A string member of a JSON object.
pub(super) fn string<K: Key>(object: &JsonMembers<K>, key: K, text: &Text) -> Result<Option<Text>> {
    match object.get(key) {
        None => Ok(None),
        Some(Json::String(value)) => Ok(Some(Text::new(value.as_ref(), text.span()))),
        Some(other) => {
            Err(Error::custom(format!("`{}` is {other}, expected a string", key.name())).with_span(&text.span()))
        }
    }
}

/// A required string member.
pub(super) fn required_string<K: Key>(object: &JsonMembers<K>, key: K, text: &Text) -> Result<Text> {
    string(object, key, text)?
        .ok_or_else(|| Error::custom(format!("the JSON has no `{}`", key.name())).with_span(&text.span()))
}
