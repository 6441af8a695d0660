//! What two variants cannot both be.

use super::{
    super::{
        Message, Step,
        rules::{self, Difference, Value},
        walk::{Kind, Place, field, field_named, key_names, kind, peel, step},
    },
    Decides, Member, advised, form, hidden, kind_of_content, member, told, united,
};
use crate::schema::{Alternative, Field, Schema, Shape, Tagging};

/// Two values that differ.
pub(super) struct Conflict {
    /// Where they stand; empty for the values themselves.
    pub(super) path: Message,
    /// The field of both variants that this is in; none if it is their data.
    pub(super) field: Option<&'static str>,
    pub(super) what: What,
}

/// What differs in two values.
#[derive(Clone, Copy)]
pub(super) enum What {
    Kinds([Kind; 2]),
    Rules(Difference),
}

impl Conflict {
    const fn of(path: Message, what: What) -> Self {
        Self {
            path,
            field: None,
            what,
        }
    }
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
        let one = &alternatives[other];
        if let Err(message) = have_one_form(tagging, one, this) {
            return Err(message);
        }
        match beside(tagging, one, this) {
            Some(conflict) if !hidden::is_hidden(&conflict, tagging, alternatives, [other, at]) => {
                return Err(told::conflict(&conflict, tagging, one, this));
            }
            _ => {}
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

const fn have_one_form(
    tagging: Tagging,
    one: &Alternative,
    other: &Alternative,
) -> Result<(), Message> {
    if let (Some(a), Some(b)) = (form(tagging, one), form(tagging, other))
        && united(a, b).is_none()
    {
        let message = Message::of(&["`", one.name, "` is ", a.name(), " and `", other.name]);
        let message = message.then("` is ").then(b.name());
        return Err(advised(message, "give the enum", Decides::Any));
    }
    Ok(())
}

const fn beside(tagging: Tagging, one: &Alternative, other: &Alternative) -> Option<Conflict> {
    if let conflict @ Some(_) = of_rules_of_all(tagging, one, other) {
        return conflict;
    }
    let (Some(a), Some(b)) = (one.content, other.content) else {
        return None;
    };
    match (one.tagging(tagging), other.tagging(tagging)) {
        (Tagging::Adjacent { .. }, Tagging::Adjacent { .. }) => {
            of_values(Value::of(a), Value::of(b), Message::new())
        }
        (Tagging::Internal(_) | Tagging::Untagged, Tagging::Internal(_) | Tagging::Untagged) => {
            of_forms(a, b)
        }
        _ => None,
    }
}

/// What differs in the rules of what stands for the enum itself: those of a variant with a tag hold where the tag is its own.
const fn of_rules_of_all(
    tagging: Tagging,
    one: &Alternative,
    other: &Alternative,
) -> Option<Conflict> {
    const TAGGED: Schema = Schema::object(&[]);
    let values = match (untagged(tagging, one), untagged(tagging, other)) {
        (None, None) => return None,
        (Some(a), Some(b)) => [a, b],
        (Some(a), None) => [a, &TAGGED],
        (None, Some(b)) => [&TAGGED, b],
    };
    match (form(tagging, one), form(tagging, other)) {
        (None | Some(Kind::Opaque), _) | (_, None | Some(Kind::Opaque)) => None,
        // Rules of integers and of strings ask for the type.
        (Some(Kind::Integer), Some(Kind::String)) | (Some(Kind::String), Some(Kind::Integer)) => {
            None
        }
        _ => {
            let [a, b] = values;
            of_rules(Value::of(a), Value::of(b), Message::new())
        }
    }
}

/// The data of a variant that stands for the enum itself.
const fn untagged(tagging: Tagging, variant: &Alternative) -> Option<&'static Schema> {
    match variant.tagging(tagging) {
        Tagging::Untagged => variant.content,
        _ => None,
    }
}

/// What differs in two values of which either may stand in one place.
const fn of_forms(a: &'static Schema, b: &'static Schema) -> Option<Conflict> {
    let (one, other) = (Value::of(a), Value::of(b));
    match (kind(a), kind(b)) {
        (Kind::Object, Kind::Object) => in_objects(a, b, Message::new()),
        (Kind::List, Kind::List) => in_lists(one, other, Message::new()),
        (Kind::Map, Kind::Map) => in_maps(one, other, Message::new()),
        _ => None,
    }
}

/// What differs in two values of one field.
const fn of_values(a: Value, b: Value, path: Message) -> Option<Conflict> {
    let kinds = [a.kind(), b.kind()];
    let inside = match kinds {
        [Kind::Opaque, _] | [_, Kind::Opaque] => return None,
        [Kind::List, Kind::List] => in_lists(a, b, path),
        [Kind::Map, Kind::Map] => in_maps(a, b, path),
        [Kind::Object, Kind::Object] => in_objects(a.schema, b.schema, path),
        [Kind::Integer, Kind::Number] | [Kind::Number, Kind::Integer] => None,
        [one, other] if one as u8 == other as u8 => None,
        kinds => return Some(Conflict::of(path, What::Kinds(kinds))),
    };
    match inside {
        None => of_rules(a, b, path),
        conflict => conflict,
    }
}

const fn of_rules(a: Value, b: Value, path: Message) -> Option<Conflict> {
    match rules::difference(a, b) {
        Some(difference) => Some(Conflict::of(path, What::Rules(difference))),
        None => None,
    }
}

const fn in_lists(a: Value, b: Value, path: Message) -> Option<Conflict> {
    match (items(a.schema), items(b.schema)) {
        (Place::Value(one, _), Place::Value(other, _)) => {
            of_values(a.inside(one), b.inside(other), path.then("[]"))
        }
        _ => None,
    }
}

const fn items(list: &'static Schema) -> Place {
    step(list, &[], Step::Items)
}

const fn in_maps(a: Value, b: Value, path: Message) -> Option<Conflict> {
    let (one, other) = (peel(a.schema), peel(b.schema));
    match (one.shape, other.shape) {
        (Shape::Map(values), Shape::Map(others)) => match (key_names(one), key_names(other)) {
            (None, None) => of_values(a.inside(values), b.inside(others), path.then("[*]")),
            (Some(_), Some(_)) => in_objects(one, other, path),
            _ => None,
        },
        _ => None,
    }
}

/// What differs in the fields that two objects share.
const fn in_objects(a: &'static Schema, b: &'static Schema, path: Message) -> Option<Conflict> {
    let mut at = 0;
    while let Some(member) = member(peel(a), at) {
        let conflict = match member {
            Member::Named(name) => of_fields(a, b, name, path),
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

const fn of_fields(
    a: &'static Schema,
    b: &'static Schema,
    name: &'static str,
    path: Message,
) -> Option<Conflict> {
    let is_first = path.as_str().is_empty();
    let path = match is_first {
        true => path.then(name),
        false => path.then(".").then(name),
    };
    let conflict = match (field(a, &[], name), field(b, &[], name)) {
        (Place::Value(one, of_one), Place::Value(other, of_other)) => {
            let one = Value::said(one, of_one, cannot_change(a, name));
            of_values(
                one,
                Value::said(other, of_other, cannot_change(b, name)),
                path,
            )
        }
        (Place::Content(a), Place::Content(b)) => {
            let kinds = [kind_of_content(a), kind_of_content(b)];
            match united(kinds[0], kinds[1]) {
                Some(_) => None,
                None => Some(Conflict::of(path, What::Kinds(kinds))),
            }
        }
        _ => None,
    };
    match conflict {
        Some(mut conflict) if is_first => {
            conflict.field = Some(name);
            Some(conflict)
        }
        conflict => conflict,
    }
}

const fn cannot_change(object: &'static Schema, name: &str) -> bool {
    object.marks.changes
        && matches!(
            field_named(object, name),
            Some(Field {
                immutable: true,
                ..
            })
        )
}
