//! What the items of a tuple cannot all be.

use super::{
    super::{
        Message, Step,
        walk::{Kind, Place, equal, field, has_mistakes, kind, peel, step},
    },
    Decides, Member, advised, member,
};
use crate::schema::{Schema, Shape};

/// All in a type has a structural form, as far as that is known, but for the types that report by themselves what has none.
pub const fn has_form(type_: Option<&'static Schema>) -> Result<(), Message> {
    match type_ {
        Some(schema) => all_have_form(schema),
        None => Ok(()),
    }
}

const fn all_have_form(schema: &'static Schema) -> Result<(), Message> {
    if !schema.marks.formless {
        return Ok(());
    }
    match schema.shape {
        Shape::Newtype(inner) | Shape::List(inner) | Shape::Map(inner) => all_have_form(inner),
        Shape::Tuple(items) => {
            let mut result = tuple_of(items);
            let mut at = 0;
            while result.is_ok() && at < items.len() {
                result = all_have_form(items[at]);
                at += 1;
            }
            result
        }
        Shape::Object(fields) => {
            let mut result = Ok(());
            let mut at = 0;
            while result.is_ok() && at < fields.len() {
                result = all_have_form(fields[at].schema);
                at += 1;
            }
            result
        }
        Shape::OneOf(_, alternatives) => {
            let mut result = Ok(());
            let mut at = 0;
            while result.is_ok() && at < alternatives.len() {
                if let Some(content) = alternatives[at].content {
                    result = all_have_form(content);
                }
                at += 1;
            }
            result
        }
        _ => Err(is_null(schema.name)),
    }
}

const fn is_null(name: &str) -> Message {
    let advice = match equal(name, "PhantomData") {
        true => "leave the field out with `#[serde(skip)]`",
        false => "use a struct, or write `#[schemars(with = \"Type\")]` on the field",
    };
    Message::of(&[
        "`",
        name,
        "` is `null` in JSON, which no structural schema can say: ",
        advice,
    ])
}

/// The items of a tuple can be told in one structural schema.
pub const fn tuple(schema: &'static Schema) -> Result<(), Message> {
    match peel(schema).shape {
        Shape::Tuple(items) => tuple_of(items),
        _ => Ok(()),
    }
}

/// The same of a tuple of these items.
pub(crate) const fn tuple_of(items: &'static [&'static Schema]) -> Result<(), Message> {
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
            return Err(advised(message, what, Decides::Any));
        }
        at += 1;
    }
    Ok(())
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

const fn items(list: &'static Schema) -> Place {
    step(list, &[], Step::Items)
}
