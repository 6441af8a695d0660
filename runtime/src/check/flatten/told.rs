//! What is said of two fields of one name that differ, and what to write instead.

use super::{
    Clash,
    found::Found,
    names::Text,
    what::{Side, What},
};
use crate::{
    check::{Message, rules},
    schema::Schema,
};

/// The message for a clash in a struct, or in a variant with fields.
pub(super) const fn clash(clash: &Clash, object: &'static Schema) -> Message {
    let [one, other] = &clash.sides;
    let path = clash.difference.path.as_str();
    let message = Message::of(&["`", clash.name, path, "`"]);
    let message = match clash.difference.what {
        What::Kinds([a, b]) => {
            let message = within(message.then(" is ").then(a.name()), one, object);
            within(message.then(" and ").then(b.name()), other, object)
        }
        What::Text(Text::Any, side) => alone(message.then(" may be any text"), side, clash, object),
        What::Text(Text::Name(name), side) => {
            let message = message.then(" may be `").then(name).then("`");
            alone(message, side, clash, object)
        }
        What::Bounds => between(
            message.then(" has other bounds or another format"),
            one,
            other,
            object,
        ),
        What::Null(side) => alone(message.then(" may be null"), side, clash, object),
        What::Field(name, side) => {
            let message = message.then(" has the field `").then(name).then("`");
            alone(message, side, clash, object)
        }
        What::Rules(difference) => {
            let message = difference.name(message.then(" has "));
            match difference.of {
                rules::Side::First => alone(message, Side::First, clash, object),
                rules::Side::Second => alone(message, Side::Second, clash, object),
                rules::Side::Both => {
                    between(message.then(" with another message"), one, other, object)
                }
            }
        }
    };
    message.then(INSTEAD)
}

const INSTEAD: &str = ", and no object can have both: rename one, give the flattened field \
    `#[crd(preserve_unknown_fields)]` or `#[crd(schema = ...)]`, or remove its `flatten`, so that \
    its type stands in a field of its own";

/// The message with where one thing is and another is not.
const fn alone(message: Message, side: Side, clash: &Clash, object: &'static Schema) -> Message {
    let [one, other] = &clash.sides;
    let (with, without) = match side {
        Side::First => (one, other),
        Side::Second => (other, one),
    };
    within(
        within(message, with, object).then(" and not"),
        without,
        object,
    )
}

const fn between(message: Message, one: &Found, other: &Found, object: &'static Schema) -> Message {
    within(within(message, one, object).then(" than"), other, object)
}

/// The message with where a field stands.
const fn within(message: Message, found: &Found, object: &'static Schema) -> Message {
    let message = message.then(" in ");
    let message = match found.variant {
        Some(variant) => message.then("the variant `").then(variant).then("` of "),
        None => message,
    };
    match found.from {
        None => message.then("`").then(object.name).then("`"),
        Some(flattened) if flattened.name.is_empty() => message.then("a flattened type"),
        Some(flattened) => message
            .then("the flattened `")
            .then(flattened.name)
            .then("`"),
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        check::flatten::fits,
        schema::{Alternative, Field, Keyword, KubeSchema, Rule, Schema, Tagging, Variant},
    };

    const SIZED: Schema = Schema::object(&[Field::new("size", <u8>::PLACE)]).named("Sized");
    const MODE: Schema = Schema::enumeration(&[Variant::new("A"), Variant::new("B")]);
    const DISK: Alternative = Alternative::new("Disk").with(&SIZED);
    const TAGGED: Schema =
        Schema::one_of(Tagging::Internal("type"), &[DISK, Alternative::new("None")]).named("Part");

    /// What is wrong with the flattened type beside the field.
    fn wrong(field: Field, flattened: &'static Schema) -> String {
        let fields = vec![Field::flattened(flattened), field].leak();
        let schema = Box::leak(Box::new(Schema::object(fields).named("Whole")));
        match fits(schema, 0) {
            Ok(()) => String::new(),
            Err(message) => {
                let message = message.as_str();
                let (wrong, instead) = message.split_once(", and no object").unwrap();
                assert!(instead.ends_with("in a field of its own"), "{instead}");
                wrong.to_owned()
            }
        }
    }

    #[test]
    fn what_differs() {
        const RULED: &[Keyword] = &[Keyword::Rule(Rule::new("self > 1"))];
        const DEEP: Schema = Schema::object(&[Field::new(
            "size",
            &Schema::object(&[Field::new("x", <bool>::PLACE)]),
        )]);
        const OTHER: Schema = Schema::object(&[Field::new("y", <bool>::PLACE)]);
        const STRING: Schema = Schema::object(&[Field::new("x", <String>::PLACE)]);
        let size = |schema| Field::new("size", schema);
        let tag = |schema| Field::new("type", schema);
        for (field, flattened, expected) in [
            (size(<u8>::PLACE), &SIZED, ""),
            (size(<u8>::PLACE).describe("Big."), &SIZED, ""),
            (size(<Option<u8>>::PLACE).required(), &SIZED, ""),
            (
                size(<String>::PLACE),
                &SIZED,
                "`size` is a string in `Whole` and an integer in the flattened `Sized`",
            ),
            (
                size(<serde_json::Value>::PLACE),
                &SIZED,
                "`size` is any value in `Whole` and an integer in the flattened `Sized`",
            ),
            (
                size(<u16>::PLACE),
                &SIZED,
                "`size` has other bounds or another format in `Whole` than in the flattened `Sized`",
            ),
            (
                size(<Option<u8>>::PLACE),
                &SIZED,
                "`size` may be null in `Whole` and not in the flattened `Sized`",
            ),
            (
                size(<u8>::PLACE).with(RULED),
                &SIZED,
                "`size` has the rule `self > 1` in `Whole` and not in the flattened `Sized`",
            ),
            (
                size(&OTHER),
                &DEEP,
                "`size` has the field `y` in `Whole` and not in a flattened type",
            ),
            (
                size(&STRING),
                &DEEP,
                "`size.x` is a string in `Whole` and a boolean in a flattened type",
            ),
            (size(<u16>::PLACE), &TAGGED, ""),
            (
                size(<bool>::PLACE),
                &TAGGED,
                "`size` is a boolean in `Whole` and an integer in the variant `Disk` of the flattened `Part`",
            ),
            (
                tag(&MODE),
                &TAGGED,
                "`type` may be `A` in `Whole` and not in the flattened `Part`",
            ),
            (
                tag(<String>::PLACE),
                &TAGGED,
                "`type` may be any text in `Whole` and not in the flattened `Part`",
            ),
            (Field::new("Disk", <u8>::PLACE), &TAGGED, ""),
        ] {
            assert_eq!(wrong(field, flattened), expected);
        }
    }

    #[test]
    fn what_only_rendering_knows_is_left_to_it() {
        const PATCHED: Schema =
            SIZED.with(&[Keyword::Patch(|| serde_json::json!({ "properties": null }))]);
        const OPEN: &[Keyword] = &[Keyword::PreserveUnknownFields];
        const MIXED: Schema = Schema::one_of(
            Tagging::Untagged,
            &[
                DISK,
                Alternative::new("Any").with(<serde_json::Value>::PLACE),
            ],
        );
        const FOREIGN: Schema = <crate::Foreign<u8>>::SCHEMA;
        let text = Field::new("size", <String>::PLACE);
        assert_eq!(wrong(text, &PATCHED), "");
        assert_eq!(wrong(text, &MIXED), "");
        assert_eq!(wrong(text.with(OPEN), &SIZED), "");
        assert_eq!(wrong(Field::new("size", &FOREIGN), &SIZED), "");
    }
}
