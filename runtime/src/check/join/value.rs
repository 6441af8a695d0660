//! A value where it stands, with all that its type and its field say of it.

use crate::schema::{
    Field, Keyword, Presence, Schema, Shape, any_keyword,
    walk::{Kind, MISTAKEN, equal, is_open, kind, peel},
};

/// A value where it stands.
#[derive(Clone, Copy)]
pub(in crate::check) struct Value {
    pub(in crate::check) schema: &'static Schema,
    /// What a field adds to its type.
    pub(in crate::check) keywords: &'static [Keyword],
    /// Whether the field cannot change.
    pub(super) immutable: bool,
    /// Whether the field must be there.
    presence: Presence,
}

/// Whether a field or its type, or what that is a newtype of, has a keyword like a pattern.
macro_rules! has_keyword {
    ($value:expr, $pattern:pat) => {{
        let value: $crate::check::join::Value = $value;
        let mut schema = value.schema;
        let mut is_there = $crate::schema::any_keyword!(value.keywords, $pattern);
        loop {
            is_there = is_there || $crate::schema::any_keyword!(schema.keywords, $pattern);
            match schema.shape {
                $crate::schema::Shape::Newtype(inner) => schema = inner,
                _ => break is_there,
            }
        }
    }};
}
pub(super) use has_keyword;

impl Value {
    /// A value of which nothing is said but by its type.
    pub(in crate::check) const fn of(schema: &'static Schema) -> Self {
        Self {
            schema,
            keywords: &[],
            immutable: false,
            presence: Presence::Inferred,
        }
    }

    pub(super) const fn of_field(field: &'static Field) -> Self {
        Self {
            schema: field.schema,
            keywords: field.keywords,
            immutable: field.immutable,
            presence: field.presence,
        }
    }

    pub(in crate::check) const fn kind(self) -> Kind {
        match is_open(self.keywords) {
            true => Kind::Opaque,
            false => kind(self.schema),
        }
    }

    /// Whether it is any value, and nothing says otherwise.
    pub(super) const fn is_any(self) -> bool {
        let inner = peel(self.schema);
        matches!(inner.shape, Shape::Any)
            && !equal(inner.name, MISTAKEN.name)
            && !has_keyword!(
                self,
                Keyword::EmbeddedResource
                    | Keyword::Extend(_)
                    | Keyword::Patch(_)
                    | Keyword::Transform(_)
            )
    }

    /// Whether it is a map that may have the form of an object.
    pub(super) const fn has_keys(self) -> bool {
        peel(self.schema).keys.is_some()
    }

    /// Whether it may be null, as far as that is known.
    pub(super) const fn may_be_null(self) -> Option<bool> {
        let is_decided = has_keyword!(
            self,
            Keyword::Nullable(_)
                | Keyword::Enum(_)
                | Keyword::Extend(_)
                | Keyword::Patch(_)
                | Keyword::Transform(_)
        );
        match (self.schema.shape, self.presence) {
            (Shape::Enum(_) | Shape::OneOf(..) | Shape::Newtype(_) | Shape::Foreign(_), _) => None,
            _ if is_decided => None,
            (_, Presence::Required) => Some(false),
            _ => Some(self.schema.optional),
        }
    }

    /// What is in a list or a map, with what is said of it there.
    pub(super) const fn inside(self, schema: &'static Schema) -> Self {
        let mut list = self.schema;
        let mut inside = keywords_inside(&[], self.keywords);
        loop {
            inside = keywords_inside(inside, list.keywords);
            match list.shape {
                Shape::Newtype(inner) => list = inner,
                _ => break,
            }
        }
        let mut value = Self::of(schema);
        value.keywords = inside;
        value
    }
}

/// What is said of the items of a list or the values of a map. What is said twice is not added up, so that nothing is known.
const fn keywords_inside(
    known: &'static [Keyword],
    keywords: &'static [Keyword],
) -> &'static [Keyword] {
    let mut inside = known;
    let mut at = 0;
    while at < keywords.len() {
        if let Keyword::Items(keywords) | Keyword::Values(keywords) = keywords[at] {
            inside = match inside {
                [] => keywords,
                _ => &[Keyword::PreserveUnknownFields],
            };
        }
        at += 1;
    }
    inside
}

/// Whether expressions may change what keywords are written on.
pub(super) const fn may_be_changed(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_)
    )
}
