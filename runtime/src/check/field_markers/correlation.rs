//! Immutable values and rules with `oldSelf` in lists whose items the server cannot correlate.

use super::super::Message;
use crate::schema::walk::{ElementStep, Part, Segment, Value, part, strip_newtypes};
use crate::schema::{Schema, Shape};

/// The path from a root to a value.
#[derive(Clone, Copy)]
pub(super) enum FieldPath<'a> {
    /// The root: `.spec`, or empty.
    Root(&'static str),
    Field(&'a FieldPath<'a>, &'static str),
    Items(&'a FieldPath<'a>),
    Values(&'a FieldPath<'a>),
}

impl<'a> FieldPath<'a> {
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

/// A list whose items the server cannot correlate.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    path: &'a FieldPath<'a>,
    items: &'static Schema,
}

/// Checks that no immutable value and no rule with `oldSelf` is in a list whose items the server cannot correlate.
///
/// See the API server's rules on `oldSelf`.
pub(super) const fn are_correlatable(value: &Value, path: &FieldPath<'_>) -> Result<(), Message> {
    check_value(value, path, None)
}

/// Checks a value, possibly inside such a list.
const fn check_value(value: &Value, path: &FieldPath<'_>, list: Option<List<'_>>) -> Result<(), Message> {
    let mut schema = value.schema;
    if !schema.summary.changes {
        return Ok(());
    }
    loop {
        if let Err(message) = check_flags(schema.immutable, schema.transition, path, list) {
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
                (None, false) => Some(List { path, items }),
                (list, _) => list,
            };
            check_value(&value.inside(ElementStep::Items), &FieldPath::Items(path), list)
        }
        Shape::Map(_) => check_value(&value.inside(ElementStep::Values), &FieldPath::Values(path), list),
        Shape::Object(_) | Shape::OneOf(..) | Shape::Tuple(_) => check_parts(schema, path, list),
        _ => Ok(()),
    }
}

/// Checks that a rule with `oldSelf` can be specified on a value: every list on the path to it has keys.
pub const fn is_correlatable(value: Value) -> Result<(), Message> {
    if value.is_correlatable || !value.is_known {
        return Ok(());
    }
    Err(Message::concat(&[
        "a rule on the items of this list cannot use `oldSelf`, because the server cannot correlate them: give the list \
         keys, `list_type = \"map\", list_map_keys = [\"...\"]`, or write the rule on the list",
    ]))
}

/// Checks that a value in a list without keys is neither immutable nor has a rule with `oldSelf`.
const fn check_flags(
    immutable: bool,
    transition: bool,
    path: &FieldPath<'_>,
    list: Option<List<'_>>,
) -> Result<(), Message> {
    match list {
        Some(list) if immutable => Err(immutable_in_list(path, list)),
        Some(list) if transition => Err(old_self_in_list(path, list)),
        _ => Ok(()),
    }
}

/// Checks the fields of an object, the variants of an enum, or the items of a tuple.
const fn check_parts(schema: &'static Schema, path: &FieldPath<'_>, list: Option<List<'_>>) -> Result<(), Message> {
    let mut at = 0;
    while let Some(part) = part(schema, at) {
        if let Err(message) = check_part(part, path, list) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

/// Checks one part, and everything below it.
pub(super) const fn check_part(part: Part, path: &FieldPath<'_>, list: Option<List<'_>>) -> Result<(), Message> {
    let items = part.schema;
    let list = match part.segment {
        Segment::Item(_) => Some(List { path, items }),
        _ => list,
    };
    let path = &path.to(part.segment);
    let value = match part.field {
        Some(field) => {
            if let Err(message) = check_flags(field.immutable, field.transition, path, list) {
                return Err(message);
            }
            Value::field(field)
        }
        None => Value::of(part.schema),
    };
    check_value(&value, path, list)
}

const fn in_list(message: Message, list: List<'_>) -> Message {
    let message =
        list.path.write(message.then("it is inside the list `")).then("`, whose items the server cannot correlate: ");
    match strip_newtypes(list.items).shape {
        Shape::Object(_) | Shape::OneOf(..) => {
            message.then("give the list keys, `list_type = \"map\", list_map_keys = [\"...\"]`, or ")
        }
        _ => message,
    }
}

const fn immutable_in_list(path: &FieldPath<'_>, list: List<'_>) -> Message {
    let message = path.write(Message::concat(&["`"]));
    in_list(message.then("` cannot be `immutable`: "), list).then("write `immutable` on the list")
}

const fn old_self_in_list(path: &FieldPath<'_>, list: List<'_>) -> Message {
    let message = path.write(Message::concat(&["a rule on `"]));
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
        match are_correlatable(&Value::of(schema), &FieldPath::Root(".spec")) {
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
        assert!(refusal(&PLAIN).starts_with("`.spec.items[].size` cannot be `immutable`: it is inside"));
        assert!(refusal(&PLAIN).contains("inside the list `.spec.items`,"));
        assert!(refusal(&DEEP).starts_with("`.spec[].items[].size` cannot be"));
        assert!(refusal(&DEEP).contains("inside the list `.spec`,"));
        assert!(refusal(&LEVELS).ends_with("cannot correlate: write `immutable` on the list"));
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
        assert!(refusal(&OLDS).starts_with("a rule on `.spec[]` cannot use `oldSelf`: it is inside"));
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
