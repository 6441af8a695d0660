//! Values that cannot change, in lists whose items the server cannot tell apart.

use super::super::Message;
use crate::schema::{Alternative, Field, Keyword, ListType, Schema, Shape};

/// No value that cannot change stands where the server does not know what it was. `said` is what stands around the
/// schema, such as at a field.
///
/// From its rules on `oldSelf` in rules.
pub(super) const fn are_followed(
    schema: &'static Schema,
    said: &'static [Keyword],
    in_list: bool,
) -> Result<(), Message> {
    if !schema.marks.changes {
        return Ok(());
    }
    if in_list && schema.immutable {
        return Err(lost(schema.name, ""));
    }
    let merge = Merge::of(said).or(Merge::of(schema.keywords));
    match schema.shape {
        Shape::Newtype(inner)
            if matches!(Merge::of(said), Merge::Unsaid) && inside(said).is_empty() =>
        {
            are_followed(inner, schema.keywords, in_list)
        }
        Shape::Newtype(inner) => are_followed(inner, said, in_list),
        Shape::List(inner) => {
            let said = first(inside(said), inside(schema.keywords));
            are_followed(inner, said, in_list || !merge.tells_apart())
        }
        Shape::Map(inner) => {
            let said = first(inside(said), inside(schema.keywords));
            are_followed(inner, said, in_list)
        }
        Shape::Object(fields) => in_fields(schema, fields, in_list),
        Shape::OneOf(_, alternatives) => in_variants(alternatives, in_list),
        Shape::Tuple(items) => in_items(items),
        _ => Ok(()),
    }
}

/// What is said of the items of a list, or of the values of a map.
const fn inside(keywords: &'static [Keyword]) -> &'static [Keyword] {
    let mut at = keywords.len();
    while at > 0 {
        at -= 1;
        if let Keyword::Items(inner) | Keyword::Values(inner) = keywords[at] {
            return inner;
        }
    }
    &[]
}

const fn first(one: &'static [Keyword], other: &'static [Keyword]) -> &'static [Keyword] {
    if one.is_empty() { other } else { one }
}

/// What is said of how a list is merged.
#[derive(Clone, Copy)]
enum Merge {
    Unsaid,
    ByKeys,
    Otherwise,
}

impl Merge {
    const fn of(keywords: &[Keyword]) -> Self {
        let mut at = keywords.len();
        while at > 0 {
            at -= 1;
            match keywords[at] {
                Keyword::ListType(ListType::Map) => return Self::ByKeys,
                Keyword::ListType(_) => return Self::Otherwise,
                // What these say is known when the schema is rendered.
                Keyword::Evaluated(_)
                | Keyword::Extend(_)
                | Keyword::Patch(_)
                | Keyword::Transform(_) => return Self::ByKeys,
                _ => {}
            }
        }
        Self::Unsaid
    }

    const fn or(self, inner: Self) -> Self {
        match self {
            Self::Unsaid => inner,
            said => said,
        }
    }

    const fn tells_apart(self) -> bool {
        matches!(self, Self::ByKeys)
    }
}

const fn in_fields(owner: &Schema, fields: &'static [Field], in_list: bool) -> Result<(), Message> {
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        if in_list && field.immutable {
            return Err(lost(owner.name, field.name));
        }
        if let Err(message) = are_followed(field.schema, field.keywords, in_list) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn in_variants(variants: &'static [Alternative], in_list: bool) -> Result<(), Message> {
    let mut at = 0;
    while at < variants.len() {
        if let Some(content) = variants[at].content
            && let Err(message) = are_followed(content, &[], in_list)
        {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn in_items(items: &'static [&'static Schema]) -> Result<(), Message> {
    let mut at = 0;
    while at < items.len() {
        if let Err(message) = are_followed(items[at], &[], true) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn lost(type_: &str, field: &str) -> Message {
    let message = Message::of(&[
        "`",
        type_,
        "` stands in a list whose items the server cannot tell apart, so that ",
    ]);
    let message = match field.is_empty() {
        true => message.then("it cannot be `immutable`"),
        false => message
            .then("its field `")
            .then(field)
            .then("` cannot be `immutable`"),
    };
    message.then(
        ": give the list keys, `#[crd(list_type = \"map\", list_map_keys = [\"...\"])]`, or remove \
         `immutable`",
    )
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
        match are_followed(schema, &[], false) {
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
        assert!(refusal(&PLAIN).contains("its field `size` cannot be"));
        assert!(refusal(&DEEP).contains("its field `size` cannot be"));
        assert!(refusal(&LEVELS).contains("`Level` stands in a list"));
        for fine in [&KEYED, &MAP, &NEWTYPE, &ITEM] {
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
