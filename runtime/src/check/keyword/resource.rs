//! Whether a value can be a resource of its own.

use crdkit_core::{
    Violation,
    facts::Type,
    rules::structural::{s5, s6, s7, s8},
};

use super::Subject;
use crate::{
    check::{Message, facts},
    schema::walk::{Place, find},
};

/// The value is an object with fields, and those that every resource has are what they are in every resource.
pub(super) const fn fields(subject: &Subject) -> Result<(), Message> {
    let mut facts = facts::of(subject);
    facts.embedded_resource = true;
    if let Type::Missing = facts.type_ {
        facts.type_ = Type::Object; // any object then
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
        if let Some(Place::At(member)) = find(subject, names[at])
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
