//! What is said of variants that differ, and what to write instead.

use super::{
    super::{
        Message,
        rules::{Difference, Side},
        walk::Kind,
    },
    Decides, advised,
    conflict::{Conflict, What},
};
use crate::{
    cel::names,
    schema::{Alternative, Tagging},
};

pub(super) const fn conflict(
    conflict: &Conflict,
    tagging: Tagging,
    one: &Alternative,
    other: &Alternative,
) -> Message {
    let path = conflict.path.as_str();
    match &conflict.what {
        What::Kinds(kinds) => of_kinds(path, *kinds, one, other),
        What::Rules(difference) => match difference.of {
            Side::First => of_rules(path, difference, tagging, one, other),
            Side::Second => of_rules(path, difference, tagging, other, one),
            Side::Both => in_other_words(path, difference, one, other),
        },
    }
}

const fn subject(path: &str) -> Message {
    match path.is_empty() {
        true => Message::of(&["the data"]),
        false => Message::of(&["`", path, "`"]),
    }
}

const fn of_kinds(path: &str, kinds: [Kind; 2], one: &Alternative, other: &Alternative) -> Message {
    let [a, b] = kinds;
    let both = match path.is_empty() {
        true => "give both variants",
        false => "rename one, or give both fields",
    };
    let message = subject(path).then(" is ").then(a.name()).then(" in `");
    let message = message.then(one.name).then("` and ").then(b.name());
    let message = message.then(" in `").then(other.name).then("`");
    advised(message, both, decides(kinds))
}

/// What both fields can be marked with, so that they are the same.
const fn decides(kinds: [Kind; 2]) -> Decides {
    match kinds {
        [Kind::Integer, Kind::String] | [Kind::String, Kind::Integer] => Decides::IntOrString,
        _ => Decides::Any,
    }
}

const fn in_other_words(
    path: &str,
    difference: &Difference,
    one: &Alternative,
    other: &Alternative,
) -> Message {
    let message = difference.name(subject(path).then(" has "));
    let message = message.then(" in `").then(one.name).then("` and `");
    message
        .then(other.name)
        .then("`, but not with the same message, reason and path: write the same in both")
}

/// Of a rule in one variant that another one lacks.
const fn of_rules(
    path: &str,
    difference: &Difference,
    tagging: Tagging,
    with: &Alternative,
    without: &Alternative,
) -> Message {
    let message = difference.name(subject(path).then(" has "));
    let message = message.then(" in `").then(with.name);
    let message = message.then("` and not in `").then(without.name);
    let message =
        message.then("`, and no structural schema can say both: write it in both, or on the ");
    match with.tagging(tagging) {
        Tagging::Internal(_) => on_the_variant(message, difference, with.name, path),
        Tagging::Adjacent { tag, content }
            if names::is_plain(tag) && names::is_plain(content) && is_nameable(path) =>
        {
            let value = Message::of(&["self.", content]);
            let value = match path.is_empty() {
                true => value,
                false => value.then(".").then(path),
            };
            on_the_enum(message, difference, tag, with.name, value.as_str())
        }
        _ => message.then("enum a rule about this variant alone, which tells it by its fields"),
    }
}

/// The message with a rule that holds where the tag is that of the variant.
const fn on_the_variant(
    message: Message,
    difference: &Difference,
    variant: &str,
    path: &str,
) -> Message {
    let message = message.then("variant `").then(variant).then("`");
    if !is_nameable(path) {
        return message;
    }
    let message = match difference.freezes() {
        true => message
            .then(" the rule `self.")
            .then(path)
            .then(" == oldSelf."),
        false => message.then(", with `self."),
    };
    let message = message.then(path).then("`");
    match difference.freezes() {
        true => message.then(LEFT_OUT),
        false => message.then(" in place of `self`").then(LEFT_OUT),
    }
}

const LEFT_OUT: &str = " (behind `has()` if it may be left out)";

/// Whether rules can name what is at a path.
const fn is_nameable(path: &str) -> bool {
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

/// The message with a rule about this value of the enum, which asks for the tag itself.
const fn on_the_enum(
    message: Message,
    difference: &Difference,
    tag: &str,
    variant: &str,
    value: &str,
) -> Message {
    let message = message.then("enum a rule about this variant alone, such as `");
    let message = guard(message, "self.", tag, variant);
    if !difference.freezes() {
        let message = message.then("...`, with `").then(value);
        return message.then("` in place of `self`").then(LEFT_OUT);
    }
    let message = guard(message, "oldSelf.", tag, variant);
    let (_, below) = value.split_at("self".len());
    let message = message.then(value).then(" == oldSelf");
    message.then(below).then("`").then(LEFT_OUT)
}

const fn guard(message: Message, of: &str, tag: &str, variant: &str) -> Message {
    let message = message.then("!has(").then(of).then(tag).then(") || ");
    let message = message.then(of).then(tag).then(" != '");
    message.then(variant).then("' || ")
}

#[cfg(test)]
mod tests {
    use crate::{
        check::alternatives::fits,
        schema::{Alternative, Field, Keyword, KubeSchema, Rule, Schema, Tagging},
    };

    const INTERNAL: Tagging = Tagging::Internal("t");
    const ADJACENT: Tagging = Tagging::Adjacent {
        tag: "t",
        content: "c",
    };
    const RULE: &[Keyword] = &[Keyword::Rule(Rule::new("self > 1"))];
    const TOLD: &[Keyword] = &[Keyword::Rule(Rule::new("self > 1").message("too small"))];

    fn object(fields: &[Field], keywords: &'static [Keyword]) -> &'static Schema {
        let fields = fields.to_vec().leak();
        Box::leak(Box::new(Schema::object(fields).with(keywords)))
    }

    /// What is said of the last of variants with this data.
    fn told(tagging: Tagging, contents: &[&'static Schema]) -> String {
        let names = ["A", "B", "C"].into_iter().zip(contents);
        let variants = names.map(|(name, content)| Alternative::new(name).with(content));
        let variants: Vec<_> = variants.collect();
        let last = variants.len() - 1;
        let schema = Schema::one_of(tagging, variants.leak());
        match fits(Box::leak(Box::new(schema)), last) {
            Ok(()) => String::new(),
            Err(message) => message.as_str().to_owned(),
        }
    }

    #[test]
    fn rules_of_one_variant() {
        let plain = object(&[Field::new("size", <u8>::PLACE)], &[]);
        let ruled = object(&[Field::new("size", <u8>::PLACE).with(RULE)], &[]);
        let fixed = object(&[Field::new("size", <u8>::PLACE).immutable()], &[]);
        assert_eq!(
            told(INTERNAL, &[ruled, plain]),
            "`size` has the rule `self > 1` in `A` and not in `B`, and no structural schema can say both: write it in both, \
             or on the variant `A`, with `self.size` in place of `self` (behind `has()` if it may be left out)"
        );
        let frozen = told(INTERNAL, &[plain, fixed]);
        assert!(
            frozen.starts_with("`size` has `immutable` in `B` and not in `A`"),
            "{frozen}"
        );
        assert!(
            frozen.contains("or on the variant `B` the rule `self.size == oldSelf.size` (behind"),
            "{frozen}"
        );
        let adjacent = told(ADJACENT, &[ruled, plain]);
        let example =
            "`!has(self.t) || self.t != 'A' || ...`, with `self.c.size` in place of `self` (behind";
        assert!(adjacent.contains(example), "{adjacent}");
        let frozen = told(ADJACENT, &[plain, fixed]);
        let example = "such as `!has(self.t) || self.t != 'B' || !has(oldSelf.t) || oldSelf.t != 'B' || \
                       self.c.size == oldSelf.c.size` (behind";
        assert!(frozen.contains(example), "{frozen}");
        let untagged = told(Tagging::Untagged, &[plain, ruled]);
        assert!(
            untagged.ends_with("this variant alone, which tells it by its fields"),
            "{untagged}"
        );
        let odd = Tagging::Adjacent {
            tag: "a b",
            content: "c",
        };
        assert!(told(odd, &[plain, ruled]).ends_with("which tells it by its fields"));
    }

    #[test]
    fn rules_of_the_data() {
        const SET: &[Keyword] = &[Keyword::OneOf(&["a", "b"])];
        let fields = [
            Field::new("a", <Option<u8>>::PLACE),
            Field::new("b", <Option<u8>>::PLACE),
        ];
        let other = object(&[Field::new("c", <u8>::PLACE)], &[]);
        let set = object(&fields, SET);
        let requires = fields[0].with(&[Keyword::Requires(&["b"])]);
        let requires = object(&[requires, fields[1]], &[]);
        let fixed = object(&[fields[0].immutable()], &[]);
        for (tagging, data, expected) in [
            (ADJACENT, set, "the data has `one_of` in `A`"),
            (Tagging::Untagged, set, "the data has `one_of` in `A`"),
            (ADJACENT, requires, "the data has `requires` in `A`"),
            (Tagging::Untagged, fixed, "the data has `immutable` in `A`"),
            (INTERNAL, set, ""),
            (Tagging::External, set, ""),
        ] {
            let told = told(tagging, &[data, other]);
            assert!(told.starts_with(expected), "{told}");
            assert_eq!(told.is_empty(), expected.is_empty(), "{told}");
        }
    }

    #[test]
    fn rules_of_both_variants() {
        const LIST: Schema = Schema::list(<u8>::PLACE);
        let with = |keywords| object(&[Field::new("size", <u8>::PLACE).with(keywords)], &[]);
        let items = |keywords| object(&[Field::new("all", &LIST).with(keywords)], &[]);
        assert_eq!(told(INTERNAL, &[with(RULE), with(RULE)]), "");
        let words = told(INTERNAL, &[with(RULE), with(TOLD)]);
        assert!(words.ends_with("write the same in both"), "{words}");
        let of_items = told(INTERNAL, &[items(&[Keyword::Items(RULE)]), items(&[])]);
        assert!(of_items.starts_with("`all[]` has the rule"), "{of_items}");
        assert!(of_items.ends_with("or on the variant `A`"), "{of_items}");
    }

    #[test]
    fn rules_of_integers_and_of_strings_are_apart() {
        const RULED: Schema = Schema::integer().with(RULE);
        assert_eq!(told(Tagging::Untagged, &[&RULED, <String>::PLACE]), "");
        assert!(!told(Tagging::Untagged, &[&RULED, <u8>::PLACE]).is_empty());
    }

    #[test]
    fn rules_of_what_may_be_anything_are_none() {
        let with = |keywords| object(&[Field::new("size", <u8>::PLACE).with(keywords)], &[]);
        let any = object(&[Field::new("size", <serde_json::Value>::PLACE)], &[]);
        let beside = object(&[Field::new("beside", <serde_json::Value>::PLACE)], &[]);
        assert_eq!(told(INTERNAL, &[with(RULE), any, with(&[])]), "");
        assert!(!told(INTERNAL, &[with(RULE), beside, with(&[])]).is_empty());
    }
}
