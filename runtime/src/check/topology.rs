//! Checks of list types and map types.

use crdkit_core::{
    Violation,
    rules::topology::{
        items_are_not_nullable, list_type_is_on_list, map_items_are_objects, map_key_is_not_nullable,
        map_key_is_scalar, map_key_is_set, map_type_is_on_object, set_lists_are_atomic, set_objects_are_atomic,
        unknown_map_key,
    },
};

use super::{Message, keyword::Subject, merged_keywords, suggest::missing};
use crate::schema::Presence;
use crate::schema::walk::{ElementStep, Kind, Location, Member, field};

/// Checks that the value can be an atomic list.
pub const fn list_atomic(subject: Subject) -> Result<(), Message> {
    list(subject, "atomic")
}

/// Checks that the value can be a map list.
pub const fn list_map(subject: Subject) -> Result<(), Message> {
    if let Err(message) = list(subject, "map") {
        return Err(message);
    }
    let items = merged_keywords::of_items(&subject);
    if let Err(violation) = items_are_not_nullable("map", &items) {
        return Err(message(&violation));
    }
    into_message(map_items_are_objects(&items))
}

/// Checks that the value can be a set.
pub const fn list_set(subject: Subject) -> Result<(), Message> {
    if let Err(message) = list(subject, "set") {
        return Err(message);
    }
    let items = merged_keywords::of_items(&subject);
    if let Err(violation) = items_are_not_nullable("set", &items) {
        return Err(message(&violation));
    }
    if let Err(violation) = set_objects_are_atomic(&items) {
        return Err(message(&violation));
    }
    into_message(set_lists_are_atomic(&items))
}

/// Checks a key of a map list.
pub const fn list_map_key(subject: Subject, key: &'static str) -> Result<(), Message> {
    let items = subject.inside(ElementStep::Items);
    match field(&items, key) {
        Location::Missing(object) => Err(missing(object, key)),
        Location::At(_) if matches!(items.kind(), Kind::Map) => Err(message(&unknown_map_key(key))), // an entry is not a field
        Location::At(member) => map_key(&member, key),
        _ => Ok(()), // reported by `list_map`, or unknown
    }
}

/// Checks that the value can have a map type.
pub const fn map_merge(subject: Subject) -> Result<(), Message> {
    let mut facts = merged_keywords::of(&subject);
    facts.map_type = Some("atomic");
    into_message(map_type_is_on_object(&facts))
}

const fn list(subject: Subject, list_type: &'static str) -> Result<(), Message> {
    let mut facts = merged_keywords::of(&subject);
    facts.list_type = Some(list_type);
    into_message(list_type_is_on_list(&facts))
}

const fn map_key(key_field: &Member, key: &'static str) -> Result<(), Message> {
    let Some(field) = key_field.field else {
        return Ok(());
    };
    let facts = merged_keywords::of(&key_field.value);
    if let Err(violation) = map_key_is_scalar(key, &facts) {
        return Err(message(&violation));
    }
    if let Err(violation) = map_key_is_not_nullable(key, &facts) {
        return Err(message(&violation));
    }
    match map_key_is_set(key, &facts, field.is_required()) {
        Err(_) if matches!(field.presence, Presence::Optional) => Err(Message::concat(&[
            "the map key `",
            key,
            "` may be missing: its default is not in the schema because of `skip_serializing_if`; remove that, or \
             write the default as `#[crd(default = ...)]`",
        ])),
        result => into_message(result),
    }
}

const fn into_message(result: Result<(), Violation<'_>>) -> Result<(), Message> {
    match result {
        Ok(()) => Ok(()),
        Err(violation) => Err(message(&violation)),
    }
}

const fn message(violation: &Violation<'_>) -> Message {
    violation.message.message()
}
