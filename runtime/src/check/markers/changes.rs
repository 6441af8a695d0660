//! Values that cannot change, in lists whose items the server cannot tell apart.

use super::super::{Message, walk::peel};
use crate::schema::{Alternative, Field, Keyword, ListType, Schema, Shape};

/// No value that cannot change stands where the server does not know what it was. `said` is what stands around the
/// schema, such as at a field.
///
/// From its rules on `oldSelf` in rules.
pub(super) const fn are_followed(
    schema: &'static Schema,
    said: Said,
    in_list: bool,
) -> Result<(), Message> {
    if !schema.marks.changes {
        return Ok(());
    }
    if in_list && schema.immutable {
        return Err(lost(schema, ""));
    }
    let said = said.or(Said::by(schema.keywords));
    let inside = Said::by(said.inside);
    match schema.shape {
        Shape::Newtype(inner) => are_followed(inner, said, in_list),
        Shape::List(items) => are_followed(items, inside, in_list || !said.merges_by_keys()),
        Shape::Map(values) => are_followed(values, inside, in_list),
        Shape::Object(fields) => in_fields(schema, fields, in_list),
        Shape::OneOf(_, alternatives) => in_variants(alternatives, in_list),
        Shape::Tuple(items) => in_items(items),
        _ => Ok(()),
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

const fn in_fields(owner: &Schema, fields: &'static [Field], in_list: bool) -> Result<(), Message> {
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        if in_list && field.immutable {
            return Err(lost(owner, field.name));
        }
        if let Err(message) = are_followed(field.schema, Said::by(field.keywords), in_list) {
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
            && let Err(message) = are_followed(content, Said::NOTHING, in_list)
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
        if let Err(message) = are_followed(items[at], Said::NOTHING, true) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn lost(type_: &Schema, field: &str) -> Message {
    let message = Message::of(&[
        "`",
        type_.name,
        "` stands in a list whose items the server cannot tell apart, so that ",
    ]);
    let message = match field.is_empty() {
        true => message.then("it cannot be `immutable`"),
        false => message
            .then("its field `")
            .then(field)
            .then("` cannot be `immutable`"),
    };
    message.then(match peel(type_).shape {
        Shape::Object(_) | Shape::OneOf(..) => {
            ": give the list keys, `#[crd(list_type = \"map\", list_map_keys = [\"...\"])]`, or remove \
             `immutable`"
        }
        _ => ": write `immutable` on the field that is the list, and not on the type",
    })
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
        match are_followed(schema, Said::NOTHING, false) {
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
        assert!(refusal(&LEVELS).ends_with("on the field that is the list, and not on the type"));
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
