//! One rule of a value.

use crate::{check::text::equal, render::IMMUTABLE, schema::Rule};

/// What a rule is made from.
#[derive(Clone, Copy)]
pub(super) enum Said {
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
    pub(super) const fn is(self, other: Self) -> bool {
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
    pub(super) const fn is_told_as(self, other: Self) -> bool {
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
