//! All rules of a value.

use super::{Difference, Side, Value, said::Said};
use crate::{
    check::walk::is_foreign,
    schema::{Alternative, Field, Keyword, Presence, Schema, Shape, any_keyword},
};

/// The rules of one value.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) all: [Said; Self::CAPACITY],
    pub(super) count: usize,
    /// Whether these are all of them.
    pub(super) are_known: bool,
    /// Whether an expression makes some of them.
    pub(super) some_are_made: bool,
}

impl Rules {
    const CAPACITY: usize = 16;

    const NONE: Self = Self {
        all: [Said::Made; Self::CAPACITY],
        count: 0,
        are_known: true,
        some_are_made: false,
    };

    pub(super) const fn of(value: Value) -> Self {
        Self::NONE
            .of_type(value.schema)
            .and(value.keywords)
            .frozen(value.immutable)
    }

    const fn unknown(mut self) -> Self {
        self.are_known = false;
        self
    }

    const fn with(mut self, said: Said) -> Self {
        if self.find(said).is_some() {
            return self;
        }
        if self.count == Self::CAPACITY {
            return self.unknown();
        }
        self.all[self.count] = said;
        self.count += 1;
        self.some_are_made = self.some_are_made || matches!(said, Said::Made);
        self
    }

    const fn frozen(self, is_frozen: bool) -> Self {
        match is_frozen {
            true => self.with(Said::Immutable),
            false => self,
        }
    }

    const fn of_type(self, schema: &'static Schema) -> Self {
        let rules = match schema.shape {
            Shape::Newtype(inner) => self.of_type(inner),
            Shape::Object(fields) => self.of_fields(fields),
            Shape::OneOf(_, alternatives) => self.of_variants(alternatives),
            Shape::Foreign(_) => self.unknown(),
            _ => self,
        };
        rules.and(schema.keywords).frozen(schema.immutable)
    }

    const fn and(mut self, keywords: &'static [Keyword]) -> Self {
        let mut at = 0;
        while at < keywords.len() {
            self = match &keywords[at] {
                Keyword::Rule(rule) => self.with(Said::Rule(rule)),
                Keyword::RuleValue(_) => self.with(Said::Made),
                Keyword::OneOf(names) => self.with(Said::Set("one_of", names)),
                Keyword::AtMostOneOf(names) => self.with(Said::Set("at_most_one_of", names)),
                Keyword::AtLeastOneOf(names) => self.with(Said::Set("at_least_one_of", names)),
                Keyword::Extend(_) | Keyword::Patch(_) | Keyword::Transform(_) => self.unknown(),
                _ => self,
            };
            at += 1;
        }
        self
    }

    const fn of_fields(mut self, fields: &'static [Field]) -> Self {
        let mut at = 0;
        while at < fields.len() {
            let field = &fields[at];
            self = match field.flatten {
                true => self.of_flattened(field),
                false => self.of_field(field),
            };
            at += 1;
        }
        self
    }

    const fn of_flattened(self, field: &'static Field) -> Self {
        if !field.schema.optional && !is_foreign(field.schema) {
            return self.of_type(field.schema);
        }
        match Self::NONE.of_type(field.schema) {
            Self {
                count: 0,
                are_known: true,
                ..
            } => self,
            // They hold where the type is there, and that is another rule.
            _ => self.unknown(),
        }
    }

    const fn of_field(mut self, field: &'static Field) -> Self {
        if field.immutable {
            self = match may_be_unset(field) {
                Some(true) => self.with(Said::StaysSet(field.name)),
                Some(false) => self,
                None => self.unknown(),
            };
        }
        let mut at = 0;
        while at < field.keywords.len() {
            if let Keyword::Requires(names) = field.keywords[at] {
                let mut name = 0;
                while name < names.len() {
                    self = self.with(Said::Requires(field.name, names[name]));
                    name += 1;
                }
            }
            at += 1;
        }
        self
    }

    /// Those of variants get another form in the enum.
    const fn of_variants(self, alternatives: &'static [Alternative]) -> Self {
        let mut at = 0;
        while at < alternatives.len() {
            if let Some(content) = alternatives[at].content {
                let rules = Self::NONE.of_type(content);
                if rules.count > 0 || !rules.are_known {
                    return self.unknown();
                }
            }
            at += 1;
        }
        self
    }

    const fn find(&self, said: Said) -> Option<Said> {
        let mut at = 0;
        while at < self.count {
            if self.all[at].is(said) {
                return Some(self.all[at]);
            }
            at += 1;
        }
        None
    }

    pub(super) const fn lacking_in(&self, other: &Self) -> Option<Said> {
        let mut at = 0;
        while at < self.count {
            if other.find(self.all[at]).is_none() {
                return Some(self.all[at]);
            }
            at += 1;
        }
        None
    }

    pub(super) const fn told_otherwise(&self, other: &Self) -> Option<Difference> {
        let mut at = 0;
        while at < self.count {
            let said = self.all[at];
            if let Some(same) = other.find(said)
                && !same.is_told_as(said)
            {
                return Some(Difference::new(said, Side::Both));
            }
            at += 1;
        }
        None
    }
}

/// Whether the field may be left out or be null, as far as that is known.
const fn may_be_unset(field: &Field) -> Option<bool> {
    let is_plain = !matches!(
        field.schema.shape,
        Shape::Newtype(_) | Shape::OneOf(..) | Shape::Foreign(_)
    );
    if !is_plain || says_more(field.keywords) || says_more(field.schema.keywords) {
        return None;
    }
    match field.presence {
        Presence::Inferred | Presence::Optional => Some(!field.is_required()),
        Presence::Required => Some(false),
        Presence::Defaulted | Presence::Present => None,
    }
}

/// Whether keywords may have a say in that.
const fn says_more(keywords: &[Keyword]) -> bool {
    any_keyword!(
        keywords,
        Keyword::Default(_)
            | Keyword::DefaultLiteral(_)
            | Keyword::Nullable(_)
            | Keyword::Extend(_)
            | Keyword::Patch(_)
            | Keyword::Transform(_)
    )
}
