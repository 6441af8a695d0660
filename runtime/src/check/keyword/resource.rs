//! Whether a value can be a resource of its own.

use crdkit_core::{
    Violation,
    facts::Type,
    rules::structural::{s5, s6, s7, s8},
};

use super::Subject;
use crate::{
    check::{Message, facts},
    schema::{
        Keyword, Schema, Shape, any_keyword,
        keys::may_have_names,
        walk::{field_named, has_mistakes, peel},
    },
};

/// The value is a map of any values, which says no more than that unknown fields are preserved.
pub(super) const fn is_any_object(subject: Subject, schema: &'static Schema) -> bool {
    let on_values = subject.inside.is_empty() && any_keyword!(subject.keywords, Keyword::Values(_));
    !on_values && is_map_of_any(schema)
}

const fn is_map_of_any(schema: &'static Schema) -> bool {
    if any_keyword!(schema.keywords, Keyword::Values(_)) {
        return false;
    }
    match (schema.shape, schema.keys) {
        (Shape::Newtype(inner), _) => is_map_of_any(inner),
        (Shape::Map(_), Some(keys)) if may_have_names(keys) => false,
        (Shape::Map(values), _) => is_bare_any(values),
        _ => false,
    }
}

const fn is_bare_any(schema: &'static Schema) -> bool {
    matches!(peel(schema).shape, Shape::Any) && no_keywords(schema) && !has_mistakes(schema)
}

const fn no_keywords(schema: &'static Schema) -> bool {
    schema.keywords.is_empty()
        && match schema.shape {
            Shape::Newtype(inner) => no_keywords(inner),
            _ => true,
        }
}

/// The value is an object with fields, and those that every resource has are what they are in every resource.
pub(super) const fn fields(subject: Subject, schema: &'static Schema) -> Result<(), Message> {
    let mut facts = facts::of(subject);
    facts.embedded_resource = true;
    if let Type::Missing = facts.type_ {
        facts.type_ = Type::Object; // any object then
    }
    if is_any_object(subject, schema) {
        facts.has_values = false;
        facts.preserves_unknown_fields = true;
    }
    if let Err(violation) = s5(&facts) {
        return Err(message(&violation));
    }
    if let Err(violation) = s6(&facts) {
        return Err(message(&violation));
    }
    if let Err(violation) = s7(&facts) {
        return Err(message(&violation));
    }
    let names = ["apiVersion", "kind", "metadata"];
    let mut at = 0;
    while at < names.len() {
        if let Some(field) = field_named(schema, names[at]) {
            let (field, _) = facts::of_field(field);
            if !matches!(field.type_, Type::Unknown)
                && let Err(violation) = s8(names[at], field.type_name)
            {
                return Err(message(&violation));
            }
        }
        at += 1;
    }
    Ok(())
}

const fn message(violation: &Violation<'_>) -> Message {
    violation.message.message()
}
