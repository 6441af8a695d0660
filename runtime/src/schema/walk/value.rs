//! A value with the keywords of its type, its field and the enclosing list or map.

use crdkit_core::path::ElementStep;

use super::{ERRONEOUS, Kind, equal, kind, strip_newtypes};
use crate::schema::{Field, Keyword, ListType, Presence, Schema, Shape};

/// The value of a type or of a field, or an element of it.
#[derive(Clone, Copy)]
pub struct Value {
    /// Its type.
    pub(crate) schema: &'static Schema,
    /// Keywords of the field, and keywords for elements from the enclosing values. Later ones take precedence. Unused
    /// slots are empty.
    added: [&'static [Keyword]; 6],
    /// Whether it is known to be a value of the type.
    pub(crate) is_known: bool,
    /// Whether the server can correlate the value with its old value.
    pub(crate) is_correlatable: bool,
    /// Whether it stands for the items of a tuple; the type is that of the first item.
    pub(crate) is_shared: bool,
    /// Whether the field is immutable.
    pub(crate) immutable: bool,
    /// Whether the field is required.
    pub(crate) presence: Presence,
    /// The step from the enclosing list or map.
    pub(crate) step: Option<ElementStep>,
}

/// Whether any keyword of a value matches a pattern.
macro_rules! has_keyword {
    ($value:expr, $pattern:pat) => {{
        let value: &$crate::schema::walk::Value = $value;
        let (mut at, mut is_there) = (0, false);
        while let Some(keyword) = value.keyword(at)
            && !is_there
        {
            is_there = matches!(keyword, $pattern);
            at += 1;
        }
        is_there
    }};
}
pub(crate) use has_keyword;

impl Value {
    /// Returns the value of a field of an object, or an element of it.
    pub const fn of_field(schema: &'static Schema, at: usize, inside: &[ElementStep]) -> Self {
        match schema.shape {
            Shape::Object(fields) => Self::field(&fields[at]).within(inside),
            _ => Self::of_type(schema, inside),
        }
    }

    /// Returns the value of a type, or an element of it.
    pub const fn of_type(schema: &'static Schema, inside: &[ElementStep]) -> Self {
        Self::of(schema).within(inside)
    }

    /// Returns a value with only the keywords of its type.
    pub(crate) const fn of(schema: &'static Schema) -> Self {
        Self {
            schema,
            added: [&[]; 6],
            is_known: true,
            is_correlatable: true,
            is_shared: false,
            immutable: false,
            presence: Presence::Inferred,
            step: None,
        }
    }

    pub(crate) const fn field(field: &Field) -> Self {
        let mut value = Self::of(field.schema);
        value.added[0] = field.keywords;
        value.immutable = field.immutable;
        value.presence = field.presence;
        value
    }

    const fn within(mut self, inside: &[ElementStep]) -> Self {
        let mut at = 0;
        while at < inside.len() {
            self = self.inside(inside[at]);
            at += 1;
        }
        self
    }

    /// Returns the elements of a list or a map.
    pub(crate) const fn inside(&self, step: ElementStep) -> Self {
        let holder = strip_newtypes(self.schema).shape;
        let inner = match (holder, step) {
            (Shape::List(items) | Shape::Tuple(&[items, ..]), ElementStep::Items) => Some(items),
            (Shape::Map(values), ElementStep::Values) => Some(values),
            _ => None,
        };
        let mut value = match inner {
            Some(inner) => Self::of(inner),
            None => Self::of(&ERRONEOUS),
        };
        value.is_known = self.is_known && inner.is_some() && !self.is_open();
        value.is_correlatable = self.is_correlatable && (matches!(step, ElementStep::Values) || self.merges_by_keys());
        value.is_shared = self.is_shared || matches!(holder, Shape::Tuple(_));
        value.step = Some(step);
        let mut at = 0;
        while let Some(keyword) = self.keyword(at) {
            if let (Keyword::Items(keywords), ElementStep::Items) | (Keyword::Values(keywords), ElementStep::Values) =
                (*keyword, step)
            {
                value.add(keywords);
            }
            at += 1;
        }
        value
    }

    const fn add(&mut self, keywords: &'static [Keyword]) {
        let mut at = 0;
        while at < self.added.len() {
            if self.added[at].is_empty() {
                self.added[at] = keywords;
                return;
            }
            at += 1;
        }
        self.is_known = false;
    }

    /// Returns the keyword with an index: those of the innermost type come first, and later ones take precedence.
    pub(crate) const fn keyword(&self, mut at: usize) -> Option<&'static Keyword> {
        let mut depth = depth(self.schema);
        while depth > 0 {
            depth -= 1;
            let keywords = within_newtypes(self.schema, depth).keywords;
            if at < keywords.len() {
                return Some(&keywords[at]);
            }
            at -= keywords.len();
        }
        self.added_keyword(at)
    }

    /// Returns the keyword with an index, without those of types.
    pub(crate) const fn added_keyword(&self, mut at: usize) -> Option<&'static Keyword> {
        let mut list = 0;
        while list < self.added.len() {
            if at < self.added[list].len() {
                return Some(&self.added[list][at]);
            }
            at -= self.added[list].len();
            list += 1;
        }
        None
    }

    pub(crate) const fn kind(&self) -> Kind {
        let mut is_open = !self.is_known;
        let mut at = 0;
        while let Some(keyword) = self.added_keyword(at) {
            is_open = is_open || opens(keyword);
            at += 1;
        }
        if is_open { Kind::Opaque } else { kind(self.schema) }
    }

    /// Whether a keyword allows more than the type.
    pub(crate) const fn is_open(&self) -> bool {
        let mut at = 0;
        while let Some(keyword) = self.keyword(at) {
            if opens(keyword) {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Whether evaluated keywords may change the schema.
    pub(crate) const fn is_evaluated(&self) -> bool {
        !self.is_known || has_keyword!(self, Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_))
    }

    /// Whether the value is known to accept any value.
    pub(crate) const fn is_any(&self) -> bool {
        let inner = strip_newtypes(self.schema);
        matches!(inner.shape, Shape::Any) && !equal(inner.name, ERRONEOUS.name) && !self.is_evaluated()
    }

    /// Whether the value may be visible to rules.
    pub(crate) const fn may_be_visible(&self) -> bool {
        if self.is_evaluated() || has_keyword!(self, Keyword::EmbeddedResource) {
            return true;
        }
        match strip_newtypes(self.schema).shape {
            Shape::Any => false,
            Shape::List(_) | Shape::Tuple([_, ..]) => self.inside(ElementStep::Items).may_be_visible(),
            Shape::Map(_) => self.inside(ElementStep::Values).may_be_visible(),
            _ => true,
        }
    }

    /// Returns whether the value may be null; `None` if unknown.
    pub(crate) const fn may_be_null(&self) -> Option<bool> {
        let is_decided = self.is_evaluated() || has_keyword!(self, Keyword::Nullable(_) | Keyword::Enum(_));
        match (self.schema.shape, self.presence) {
            (Shape::Enum(_) | Shape::OneOf(..) | Shape::Newtype(_) | Shape::Foreign(_), _) => None,
            _ if is_decided => None,
            (_, Presence::Required) => Some(false),
            _ => Some(self.schema.optional),
        }
    }

    /// Returns the format.
    pub(crate) const fn format(&self) -> Option<&'static str> {
        let mut found = None;
        let mut at = 0;
        while let Some(keyword) = self.keyword(at) {
            match keyword {
                Keyword::Format(format) => found = Some(*format),
                Keyword::NoFormat => found = None,
                _ => {}
            }
            at += 1;
        }
        found
    }

    /// Whether the items of a list have, or may have, list map keys.
    pub(crate) const fn merges_by_keys(&self) -> bool {
        let mut by_keys = false;
        let mut at = 0;
        while let Some(keyword) = self.keyword(at) {
            match keyword {
                Keyword::ListType(type_) => by_keys = matches!(type_, ListType::Map),
                Keyword::Evaluated(_) | Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_) => {
                    by_keys = true;
                }
                _ => {}
            }
            at += 1;
        }
        by_keys
    }
}

/// Whether a keyword allows more than the shape.
const fn opens(keyword: &Keyword) -> bool {
    matches!(keyword, Keyword::PreserveUnknownFields | Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_))
}

/// Returns the number of types in a chain of newtypes.
const fn depth(schema: &Schema) -> usize {
    match schema.shape {
        Shape::Newtype(inner) => 1 + depth(inner),
        _ => 1,
    }
}

const fn within_newtypes(schema: &'static Schema, depth: usize) -> &'static Schema {
    match schema.shape {
        Shape::Newtype(inner) if depth > 0 => within_newtypes(inner, depth - 1),
        _ => schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Schema = Schema::any();

    #[test]
    fn values_that_rules_see() {
        const RESOURCE: Schema = Schema::any().with(&[Keyword::EmbeddedResource]);
        const LIST: Schema = Schema::list(&ANY);
        const NEWTYPE: Schema = Schema::newtype(&LIST);
        const TEXT: Schema = Schema::string();
        const EMBEDDED: Field = Field::new("a", &ANY).with(&[Keyword::EmbeddedResource]);
        for unseen in [&ANY, &LIST, &NEWTYPE] {
            assert!(!Value::of(unseen).may_be_visible(), "{unseen:?}");
        }
        for seen in [&RESOURCE, &TEXT] {
            assert!(Value::of(seen).may_be_visible(), "{seen:?}");
        }
        assert!(Value::field(&EMBEDDED).may_be_visible());
    }

    #[test]
    fn keywords_of_items_add_up() {
        const INNER: Schema = Schema::string().with(&[Keyword::Format("date")]);
        const LIST: Schema = Schema::list(&INNER).with(&[Keyword::Items(&[Keyword::Format("email")])]);
        const FIELD: Field = Field::new("a", &LIST).with(&[Keyword::Items(&[Keyword::Nullable(true)])]);
        let items = Value::field(&FIELD).inside(ElementStep::Items);
        assert!(items.is_known && items.format() == Some("email"));
        assert!(has_keyword!(&items, Keyword::Nullable(true)));
        assert!(!Value::field(&FIELD).inside(ElementStep::Values).is_known);
    }

    #[test]
    fn items_with_keys_are_found_after_a_change() {
        const KEYED: &[Keyword] = &[Keyword::ListType(ListType::Map)];
        const LIST: Schema = Schema::list(&ANY).with(KEYED);
        const LISTS: Schema = Schema::map(&LIST);
        const ATOMIC: Field = Field::new("a", &LIST).with(&[Keyword::ListType(ListType::Atomic)]);
        const PATH: &[ElementStep] = &[ElementStep::Values, ElementStep::Items];
        assert!(Value::of_type(&LISTS, PATH).is_correlatable);
        assert!(!Value::field(&ATOMIC).inside(ElementStep::Items).is_correlatable);
    }
}
