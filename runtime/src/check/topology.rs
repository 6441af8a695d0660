//! What ways of merging ask of the value that they are said of.

use super::{
    Message, Step,
    keyword::Subject,
    nearest::missing,
    walk::{Kind, Place, field_named, kind, peel, step},
};
use crate::schema::{Field, Keyword, Presence, Schema, Shape, any_keyword};

/// A list can be merged as one.
pub const fn list_atomic(subject: Subject) -> Result<(), Message> {
    match list(subject) {
        Ok(_) => Ok(()),
        Err(message) => Err(message),
    }
}

/// The items of a map list are objects.
pub const fn list_map(subject: Subject) -> Result<(), Message> {
    let items = match list(subject) {
        Ok(Some(items)) => items,
        Ok(None) => return Ok(()),
        Err(message) => return Err(message),
    };
    if items.optional {
        return Err(Message::of(&["the items of a map list cannot be null"]));
    }
    match kind(items) {
        Kind::Object | Kind::Opaque => Ok(()),
        kind => Err(Message::of(&[
            "each item is ",
            kind.name(),
            ": only objects have keys to tell them apart",
        ])),
    }
}

/// The items of a map list can be told apart by this key.
///
/// From the API server's rules on `x-kubernetes-list-map-keys`.
pub const fn list_map_key(subject: Subject, key: &'static str) -> Result<(), Message> {
    match list(subject) {
        Ok(Some(items)) => map_key(items, key),
        Ok(None) | Err(_) => Ok(()), // said by `list_map`
    }
}

/// The items of a set are scalars.
pub const fn list_set(subject: Subject) -> Result<(), Message> {
    let items = match list(subject) {
        Ok(Some(items)) => items,
        Ok(None) => return Ok(()),
        Err(message) => return Err(message),
    };
    if items.optional {
        return Err(Message::of(&["the items of a set cannot be null"]));
    }
    match kind(items) {
        kind @ (Kind::List | Kind::Map | Kind::Object) => Err(Message::of(&[
            "each item is ",
            kind.name(),
            ": the items of a set are booleans, numbers or strings",
        ])),
        _ => Ok(()),
    }
}

/// A map or an object can be merged by its fields, or as one.
pub const fn map_merge(subject: Subject) -> Result<(), Message> {
    match subject.kind() {
        Kind::Map | Kind::Object | Kind::Opaque => Ok(()),
        kind => Err(Message::of(&[
            subject.noun(),
            kind.name(),
            ": only maps and objects have a map type",
        ])),
    }
}

/// The items of a list; none if its schema is not known while compiling.
const fn list(subject: Subject) -> Result<Option<&'static Schema>, Message> {
    let Some(schema) = subject.known() else {
        return Ok(None);
    };
    match (peel(schema).shape, kind(schema)) {
        (Shape::List(items) | Shape::Tuple(&[items, ..]), _) => Ok(Some(items)),
        (_, Kind::List | Kind::Opaque) => Ok(None),
        (_, kind) => Err(Message::of(&[
            subject.noun(),
            kind.name(),
            ": only lists have a list type",
        ])),
    }
}

const fn map_key(items: &'static Schema, key: &'static str) -> Result<(), Message> {
    match step(items, &[], Step::Field(key)) {
        Place::Opaque | Place::Content(_) | Place::MissingAtRoot | Place::Wrong(_) => Ok(()),
        Place::Missing(object) => Err(missing(object, key)),
        Place::Value(schema, keywords) => scalar_key(items, schema, keywords, key),
    }
}

const fn scalar_key(
    items: &'static Schema,
    schema: &Schema,
    keywords: &[Keyword],
    key: &'static str,
) -> Result<(), Message> {
    if let kind @ (Kind::List | Kind::Map | Kind::Object) = kind(schema) {
        return Err(Message::of(&[
            "the key `",
            key,
            "` is ",
            kind.name(),
            ": a key is a boolean, a number or a string",
        ]));
    }
    let field = field_named(items, key);
    let is_required = matches!(
        field,
        Some(Field {
            presence: Presence::Required,
            ..
        })
    );
    let may_be_null = match any_keyword!(keywords, Keyword::Nullable(_)) {
        true => any_keyword!(keywords, Keyword::Nullable(true)),
        false => {
            schema.optional && !is_required
                || any_keyword!(schema.keywords, Keyword::Nullable(true))
        }
    };
    if may_be_null {
        return Err(Message::of(&[
            "the key `",
            key,
            "` may be null: a key is a field that is there, or has a default",
        ]));
    }
    if let Some(field) = field
        && !field.is_required()
        && !any_keyword!(
            field.keywords,
            Keyword::Default(_) | Keyword::DefaultLiteral(_)
        )
    {
        return Err(Message::of(&[
            "the key `",
            key,
            "` may be missing: a key is a field that is there, or has a default",
        ]));
    }
    Ok(())
}
