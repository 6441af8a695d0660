//! Keys of maps.

use crdkit_core::Message;

use super::{
    Schema, Shape,
    walk::{Kind, kind},
};

/// Checks that values of the schema can be map keys: serde serializes numbers, booleans and names as strings.
#[allow(clippy::result_large_err)] // const evaluation has no allocator
pub(super) const fn can_be(keys: &Schema) -> Result<(), Message> {
    let kind = kind(keys);
    match kind {
        Kind::List | Kind::Map | Kind::Object => {}
        _ => return Ok(()),
    }
    let message = if keys.name.is_empty() {
        Message::concat(&["the keys of this map are "])
    } else {
        Message::concat(&["`", keys.name, "` is "])
    };
    let what = match (keys.name.is_empty(), kind) {
        (true, Kind::List) => "lists",
        (true, _) => "objects",
        (false, kind) => kind.noun(),
    };
    Err(message.then(what).then(
        " in JSON, but the keys of a map must be strings: use strings, numbers, booleans or an enum of names, or convert \
         the type with `#[serde(into = \"String\", try_from = \"String\")]`; if a manual implementation serializes it as \
         a string, write `#[schemars(with = \"String\")]`",
    ))
}

/// Whether the keys may be the names of an enum, so that the map is an object with fields.
pub(crate) const fn may_have_names(keys: &Schema) -> bool {
    match keys.shape {
        Shape::Newtype(inner) => may_have_names(inner) || !keys.keywords.is_empty(),
        Shape::Enum(_) | Shape::OneOf(..) | Shape::Foreign(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;
    use crate::schema::{Field, KubeSchema};

    #[test]
    fn texts_numbers_and_booleans_can_be_keys() {
        let keys = [
            String::SCHEMA_REF,
            bool::SCHEMA_REF,
            char::SCHEMA_REF,
            u8::SCHEMA_REF,
            f64::SCHEMA_REF,
            <NonZero<i32>>::SCHEMA_REF,
            serde_json::Value::SCHEMA_REF,
        ];
        for keys in keys {
            assert!(can_be(keys).is_ok(), "{keys:?}");
        }
    }

    #[test]
    fn lists_and_objects_cannot() {
        const POINT: Schema = Schema::object(&[Field::new("x", u8::SCHEMA_REF)]).named("Point");
        const NEWTYPE: Schema = Schema::newtype(&POINT).named("Newtype");
        let words = |schema| can_be(schema).unwrap_err().as_str().to_owned();
        assert!(words(&POINT).starts_with("`Point` is an object in JSON, "));
        assert!(words(&NEWTYPE).starts_with("`Newtype` is an object in JSON, "));
        assert!(words(<Vec<u8>>::SCHEMA_REF).starts_with("the keys of this map are lists in JSON, "));
    }
}
