//! The fields of a flattened type.

use crate::{
    check::{
        rules::Value,
        text::equal,
        walk::{Kind, key_names, kind},
    },
    schema::{Alternative, Field, Keyword, KubeSchema, Role, Schema, Shape, Tagging, any_keyword},
};

/// A field of an object.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) value: Value,
    /// The field as it is declared, if it is no tag, variant or key.
    pub(super) field: Option<&'static Field>,
    /// The variants of which it names one.
    pub(super) tag_of: Option<&'static [Alternative]>,
    /// The variant that has it, and others may have it, too.
    pub(super) variant: Option<&'static str>,
    /// The flattened type that it comes from.
    pub(super) from: Option<&'static Schema>,
}

impl Found {
    pub(super) const fn value(value: Value) -> Self {
        Self {
            value,
            field: None,
            tag_of: None,
            variant: None,
            from: None,
        }
    }

    const fn own(field: &'static Field) -> Self {
        let mut found = Self::value(Value::of_field(field));
        found.field = Some(field);
        found
    }

    const fn tag(variants: &'static [Alternative]) -> Self {
        let mut found = Self::value(Value::of(<String as KubeSchema>::PLACE));
        found.tag_of = Some(variants);
        found
    }
}

/// What stands under a name in a field of an object: the field itself, or a field of its type.
pub(super) const fn at(field: &'static Field, name: &str) -> Option<Found> {
    match field.flatten {
        true => of_flattened(field, name),
        false if equal(field.name, name) => Some(Found::own(field)),
        false => None,
    }
}

const fn of_flattened(field: &'static Field, name: &str) -> Option<Found> {
    match may_be_changed(field.keywords) {
        true => None,
        false => find(field.schema, name),
    }
}

/// The field of a flattened type, if it is known for certain.
pub(super) const fn find(schema: &'static Schema, name: &str) -> Option<Found> {
    match found_in(schema, name) {
        Some(mut found) => {
            found.from = Some(schema);
            Some(found)
        }
        None => None,
    }
}

const fn found_in(schema: &'static Schema, name: &str) -> Option<Found> {
    if may_be_changed(schema.keywords) {
        return None;
    }
    match schema.shape {
        Shape::Newtype(inner) => found_in(inner, name),
        Shape::Object(fields) => in_fields(fields, name),
        Shape::Map(values) => match key_names(schema) {
            Some(names) => {
                let mut at = 0;
                while at < names.len() {
                    if equal(names[at].name, name) {
                        return Some(Found::value(Value::of(schema).inside(values)));
                    }
                    at += 1;
                }
                None
            }
            None => None,
        },
        Shape::OneOf(tagging, variants) if !matches!(kind(schema), Kind::Opaque) => {
            in_enum(tagging, variants, name)
        }
        _ => None,
    }
}

const fn in_fields(fields: &'static [Field], name: &str) -> Option<Found> {
    let mut position = 0;
    while position < fields.len() {
        let found = at(&fields[position], name);
        if found.is_some() {
            return found;
        }
        position += 1;
    }
    None
}

const fn in_enum(tagging: Tagging, variants: &'static [Alternative], name: &str) -> Option<Found> {
    if let Tagging::Internal(tag) | Tagging::Adjacent { tag, .. } = tagging
        && equal(tag, name)
        && have_a_tag(variants)
    {
        return Some(Found::tag(variants));
    }
    let mut first: Option<Found> = None;
    let mut at = 0;
    while at < variants.len() {
        match (first, in_variant(tagging, &variants[at], name)) {
            (None, found) => first = found,
            (Some(one), Some(other)) if one.value.kind() as u8 != other.value.kind() as u8 => {
                return None;
            }
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

const fn in_variant(tagging: Tagging, variant: &'static Alternative, name: &str) -> Option<Found> {
    let Some(content) = variant.content else {
        return None;
    };
    let found = match variant.tagging(tagging) {
        Tagging::External if equal(variant.name, name) => Some(Found::value(Value::of(content))),
        Tagging::Adjacent { content: field, .. } if equal(field, name) => {
            Some(Found::value(Value::of(content)))
        }
        Tagging::Internal(_) | Tagging::Untagged => found_in(content, name),
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

/// Whether expressions may change the fields.
const fn may_be_changed(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_)
    )
}
