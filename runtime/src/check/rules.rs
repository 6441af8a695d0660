//! Rules that one of two values has and the other one lacks.

use super::{
    Message,
    walk::{Kind, is_open, kind},
};
use crate::schema::{Field, Keyword, Schema, Shape};
use of_value::Rules;
use said::Said;

mod of_value;
mod said;

/// A value where it stands.
#[derive(Clone, Copy)]
pub(super) struct Value {
    pub(super) schema: &'static Schema,
    /// What a field adds to its type.
    pub(super) keywords: &'static [Keyword],
    /// Whether the field cannot change.
    pub(super) immutable: bool,
}

impl Value {
    /// A value of which nothing is said but by its type.
    pub(super) const fn of(schema: &'static Schema) -> Self {
        Self {
            schema,
            keywords: &[],
            immutable: false,
        }
    }

    pub(super) const fn said(
        schema: &'static Schema,
        keywords: &'static [Keyword],
        immutable: bool,
    ) -> Self {
        Self {
            schema,
            keywords,
            immutable,
        }
    }

    pub(super) const fn of_field(field: &'static Field) -> Self {
        Self::said(field.schema, field.keywords, field.immutable)
    }

    /// What is in a list or a map, with what is said of it there.
    pub(super) const fn inside(self, schema: &'static Schema) -> Self {
        let mut keywords = Inside::NOTHING.and(self.keywords);
        let mut list = self.schema;
        keywords = keywords.and(list.keywords);
        while let Shape::Newtype(inner) = list.shape {
            list = inner;
            keywords = keywords.and(list.keywords);
        }
        Self::said(schema, keywords.all, false)
    }

    pub(super) const fn kind(self) -> Kind {
        match is_open(self.keywords) {
            true => Kind::Opaque,
            false => kind(self.schema),
        }
    }
}

/// What is said of the items of a list or the values of a map.
struct Inside {
    all: &'static [Keyword],
    is_said: bool,
}

impl Inside {
    const NOTHING: Self = Self {
        all: &[],
        is_said: false,
    };

    const fn and(mut self, keywords: &'static [Keyword]) -> Self {
        let mut at = 0;
        while at < keywords.len() {
            if let Keyword::Items(inside) | Keyword::Values(inside) = keywords[at] {
                // What is said twice is not added up here, so that nothing is known.
                self.all = match self.is_said {
                    true => &[Keyword::PreserveUnknownFields],
                    false => inside,
                };
                self.is_said = true;
            }
            at += 1;
        }
        self
    }
}

/// A rule that not both of two values have.
#[derive(Clone, Copy)]
pub(super) struct Difference {
    said: Said,
    /// Which of them has it.
    pub(super) of: Side,
}

/// Which of two values.
#[derive(Clone, Copy)]
pub(super) enum Side {
    First,
    Second,
    /// Both of them, with another message or the like.
    Both,
}

impl Difference {
    /// The message with the rule behind it, as it is written.
    pub(super) const fn name(&self, message: Message) -> Message {
        let (before, text, after) = match self.said {
            Said::Rule(rule) => ("the rule `", rule.rule, "`"),
            Said::Made => ("a rule", "", ""),
            Said::Immutable | Said::StaysSet(_) => ("`immutable`", "", ""),
            Said::Set(key, _) => ("`", key, "`"),
            Said::Requires(..) => ("`requires`", "", ""),
        };
        message.then(before).then(text).then(after)
    }
}

/// A rule that for certain not both values have.
pub(super) const fn difference(a: Value, b: Value) -> Option<Difference> {
    let (a, b) = (Rules::of(a), Rules::of(b));
    if !a.are_known || !b.are_known {
        return None;
    }
    match (a.count, b.count) {
        (0, 0) => None,
        (_, 0) => Some(Difference::new(a.all[0], Side::First)),
        (0, _) => Some(Difference::new(b.all[0], Side::Second)),
        _ if a.some_are_made || b.some_are_made => None,
        _ => match a.lacking_in(&b) {
            None => match b.lacking_in(&a) {
                None => a.told_otherwise(&b),
                Some(said) => Some(Difference::new(said, Side::Second)),
            },
            Some(said) => Some(Difference::new(said, Side::First)),
        },
    }
}

impl Difference {
    const fn new(said: Said, of: Side) -> Self {
        Self { said, of }
    }

    /// Whether it says that the value cannot change.
    pub(super) const fn freezes(&self) -> bool {
        matches!(self.said, Said::Immutable)
    }
}
