//! What two variants, or two items of a tuple, cannot both be.

use super::{
    super::{
        Message, Step,
        walk::{Kind, Place, field, has_mistakes, is_open, kind, peel, step},
    },
    Member, advised, form, kind_of_content, member, united,
};
use crate::schema::{Alternative, Schema, Shape, Tagging};

/// Two values that differ.
struct Conflict {
    /// Where they stand; empty for the values themselves.
    path: Message,
    kinds: [Kind; 2],
}

/// The variant can be told in one structural schema with those before it.
pub const fn fits(schema: &'static Schema, at: usize) -> Result<(), Message> {
    let Shape::OneOf(tagging, alternatives) = peel(schema).shape else {
        return Ok(());
    };
    let this = &alternatives[at];
    if let Tagging::Internal(tag) = this.tagging(tagging)
        && let Err(message) = takes_a_tag(this, tag)
    {
        return Err(message);
    }
    let mut other = 0;
    while other < at {
        if let Err(message) = beside(tagging, &alternatives[other], this) {
            return Err(message);
        }
        other += 1;
    }
    Ok(())
}

/// A tag stands among the fields of an object, as one more.
const fn takes_a_tag(variant: &Alternative, tag: &str) -> Result<(), Message> {
    let Some(content) = variant.content else {
        return Ok(());
    };
    match kind(content) {
        Kind::Map if is_map_of_any_names(content) => {
            let message = Message::of(&[
                "`",
                variant.name,
                "` is a map, which has no place for the tag `",
            ]);
            let message = message
                .then(tag)
                .then("`: write a struct with a field for the map, add `content = \"...\"` ");
            return Err(
                message.then("beside `tag`, or give the enum `#[crd(preserve_unknown_fields)]`")
            );
        }
        Kind::Object | Kind::Map | Kind::Opaque => {}
        kind => {
            return Err(Message::of(&[
                "`",
                variant.name,
                "` is ",
                kind.name(),
                ", which has no place for the tag `",
                tag,
                "`: write a struct, or add `content = \"...\"` beside `tag`",
            ]));
        }
    }
    if is_struct(content) && matches!(field(content, &[], tag), Place::Value(..)) {
        return Err(Message::of(&[
            "`",
            content.name,
            "` has a field `",
            tag,
            "`, and so has the enum, as its tag: rename one of them",
        ]));
    }
    Ok(())
}

/// Whether the entries of a map may have any name, so that no structural schema has a place for a tag beside them.
const fn is_map_of_any_names(schema: &Schema) -> bool {
    let map = peel(schema);
    let names_its_keys = match map.keys {
        Some(keys) => matches!(
            peel(keys).shape,
            Shape::Enum(_) | Shape::OneOf(..) | Shape::Foreign(_)
        ),
        None => false,
    };
    matches!(map.shape, Shape::Map(_)) && !names_its_keys
}

const fn is_struct(schema: &Schema) -> bool {
    matches!(
        peel(schema).shape,
        Shape::Object(_) | Shape::OneOf(Tagging::Internal(_) | Tagging::Adjacent { .. }, _)
    )
}

const fn beside(tagging: Tagging, one: &Alternative, other: &Alternative) -> Result<(), Message> {
    if let (Some(a), Some(b)) = (form(tagging, one), form(tagging, other))
        && united(a, b).is_none()
    {
        let message = Message::of(&["`", one.name, "` is ", a.name(), " and `", other.name]);
        let message = message.then("` is ").then(b.name());
        return Err(advised(message, "give the enum", "preserve_unknown_fields"));
    }
    let (Some(a), Some(b)) = (one.content, other.content) else {
        return Ok(());
    };
    let conflict = match (one.tagging(tagging), other.tagging(tagging)) {
        (Tagging::Adjacent { .. }, Tagging::Adjacent { .. }) => of_values(a, b, Message::new()),
        (Tagging::Internal(_) | Tagging::Untagged, Tagging::Internal(_) | Tagging::Untagged) => {
            of_forms(a, b)
        }
        _ => None,
    };
    match conflict {
        Some(conflict) => Err(told(&conflict, one, other)),
        None => Ok(()),
    }
}

const fn told(conflict: &Conflict, one: &Alternative, other: &Alternative) -> Message {
    let path = conflict.path.as_str();
    let [a, b] = conflict.kinds;
    let (what, both) = match path.is_empty() {
        true => ("the data", "give both variants"),
        false => (path, "rename one, or give both fields"),
    };
    let message = match path.is_empty() {
        true => Message::of(&[what]),
        false => Message::of(&["`", what, "`"]),
    };
    let message = message.then(" is ").then(a.name()).then(" in `");
    let message = message.then(one.name).then("` and ").then(b.name());
    let message = message.then(" in `").then(other.name).then("`");
    advised(message, both, attribute(conflict.kinds))
}

/// What both fields can be marked with, so that they are the same.
const fn attribute(kinds: [Kind; 2]) -> &'static str {
    match kinds {
        [Kind::Integer, Kind::String] | [Kind::String, Kind::Integer] => "int_or_string",
        _ => "preserve_unknown_fields",
    }
}

/// What differs in two values of which either may stand in one place.
const fn of_forms(a: &'static Schema, b: &'static Schema) -> Option<Conflict> {
    match (kind(a), kind(b)) {
        (Kind::Object, Kind::Object) => in_objects(a, b, Message::new()),
        (Kind::List, Kind::List) | (Kind::Map, Kind::Map) => of_values(a, b, Message::new()),
        _ => None,
    }
}

/// What differs in two values of one field.
const fn of_values(a: &'static Schema, b: &'static Schema, path: Message) -> Option<Conflict> {
    let kinds = [kind(a), kind(b)];
    match kinds {
        [Kind::Opaque, _] | [_, Kind::Opaque] => None,
        [Kind::Integer, Kind::Number] | [Kind::Number, Kind::Integer] => None,
        [Kind::List, Kind::List] => of_places(items(a), items(b), path.then("[]")),
        [Kind::Map, Kind::Map] => match (peel(a).shape, peel(b).shape) {
            (Shape::Map(a), Shape::Map(b)) => of_values(a, b, path.then("[*]")),
            _ => None,
        },
        [Kind::Object, Kind::Object] => in_objects(a, b, path),
        [one, other] if one as u8 == other as u8 => None,
        kinds => Some(Conflict { path, kinds }),
    }
}

const fn items(list: &'static Schema) -> Place {
    step(list, &[], Step::Items)
}

const fn of_places(a: Place, b: Place, path: Message) -> Option<Conflict> {
    match (a, b) {
        (Place::Value(_, keywords), _) | (_, Place::Value(_, keywords)) if is_open(keywords) => {
            None
        }
        (Place::Value(a, _), Place::Value(b, _)) => of_values(a, b, path),
        (Place::Content(a), Place::Content(b)) => {
            let kinds = [kind_of_content(a), kind_of_content(b)];
            match united(kinds[0], kinds[1]) {
                Some(_) => None,
                None => Some(Conflict { path, kinds }),
            }
        }
        _ => None,
    }
}

/// What differs in the fields that two objects share.
const fn in_objects(a: &'static Schema, b: &'static Schema, path: Message) -> Option<Conflict> {
    let mut at = 0;
    while let Some(member) = member(peel(a), at) {
        let conflict = match member {
            Member::Named(name) => {
                let separator = if path.as_str().is_empty() { "" } else { "." };
                let path = path.then(separator).then(name);
                of_places(field(a, &[], name), field(b, &[], name), path)
            }
            Member::In(a) => in_objects(a, b, path),
            Member::Nothing => None,
        };
        if conflict.is_some() {
            return conflict;
        }
        at += 1;
    }
    None
}

/// The items of a tuple can be told in one structural schema.
pub const fn tuple(schema: &'static Schema) -> Result<(), Message> {
    let schema = peel(schema);
    let Shape::Tuple(items) = schema.shape else {
        return in_container(schema);
    };
    let mut at = 1;
    while at < items.len() {
        let are_known = !has_mistakes(items[0]) && !has_mistakes(items[at]);
        if are_known && !are_alike(items[0], items[at]) {
            let (one, other) = (kind(items[0]), kind(items[at]));
            let message = match one as u8 == other as u8 {
                true => Message::of(&[
                    "each item of the tuple is ",
                    one.name(),
                    ", and they differ",
                ]),
                false => Message::of(&["the tuple holds ", one.name(), " and ", other.name()]),
            };
            let what = "use a struct, or write";
            return Err(advised(message, what, "preserve_unknown_fields"));
        }
        at += 1;
    }
    Ok(())
}

/// The tuple may stand in an `Option`, a list or a map.
const fn in_container(schema: &'static Schema) -> Result<(), Message> {
    match schema.shape {
        Shape::List(inner) | Shape::Map(inner) => tuple(inner),
        _ => Ok(()),
    }
}

/// Whether one schema says both: that of scalars of one kind, or of values that have the same parts.
const fn are_alike(a: &'static Schema, b: &'static Schema) -> bool {
    let (one, other) = (kind(a), kind(b));
    match (one, other) {
        (Kind::Opaque, Kind::Opaque) => true,
        (Kind::Integer, Kind::Number) | (Kind::Number, Kind::Integer) => true,
        (Kind::List, Kind::List) => match (items(a), items(b)) {
            (Place::Value(a, _), Place::Value(b, _)) => are_alike(a, b),
            _ => true,
        },
        (Kind::Map, Kind::Map) => match (peel(a).shape, peel(b).shape) {
            (Shape::Map(a), Shape::Map(b)) => are_alike(a, b),
            _ => true,
        },
        (Kind::Object, Kind::Object) => has_all(a, b) && has_all(b, a),
        _ => one as u8 == other as u8,
    }
}

/// Whether `b` has the fields of `a`, and they are alike.
const fn has_all(a: &'static Schema, b: &'static Schema) -> bool {
    let mut at = 0;
    while let Some(member) = member(peel(a), at) {
        let is_there = match member {
            Member::Named(name) => match (field(a, &[], name), field(b, &[], name)) {
                (Place::Value(a, _), Place::Value(b, _)) => are_alike(a, b),
                (_, Place::Missing(_)) => false,
                _ => true,
            },
            Member::In(a) => has_all(a, b),
            Member::Nothing => true,
        };
        if !is_there {
            return false;
        }
        at += 1;
    }
    true
}
