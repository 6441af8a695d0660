//! What differs for certain in two types whose values share one schema.

use crdkit_core::join::{Difference, Kind, Side};

use super::{Message, keyword::have_other_bounds};
use crate::schema::walk::{
    self, Place, key_names, peel,
    variants::{self, member},
};
use crate::schema::{Schema, Shape};
pub(super) use member::{Member, beside, find};
pub(super) use value::Value;

mod allowed_values;
mod member;
mod rules;
mod value;

/// Why two values share one schema.
#[derive(Clone, Copy)]
pub(super) enum Sharing {
    /// They are the data of two variants, or fields of it: of two objects, only the fields that both have are compared.
    Variants,
    /// They are items of a tuple, which have the same parts.
    Items,
    /// They are fields of one name in one object, and must be the same.
    Field,
}

impl Sharing {
    /// Whether the values may be of these kinds.
    const fn takes(self, one: Kind, other: Kind, are_certain: bool) -> bool {
        match (self, one.union_in_fields(other)) {
            (_, None) => false,
            (Self::Items, Some(Kind::Number)) | (Self::Variants, _) => true,
            (Self::Items, _) => one.is(other),
            (Self::Field, _) => one.is(other) || !are_certain,
        }
    }
}

/// A difference, and where it is.
pub(super) struct Found {
    /// The path; empty for the values themselves.
    pub(super) path: Message,
    /// The first field of the path; empty for the values themselves.
    pub(super) field: &'static str,
    pub(super) difference: Difference<'static>,
}

/// What differs for certain. Of variants that may share the field, only the kind of value is.
pub(super) const fn difference(
    a: &Member,
    b: &Member,
    sharing: Sharing,
    path: Message,
) -> Option<Found> {
    let is_exact = matches!(sharing, Sharing::Field);
    let are_certain = a.variant.is_none() && b.variant.is_none();
    let kinds = [a.value.kind(), b.value.kind()];
    let difference = match kinds {
        [Kind::Opaque, Kind::Opaque] => return None,
        [Kind::Opaque, _] | [_, Kind::Opaque] => {
            let is_any = a.value.is_any() || b.value.is_any();
            match are_certain && is_any && !matches!(sharing, Sharing::Variants) {
                true => Some(Difference::Kinds(kinds)),
                false => return None,
            }
        }
        [Kind::Map, Kind::Object] | [Kind::Object, Kind::Map]
            if a.value.has_keys() || b.value.has_keys() =>
        {
            return None;
        }
        [one, other] if !sharing.takes(one, other, are_certain) => Some(Difference::Kinds(kinds)),
        _ if !are_certain => return None,
        _ if is_exact => of_one_kind(a, b, kinds[0]),
        _ => rules::difference(a.value, b.value),
    };
    match difference {
        Some(difference) => Some(Found::of(path, difference)),
        None => inside(a.value, b.value, sharing, path),
    }
}

impl Found {
    const fn of(path: Message, difference: Difference<'static>) -> Self {
        Self {
            path,
            field: "",
            difference,
        }
    }
}

/// What differs in two values that must be the same.
const fn of_one_kind(a: &Member, b: &Member, kind: Kind) -> Option<Difference<'static>> {
    if let (Kind::String, text @ Some(_)) = (kind, allowed_values::difference(a, b)) {
        return text;
    }
    if have_other_bounds(a.value, b.value) {
        return Some(Difference::Bounds);
    }
    match (a.value.may_be_null(), b.value.may_be_null()) {
        (Some(true), Some(false)) => Some(Difference::Null(Side::First)),
        (Some(false), Some(true)) => Some(Difference::Null(Side::Second)),
        _ => rules::difference(a.value, b.value),
    }
}

/// What differs in the rules of a variant that stands for the enum, and of one that has none there.
pub(super) const fn difference_of_rules(a: Value, b: Value) -> Option<Found> {
    match rules::difference(a, b) {
        Some(difference) => Some(Found::of(Message::new(), difference)),
        None => None,
    }
}

/// What differs within two lists, maps or objects.
pub(super) const fn inside(a: Value, b: Value, sharing: Sharing, path: Message) -> Option<Found> {
    let (one, other) = (peel(a.schema), peel(b.schema));
    let (items, path) = match [a.kind(), b.kind()] {
        [Kind::List, Kind::List] => (
            [items(one, sharing), items(other, sharing)],
            path.then("[]"),
        ),
        [Kind::Map, Kind::Map] if key_names(one).is_none() && key_names(other).is_none() => {
            ([values(one), values(other)], path.then("[*]"))
        }
        [Kind::Map | Kind::Object, Kind::Map | Kind::Object] => {
            return match in_objects(one, [one, other], Side::First, sharing, path) {
                None => in_objects(other, [one, other], Side::Second, sharing, path),
                found => found,
            };
        }
        _ => return None,
    };
    match items {
        [Some(one), Some(other)] => {
            let (one, other) = (Member::of(a.inside(one)), Member::of(b.inside(other)));
            difference(&one, &other, sharing, path)
        }
        _ => None,
    }
}

const fn items(list: &Schema, sharing: Sharing) -> Option<&'static Schema> {
    match (list.shape, sharing) {
        (Shape::List(items), _) => Some(items),
        (Shape::Tuple([first, ..]), Sharing::Variants | Sharing::Items) => Some(first),
        _ => None,
    }
}

const fn values(map: &Schema) -> Option<&'static Schema> {
    match map.shape {
        Shape::Map(values) if map.keys.is_none() => Some(values),
        _ => None,
    }
}

/// What differs in the fields of a part of the object on one side; of the second one, in those that the first one lacks.
const fn in_objects(
    part: &'static Schema,
    objects: [&'static Schema; 2],
    side: Side,
    sharing: Sharing,
    path: Message,
) -> Option<Found> {
    let mut at = 0;
    while let Some(member) = member(peel(part), at) {
        let found = match member {
            variants::Member::Named(name) => of_field(name, objects, side, sharing, path),
            variants::Member::In(part) => in_objects(part, objects, side, sharing, path),
            variants::Member::Nothing => None,
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
    objects: [&'static Schema; 2],
    side: Side,
    sharing: Sharing,
    path: Message,
) -> Option<Found> {
    let [with, without] = side.of(objects);
    let path_of_field = match path.as_str().is_empty() {
        true => path.then(name),
        false => path.then(".").then(name),
    };
    let found = match (find(with, name), find(without, name), side) {
        (Some(a), Some(b), Side::First) => difference(&a, &b, sharing, path_of_field),
        (Some(_), None, _) if !matches!(sharing, Sharing::Variants) => {
            match walk::field(without, &[], name) {
                Place::Missing(_) => Some(Found::of(path, Difference::Field(name, side))),
                _ => None,
            }
        }
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
