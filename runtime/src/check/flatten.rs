//! Checks of flattened types against the other fields of the object.

use crdkit_core::join::{
    Sharing,
    flattened::{self, FieldOrigin},
};

use super::{
    Message,
    join::{difference, if_certain},
};
use crate::schema::{
    Field, Schema, Shape,
    walk::{
        Kind, Member, Value, beside, find, is_open, kind, strip_newtypes,
        variants::{Name, name as names},
    },
};

/// Checks that the fields of a flattened type are compatible with those of the object.
pub const fn fits(schema: &'static Schema, at: usize) -> Result<(), Message> {
    let Shape::Object(fields) = strip_newtypes(schema).shape else {
        return Ok(());
    };
    let flattened = fields[at].schema;
    if is_open(fields[at].keywords) {
        return Ok(());
    }
    let kind = kind(flattened);
    if !matches!(kind, Kind::Object | Kind::Map | Kind::Opaque) {
        let is_enum = matches!(strip_newtypes(flattened).shape, Shape::Enum(_));
        return Err(flattened::not_flattenable(flattened.name, kind, is_enum));
    }
    let mut other = 0;
    while other < fields.len() {
        let is_own = !fields[other].flatten;
        if (is_own || other < at)
            && let Some(message) = conflict(schema, flattened, flattened, &fields[other])
        {
            return Err(message);
        }
        other += 1;
    }
    Ok(())
}

/// Returns the message for a field of a flattened type that conflicts with another field of the object.
const fn conflict(
    object: &'static Schema,
    flattened: &'static Schema,
    part: &'static Schema,
    other: &'static Field,
) -> Option<Message> {
    let mut at = 0;
    while let Some(name) = names(strip_newtypes(part), at) {
        let found = match name {
            Name::Of(name) => {
                let in_flattened = find(&Value::of(flattened), name);
                match (if_certain(beside(other, name)), if_certain(in_flattened)) {
                    (Some(one), Some(mut other)) => {
                        other.from = Some(flattened);
                        of_field(name, &one, &other, object)
                    }
                    _ => None,
                }
            }
            Name::In(part) => conflict(object, flattened, part, other),
            Name::Nothing => None,
        };
        if found.is_some() {
            return found;
        }
        at += 1;
    }
    None
}

const fn of_field(name: &str, one: &Member, other: &Member, object: &Schema) -> Option<Message> {
    match difference(one, other, Sharing::Field, Message::concat(&[name])) {
        Some(found) => Some(flattened::message(
            found.path.as_str(),
            [&owner(one, object), &owner(other, object)],
            &found.difference,
        )),
        None => None,
    }
}

const fn owner<'a>(member: &Member, object: &'a Schema) -> FieldOrigin<'a> {
    FieldOrigin {
        object: object.name,
        flattened: match member.from {
            Some(flattened) => Some(flattened.name),
            None => None,
        },
        variant: member.variant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Field, Keyword, KubeSchema, Rule, Schema, Tagging, UnitVariant, Variant};

    const SIZED: Schema = Schema::object(&[Field::new("size", <u8>::SCHEMA_REF)]).named("Sized");
    const MODE: Schema = Schema::enumeration(&[UnitVariant::new("A"), UnitVariant::new("B")]);
    const DISK: Variant = Variant::new("Disk").with(&SIZED);
    const TAGGED: Schema = Schema::one_of(Tagging::Internal("type"), &[DISK, Variant::new("None")]).named("Part");

    /// Returns the message for a flattened type next to the field.
    fn wrong(field: Field, flattened: &'static Schema) -> String {
        let fields = vec![Field::flattened(flattened), field].leak();
        let schema = Box::leak(Box::new(Schema::object(fields).named("Whole")));
        match fits(schema, 0) {
            Ok(()) => String::new(),
            Err(message) => {
                let message = message.as_str();
                let (wrong, instead) = message.split_once(", and no object").unwrap();
                assert!(instead.ends_with("remove its `flatten`"), "{instead}");
                wrong.to_owned()
            }
        }
    }

    #[test]
    fn what_differs() {
        const RULED: &[Keyword] = &[Keyword::Rule(Rule::new("self > 1"))];
        const DEEP: Schema =
            Schema::object(&[Field::new("size", &Schema::object(&[Field::new("x", <bool>::SCHEMA_REF)]))]);
        const OTHER: Schema = Schema::object(&[Field::new("y", <bool>::SCHEMA_REF)]);
        const STRING: Schema = Schema::object(&[Field::new("x", <String>::SCHEMA_REF)]);
        let size = |schema| Field::new("size", schema);
        let tag = |schema| Field::new("type", schema);
        for (field, flattened, expected) in [
            (size(<u8>::SCHEMA_REF), &SIZED, ""),
            (size(<u8>::SCHEMA_REF).describe("Big."), &SIZED, ""),
            (size(<Option<u8>>::SCHEMA_REF).required(), &SIZED, ""),
            (
                size(<String>::SCHEMA_REF),
                &SIZED,
                "`size` is a string in `Whole` and an integer in the flattened `Sized`",
            ),
            (
                size(<serde_json::Value>::SCHEMA_REF),
                &SIZED,
                "`size` is any value in `Whole` and an integer in the flattened `Sized`",
            ),
            (
                size(<u16>::SCHEMA_REF),
                &SIZED,
                "`size` has different bounds or formats in `Whole` and in the flattened `Sized`",
            ),
            (size(<Option<u8>>::SCHEMA_REF), &SIZED, "`size` can be null in `Whole` but not in the flattened `Sized`"),
            (
                size(<u8>::SCHEMA_REF).with(RULED),
                &SIZED,
                "`size` has the rule `self > 1` in `Whole` but not in the flattened `Sized`",
            ),
            (size(&OTHER), &DEEP, "`size` has the field `y` in `Whole` but not in a flattened type"),
            (size(&STRING), &DEEP, "`size.x` is a string in `Whole` and a boolean in a flattened type"),
            (size(<u16>::SCHEMA_REF), &TAGGED, ""),
            (
                size(<bool>::SCHEMA_REF),
                &TAGGED,
                "`size` is a boolean in `Whole` and an integer in the variant `Disk` of the flattened `Part`",
            ),
            (tag(&MODE), &TAGGED, "`type` can be `A` in `Whole` but not in the flattened `Part`"),
            (tag(<String>::SCHEMA_REF), &TAGGED, "`type` can be any string in `Whole` but not in the flattened `Part`"),
            (Field::new("Disk", <u8>::SCHEMA_REF), &TAGGED, ""),
        ] {
            assert_eq!(wrong(field, flattened), expected);
        }
    }

    #[test]
    fn what_only_rendering_knows_is_left_to_it() {
        const PATCHED: Schema = SIZED.with(&[Keyword::Patch(|| serde_json::json!({ "properties": null }))]);
        const OPEN: &[Keyword] = &[Keyword::PreserveUnknownFields];
        const MIXED: Schema =
            Schema::one_of(Tagging::Untagged, &[DISK, Variant::new("Any").with(<serde_json::Value>::SCHEMA_REF)]);
        const FOREIGN: Schema = <crate::Foreign<u8>>::SCHEMA;
        let text = Field::new("size", <String>::SCHEMA_REF);
        assert_eq!(wrong(text, &PATCHED), "");
        assert_eq!(wrong(text, &MIXED), "");
        assert_eq!(wrong(text.with(OPEN), &SIZED), "");
        assert_eq!(wrong(Field::new("size", &FOREIGN), &SIZED), "");
    }
}
