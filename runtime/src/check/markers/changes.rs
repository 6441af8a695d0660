//! Values that rules compare with what they were, in lists whose items the server cannot tell apart.

use super::super::Message;
use crate::schema::walk::{ElementStep, Part, Segment, Value, part, peel};
use crate::schema::{Schema, Shape};

/// The way from a root to a value.
#[derive(Clone, Copy)]
pub(super) enum Way<'a> {
    /// The root: `.spec`, or nothing.
    Root(&'static str),
    Field(&'a Way<'a>, &'static str),
    Items(&'a Way<'a>),
    Values(&'a Way<'a>),
}

impl<'a> Way<'a> {
    pub(super) const fn to(&'a self, segment: Segment) -> Self {
        match segment {
            Segment::Here => *self,
            Segment::Field(name) => Self::Field(self, name),
            Segment::Items | Segment::Item(_) => Self::Items(self),
            Segment::Values => Self::Values(self),
        }
    }

    pub(super) const fn write(&self, message: Message) -> Message {
        match self {
            Self::Root(root) => message.then(root),
            Self::Field(before, name) => before.write(message).then(".").then(name),
            Self::Items(before) => before.write(message).then("[]"),
            Self::Values(before) => before.write(message).then("[*]"),
        }
    }
}

/// A list whose items the server cannot tell apart.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    way: &'a Way<'a>,
    items: &'static Schema,
}

/// No value that cannot change, and no rule that compares with the old value, stands where the server does not know what
/// the value was.
///
/// From its rules on `oldSelf` in rules.
pub(super) const fn are_followed(value: &Value, way: &Way<'_>) -> Result<(), Message> {
    followed(value, way, None)
}

/// The same of a value in a list whose items have no keys.
const fn followed(value: &Value, way: &Way<'_>, list: Option<List<'_>>) -> Result<(), Message> {
    let mut schema = value.schema;
    if !schema.marks.changes {
        return Ok(());
    }
    loop {
        if let Err(message) = unchanged(schema.immutable, schema.transition, way, list) {
            return Err(message);
        }
        match schema.shape {
            Shape::Newtype(inner) => schema = inner,
            _ => break,
        }
    }
    match schema.shape {
        Shape::List(items) => {
            let list = match (list, value.merges_by_keys()) {
                (None, false) => Some(List { way, items }),
                (list, _) => list,
            };
            followed(&value.inside(ElementStep::Items), &Way::Items(way), list)
        }
        Shape::Map(_) => followed(&value.inside(ElementStep::Values), &Way::Values(way), list),
        Shape::Object(_) | Shape::OneOf(..) | Shape::Tuple(_) => in_parts(schema, way, list),
        _ => Ok(()),
    }
}

/// A rule that compares with the old value is written on what is inside of a value, and no list on the way there is
/// without keys.
pub const fn is_followed(value: Value) -> Result<(), Message> {
    match value.is_correlatable || !value.is_known {
        true => Ok(()),
        false => Err(Message::concat(&[
            "the server cannot tell the items of the list apart, so that no rule on them can use `oldSelf`: give the list \
             keys, `list_type = \"map\", list_map_keys = [\"...\"]`, or write the rule on the list",
        ])),
    }
}

/// In a list without keys, nothing says that a value cannot change, or compares it with what it was.
const fn unchanged(immutable: bool, transition: bool, way: &Way<'_>, list: Option<List<'_>>) -> Result<(), Message> {
    match list {
        Some(list) if immutable => Err(lost(way, list)),
        Some(list) if transition => Err(blind(way, list)),
        _ => Ok(()),
    }
}

/// In the fields of an object, the variants of an enum, or the items of a tuple.
const fn in_parts(schema: &'static Schema, way: &Way<'_>, list: Option<List<'_>>) -> Result<(), Message> {
    let mut at = 0;
    while let Some(part) = part(schema, at) {
        if let Err(message) = in_part(part, way, list) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

/// In one of them, and below it.
pub(super) const fn in_part(part: Part, way: &Way<'_>, list: Option<List<'_>>) -> Result<(), Message> {
    let items = part.schema;
    let list = match part.segment {
        Segment::Item(_) => Some(List { way, items }),
        _ => list,
    };
    let way = &way.to(part.segment);
    let value = match part.field {
        Some(field) => {
            if let Err(message) = unchanged(field.immutable, field.transition, way, list) {
                return Err(message);
            }
            Value::field(field)
        }
        None => Value::of(part.schema),
    };
    followed(&value, way, list)
}

const fn in_list(message: Message, list: List<'_>) -> Message {
    let message = list.way.write(message.then("it stands in the list `"));
    let message = message.then("`, whose items the server cannot tell apart: ");
    match peel(list.items).shape {
        Shape::Object(_) | Shape::OneOf(..) => {
            message.then("give that list keys, `list_type = \"map\", list_map_keys = [\"...\"]`, or ")
        }
        _ => message,
    }
}

const fn lost(way: &Way<'_>, list: List<'_>) -> Message {
    let message = way.write(Message::concat(&["`"]));
    in_list(message.then("` cannot be `immutable`: "), list).then("write `immutable` on the list")
}

const fn blind(way: &Way<'_>, list: List<'_>) -> Message {
    let message = way.write(Message::concat(&["a rule on `"]));
    in_list(message.then("` cannot use `oldSelf`: "), list).then("write the rule on the list")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Field, Keyword, ListType};

    const ITEM: Schema =
        Schema::object(&[Field::new("name", &Schema::string()), Field::new("size", &Schema::integer()).immutable()])
            .named("Item");
    const LIST: Schema = Schema::list(&ITEM);
    const MAP_LIST: &[Keyword] = &[Keyword::ListType(ListType::Map), Keyword::ListMapKeys(&["name"])];

    fn refusal(schema: &'static Schema) -> String {
        match are_followed(&Value::of(schema), &Way::Root(".spec")) {
            Ok(()) => String::new(),
            Err(message) => message.as_str().to_owned(),
        }
    }

    #[test]
    fn lists() {
        const PLAIN: Schema = Schema::object(&[Field::new("items", &LIST)]);
        const KEYED: Schema = Schema::object(&[Field::new("items", &LIST).with(MAP_LIST)]);
        const MAP: Schema = Schema::map(&ITEM);
        const NEWTYPE: Schema = Schema::newtype(&LIST).with(MAP_LIST);
        const DEEP: Schema = Schema::list(&KEYED);
        const LEVEL: Schema = Schema::integer().named("Level").immutable();
        const LEVELS: Schema = Schema::list(&LEVEL);
        assert!(refusal(&PLAIN).starts_with("`.spec.items[].size` cannot be `immutable`: it stands"));
        assert!(refusal(&PLAIN).contains("in the list `.spec.items`,"));
        assert!(refusal(&DEEP).starts_with("`.spec[].items[].size` cannot be"));
        assert!(refusal(&DEEP).contains("in the list `.spec`,"));
        assert!(refusal(&LEVELS).ends_with("tell apart: write `immutable` on the list"));
        for fine in [&KEYED, &MAP, &NEWTYPE, &ITEM] {
            assert_eq!(refusal(fine), "");
        }
    }

    #[test]
    fn rules() {
        const OLD: Schema = Schema::integer().transition();
        const OLDS: Schema = Schema::list(&OLD);
        const PART: Schema = Schema::object(&[
            Field::new("name", &Schema::string()),
            Field::new("size", &Schema::integer()).transition(),
        ]);
        const PARTS: Schema = Schema::list(&PART);
        const KEYED: Schema = Schema::object(&[Field::new("items", &PARTS).with(MAP_LIST)]);
        assert!(refusal(&OLDS).starts_with("a rule on `.spec[]` cannot use `oldSelf`: it stands"));
        assert!(refusal(&PARTS).starts_with("a rule on `.spec[].size` cannot use"));
        for fine in [&OLD, &PART, &KEYED] {
            assert_eq!(refusal(fine), "");
        }
    }

    #[test]
    fn keys_may_be_given_inside() {
        const IN_A_MAP: Schema = Schema::map(&LIST);
        const KEYED: Schema = Schema::map(&LIST).with(&[Keyword::Values(MAP_LIST)]);
        const FIELDS: Schema = Schema::object(&[Field::new("lists", &IN_A_MAP).with(&[Keyword::Values(MAP_LIST)])]);
        assert!(!refusal(&IN_A_MAP).is_empty());
        assert_eq!(refusal(&KEYED), "");
        assert_eq!(refusal(&FIELDS), "");
    }
}
