//! What rules about which fields are set together, and about values that cannot change, ask of types.

use crdkit_core::literal::cel as names;

use super::{Message, nearest::missing};
use crate::schema::walk::{self, Member, Place, Value, has_keyword, is_foreign};
use crate::schema::{Keyword, Presence, Schema, Shape};

/// The object has the field, rules see it, and it may be left out.
pub const fn can_be_unset(schema: &'static Schema, name: &'static str) -> Result<(), Message> {
    let place = walk::field(&Value::of(schema), name);
    match &place {
        Place::Missing(object) => return Err(missing(object, name)),
        Place::At(member) if !member.value.may_be_seen() => {
            return Err(Message::of(&[
                "`",
                name,
                "` can be any value, which rules do not see",
            ]));
        }
        _ => {}
    }
    if !names::is_known(name) {
        return Err(Message::of(&[
            "rules cannot name the field `",
            name,
            "`: rename it to a word of letters, digits, `-` and `_`",
        ]));
    }
    match &place {
        Place::At(member) if member.variant.is_none() => may_be_missing(member, name),
        _ => Ok(()),
    }
}

const fn may_be_missing(member: &Member, name: &str) -> Result<(), Message> {
    let (Some(field), value) = (member.field, &member.value) else {
        return Ok(());
    };
    if has_keyword!(value, Keyword::DefaultLiteral(_)) {
        return Err(Message::of(&[
            "the server fills in the default of `",
            name,
            "`, so that it is always set: remove the default, or leave the field out here",
        ]));
    }
    let may_be_null = value.schema.optional && !matches!(value.presence, Presence::Required);
    if member.of_optional || !field.is_required() || may_be_null || is_foreign(value.schema) {
        return Ok(());
    }
    Err(Message::of(&[
        "`",
        name,
        "` must always be there: make it an `Option`, or leave it out here",
    ]))
}

/// A rule can compare the value of a field with what it was.
pub const fn field_is_seen(schema: &'static Schema, at: usize) -> Result<(), Message> {
    let Shape::Object(fields) = schema.shape else {
        return Ok(());
    };
    let field = &fields[at];
    if !Value::field(field).may_be_seen() {
        return Err(Message::of(&[UNSEEN]));
    }
    if !names::is_known(field.name) {
        return Err(Message::of(&[
            "rules cannot name the field `",
            field.name,
            "`, whose value could be taken away: rename it to a word of letters, digits, `-` and `_`",
        ]));
    }
    Ok(())
}

/// A rule can compare a value of the type with what it was.
pub const fn type_is_seen(schema: &'static Schema) -> Result<(), Message> {
    match Value::of(schema).may_be_seen() {
        true => Ok(()),
        false => Err(Message::of(&[UNSEEN])),
    }
}

const UNSEEN: &str =
    "the value can be anything, which rules do not see: give it a type that says what it is";

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
        Field::new("null", &TEXT).present(),
        Field::new("never", &TEXT).required(),
        Field::new("number", &NUMBER),
        Field::new("any", &ANY).optional(),
        Field::new("a b", &TEXT),
        Field::new("default", &TEXT)
            .with(&[Keyword::DefaultLiteral(crate::schema::Literal::Text("a"))]),
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
        check(
            &OUTER,
            "txet",
            "`Outer` has no field `txet`: did you mean `text`?",
        );
        check(&OUTER, "deep", "`deep` must always be there");
        check(&OPTIONAL, "deep", "");
        check(&ANY, "deep", "");
    }
}
