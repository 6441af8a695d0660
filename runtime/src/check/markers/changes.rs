//! Values that rules compare with what they were, in lists whose items the server cannot tell apart.

use super::super::{
    Message,
    keyword::{Inside, Subject},
};
use crate::schema::walk::peel;
use crate::schema::{Alternative, Field, Keyword, ListType, Schema, Shape};

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
    /// The way on to a field, whose own fields may stand in its place.
    pub(super) const fn to(&'a self, field: &Field) -> Self {
        match field.flatten {
            true => *self,
            false => Self::Field(self, field.name),
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
struct List<'a> {
    way: &'a Way<'a>,
    items: &'static Schema,
}

/// What is around a value.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    way: &'a Way<'a>,
    /// What keywords say of the value, such as those of a field.
    said: Said,
    /// The list that the value stands in, and whose items have no keys.
    list: Option<List<'a>>,
}

impl<'a> Around<'a> {
    pub(super) const fn nothing(way: &'a Way<'a>) -> Self {
        Self {
            way,
            said: Said::NOTHING,
            list: None,
        }
    }
}

/// No value that cannot change, and no rule that compares with the old value, stands where the server does not know what
/// the value was.
///
/// From its rules on `oldSelf` in rules.
pub(super) const fn are_followed(
    schema: &'static Schema,
    around: Around<'_>,
) -> Result<(), Message> {
    if !schema.marks.changes {
        return Ok(());
    }
    if let Some(list) = around.list {
        if schema.immutable {
            return Err(lost(around.way, list));
        }
        if schema.transition {
            return Err(blind(around.way, list));
        }
    }
    let said = around.said.or(Said::by(schema.keywords));
    let within = Around {
        said: Said::by(said.inside),
        ..around
    };
    match schema.shape {
        Shape::Newtype(inner) => are_followed(inner, Around { said, ..around }),
        Shape::List(items) => {
            let list = match (around.list, said.merges_by_keys()) {
                (None, false) => Some(List {
                    way: around.way,
                    items,
                }),
                (list, _) => list,
            };
            let way = &Way::Items(around.way);
            are_followed(
                items,
                Around {
                    way,
                    list,
                    ..within
                },
            )
        }
        Shape::Map(values) => {
            let way = &Way::Values(around.way);
            are_followed(values, Around { way, ..within })
        }
        Shape::Object(fields) => in_fields(fields, around),
        Shape::OneOf(_, alternatives) => in_variants(alternatives, around),
        Shape::Tuple(items) => in_items(items, around),
        _ => Ok(()),
    }
}

/// A rule that compares with the old value is written on what is inside of a value, and no list on the way there is
/// without keys.
pub const fn is_followed(subject: Subject) -> Result<(), Message> {
    let Some((schema, keywords, inside)) = subject.outside() else {
        return Ok(());
    };
    let said = Said::by(keywords);
    match has_keys(schema, said, inside) {
        true => Ok(()),
        false => Err(Message::of(&[
            "the server cannot tell the items of the list apart, so that no rule on them can use `oldSelf`: give the list \
             keys, `list_type = \"map\", list_map_keys = [\"...\"]`, or write the rule on the list",
        ])),
    }
}

const fn has_keys(schema: &'static Schema, said: Said, inside: &'static [Inside]) -> bool {
    let [first, rest @ ..] = inside else {
        return true;
    };
    let said = said.or(Said::by(schema.keywords));
    let within = Said::by(said.inside);
    match (schema.shape, first) {
        (Shape::Newtype(inner), _) => has_keys(inner, said, inside),
        (Shape::List(items), Inside::Items) => {
            said.merges_by_keys() && has_keys(items, within, rest)
        }
        (Shape::Map(values), Inside::Values) => has_keys(values, within, rest),
        _ => true,
    }
}

/// What keywords say of how a list is merged, and of what is in it or in a map.
#[derive(Clone, Copy)]
pub(super) struct Said {
    by_keys: Option<bool>,
    inside: &'static [Keyword],
}

impl Said {
    pub(super) const NOTHING: Self = Self {
        by_keys: None,
        inside: &[],
    };

    /// By these keywords, of which a later one takes the place of an earlier one.
    const fn by(keywords: &'static [Keyword]) -> Self {
        let mut said = Self::NOTHING;
        let mut at = 0;
        while at < keywords.len() {
            match keywords[at] {
                Keyword::ListType(type_) => {
                    said.by_keys = Some(matches!(type_, ListType::Map));
                }
                // What these say is known when the schema is rendered.
                Keyword::Evaluated(_)
                | Keyword::Extend(_)
                | Keyword::Patch(_)
                | Keyword::Transform(_) => said.by_keys = Some(true),
                Keyword::Items(inner) | Keyword::Values(inner) => said.inside = inner,
                _ => {}
            }
            at += 1;
        }
        said
    }

    /// What is said here, or else there.
    const fn or(self, other: Self) -> Self {
        Self {
            by_keys: match self.by_keys {
                None => other.by_keys,
                said => said,
            },
            inside: match self.inside {
                [] => other.inside,
                said => said,
            },
        }
    }

    const fn merges_by_keys(self) -> bool {
        matches!(self.by_keys, Some(true))
    }
}

pub(super) const fn in_fields(fields: &'static [Field], around: Around<'_>) -> Result<(), Message> {
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        let way = &around.way.to(field);
        if let Some(list) = around.list {
            if field.immutable {
                return Err(lost(way, list));
            }
            if field.transition {
                return Err(blind(way, list));
            }
        }
        let around = Around {
            way,
            said: Said::by(field.keywords),
            ..around
        };
        if let Err(message) = are_followed(field.schema, around) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn in_variants(variants: &'static [Alternative], around: Around<'_>) -> Result<(), Message> {
    let around = Around {
        said: Said::NOTHING,
        ..around
    };
    let mut at = 0;
    while at < variants.len() {
        if let Some(content) = variants[at].content
            && let Err(message) = are_followed(content, around)
        {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn in_items(items: &'static [&'static Schema], around: Around<'_>) -> Result<(), Message> {
    let before = around.way;
    let around = Around {
        way: &Way::Items(before),
        said: Said::NOTHING,
        list: None,
    };
    let mut at = 0;
    while at < items.len() {
        let around = Around {
            list: Some(List {
                way: before,
                items: items[at],
            }),
            ..around
        };
        if let Err(message) = are_followed(items[at], around) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn in_list(message: Message, list: List<'_>) -> Message {
    let message = list.way.write(message.then("it stands in the list `"));
    let message = message.then("`, whose items the server cannot tell apart: ");
    match peel(list.items).shape {
        Shape::Object(_) | Shape::OneOf(..) => message
            .then("give that list keys, `list_type = \"map\", list_map_keys = [\"...\"]`, or "),
        _ => message,
    }
}

const fn lost(way: &Way<'_>, list: List<'_>) -> Message {
    let message = way.write(Message::of(&["`"]));
    in_list(message.then("` cannot be `immutable`: "), list).then("write `immutable` on the list")
}

const fn blind(way: &Way<'_>, list: List<'_>) -> Message {
    let message = way.write(Message::of(&["a rule on `"]));
    in_list(message.then("` cannot use `oldSelf`: "), list).then("write the rule on the list")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEM: Schema = Schema::object(&[
        Field::new("name", &Schema::string()),
        Field::new("size", &Schema::integer()).immutable(),
    ])
    .named("Item");
    const LIST: Schema = Schema::list(&ITEM);
    const MAP_LIST: &[Keyword] = &[
        Keyword::ListType(ListType::Map),
        Keyword::ListMapKeys(&["name"]),
    ];

    fn refusal(schema: &'static Schema) -> String {
        match are_followed(schema, Around::nothing(&Way::Root(".spec"))) {
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
        assert!(
            refusal(&PLAIN).starts_with("`.spec.items[].size` cannot be `immutable`: it stands")
        );
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
        const FIELDS: Schema =
            Schema::object(&[Field::new("lists", &IN_A_MAP).with(&[Keyword::Values(MAP_LIST)])]);
        assert!(!refusal(&IN_A_MAP).is_empty());
        assert_eq!(refusal(&KEYED), "");
        assert_eq!(refusal(&FIELDS), "");
    }
}
