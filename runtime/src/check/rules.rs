//! Rules that one of two values has and the other one lacks.

use super::{
    Message,
    text::equal,
    walk::{Kind, is_foreign, is_open, kind},
};
use crate::{
    render::IMMUTABLE,
    schema::{Alternative, Field, Keyword, Presence, Rule, Schema, Shape, any_keyword},
};

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

/// What a rule is made from.
#[derive(Clone, Copy)]
enum Said {
    Rule(&'static Rule),
    /// An expression.
    Made,
    Immutable,
    /// A keyword about fields that are set together.
    Set(&'static str, &'static [&'static str]),
    /// A field, and another one that it asks for.
    Requires(&'static str, &'static str),
    /// A field that cannot change, and that may be left out.
    StaysSet(&'static str),
}

impl Said {
    /// Whether both make the same rule, whatever it says where it fails.
    const fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Rule(a), Self::Rule(b)) => {
                equal(a.rule, b.rule) && flag(a.optional_old_self) == flag(b.optional_old_self)
            }
            (Self::Immutable, Self::Rule(rule)) | (Self::Rule(rule), Self::Immutable) => {
                equal(rule.rule, IMMUTABLE) && rule.optional_old_self.is_none()
            }
            (Self::Immutable, Self::Immutable) => true,
            (Self::Set(a, names), Self::Set(b, others)) => equal(a, b) && are_equal(names, others),
            (Self::Requires(a, name), Self::Requires(b, other)) => {
                equal(a, b) && equal(name, other)
            }
            (Self::StaysSet(a), Self::StaysSet(b)) => equal(a, b),
            _ => false,
        }
    }

    /// Whether two rules that are the same say the same where they fail.
    const fn is_told_as(self, other: Self) -> bool {
        match (self, other) {
            (Self::Rule(a), Self::Rule(b)) => {
                are_same(a.message, b.message)
                    && are_same(a.message_expression, b.message_expression)
                    && are_same(a.field_path, b.field_path)
                    && are_same(reason(a), reason(b))
            }
            _ => true,
        }
    }
}

const fn reason(rule: &Rule) -> Option<&'static str> {
    match rule.reason {
        Some(reason) => Some(reason.as_str()),
        None => None,
    }
}

const fn flag(flag: Option<bool>) -> u8 {
    match flag {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    }
}

const fn are_same(a: Option<&str>, b: Option<&str>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => equal(a, b),
        (None, None) => true,
        _ => false,
    }
}

const fn are_equal(a: &[&str], b: &[&str]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && equal(a[at], b[at]) {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The rules of one value.
#[derive(Clone, Copy)]
struct Rules {
    all: [Said; Self::CAPACITY],
    count: usize,
    /// Whether these are all of them.
    are_known: bool,
    /// Whether an expression makes some of them.
    some_are_made: bool,
}

impl Rules {
    const CAPACITY: usize = 16;

    const NONE: Self = Self {
        all: [Said::Made; Self::CAPACITY],
        count: 0,
        are_known: true,
        some_are_made: false,
    };

    const fn of(value: Value) -> Self {
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

    const fn lacking_in(&self, other: &Self) -> Option<Said> {
        let mut at = 0;
        while at < self.count {
            if other.find(self.all[at]).is_none() {
                return Some(self.all[at]);
            }
            at += 1;
        }
        None
    }

    const fn told_otherwise(&self, other: &Self) -> Option<Difference> {
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
