//! Provable differences between two types that share a schema.

use crdkit_core::{
    schema::Kind,
    shared_schema::{Difference, Sharing, Side},
};

use super::Message;
use crate::schema::{
    Keyword, Schema, Shape,
    walk::{
        self, ElementStep, Location, Member, Value, find, has_keyword, key_names, strip_newtypes,
        variants::{Name, name as names},
    },
};

mod rules;

/// A difference, and its path.
pub(super) struct Conflict {
    /// The path; empty for the values themselves.
    pub(super) path: Message,
    /// The first field of the path; empty for the values themselves.
    pub(super) field: &'static str,
    pub(super) difference: Difference<'static>,
}

/// Returns a provable difference. For fields of variants, only the kind of value is compared.
pub(super) const fn difference(a: &Member, b: &Member, sharing: Sharing, path: Message) -> Option<Conflict> {
    let are_certain = a.variant.is_none() && b.variant.is_none();
    let kinds = [a.value.kind(), b.value.kind()];
    let difference = match kinds {
        [Kind::Opaque, Kind::Opaque] => return None,
        [Kind::Opaque, _] | [_, Kind::Opaque] => {
            let is_any = is_plainly_any(&a.value) || is_plainly_any(&b.value);
            if !are_certain || !is_any || matches!(sharing, Sharing::Variants) {
                return None;
            }
            Some(Difference::Kinds(kinds))
        }
        [Kind::Map, Kind::Object] | [Kind::Object, Kind::Map] if has_keys(&a.value) || has_keys(&b.value) => {
            return None;
        }
        [one, other] if !sharing.allows(one, other) => Some(Difference::Kinds(kinds)),
        _ if !are_certain => return None,
        _ => rules::difference(&a.value, &b.value),
    };
    match difference {
        Some(difference) => Some(Conflict::of(path, difference)),
        None => inside(&a.value, &b.value, sharing, path),
    }
}

/// Whether any value is allowed, and no keyword restricts it.
const fn is_plainly_any(value: &Value) -> bool {
    value.is_any() && !has_keyword!(value, Keyword::EmbeddedResource)
}

/// Whether the value is a map that may have fields.
const fn has_keys(value: &Value) -> bool {
    strip_newtypes(value.schema).keys.is_some()
}

/// Returns the member at a location if it provably exists.
pub(super) const fn if_certain(place: Option<Location>) -> Option<Member> {
    match place {
        Some(Location::At(member)) if member.is_certain => Some(member),
        _ => None,
    }
}

impl Conflict {
    const fn of(path: Message, difference: Difference<'static>) -> Self {
        Self { path, field: "", difference }
    }
}

/// Compares the rules of two values.
pub(super) const fn difference_of_rules(a: &Value, b: &Value) -> Option<Conflict> {
    match rules::difference(a, b) {
        Some(difference) => Some(Conflict::of(Message::new(), difference)),
        None => None,
    }
}

/// Compares the elements of two lists, maps or objects.
pub(super) const fn inside(a: &Value, b: &Value, sharing: Sharing, path: Message) -> Option<Conflict> {
    let (one, other) = (strip_newtypes(a.schema), strip_newtypes(b.schema));
    let (step, path) = match [a.kind(), b.kind()] {
        [Kind::List, Kind::List] if have_items(one, sharing) && have_items(other, sharing) => {
            (ElementStep::Items, path.then("[]"))
        }
        [Kind::Map, Kind::Map] if one.keys.is_none() && other.keys.is_none() => (ElementStep::Values, path.then("[*]")),
        [Kind::Map, Kind::Map] if key_names(one).is_none() && key_names(other).is_none() => {
            return None;
        }
        [Kind::Map | Kind::Object, Kind::Map | Kind::Object] => {
            let found = in_objects(one, [a, b], Side::First, sharing, path);
            return match sharing {
                Sharing::Items if found.is_none() => in_objects(other, [a, b], Side::Second, sharing, path),
                _ => found,
            };
        }
        _ => return None,
    };
    let (one, other) = (Member::of(a.inside(step)), Member::of(b.inside(step)));
    difference(&one, &other, sharing, path)
}

/// Whether a list has items to compare.
const fn have_items(list: &Schema, sharing: Sharing) -> bool {
    matches!((list.shape, sharing), (Shape::List(_), _) | (Shape::Tuple([_, ..]), Sharing::Variants | Sharing::Items))
}

/// Compares the fields of one object with those of the other. On the second side, only fields that the first object
/// lacks are considered.
const fn in_objects(
    part: &'static Schema,
    objects: [&Value; 2],
    side: Side,
    sharing: Sharing,
    path: Message,
) -> Option<Conflict> {
    let mut at = 0;
    while let Some(name) = names(strip_newtypes(part), at) {
        let found = match name {
            Name::Of(name) => of_field(name, objects, side, sharing, path),
            Name::In(part) => in_objects(part, objects, side, sharing, path),
            Name::Nothing => None,
        };
        if found.is_some() {
            return found;
        }
        at += 1;
    }
    None
}

/// Compares the fields with a name in the data of two variants.
pub(super) const fn in_field(name: &'static str, a: &Value, b: &Value) -> Option<Conflict> {
    of_field(name, [a, b], Side::First, Sharing::Variants, Message::new())
}

const fn of_field(
    name: &'static str,
    objects: [&Value; 2],
    side: Side,
    sharing: Sharing,
    path: Message,
) -> Option<Conflict> {
    let [with, without] = side.of(objects);
    let path_of_field = if path.as_str().is_empty() { path.then(name) } else { path.then(".").then(name) };
    let found = match (if_certain(find(with, name)), if_certain(find(without, name)), side) {
        (Some(a), Some(b), Side::First) => difference(&a, &b, sharing, path_of_field),
        (Some(_), None, _) if !matches!(sharing, Sharing::Variants) => match walk::field(without, name) {
            Location::Missing(_) => Some(Conflict::of(path, Difference::Field)),
            _ => None,
        },
        _ => None,
    };
    match found {
        Some(mut found) if path.as_str().is_empty() => {
            found.field = name;
            Some(found)
        }
        found => found,
    }
}
