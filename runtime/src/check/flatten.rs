//! Flattened types: what stands among the fields of an object.

use super::{
    Message,
    alternatives::{Member, member},
    walk::{Kind, is_open, kind, peel},
};
use crate::schema::{Field, Schema, Shape};
use found::{Found, find};
use what::{Difference, difference};

mod found;
mod names;
mod told;
mod what;

/// Two fields of one name that differ.
struct Clash {
    name: &'static str,
    sides: [Found; 2],
    difference: Difference,
}

/// The fields of a flattened field's type can stand among those of the object.
pub const fn fits(schema: &'static Schema, at: usize) -> Result<(), Message> {
    let Shape::Object(fields) = peel(schema).shape else {
        return Ok(());
    };
    let flattened = fields[at].schema;
    if is_open(fields[at].keywords) {
        return Ok(());
    }
    if let Err(message) = has_fields(flattened) {
        return Err(message);
    }
    let mut other = 0;
    while other < fields.len() {
        let is_own = !fields[other].flatten;
        if (is_own || other < at)
            && let Some(clash) = clash(flattened, flattened, &fields[other])
        {
            return Err(told::clash(&clash, schema));
        }
        other += 1;
    }
    Ok(())
}

/// Whether fields can be taken out of the value: out of an object or a map.
const fn has_fields(schema: &'static Schema) -> Result<(), Message> {
    let kind = kind(schema);
    let instead = match (kind, peel(schema).shape) {
        (Kind::Object | Kind::Map | Kind::Opaque, _) => return Ok(()),
        (_, Shape::Enum(_)) => "write `#[serde(tag = \"...\")]` on the enum, or ",
        _ => "",
    };
    let message = match schema.name.is_empty() {
        true => Message::of(&["this is "]),
        false => Message::of(&["`", schema.name, "` is "]),
    };
    let message = message
        .then(kind.name())
        .then(" in JSON, and only an object or a map can be flattened, which has fields: ");
    Err(message.then(instead).then("remove `#[serde(flatten)]`"))
}

/// A field of a part of a flattened type that differs from what stands in another field of the object.
const fn clash(
    part: &'static Schema,
    flattened: &'static Schema,
    beside: &'static Field,
) -> Option<Clash> {
    let mut at = 0;
    while let Some(member) = member(peel(part), at) {
        let clash = match member {
            Member::Named(name) => clash_of(name, flattened, beside),
            Member::In(part) => clash(part, flattened, beside),
            Member::Nothing => None,
        };
        if clash.is_some() {
            return clash;
        }
        at += 1;
    }
    None
}

const fn clash_of(
    name: &'static str,
    flattened: &'static Schema,
    beside: &'static Field,
) -> Option<Clash> {
    let Some(one) = found::at(beside, name) else {
        return None;
    };
    let Some(other) = find(flattened, name) else {
        return None;
    };
    match difference(&one, &other, Message::new()) {
        Some(difference) => Some(Clash {
            name,
            sides: [one, other],
            difference,
        }),
        None => None,
    }
}
