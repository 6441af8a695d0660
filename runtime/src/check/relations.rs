//! What rules about which fields are set together, and about values that cannot change, ask of types.

use crdkit_core::literal::cel as names;

use super::{Message, suggest::missing};
use crate::schema::walk::{self, Location, Member, Value, has_keyword, is_foreign};
use crate::schema::{Keyword, Presence, Schema, Shape};

/// The object has the field, rules see it, and it may be left out.
pub const fn can_be_unset(schema: &'static Schema, name: &'static str) -> Result<(), Message> {
    match walk::field(&Value::of(schema), name) {
        Location::Missing(object) => Err(missing(object, name)),
        Location::At(member) => Optionality::of(&member).check(name),
        _ => can_be_named(name),
    }
}

/// What is asked of a field that may be set or not, and that a rule is about.
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

    /// A rule can be about whether the field is set.
    pub(crate) const fn check(self, name: &str) -> Result<(), Message> {
        if !self.is_visible {
            return Err(Message::concat(&["`", name, "` can be any value, which rules do not see"]));
        }
        if let error @ Err(_) = can_be_named(name) {
            return error;
        }
        if self.has_default {
            return Err(Message::concat(&[
                "the server fills in the default of `",
                name,
                "`, so that it is always set: remove the default, or leave the field out here",
            ]));
        }
        match self.may_be_missing {
            true => Ok(()),
            false => {
                Err(Message::concat(&["`", name, "` must always be there: make it an `Option`, or leave it out here"]))
            }
        }
    }
}

/// Rules have a name for a field.
const fn can_be_named(name: &str) -> Result<(), Message> {
    match names::is_nameable(name) {
        true => Ok(()),
        false => Err(unnameable_field(name)),
    }
}

/// What is wrong with a field that rules have no name for.
pub(crate) const fn unnameable_field(name: &str) -> Message {
    Message::concat(&["rules cannot name the field `", name, "`: rename it to a word of letters, digits, `-` and `_`"])
}

/// A rule can compare the value of a field with what it was.
pub const fn field_is_visible(schema: &'static Schema, at: usize) -> Result<(), Message> {
    let Shape::Object(fields) = schema.shape else {
        return Ok(());
    };
    let field = &fields[at];
    if !Value::field(field).may_be_visible() {
        return Err(Message::concat(&[UNSEEN]));
    }
    if !names::is_nameable(field.name) {
        return Err(Message::concat(&[
            "rules cannot name the field `",
            field.name,
            "`, whose value could be taken away: rename it to a word of letters, digits, `-` and `_`",
        ]));
    }
    Ok(())
}

/// A rule can compare a value of the type with what it was.
pub const fn type_is_visible(schema: &'static Schema) -> Result<(), Message> {
    match Value::of(schema).may_be_visible() {
        true => Ok(()),
        false => Err(Message::concat(&[UNSEEN])),
    }
}

const UNSEEN: &str = "the value can be anything, which rules do not see: give it a type that says what it is";

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
        check(&OUTER, "never", "`never` must always be there");
        check(&OUTER, "number", "`number` must always be there");
        check(&OUTER, "any", "`any` can be any value");
        check(&OUTER, "a b", "cannot name the field `a b`");
        check(&OUTER, "default", "fills in the default of `default`");
        check(&OUTER, "txet", "`Outer` has no field `txet`: did you mean `text`?");
        check(&OUTER, "deep", "`deep` must always be there");
        check(&OPTIONAL, "deep", "");
        check(&ANY, "deep", "");
    }
}
