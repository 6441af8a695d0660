//! Whether two values can share one schema, and how they differ.
//!
//! The variants of an enum and the items of a tuple each share one structural schema. Const evaluation compares types; rendering
//! compares rendered schemas.

use crate::{Message, schema::Kind, text::equal};

pub mod flattened;
pub mod variants;

/// Why two values share one schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// They are the data of two variants, or fields of the data. Of two objects, only common fields are compared.
    Variants,
    /// They are items of a tuple and must be equal in all parts.
    Items,
}

impl Sharing {
    /// Whether values of these kinds can share a schema.
    pub const fn allows(self, one: Kind, other: Kind) -> bool {
        match (self, one.union_in_fields(other)) {
            (_, None) => false,
            (Self::Items, Some(Kind::Number)) | (Self::Variants, _) => true,
            (Self::Items, _) => one.is(other),
        }
    }
}

/// The difference between two values.
#[derive(Clone, Copy, Debug)]
pub enum Difference<'a> {
    /// The kinds differ.
    Kinds([Kind; 2]),
    /// Only one value has this rule.
    Rule(RuleFact<'a>, Side),
    /// Both have the rule, but with a different message, reason or path.
    RuleMessage(RuleFact<'a>),
    /// Only one value has a field.
    Field,
}

/// One of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first value.
    First,
    /// The second value.
    Second,
}

impl Side {
    /// Orders a pair so that the element of this side comes first.
    pub const fn of<T: Copy>(self, [first, second]: [T; 2]) -> [T; 2] {
        match self {
            Self::First => [first, second],
            Self::Second => [second, first],
        }
    }
}

/// The rule of an immutable value.
pub const IMMUTABLE: &str = "self == oldSelf";

/// A rule of a value: an entry of `x-kubernetes-validations`, or an attribute that generates one.
#[derive(Clone, Copy, Debug)]
pub struct RuleFact<'a> {
    /// The origin of the rule.
    pub origin: Origin,
    /// The expression, or the name of the attribute.
    pub text: &'a str,
    /// The field with the attribute; empty if the attribute is on the type.
    pub field: &'a str,
    /// The fields that the attribute lists.
    pub names: &'a [&'a str],
    /// `optionalOldSelf`.
    pub optional_old_self: Option<bool>,
    /// `message`, `messageExpression`, `reason` and `fieldPath`.
    pub failure: [Option<&'a str>; 4],
}

/// The origin of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A literal CEL expression.
    Rule,
    /// A Rust expression, so that the rule is not known at compile time.
    Dynamic,
    /// `immutable`.
    Immutable,
    /// An attribute that relates the presence of fields.
    Fields,
}

impl<'a> RuleFact<'a> {
    /// A rule with only its text.
    pub const fn new(origin: Origin, text: &'a str) -> Self {
        Self { origin, text, field: "", names: &[], optional_old_self: None, failure: [None; 4] }
    }

    /// Returns the name of the rule in messages.
    pub const fn name(&self) -> Message {
        match self.origin {
            Origin::Rule => Message::concat(&["the rule `", self.text, "`"]),
            Origin::Dynamic => Message::concat(&["a rule"]),
            Origin::Immutable => Message::concat(&["`immutable`"]),
            Origin::Fields => Message::concat(&["`", self.text, "`"]),
        }
    }

    /// Whether the rule makes the value immutable.
    pub const fn is_immutable(&self) -> bool {
        equal(self.text, IMMUTABLE) && self.optional_old_self.is_none()
    }

    /// Whether both are the same rule, regardless of message, reason and path.
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

/// Returns a difference between the rules of two values, if there certainly is one.
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

/// Returns the first rule that is missing in `others`.
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
        for (one, other) in [(Kind::Integer, Kind::Number), (Kind::Number, Kind::Integer)] {
            assert!(Sharing::Items.allows(one, other) && Sharing::Variants.allows(one, other));
        }
        assert!(!Sharing::Items.allows(Kind::Map, Kind::Object));
        assert!(Sharing::Variants.allows(Kind::Map, Kind::Object));
        assert!(!Sharing::Variants.allows(Kind::Integer, Kind::String));
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
