//! Messages about variants of an enum that cannot share a schema.

use super::{Difference, RuleFact, Side};
use crate::{Message, Text, schema::Kind};

/// How rules recognize a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discriminator<'a> {
    /// A tag beside the fields of the variant, which can have rules itself.
    OwnFields,
    /// A tag beside the data, by their names in rules. `content` is empty if the data is at the level of the tag.
    Tag {
        /// The field with the name of the variant.
        tag: &'a str,
        /// The field with the data.
        content: &'a str,
    },
    /// No field that a rule can name.
    None,
}

/// A value that two variants share.
#[derive(Clone, Copy, Debug)]
pub struct SharedValue<'a> {
    /// The name of the value in messages.
    pub subject: &'a str,
    /// The path of the value; empty for the data of the variants.
    pub path: &'a str,
    /// The variants.
    pub variants: [&'a str; 2],
    /// How rules recognize the variants.
    pub discriminator: Discriminator<'a>,
    /// The advice for different kinds, if the variants cannot have attributes.
    pub advice: Option<&'a str>,
}

const ANY_VALUE: &str = "`#[crd(preserve_unknown_fields)]` or `#[crd(schema = ...)]`";
const INT_OR_STRING: &str = "`#[crd(int_or_string)]` or `#[crd(schema = ...)]`, with a rule for the rest";
const RULE_FOR_VARIANT: &str = "enum a rule for this variant alone";
const OPTIONAL_FIELD: &str = "(after `has()` if it is optional)";

/// Returns the message about two variants of different kinds.
pub const fn kinds_differ([one, other]: [&str; 2], [a, b]: [Kind; 2]) -> Message {
    Text::format(
        "`{}` is {} and `{}` is {}, which one structural schema cannot express: give the enum {}",
        [one, a.noun(), other, b.noun(), ANY_VALUE],
    )
    .message()
}

/// Returns the message about items of a tuple that differ.
pub const fn of_items([one, other]: [Kind; 2]) -> Message {
    if one.is(other) {
        Text::format(
            "the items of the tuple are {} with different schemas, which one structural schema cannot express: use a \
             struct, or write {}",
            [one.plural(), ANY_VALUE],
        )
        .message()
    } else {
        Text::format(
            "the tuple has {} and {} as items, which one structural schema cannot express: use a struct, or write {}",
            [one.noun(), other.noun(), ANY_VALUE],
        )
        .message()
    }
}

/// Returns the message about a variant whose data cannot have the tag as a field.
pub const fn cannot_hold_tag(variant: &str, kind: Kind, tag: &str) -> Message {
    let template = match kind {
        Kind::Map => {
            "`{}` is {}, which cannot hold the tag `{}`: write a struct with a field for the map, add `content = \
             \"...\"` beside `tag`, or give the enum `#[crd(preserve_unknown_fields)]`"
        }
        _ => "`{}` is {}, which cannot hold the tag `{}`: write a struct, or add `content = \"...\"` beside `tag`",
    };
    Text::format(template, [variant, kind.noun(), tag]).message()
}

/// Returns the message about data with a field that has the name of the tag.
pub const fn tag_field_conflict(data: &str, tag: &str) -> Message {
    Text::format("`{}` has a field `{}`, which is also the tag of the enum: rename one of them", [data, tag]).message()
}

/// Returns the message about a rule of one variant if rules cannot name the tag.
pub const fn tag_not_nameable(tag: &str, variant: &str) -> Message {
    Text::format(
        "a rule on `{}` alone depends on the tag, but CEL cannot name `{}`: rename the tag to letters, digits, `-` \
         and `_`, or write rules on the fields of the variant",
        [variant, tag],
    )
    .message()
}

/// Returns the message about a value that differs between two variants.
pub const fn message(shared: &SharedValue<'_>, difference: &Difference<'_>) -> Message {
    let subject = shared.subject;
    let [one, other] = shared.variants;
    match difference {
        Difference::Kinds([a, b]) => {
            let advice = shared.advice_for_kinds(*a, *b);
            Text::format(
                "{} is {} in `{}` and {} in `{}`, which one structural schema cannot express: {}",
                [subject, a.noun(), one, b.noun(), other, advice.as_str()],
            )
            .message()
        }
        Difference::Rule(rule, side) => {
            let [with, without] = side.of(shared.variants);
            let (rule_name, advice) = (rule.name(), shared.advice_for_rule(rule, *side));
            Text::format(
                "{} has {} in `{}` but not in `{}`, which one structural schema cannot express: write it in both, or \
                 on the {}",
                [subject, rule_name.as_str(), with, without, advice.as_str()],
            )
            .message()
        }
        Difference::RuleMessage(rule) => Text::format(
            "{} has {} in `{}` and `{}`, but with a different message, reason or path: write the same in both",
            [subject, rule.name().as_str(), one, other],
        )
        .message(),
        Difference::Field => {
            Text::format("{} differs in `{}` and `{}`: write the same in both", [subject, one, other]).message()
        }
    }
}

impl SharedValue<'_> {
    const fn advice_for_kinds(&self, a: Kind, b: Kind) -> Message {
        if let Some(advice) = self.advice {
            return Message::concat(&[advice]);
        }
        let both = if self.path.is_empty() { "give both variants " } else { "rename one, or give both fields " };
        match a.union(b) {
            Some(Kind::IntOrString) => Message::concat(&[both, INT_OR_STRING]),
            _ => Message::concat(&[both, ANY_VALUE]),
        }
    }

    /// Returns the alternative place for a rule of one variant.
    const fn advice_for_rule(&self, rule: &RuleFact<'_>, side: Side) -> Message {
        let (path, [variant, _]) = (self.path, side.of(self.variants));
        let is_named = is_named_in_rules(path);
        match self.discriminator {
            Discriminator::OwnFields if !is_named => Text::format("variant `{}`", [variant]).message(),
            Discriminator::OwnFields if rule.is_immutable() => {
                Text::format("variant `{}` the rule `self.{} == oldSelf.{}` {}", [variant, path, path, OPTIONAL_FIELD])
                    .message()
            }
            Discriminator::OwnFields => {
                Text::format("variant `{}`, with `self.{}` in place of `self` {}", [variant, path, OPTIONAL_FIELD])
                    .message()
            }
            Discriminator::Tag { tag, content } if is_named => {
                let is_last = content.is_empty() || path.is_empty();
                let value = Message::concat(&[content, if is_last { "" } else { "." }, path]);
                rule_on_enum(rule, tag, variant, value.as_str())
            }
            _ => Message::concat(&[RULE_FOR_VARIANT, ", which recognizes it by its fields"]),
        }
    }
}

const fn rule_on_enum(rule: &RuleFact<'_>, tag: &str, variant: &str, value: &str) -> Message {
    let is_other = Text::format("!has(self.{}) || self.{} != '{}'", [tag, tag, variant]).message();
    if !rule.is_immutable() {
        return Text::format(
            "{}, such as `{} || ...`, with `self.{}` in place of `self` {}",
            [RULE_FOR_VARIANT, is_other.as_str(), value, OPTIONAL_FIELD],
        )
        .message();
    }
    let was_other = "!has(oldSelf.{}) || oldSelf.{} != '{}'";
    let was_other = Text::format(was_other, [tag, tag, variant]).message();
    Text::format(
        "{}, such as `{} || {} || self.{} == oldSelf.{}` {}",
        [RULE_FOR_VARIANT, is_other.as_str(), was_other.as_str(), value, value, OPTIONAL_FIELD],
    )
    .message()
}

/// Whether rules can name the value at a path: not if it is in a list or a map.
const fn is_named_in_rules(path: &str) -> bool {
    let bytes = path.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !(bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'_' | b'.')) {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use alloc::{borrow::ToOwned, string::String};

    use super::*;
    use crate::shared_schema::{IMMUTABLE, Origin};

    const RULE: RuleFact<'_> = RuleFact::new(Origin::Rule, "self > 1");
    const FROZEN: RuleFact<'_> = RuleFact::new(Origin::Immutable, IMMUTABLE);
    const DATA: Discriminator<'_> = Discriminator::Tag { tag: "t", content: "c" };

    fn of(path: &str, discriminator: Discriminator<'_>, difference: Difference<'_>) -> String {
        let shared = SharedValue { subject: "`it`", path, variants: ["A", "B"], discriminator, advice: None };
        message(&shared, &difference).as_str().to_owned()
    }

    #[test]
    fn rules_of_one_variant() {
        let of_rule = |path, discriminator, rule| {
            let text = of(path, discriminator, Difference::Rule(rule, Side::Second));
            let (what, advice) = text.split_once(", or on the ").unwrap();
            assert!(
                what.ends_with("in `B` but not in `A`, which one structural schema cannot express: write it in both")
            );
            advice.to_owned()
        };
        assert_eq!(
            of_rule("size", Discriminator::OwnFields, RULE),
            "variant `B`, with `self.size` in place of `self` (after `has()` if it is optional)"
        );
        assert_eq!(of_rule("all[]", Discriminator::OwnFields, RULE), "variant `B`");
        let frozen = of_rule("size", Discriminator::OwnFields, FROZEN);
        assert!(frozen.starts_with("variant `B` the rule `self.size == oldSelf.size` (after"));
        assert_eq!(
            of_rule("size", DATA, RULE),
            "enum a rule for this variant alone, such as `!has(self.t) || self.t != 'B' || ...`, with `self.c.size` \
             in place of `self` (after `has()` if it is optional)"
        );
        assert!(of_rule("", DATA, RULE).contains("with `self.c` in place"));
        let frozen = of_rule("size", DATA, FROZEN);
        let example =
            "`!has(self.t) || self.t != 'B' || !has(oldSelf.t) || oldSelf.t != 'B' || self.c.size == oldSelf.c.size` (";
        assert!(frozen.contains(example), "{frozen}");
        let untagged = of_rule("", Discriminator::None, RULE);
        assert_eq!(untagged, "enum a rule for this variant alone, which recognizes it by its fields");
    }

    #[test]
    fn kinds() {
        let kinds_differ = |path, a, b| of(path, Discriminator::OwnFields, Difference::Kinds([a, b]));
        let text = kinds_differ("a", Kind::Integer, Kind::String);
        assert!(text.starts_with("`it` is an integer in `A` and a string in `B`, which"));
        assert!(
            text.ends_with("both fields `#[crd(int_or_string)]` or `#[crd(schema = ...)]`, with a rule for the rest")
        );
        let text = kinds_differ("", Kind::List, Kind::String);
        assert!(text.ends_with("give both variants `#[crd(preserve_unknown_fields)]` or `#[crd(schema = ...)]`"));
    }
}
