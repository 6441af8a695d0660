//! The fields of an object, its flattened ones and those of variants included.

use crdkit_core::text::equal;

use super::value::{Value, may_be_changed};
use crate::schema::{
    Alternative, Field, KubeSchema, Role, Schema, Shape, Tagging,
    walk::{Kind, key_names, kind},
};

/// A field of an object, or another value.
#[derive(Clone, Copy)]
pub(in crate::check) struct Member {
    pub(in crate::check) value: Value,
    /// The variants of which it names one.
    pub(super) tag_of: Option<&'static [Alternative]>,
    /// The variant that has it, and others may have it, too.
    pub(in crate::check) variant: Option<&'static str>,
    /// The flattened type that it comes from.
    pub(in crate::check) from: Option<&'static Schema>,
}

impl Member {
    pub(in crate::check) const fn of(value: Value) -> Self {
        Self {
            value,
            tag_of: None,
            variant: None,
            from: None,
        }
    }
}

/// What stands under a name in a field of an object: the field itself, or a field of its type.
pub(in crate::check) const fn beside(field: &'static Field, name: &str) -> Option<Member> {
    match field.flatten {
        true if may_be_changed(field.keywords) => None,
        true => match find(field.schema, name) {
            Some(mut found) => {
                found.from = Some(field.schema);
                Some(found)
            }
            None => None,
        },
        false if equal(field.name, name) => Some(Member::of(Value::of_field(field))),
        false => None,
    }
}

/// The field of an object, if it is known for certain.
pub(in crate::check) const fn find(schema: &'static Schema, name: &str) -> Option<Member> {
    if may_be_changed(schema.keywords) {
        return None;
    }
    match schema.shape {
        Shape::Newtype(inner) => find(inner, name),
        Shape::Object(fields) => {
            let mut at = 0;
            while at < fields.len() {
                let found = beside(&fields[at], name);
                if found.is_some() {
                    return found;
                }
                at += 1;
            }
            None
        }
        Shape::Map(values) => entry(schema, values, name),
        Shape::OneOf(tagging, variants) if !matches!(kind(schema), Kind::Opaque) => {
            in_enum(tagging, variants, name)
        }
        _ => None,
    }
}

/// The entry of a map whose keys have names.
const fn entry(map: &'static Schema, values: &'static Schema, name: &str) -> Option<Member> {
    let Some(names) = key_names(map) else {
        return None;
    };
    let mut at = 0;
    while at < names.len() {
        if equal(names[at].name, name) {
            return Some(Member::of(Value::of(map).inside(values)));
        }
        at += 1;
    }
    None
}

const fn in_enum(tagging: Tagging, variants: &'static [Alternative], name: &str) -> Option<Member> {
    if let Tagging::Internal(tag) | Tagging::Adjacent { tag, .. } = tagging
        && equal(tag, name)
        && have_a_tag(variants)
    {
        let mut found = Member::of(Value::of(<String as KubeSchema>::PLACE));
        found.tag_of = Some(variants);
        return Some(found);
    }
    let mut first: Option<Member> = None;
    let mut at = 0;
    while at < variants.len() {
        match (first, in_variant(tagging, &variants[at], name)) {
            (None, found) => first = found,
            (Some(one), Some(other)) if !one.value.kind().is(other.value.kind()) => return None,
            _ => {}
        }
        at += 1;
    }
    first
}

const fn have_a_tag(variants: &[Alternative]) -> bool {
    let mut at = 0;
    while at < variants.len() {
        if !matches!(variants[at].role, Role::Untagged) {
            return true;
        }
        at += 1;
    }
    false
}

const fn in_variant(tagging: Tagging, variant: &'static Alternative, name: &str) -> Option<Member> {
    let Some(content) = variant.content else {
        return None;
    };
    let found = match variant.tagging(tagging) {
        Tagging::External if equal(variant.name, name) => Some(Member::of(Value::of(content))),
        Tagging::Adjacent { content: field, .. } if equal(field, name) => {
            Some(Member::of(Value::of(content)))
        }
        Tagging::Internal(_) | Tagging::Untagged => find(content, name),
        _ => None,
    };
    match found {
        Some(mut found) => {
            found.variant = Some(variant.name);
            Some(found)
        }
        None => None,
    }
}
