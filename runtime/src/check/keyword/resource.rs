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
        Shape,
        keys::may_have_names,
        walk::{ElementStep, Location, find, strip_newtypes},
    },
};

/// The value is a map of any values, which says no more than that unknown fields are preserved.
pub(super) const fn is_any_object(subject: &Subject) -> bool {
    let map = strip_newtypes(subject.schema);
    let has_named_keys = match map.keys {
        Some(keys) => may_have_names(keys),
        None => false,
    };
    let values = subject.inside(ElementStep::Values);
    matches!(map.shape, Shape::Map(_)) && !has_named_keys && values.is_any() && values.keyword(0).is_none()
}

/// The value is an object with fields, and those that every resource has are what they are in every resource.
pub(super) const fn fields(subject: &Subject) -> Result<(), Message> {
    let mut facts = facts::of(subject);
    facts.embedded_resource = true;
    if let Type::Missing = facts.type_ {
        facts.type_ = Type::Object; // any object then
    }
    if is_any_object(subject) {
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
        if let Some(Location::At(member)) = find(subject, names[at])
            && member.is_certain
        {
            let field = facts::of(&member.value);
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
