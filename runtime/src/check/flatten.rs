//! Checks of flattened types against the other fields of the object.
//!
//! Serde writes the fields of all of them into one object, and reads each key once: into a field of the object itself, or else
//! into the first flattened type that takes it.

use std::slice;

use crdkit_core::shared_schema::flattened::{self, FieldOrigin};

use super::Message;
use crate::schema::{
    Field, Schema, Shape, Tagging,
    walk::{
        Kind, Location, Value, beside, equal, find, is_open, kind, strip_newtypes,
        variants::{Name, name as names},
    },
};

/// Checks that the type of a flattened field has fields, and none with the name of another field of the object.
pub const fn fits(schema: &'static Schema, at: usize) -> Result<(), Message> {
    let Shape::Object(fields) = strip_newtypes(schema).shape else {
        return Ok(());
    };
    let flattened = fields[at].schema;
    let kind = kind(flattened);
    if !is_open(fields[at].keywords) && !matches!(kind, Kind::Object | Kind::Map | Kind::Opaque) {
        let is_enum = matches!(strip_newtypes(flattened).shape, Shape::Enum(_));
        return Err(flattened::not_flattenable(flattened.name, kind, is_enum));
    }
    have_own_names(schema, fields, at, flattened)
}

/// Checks the names in a flattened type whose schema is replaced: serde reads and writes its fields all the same.
pub const fn replaced(schema: &'static Schema, at: usize, type_: Option<&'static Schema>) -> Result<(), Message> {
    match (strip_newtypes(schema).shape, type_) {
        (Shape::Object(fields), Some(type_)) => have_own_names(schema, fields, at, type_),
        _ => Ok(()),
    }
}

/// Checks the names of a flattened type against the fields of the object, and against the types that are flattened before.
const fn have_own_names(
    object: &'static Schema,
    fields: &'static [Field],
    at: usize,
    flattened: &'static Schema,
) -> Result<(), Message> {
    let mut other = 0;
    while other < fields.len() {
        let pair = Pair { object, other: &fields[other], flattened };
        if (!fields[other].flatten || other < at)
            && let Some(message) = pair.shared_name(flattened)
        {
            return Err(message);
        }
        if fields[other].flatten
            && other < at
            && !takes_its_keys(fields[other].schema)
            && let Some(message) = pair.shared_alias(fields[other].schema)
        {
            return Err(message);
        }
        other += 1;
    }
    Ok(())
}

/// A flattened type, and another field of the object.
struct Pair {
    object: &'static Schema,
    other: &'static Field,
    flattened: &'static Schema,
}

impl Pair {
    /// Returns the message about a name in `part`, which is the flattened type or in it, that the other field has too.
    const fn shared_name(&self, part: &'static Schema) -> Option<Message> {
        let mut at = 0;
        while let Some(name) = names(strip_newtypes(part), at) {
            let found = match name {
                Name::Of(name) => self.shared(name),
                Name::In(part) => self.shared_name(part),
                Name::Nothing => None,
            };
            if found.is_some() {
                return found;
            }
            at += 1;
        }
        None
    }

    const fn shared(&self, name: &str) -> Option<Message> {
        let Some(Location::At(member)) = find(&Value::of(self.flattened), name) else {
            return None;
        };
        let mut owner = self.of_type(Some(self.flattened.name));
        owner.variant = member.variant;
        if let Some(Location::At(member)) = beside(self.other, name) {
            let mut first = self.of_type(self.name_of_other());
            first.variant = member.variant;
            return Some(flattened::shared_name(name, [&first, &owner]));
        }
        if are_read_by_alias(slice::from_ref(self.other), name) {
            let reader = self.of_type(self.name_of_other());
            return Some(flattened::shared_alias(name, &owner, &reader));
        }
        None
    }

    /// Returns the message about a name in `part`, which is the other flattened type or in it, that is an alias in this one.
    const fn shared_alias(&self, part: &'static Schema) -> Option<Message> {
        let mut at = 0;
        while let Some(name) = names(strip_newtypes(part), at) {
            let found = match name {
                Name::Of(name) if is_read_by_alias(self.flattened, name) => {
                    let [owner, reader] = [self.other.schema.name, self.flattened.name];
                    Some(flattened::shared_alias(name, &self.of_type(Some(owner)), &self.of_type(Some(reader))))
                }
                Name::In(part) => self.shared_alias(part),
                _ => None,
            };
            if found.is_some() {
                return found;
            }
            at += 1;
        }
        None
    }

    const fn name_of_other(&self) -> Option<&'static str> {
        if self.other.flatten { Some(self.other.schema.name) } else { None }
    }

    /// The object itself, or a type that is flattened into it.
    const fn of_type(&self, flattened: Option<&'static str>) -> FieldOrigin<'static> {
        FieldOrigin { object: self.object.name, flattened, variant: None }
    }
}

/// Whether serde removes the keys that it reads into the type, so that types that are flattened after it do not see them.
const fn takes_its_keys(schema: &Schema) -> bool {
    match strip_newtypes(schema).shape {
        Shape::Object(fields) => !has_flattened(fields),
        Shape::OneOf(tagging, _) => matches!(tagging, Tagging::External | Tagging::Adjacent { .. }),
        Shape::Map(_) | Shape::Any => false,
        _ => true,
    }
}

const fn has_flattened(fields: &[Field]) -> bool {
    let mut at = 0;
    while at < fields.len() {
        if fields[at].flatten {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether a field of the type has this alias.
const fn is_read_by_alias(schema: &Schema, name: &str) -> bool {
    match strip_newtypes(schema).shape {
        Shape::Object(fields) => are_read_by_alias(fields, name),
        Shape::OneOf(tagging, variants) => {
            let mut at = 0;
            while at < variants.len() {
                if let (Tagging::Internal(_) | Tagging::Untagged, Some(content)) =
                    (variants[at].tagging(tagging), variants[at].content)
                    && is_read_by_alias(content, name)
                {
                    return true;
                }
                at += 1;
            }
            false
        }
        _ => false,
    }
}

const fn are_read_by_alias(fields: &[Field], name: &str) -> bool {
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        if field.flatten && is_read_by_alias(field.schema, name) || is_among(field.aliases, name) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_among(names: &[&str], name: &str) -> bool {
    let mut at = 0;
    while at < names.len() {
        if equal(names[at], name) {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Keyword, KubeSchema, Variant};

    const NUMBER: &Schema = <u8>::SCHEMA_REF;
    const SIZE: Field = Field::new("size", NUMBER);
    const SIZED: Schema = Schema::object(&[SIZE]).named("Sized");
    const DISK: Variant = Variant::new("Disk").with(&SIZED);
    const TAGGED: Schema = Schema::one_of(Tagging::Internal("type"), &[DISK, Variant::new("None")]).named("Part");
    const ADJACENT: Schema = Schema::one_of(Tagging::Adjacent { tag: "t", content: "c" }, &[DISK]).named("Part");
    const UNTAGGED: Schema = Schema::one_of(Tagging::Untagged, &[Variant::new("None").with(&URL), DISK]).named("Part");
    const EXTERNAL: Schema = Schema::one_of(Tagging::External, &[DISK]).named("Part");
    const URL: Schema = Schema::object(&[Field::new("url", NUMBER)]);
    const DEEP: Schema = Schema::object(&[Field::flattened(&SIZED)]).named("Deep");
    const MAYBE: Schema = SIZED.optional();
    const MAP: Schema = Schema::map(NUMBER);
    const ANY: Schema = Schema::any();
    const RENAMED: Schema = Schema::object(&[Field::new("volume", NUMBER).read_as(&["size"])]).named("Renamed");

    /// Returns what is wrong with the last of several fields, which is flattened.
    fn wrong(fields: &[Field]) -> String {
        let schema = Schema::object(fields.to_vec().leak()).named("Whole");
        match fits(Box::leak(Box::new(schema)), fields.len() - 1) {
            Ok(()) => String::new(),
            Err(message) => message.as_str().split(": re").next().unwrap().to_owned(),
        }
    }

    #[test]
    fn names_that_two_fields_have() {
        let owned = "`size` is a field of `Whole` and of ";
        let one = ", but an object has only one value of this name";
        for (first, flattened, expected) in [
            (SIZE, &SIZED, format!("{owned}the flattened `Sized`{one}")),
            (SIZE.optional(), &MAYBE, format!("{owned}the flattened `Sized`{one}")),
            (SIZE, &DEEP, format!("{owned}the flattened `Deep`{one}")),
            (SIZE, &TAGGED, format!("{owned}the variant `Disk` of the flattened `Part`{one}")),
            (SIZE, &UNTAGGED, format!("{owned}the variant `Disk` of the flattened `Part`{one}")),
            (
                Field::new("type", NUMBER),
                &TAGGED,
                format!("`type` is a field of `Whole` and of the flattened `Part`{one}"),
            ),
            (
                Field::new("Disk", NUMBER),
                &EXTERNAL,
                format!("`Disk` is a field of `Whole` and of the variant `Disk` of the flattened `Part`{one}"),
            ),
            (
                Field::new("c", NUMBER),
                &ADJACENT,
                format!("`c` is a field of `Whole` and of the variant `Disk` of the flattened `Part`{one}"),
            ),
            (
                Field::flattened(&SIZED),
                &DEEP,
                format!("`size` is a field of the flattened `Sized` and of the flattened `Deep`{one}"),
            ),
            (
                Field::flattened(&TAGGED),
                &TAGGED,
                format!("`type` is a field of the flattened `Part` and of the flattened `Part`{one}"),
            ),
        ] {
            assert_eq!(wrong(&[first, Field::flattened(flattened)]), expected);
        }
        for (first, flattened) in [
            (Field::new("Disk", NUMBER), &TAGGED),
            (SIZE, &EXTERNAL),
            (SIZE, &ADJACENT),
            (SIZE, &MAP),
            (SIZE, &ANY),
            (Field::flattened(&URL), &SIZED),
            (Field::flattened(&TAGGED), &ADJACENT),
        ] {
            assert_eq!(wrong(&[first, Field::flattened(flattened)]), "");
        }
    }

    #[test]
    fn names_that_are_aliases_of_another_field() {
        let alias = |owner: &str, reader: &str| {
            format!("`size` is a field of {owner}, but serde reads it as a field of {reader}, of which it is an alias")
        };
        let aliased = Field::new("volume", NUMBER).read_as(&["size"]);
        let sized = alias("the flattened `Sized`", "`Whole`");
        assert_eq!(wrong(&[aliased, Field::flattened(&SIZED)]), sized);
        let sized = alias("the flattened `Sized`", "the flattened `Renamed`");
        assert_eq!(wrong(&[Field::flattened(&RENAMED), Field::flattened(&SIZED)]), sized);
        // `Sized` takes `size` before `Renamed` looks for it, but `Deep` leaves it.
        assert_eq!(wrong(&[Field::flattened(&SIZED), Field::flattened(&RENAMED)]), "");
        let deep = alias("the flattened `Deep`", "the flattened `Renamed`");
        assert_eq!(wrong(&[Field::flattened(&DEEP), Field::flattened(&RENAMED)]), deep);
        assert_eq!(wrong(&[SIZE, Field::flattened(&RENAMED)]), "");
    }

    #[test]
    fn names_do_not_depend_on_keywords() {
        const PATCHED: Schema = SIZED.with(&[Keyword::Patch(|| serde_json::json!({ "properties": null }))]);
        const OPEN: &[Keyword] = &[Keyword::PreserveUnknownFields];
        const FOREIGN: Schema = <crate::Foreign<u8>>::SCHEMA;
        assert_ne!(wrong(&[SIZE, Field::flattened(&PATCHED)]), "");
        assert_ne!(wrong(&[SIZE, Field::flattened(&SIZED).with(OPEN)]), "");
        assert_eq!(wrong(&[SIZE, Field::flattened(&FOREIGN)]), "");
    }

    /// What serde does is the reason for these rules.
    mod in_serde {
        use serde::{Deserialize, Serialize, de::DeserializeOwned};
        use serde_json::{from_value, to_value};

        #[derive(Serialize, Deserialize, PartialEq, Clone)]
        struct Sized {
            size: u8,
        }

        #[derive(Serialize, Deserialize, PartialEq, Clone)]
        struct Renamed {
            #[serde(alias = "size")]
            volume: u8,
        }

        #[derive(Serialize, Deserialize, PartialEq, Clone)]
        struct Deep {
            #[serde(flatten)]
            sized: Sized,
        }

        #[derive(Serialize, Deserialize, PartialEq, Clone)]
        #[serde(tag = "type")]
        enum Tagged {
            Disk(Sized),
            None,
        }

        #[derive(Serialize, Deserialize, PartialEq)]
        struct Own<T> {
            size: u8,
            #[serde(flatten)]
            part: T,
        }

        #[derive(Serialize, Deserialize, PartialEq)]
        struct Two<T, U> {
            #[serde(flatten)]
            first: T,
            #[serde(flatten)]
            second: U,
        }

        /// Whether an object is equal after it was written and read.
        fn survives<T: Serialize + DeserializeOwned + PartialEq>(value: &T) -> bool {
            to_value(value).and_then(from_value::<T>).is_ok_and(|read| read == *value)
        }

        #[test]
        fn values_that_share_a_name_are_lost() {
            let [one, two] = [Sized { size: 1 }, Sized { size: 2 }];
            assert!(!survives(&Own { size: 1, part: two.clone() }));
            assert!(!survives(&Own { size: 1, part: Some(one.clone()) }));
            assert!(!survives(&Own { size: 1, part: Tagged::Disk(one.clone()) }));
            assert!(!survives(&Two { first: one.clone(), second: Deep { sized: two.clone() } }));
            assert!(!survives(&Two { first: Tagged::None, second: Tagged::Disk(one.clone()) }));
            assert!(!survives(&Two { first: Renamed { volume: 1 }, second: one.clone() }));
            assert!(!survives(&Two { first: Deep { sized: one.clone() }, second: Renamed { volume: 2 } }));
        }

        #[test]
        fn other_values_are_not() {
            let one = Sized { size: 1 };
            assert!(survives(&Two { first: one.clone(), second: Renamed { volume: 2 } }));
            assert!(survives(&Own { size: 1, part: Renamed { volume: 2 } }));
            assert!(survives(&Own { size: 1, part: Tagged::None }));
        }
    }
}
