//! Checks of embedded resources.

use crdkit_core::{
    Violation,
    rules::structural::{resource_field_has_type, resource_has_fields, resource_is_not_map, resource_is_object},
    schema::Type,
};

use super::Subject;
use crate::{
    check::{Message, merged_keywords},
    schema::{
        Shape,
        map_keys::may_have_names,
        walk::{ElementStep, Location, find, strip_newtypes},
    },
};

/// Whether the value is a map of any values, which is equivalent to an object that preserves unknown fields.
pub(super) const fn is_any_object(subject: &Subject) -> bool {
    let map = strip_newtypes(subject.schema);
    let has_named_keys = match map.keys {
        Some(keys) => may_have_names(keys),
        None => false,
    };
    let values = subject.inside(ElementStep::Values);
    matches!(map.shape, Shape::Map(_)) && !has_named_keys && values.is_any() && values.keyword(0).is_none()
}

/// Checks that the value is an object with fields, and that `apiVersion`, `kind` and `metadata` have the right types.
pub(super) const fn fields(subject: &Subject) -> Result<(), Message> {
    let mut facts = merged_keywords::of(subject);
    facts.embedded_resource = true;
    if let Type::Missing = facts.type_ {
        facts.type_ = Type::Object; // any object then
    }
    if is_any_object(subject) {
        facts.has_values = false;
        facts.preserves_unknown_fields = true;
    }
    if let Err(violation) = resource_is_object(&facts) {
        return Err(message(&violation));
    }
    if let Err(violation) = resource_is_not_map(&facts) {
        return Err(message(&violation));
    }
    if let Err(violation) = resource_has_fields(&facts) {
        return Err(message(&violation));
    }
    let names = ["apiVersion", "kind", "metadata"];
    let mut at = 0;
    while at < names.len() {
        if let Some(Location::At(member)) = find(subject, names[at])
            && member.is_certain
        {
            let field = merged_keywords::of(&member.value);
            if !matches!(field.type_, Type::Unknown)
                && let Err(violation) = resource_field_has_type(names[at], field.type_name)
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
