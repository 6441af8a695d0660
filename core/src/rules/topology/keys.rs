//! `x-kubernetes-list-map-keys`.

use super::{L3, L4, L6, L7, L8, L9, L10, LIST_TYPE};
use crate::{
    merged_keywords::MergedKeywords,
    schema::Type,
    text::equal,
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

const KEYS: &str = ".x-kubernetes-list-map-keys";

/// [`L3`].
pub const fn keyed_list_is_map(list_type: Option<&str>, keys: usize) -> Result<(), Violation<'_>> {
    const DETAIL: &str = "must be map if x-kubernetes-list-map-keys is non-empty";
    if keys == 0 {
        return Ok(());
    }
    let server_error = match list_type {
        None => ServerError::new(ErrorType::Required, LIST_TYPE, DETAIL),
        Some(list_type) if equal(list_type, "map") => return Ok(()),
        Some(list_type) => ServerError::new(ErrorType::Invalid, LIST_TYPE, DETAIL).with_value(Arg::Quoted(list_type)),
    };
    let message = Text::literal("map keys require the list type `map`: add `list_type = \"map\"`");
    Err(Violation::new(&L3, message).with_server_error(server_error))
}

/// [`L4`].
pub const fn list_map_has_keys(list_type: Option<&str>, keys: usize) -> Result<(), Violation<'_>> {
    match list_type {
        Some(list_type) if equal(list_type, "map") && keys == 0 => {}
        _ => return Ok(()),
    }
    let message = Text::literal(
        "the list type `map` requires the fields that identify an item: add them, as in `list_map_keys = [\"name\"]`",
    );
    let detail = "must not be empty if x-kubernetes-list-type is map";
    Err(Violation::new(&L4, message).with_server_error(ServerError::new(ErrorType::Required, KEYS, detail)))
}

/// [`L6`].
pub const fn unknown_map_key(key: &str) -> Violation<'_> {
    let message = Text::new("the map key `{}` is not a field of the items", &[Arg::Text(key)]);
    let detail = "entries must all be names of item properties";
    let server_error = ServerError::new(ErrorType::Invalid, KEYS, detail).with_value(Arg::Quoted(key));
    Violation::new(&L6, message).with_server_error(server_error)
}

/// [`L7`].
pub const fn map_key_is_scalar<'a>(key: &'a str, facts: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    if !matches!(facts.type_, Type::Array | Type::Object) {
        return Ok(());
    }
    let message = Text::new(
        "the map key `{}` is {}, but a key must be a boolean, a number or a string",
        &[Arg::Text(key), Arg::Text(facts.kind.noun())],
    );
    let mut server_error = ServerError::new(
        ErrorType::Invalid,
        "",
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
    )
    .with_value(Arg::Quoted("object")); // of lists too
    server_error.field = Text::new(".items.properties[{}].type", &[Arg::Text(key)]);
    Err(Violation::new(&L7, message).with_server_error(server_error))
}

/// [`L8`].
pub const fn repeated_map_key(key: &str) -> Violation<'_> {
    let message = Text::new("the map key `{}` is given twice", &[Arg::Text(key)]);
    let detail = "must not contain duplicate entries";
    let server_error = ServerError::new(ErrorType::Invalid, KEYS, detail).with_value(Arg::Quoted(key));
    Violation::new(&L8, message).with_server_error(server_error)
}

/// [`L9`].
pub const fn map_key_is_set<'a>(
    key: &'a str,
    facts: &MergedKeywords<'a>,
    is_required: bool,
) -> Result<(), Violation<'a>> {
    if is_required || facts.has_default {
        return Ok(());
    }
    let message = Text::new("the map key `{}` is optional: make it required, or give it a default", &[Arg::Text(key)]);
    let mut server_error = ServerError::new(
        ErrorType::Required,
        "",
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    );
    server_error.field = Text::new(".items.properties[{}].default", &[Arg::Text(key)]);
    Err(Violation::new(&L9, message).with_server_error(server_error))
}

/// [`L10`].
pub const fn map_key_is_not_nullable<'a>(key: &'a str, facts: &MergedKeywords<'a>) -> Result<(), Violation<'a>> {
    if !facts.nullable {
        return Ok(());
    }
    let message = Text::new("the map key `{}` is nullable, which a key cannot be", &[Arg::Text(key)]);
    let mut server_error = ServerError::new(
        ErrorType::Forbidden,
        "",
        "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
    );
    server_error.field = Text::new(".items.properties[{}].nullable", &[Arg::Text(key)]);
    Err(Violation::new(&L10, message).with_server_error(server_error))
}
