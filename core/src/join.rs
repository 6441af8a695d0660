//! Which values can stand in one place, and what differs in two of them.
//!
//! The variants of an enum, a flattened type beside the fields of its object, and the items of a tuple share one structural
//! schema each. Const evaluation asks this of types, and rendering of the schemas that it has made.

use crate::{Message, facts::Type, text::equal};

pub mod flattened;
pub mod variants;

/// What kind of JSON value a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Boolean,
    /// A number without a fraction.
    Integer,
    /// Any number.
    Number,
    /// Text.
    String,
    /// An integer or text (`x-kubernetes-int-or-string`).
    IntOrString,
    /// A list.
    List,
    /// An object whose members have any name.
    Map,
    /// An object.
    Object,
    /// Any value.
    Opaque,
}

impl Kind {
    /// The kind of a finished schema; a type that the server does not know is like none.
    pub fn of_type(type_: Option<&str>, int_or_string: bool) -> Self {
        match int_or_string {
            true => Self::IntOrString,
            false => Type::from_name(type_).kind(),
        }
    }

    /// What a finished schema says: its `type`; none of what may have several.
    pub const fn type_(self) -> Option<&'static str> {
        match self {
            Self::Boolean => Some("boolean"),
            Self::Integer => Some("integer"),
            Self::Number => Some("number"),
            Self::String => Some("string"),
            Self::List => Some("array"),
            Self::Map | Self::Object => Some("object"),
            Self::IntOrString | Self::Opaque => None,
        }
    }

    /// Returns the noun for one value of the kind in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "a boolean",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::IntOrString => "an integer or a string",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Object => "an object",
            Self::Opaque => "any value",
        }
    }

    /// Returns the noun for several values of the kind in messages.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Boolean => "booleans",
            Self::Integer => "integers",
            Self::Number => "numbers",
            Self::String => "strings",
            Self::IntOrString => "integers or strings",
            Self::List => "lists",
            Self::Map => "maps",
            Self::Object => "objects",
            Self::Opaque => "values of any type",
        }
    }

    /// Whether both are the same.
    pub const fn is(self, other: Self) -> bool {
        self as u8 == other as u8
    }

    /// The kind of a value that is of one kind or of the other; none if no structural schema can say that.
    pub const fn union(self, other: Self) -> Option<Self> {
        use Kind::{IntOrString, Integer, Map, Number, Object, Opaque, String};
        match (self, other) {
            (Opaque, _) | (_, Opaque) => Some(Opaque),
            (Integer, Number) | (Number, Integer) => Some(Number),
            (Integer, String) | (String, Integer) => Some(IntOrString),
            (IntOrString, Integer | String) | (Integer | String, IntOrString) => Some(IntOrString),
            (Map, Object) | (Object, Map) => Some(Object),
            _ if self.is(other) => Some(self),
            _ => None,
        }
    }

    /// The kind of a field that is of one kind in one variant and of the other in another one.
    ///
    /// An integer or a string is not among them: the variants could not say which of them it is.
    pub const fn union_in_fields(self, other: Self) -> Option<Self> {
        match self.union(other) {
            Some(Self::IntOrString) if !self.is(other) => None,
            kind => kind,
        }
    }

    /// The kind of a value that is of both kinds; none if there is no such value.
    pub const fn intersection(self, other: Self) -> Option<Self> {
        use Kind::{IntOrString, Integer, Map, Number, Object, Opaque, String};
        match (self, other) {
            (Opaque, kind) | (kind, Opaque) => Some(kind),
            (Integer, Number) | (Number, Integer) => Some(Integer),
            (IntOrString, Number) | (Number, IntOrString) => Some(Integer),
            (Map, Object) | (Object, Map) => Some(Map),
            (IntOrString, kind @ (Integer | String)) | (kind @ (Integer | String), IntOrString) => Some(kind),
            _ if self.is(other) => Some(self),
            _ => None,
        }
    }
}

/// Why two values share one schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// They are the data of two variants, or fields of it: of two objects, only the fields that both have are compared.
    Variants,
    /// They are items of a tuple, which have the same parts.
    Items,
    /// They are fields of one name in one object, and must be the same.
    Field,
}

impl Sharing {
    /// Whether the values may be of these kinds, of which more may be known later unless they are certain.
    pub const fn allows(self, one: Kind, other: Kind, are_certain: bool) -> bool {
        match (self, one.union_in_fields(other)) {
            (_, None) => false,
            (Self::Items, Some(Kind::Number)) | (Self::Variants, _) => true,
            (Self::Items, _) => one.is(other),
            (Self::Field, _) => one.is(other) || !are_certain,
        }
    }
}

/// What differs in two values.
#[derive(Clone, Copy, Debug)]
pub enum Difference<'a> {
    /// Their kinds.
    Kinds([Kind; 2]),
    /// One of them has a rule that the other one lacks.
    Rule(RuleFact<'a>, Side),
    /// Both have the rule, with another message, reason or path.
    RuleMessage(RuleFact<'a>),
    /// One of them may be this text, or any text if there is none here.
    Text(Option<&'a str>, Side),
    /// One of them may be null.
    Null(Side),
    /// One of them has this field.
    Field(&'a str, Side),
    /// Their bounds, patterns or formats.
    Bounds,
    /// Something else.
    Other,
}

/// One of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first one.
    First,
    /// The second one.
    Second,
}

impl Side {
    /// The value of this side, and the other one.
    pub const fn of<T: Copy>(self, [first, second]: [T; 2]) -> [T; 2] {
        match self {
            Self::First => [first, second],
            Self::Second => [second, first],
        }
    }
}

/// The rule of a value that cannot change.
pub const IMMUTABLE: &str = "self == oldSelf";

/// A rule of a value: an entry of `x-kubernetes-validations`, or an attribute that makes one.
#[derive(Clone, Copy, Debug)]
pub struct RuleFact<'a> {
    /// What makes it.
    pub origin: Origin,
    /// The expression; of an attribute about fields, its name.
    pub text: &'a str,
    /// The field that the attribute is written on; empty if it is on the type.
    pub field: &'a str,
    /// The fields that it lists.
    pub names: &'a [&'a str],
    /// `optionalOldSelf`.
    pub optional_old_self: Option<bool>,
    /// `message`, `messageExpression`, `reason` and `fieldPath`.
    pub failure: [Option<&'a str>; 4],
}

/// What makes a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An expression in CEL that is written out.
    Rule,
    /// An expression in Rust, so that the rule is not known while compiling.
    Dynamic,
    /// `immutable`.
    Immutable,
    /// An attribute about which fields are set together.
    Fields,
}

impl<'a> RuleFact<'a> {
    /// A rule with nothing but its text.
    pub const fn new(origin: Origin, text: &'a str) -> Self {
        Self { origin, text, field: "", names: &[], optional_old_self: None, failure: [None; 4] }
    }

    /// What a message calls it.
    pub const fn name(&self) -> Message {
        match self.origin {
            Origin::Rule => Message::concat(&["the rule `", self.text, "`"]),
            Origin::Dynamic => Message::concat(&["a rule"]),
            Origin::Immutable => Message::concat(&["`immutable`"]),
            Origin::Fields => Message::concat(&["`", self.text, "`"]),
        }
    }

    /// Whether it says that the value cannot change.
    pub const fn is_immutable(&self) -> bool {
        equal(self.text, IMMUTABLE) && self.optional_old_self.is_none()
    }

    /// Whether both are one rule, whatever the server answers where it fails.
    pub const fn is(&self, other: &Self) -> bool {
        equal(self.text, other.text)
            && equal(self.field, other.field)
            && are_equal(self.names, other.names)
            && flag(self.optional_old_self) == flag(other.optional_old_self)
    }

    const fn has_same_failure(&self, other: &Self) -> bool {
        let are_written = matches!(self.origin, Origin::Rule) && matches!(other.origin, Origin::Rule);
        let mut at = 0;
        while at < self.failure.len() {
            let is_equal = match (self.failure[at], other.failure[at]) {
                (Some(a), Some(b)) => equal(a, b),
                (None, None) => true,
                _ => false,
            };
            if are_written && !is_equal {
                return false;
            }
            at += 1;
        }
        true
    }

    const fn find<'b>(&self, rules: &'b [RuleFact<'a>]) -> Option<&'b RuleFact<'a>> {
        let mut at = 0;
        while at < rules.len() {
            if self.is(&rules[at]) {
                return Some(&rules[at]);
            }
            at += 1;
        }
        None
    }
}

/// What differs for certain in the rules of two values.
pub const fn rule_difference<'a>(a: &[RuleFact<'a>], b: &[RuleFact<'a>]) -> Option<Difference<'a>> {
    match (a, b) {
        ([], []) => return None,
        ([rule, ..], []) => return Some(Difference::Rule(*rule, Side::First)),
        ([], [rule, ..]) => return Some(Difference::Rule(*rule, Side::Second)),
        _ if has_dynamic(a) || has_dynamic(b) => return None,
        _ => {}
    }
    if let Some(rule) = find_missing(a, b) {
        return Some(Difference::Rule(rule, Side::First));
    }
    if let Some(rule) = find_missing(b, a) {
        return Some(Difference::Rule(rule, Side::Second));
    }
    let mut at = 0;
    while at < a.len() {
        if let Some(other) = a[at].find(b)
            && !a[at].has_same_failure(other)
        {
            return Some(Difference::RuleMessage(a[at]));
        }
        at += 1;
    }
    None
}

const fn has_dynamic(rules: &[RuleFact<'_>]) -> bool {
    let mut at = 0;
    while at < rules.len() {
        if let Origin::Dynamic = rules[at].origin {
            return true;
        }
        at += 1;
    }
    false
}

/// A rule that is not among the others.
const fn find_missing<'a>(rules: &[RuleFact<'a>], others: &[RuleFact<'a>]) -> Option<RuleFact<'a>> {
    let mut at = 0;
    while at < rules.len() {
        if rules[at].find(others).is_none() {
            return Some(rules[at]);
        }
        at += 1;
    }
    None
}

const fn flag(flag: Option<bool>) -> u8 {
    match flag {
        None => 0,
        Some(false) => 1,
        Some(true) => 2,
    }
}

const fn are_equal(a: &[&str], b: &[&str]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && equal(a[at], b[at]) {
        at += 1;
    }
    at == a.len() && at == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 9] = [
        Kind::Boolean,
        Kind::Integer,
        Kind::Number,
        Kind::String,
        Kind::IntOrString,
        Kind::List,
        Kind::Map,
        Kind::Object,
        Kind::Opaque,
    ];

    #[test]
    fn kinds_are_a_lattice_where_they_meet() {
        for a in KINDS {
            assert_eq!(a.union(a), Some(a));
            assert_eq!(a.intersection(a), Some(a));
            for b in KINDS {
                assert_eq!(a.union(b), b.union(a), "{a:?} {b:?}");
                assert_eq!(a.intersection(b), b.intersection(a), "{a:?} {b:?}");
                if let Some(both) = a.intersection(b) {
                    assert!(a.union(b).is_some() || both == Kind::Integer, "{a:?} {b:?}");
                }
                if let Some(either) = a.union(b) {
                    assert_eq!(a.intersection(either), Some(a), "{a:?} {b:?}");
                }
            }
        }
        assert_eq!(Kind::Integer.union_in_fields(Kind::String), None);
        assert_eq!(Kind::Integer.union_in_fields(Kind::Number), Some(Kind::Number));
    }

    #[test]
    fn who_shares_a_schema() {
        let takes = |sharing: Sharing, one, other| sharing.allows(one, other, true);
        for (one, other) in [(Kind::Integer, Kind::Number), (Kind::Number, Kind::Integer)] {
            assert!(takes(Sharing::Items, one, other) && takes(Sharing::Variants, one, other));
            assert!(!takes(Sharing::Field, one, other));
        }
        assert!(!takes(Sharing::Items, Kind::Map, Kind::Object));
        assert!(takes(Sharing::Variants, Kind::Map, Kind::Object));
        assert!(Sharing::Field.allows(Kind::Map, Kind::Object, false));
        assert!(!takes(Sharing::Variants, Kind::Integer, Kind::String));
    }

    #[test]
    fn rules_differ() {
        let rule = RuleFact::new(Origin::Rule, "self > 1");
        let answered = RuleFact { failure: [Some("too small"), None, None, None], ..rule };
        let dynamic = RuleFact::new(Origin::Dynamic, "");
        let immutable = RuleFact::new(Origin::Immutable, IMMUTABLE);
        let written = RuleFact::new(Origin::Rule, IMMUTABLE);
        assert!(rule_difference(&[rule], &[rule]).is_none());
        assert!(rule_difference(&[rule, written], &[immutable, rule]).is_none());
        assert!(rule_difference(&[rule], &[dynamic]).is_none());
        let found = rule_difference(&[], &[dynamic]);
        assert!(matches!(found, Some(Difference::Rule(_, Side::Second))));
        let found = rule_difference(&[rule, immutable], &[rule]);
        assert!(matches!(found, Some(Difference::Rule(it, Side::First)) if it.is(&immutable)));
        let found = rule_difference(&[rule], &[answered]);
        assert!(matches!(found, Some(Difference::RuleMessage(_))));
    }
}
