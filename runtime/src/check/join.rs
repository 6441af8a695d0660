//! What differs for certain in two types whose values share one schema.

use crdkit_core::join::{Difference, Kind, Sharing, Side};

use super::{Message, keyword::have_different_bounds};
use crate::schema::walk::{
    self, ElementStep, Location, Member, Value, find, has_keyword, key_names, strip_newtypes,
    variants::{Name, name as names},
};
use crate::schema::{Keyword, Schema, Shape};

mod allowed_values;
mod rules;

/// A difference, and where it is.
pub(super) struct Conflict {
    /// The path; empty for the values themselves.
    pub(super) path: Message,
    /// The first field of the path; empty for the values themselves.
    pub(super) field: &'static str,
    pub(super) difference: Difference<'static>,
}

/// What differs for certain. Of variants that may share the field, only the kind of value is.
pub(super) const fn difference(a: &Member, b: &Member, sharing: Sharing, path: Message) -> Option<Conflict> {
    let is_exact = matches!(sharing, Sharing::Field);
    let are_certain = a.variant.is_none() && b.variant.is_none();
    let kinds = [a.value.kind(), b.value.kind()];
    let difference = match kinds {
        [Kind::Opaque, Kind::Opaque] => return None,
        [Kind::Opaque, _] | [_, Kind::Opaque] => {
            let is_any = is_plainly_any(&a.value) || is_plainly_any(&b.value);
            match are_certain && is_any && !matches!(sharing, Sharing::Variants) {
                true => Some(Difference::Kinds(kinds)),
                false => return None,
            }
        }
        [Kind::Map, Kind::Object] | [Kind::Object, Kind::Map] if has_keys(&a.value) || has_keys(&b.value) => {
            return None;
        }
        [one, other] if !sharing.allows(one, other, are_certain) => Some(Difference::Kinds(kinds)),
        _ if !are_certain => return None,
        _ if is_exact => difference_within_kind(a, b, kinds[0]),
        _ => rules::difference(&a.value, &b.value),
    };
    match difference {
        Some(difference) => Some(Conflict::of(path, difference)),
        None => inside(&a.value, &b.value, sharing, path),
    }
}

/// Whether it is any value, with no form that a keyword gives it.
const fn is_plainly_any(value: &Value) -> bool {
    value.is_any() && !has_keyword!(value, Keyword::EmbeddedResource)
}

/// Whether it is a map that may have the form of an object.
const fn has_keys(value: &Value) -> bool {
    strip_newtypes(value.schema).keys.is_some()
}

/// What has a name in an object, if that is known for certain.
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

/// What differs in two values that must be the same.
const fn difference_within_kind(a: &Member, b: &Member, kind: Kind) -> Option<Difference<'static>> {
    if let (Kind::String, text @ Some(_)) = (kind, allowed_values::difference(a, b)) {
        return text;
    }
    if have_different_bounds(&a.value, &b.value) {
        return Some(Difference::Bounds);
    }
    match (a.value.may_be_null(), b.value.may_be_null()) {
        (Some(true), Some(false)) => Some(Difference::Null(Side::First)),
        (Some(false), Some(true)) => Some(Difference::Null(Side::Second)),
        _ => rules::difference(&a.value, &b.value),
    }
}

/// What differs in the rules of a variant that stands for the enum, and of one that has none there.
pub(super) const fn difference_of_rules(a: &Value, b: &Value) -> Option<Conflict> {
    match rules::difference(a, b) {
        Some(difference) => Some(Conflict::of(Message::new(), difference)),
        None => None,
    }
}

/// What differs within two lists, maps or objects.
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
            return match in_objects(one, [a, b], Side::First, sharing, path) {
                None => in_objects(other, [a, b], Side::Second, sharing, path),
                found => found,
            };
        }
        _ => return None,
    };
    let (one, other) = (Member::of(a.inside(step)), Member::of(b.inside(step)));
    difference(&one, &other, sharing, path)
}

/// Whether lists have items to compare.
const fn have_items(list: &Schema, sharing: Sharing) -> bool {
    matches!((list.shape, sharing), (Shape::List(_), _) | (Shape::Tuple([_, ..]), Sharing::Variants | Sharing::Items))
}

/// What differs in the fields of a part of the object on one side; of the second one, in those that the first one lacks.
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

const fn of_field(
    name: &'static str,
    objects: [&Value; 2],
    side: Side,
    sharing: Sharing,
    path: Message,
) -> Option<Conflict> {
    let [with, without] = side.of(objects);
    let path_of_field = match path.as_str().is_empty() {
        true => path.then(name),
        false => path.then(".").then(name),
    };
    let found = match (if_certain(find(with, name)), if_certain(find(without, name)), side) {
        (Some(a), Some(b), Side::First) => difference(&a, &b, sharing, path_of_field),
        (Some(_), None, _) if !matches!(sharing, Sharing::Variants) => match walk::field(without, name) {
            Location::Missing(_) => Some(Conflict::of(path, Difference::Field(name, side))),
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
