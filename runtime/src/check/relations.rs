//! Checks of rules about the presence of fields, and of immutable values.

use crdkit_core::literal::cel as names;

use super::{Message, suggest::missing};
use crate::schema::walk::{self, Location, Member, Value, has_keyword, is_foreign};
use crate::schema::{Keyword, Presence, Schema, Shape};

/// Checks that the object has the field, that rules can see it, and that it is optional.
pub const fn can_be_unset(schema: &'static Schema, name: &'static str) -> Result<(), Message> {
    match walk::field(&Value::of(schema), name) {
        Location::Missing(object) => Err(missing(object, name)),
        Location::At(member) => Optionality::of(&member).check(name),
        _ => can_be_named(name),
    }
}

/// The properties of a field that determine whether a rule can depend on its presence.
#[derive(Clone, Copy)]
pub(crate) struct Optionality {
    pub(crate) is_visible: bool,
    pub(crate) has_default: bool,
    pub(crate) may_be_missing: bool,
}

impl Optionality {
    const fn of(member: &Member) -> Self {
        let value = &member.value;
        let is_field = member.variant.is_none() && member.field.is_some();
        let may_be_null = value.schema.optional && !matches!(value.presence, Presence::Required);
        let is_required = match member.field {
            Some(field) => field.is_required(),
            None => false,
        };
        Self {
            is_visible: value.may_be_visible(),
            has_default: is_field && has_keyword!(value, Keyword::DefaultLiteral(_)),
            may_be_missing: !is_field || !is_required || may_be_null || member.of_optional || is_foreign(value.schema),
        }
    }

    /// Checks that a rule can depend on the presence of the field.
    pub(crate) const fn check(self, name: &str) -> Result<(), Message> {
        if !self.is_visible {
            return Err(Message::concat(&["`", name, "` can be any value and is therefore not visible to rules"]));
        }
        if let error @ Err(_) = can_be_named(name) {
            return error;
        }
        if self.has_default {
            return Err(Message::concat(&[
                "`",
                name,
                "` is always set, because the server fills in its default: remove the default, or omit the field here",
            ]));
        }
        if self.may_be_missing {
            Ok(())
        } else {
            Err(Message::concat(&["`", name, "` is required: make it an `Option`, or omit it here"]))
        }
    }
}

/// Checks that rules can refer to a field.
const fn can_be_named(name: &str) -> Result<(), Message> {
    if names::is_nameable(name) { Ok(()) } else { Err(unnameable_field(name)) }
}

/// The message for a field that rules cannot refer to.
pub(crate) const fn unnameable_field(name: &str) -> Message {
    Message::concat(&["rules cannot refer to the field `", name, "`: rename it using letters, digits, `-` and `_`"])
}

/// Checks that a rule can compare the value of a field with its old value.
pub const fn field_is_visible(schema: &'static Schema, at: usize) -> Result<(), Message> {
    let Shape::Object(fields) = schema.shape else {
        return Ok(());
    };
    let field = &fields[at];
    if !Value::field(field).may_be_visible() {
        return Err(Message::concat(&[INVISIBLE]));
    }
    if !names::is_nameable(field.name) {
        return Err(Message::concat(&[
            "rules cannot refer to the field `",
            field.name,
            "` and cannot prevent its removal: rename it using letters, digits, `-` and `_`",
        ]));
    }
    Ok(())
}

/// Checks that a rule can compare a value of the type with its old value.
pub const fn type_is_visible(schema: &'static Schema) -> Result<(), Message> {
    if Value::of(schema).may_be_visible() { Ok(()) } else { Err(Message::concat(&[INVISIBLE])) }
}

const INVISIBLE: &str = "the value can be of any type and is therefore not visible to rules: give it a type";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Field;

    const TEXT: Schema = Schema::string().optional();
    const NUMBER: Schema = Schema::integer();
    const ANY: Schema = Schema::any();
    const INNER: Schema = Schema::object(&[Field::new("deep", &NUMBER)]).named("Inner");
    const MAYBE: Schema = INNER.optional();
    const OUTER: Schema = Schema::object(&[
        Field::new("text", &TEXT),
        Field::new("null", &TEXT).required_nullable(),
        Field::new("never", &TEXT).required(),
        Field::new("number", &NUMBER),
        Field::new("any", &ANY).optional(),
        Field::new("a b", &TEXT),
        Field::new("default", &TEXT).with(&[Keyword::DefaultLiteral(crate::schema::Literal::Text("a"))]),
        Field::flattened(&INNER),
    ])
    .named("Outer");
    const OPTIONAL: Schema = Schema::object(&[Field::flattened(&MAYBE)]);

    #[track_caller]
    fn check(schema: &'static Schema, name: &'static str, expected: &str) {
        let found = match can_be_unset(schema, name) {
            Ok(()) => String::new(),
            Err(message) => message.as_str().to_owned(),
        };
        assert!(found.contains(expected), "{found}");
        assert_eq!(found.is_empty(), expected.is_empty(), "{found}");
    }

    #[test]
    fn fields() {
        check(&OUTER, "text", "");
        check(&OUTER, "null", "");
        check(&OUTER, "never", "`never` is required");
        check(&OUTER, "number", "`number` is required");
        check(&OUTER, "any", "`any` can be any value");
        check(&OUTER, "a b", "cannot refer to the field `a b`");
        check(&OUTER, "default", "`default` is always set");
        check(&OUTER, "txet", "`Outer` has no field `txet`: did you mean `text`?");
        check(&OUTER, "deep", "`deep` is required");
        check(&OPTIONAL, "deep", "");
        check(&ANY, "deep", "");
    }
}
