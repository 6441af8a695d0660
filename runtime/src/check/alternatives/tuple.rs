//! What the items of a tuple cannot all be.

use super::{
    super::{
        Message, Step,
        walk::{Kind, Place, field, has_mistakes, kind, peel, step},
    },
    Member, advised, member,
};
use crate::schema::{Schema, Shape};

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

const fn items(list: &'static Schema) -> Place {
    step(list, &[], Step::Items)
}
