//! Variants and items that can share a schema.

use super::*;
use crate::{
    crd::render::render_schema,
    schema::{Field, Keyword, KubeSchema, Rule},
};

const INTERNAL: Tagging = Tagging::Internal("t");
const ADJACENT: Tagging = Tagging::Adjacent { tag: "t", content: "c" };
const RULE: &[Keyword] = &[Keyword::Rule(Rule::new("self > 1"))];
const ANSWERED: &[Keyword] = &[Keyword::Rule(Rule::new("self > 1").message("too small"))];

fn object(fields: &[Field], keywords: &'static [Keyword]) -> &'static Schema {
    let fields = fields.to_vec().leak();
    Box::leak(Box::new(Schema::object(fields).with(keywords)))
}

/// Returns the error for the last of several variants with this data; empty if it is compatible.
fn refused(tagging: Tagging, contents: &[&'static Schema]) -> String {
    let names = ["A", "B", "C"].into_iter().zip(contents);
    let variants: Vec<_> = names.map(|(name, content)| Variant::new(name).with(content)).collect();
    let last = variants.len() - 1;
    let schema = Schema::one_of(tagging, variants.leak());
    let schema: &'static Schema = Box::leak(Box::new(schema));
    match fits(schema, last, &Index::<16>::of(schema)) {
        Ok(()) => String::new(),
        Err(message) => message.as_str().to_owned(),
    }
}

#[test]
fn rules_of_one_variant() {
    let plain = object(&[Field::new("size", <u8>::SCHEMA_REF)], &[]);
    let ruled = object(&[Field::new("size", <u8>::SCHEMA_REF).with(RULE)], &[]);
    let fixed = object(&[Field::new("size", <u8>::SCHEMA_REF).immutable()], &[]);
    let odd = Tagging::Adjacent { tag: "a b", content: "c" };
    let by_its_fields = "which recognizes it by its fields";
    for (tagging, contents, start, end) in [
        (INTERNAL, [ruled, plain], "`size` has the rule `self > 1` in `A` but", "(after `has()` if it is optional)"),
        (INTERNAL, [plain, fixed], "`size` has `immutable` in `B` but not in `A`", "(after `has()` if it is optional)"),
        (
            ADJACENT,
            [ruled, plain],
            "`size` has the rule",
            "with `self.c.size` in place of `self` (after `has()` if it is optional)",
        ),
        (Tagging::Untagged, [plain, ruled], "`size` has the rule", by_its_fields),
        (odd, [plain, ruled], "`size` has the rule", by_its_fields),
    ] {
        let refused = refused(tagging, &contents);
        assert!(refused.starts_with(start) && refused.ends_with(end), "{refused}");
    }
}

#[test]
fn rules_of_the_data() {
    const SET: &[Keyword] = &[Keyword::OneOf(&["a", "b"])];
    let fields = [Field::new("a", <Option<u8>>::SCHEMA_REF), Field::new("b", <Option<u8>>::SCHEMA_REF)];
    let other = object(&[Field::new("c", <u8>::SCHEMA_REF)], &[]);
    let set = object(&fields, SET);
    let requires = fields[0].with(&[Keyword::Requires(&["b"])]);
    let requires = object(&[requires, fields[1]], &[]);
    for (tagging, data, expected) in [
        (ADJACENT, set, "the data has `one_of` in `A`"),
        (Tagging::Untagged, set, "the data has `one_of` in `A`"),
        (ADJACENT, requires, "the data has `requires` in `A`"),
        (INTERNAL, set, ""),
        (Tagging::External, set, ""),
    ] {
        let refused = refused(tagging, &[data, other]);
        assert!(refused.starts_with(expected), "{refused}");
        assert_eq!(refused.is_empty(), expected.is_empty(), "{refused}");
    }
}

#[test]
fn rules_of_both_variants() {
    const LIST: Schema = Schema::list(<u8>::SCHEMA_REF);
    let with = |keywords| object(&[Field::new("size", <u8>::SCHEMA_REF).with(keywords)], &[]);
    let items = |keywords| object(&[Field::new("all", &LIST).with(keywords)], &[]);
    assert_eq!(refused(INTERNAL, &[with(RULE), with(RULE)]), "");
    let words = refused(INTERNAL, &[with(RULE), with(ANSWERED)]);
    assert!(words.ends_with("write the same in both"), "{words}");
    let of_items = refused(INTERNAL, &[items(&[Keyword::Items(RULE)]), items(&[])]);
    assert!(of_items.starts_with("`all[]` has the rule"), "{of_items}");
    assert!(of_items.ends_with("or on the variant `A`"), "{of_items}");
}

#[test]
fn rules_of_integers_and_of_strings_are_apart() {
    const RULED: Schema = Schema::integer().with(RULE);
    assert_eq!(refused(Tagging::Untagged, &[&RULED, <String>::SCHEMA_REF]), "");
    assert!(!refused(Tagging::Untagged, &[&RULED, <u8>::SCHEMA_REF]).is_empty());
}

#[test]
fn rules_of_what_may_be_anything_are_none() {
    let with = |keywords| object(&[Field::new("size", <u8>::SCHEMA_REF).with(keywords)], &[]);
    let any = object(&[Field::new("size", <serde_json::Value>::SCHEMA_REF)], &[]);
    let beside = object(&[Field::new("beside", <serde_json::Value>::SCHEMA_REF)], &[]);
    assert_eq!(refused(INTERNAL, &[with(RULE), any, with(&[])]), "");
    assert!(!refused(INTERNAL, &[with(RULE), beside, with(&[])]).is_empty());
}

const SMALL: Schema = Schema::object(&[Field::new("size", u8::SCHEMA_REF)]);
const BIG: Schema = Schema::object(&[Field::new("size", u32::SCHEMA_REF).optional()]);
const RULED: Schema = SMALL.with(&[Keyword::Rule(Rule::new("self.size > 1"))]);
const NAMED: Schema = Schema::object(&[Field::new("name", String::SCHEMA_REF)]);

#[track_caller]
fn check(items: &'static [&'static Schema], has_structural_form: bool) {
    assert_eq!(tuple_of(items).is_ok(), has_structural_form);
    let schema = Schema::tuple(items);
    let rendered = render_schema(&schema);
    assert_eq!(rendered.is_ok(), has_structural_form, "{rendered:?}");
}

#[test]
fn what_compiles_can_be_rendered() {
    check(&[u8::SCHEMA_REF, i64::SCHEMA_REF], true);
    check(&[<Vec<u8>>::SCHEMA_REF, <Vec<u32>>::SCHEMA_REF], true);
    check(&[&SMALL, &BIG], true);
    check(&[&RULED, &RULED], true);
    check(&[u8::SCHEMA_REF, String::SCHEMA_REF], false);
    check(&[<Vec<u8>>::SCHEMA_REF, <Vec<bool>>::SCHEMA_REF], false);
    check(&[&SMALL, &NAMED], false);
    check(&[&SMALL, &RULED], false);
    check(&[<Option<(u8,)>>::SCHEMA_REF, u8::SCHEMA_REF], false);
}

#[test]
fn what_has_no_form_is_found_at_any_depth() {
    const BOTH: Schema = Schema::tuple(&[u8::SCHEMA_REF, String::SCHEMA_REF]);
    const LIST: Schema = Schema::list(&Schema::newtype(&BOTH));
    const OUTER: Schema = Schema::object(&[Field::new("list", &LIST)]);
    const NOTHING: Schema = Schema::object(&[Field::new("nothing", <Option<()>>::SCHEMA_REF)]);
    let message = |schema| has_structural_form(Some(schema)).unwrap_err();
    assert!(message(&OUTER).as_str().starts_with("the tuple has an integer and a string"));
    assert!(message(&NOTHING).as_str().starts_with("`()` is `null`"));
    const REPORTED: Schema = OUTER.reported();
    assert!(has_structural_form(Some(&REPORTED)).is_ok());
    assert!(has_structural_form(None).is_ok());
}

#[test]
fn what_one_schema_can_say_is_not_refused() {
    const MAP: Schema = Schema::map(<u8>::SCHEMA_REF);
    const ANY: &Schema = <serde_json::Value>::SCHEMA_REF;
    const INNER: Schema = Schema::one_of(INTERNAL, &[Variant::new("D").with(&SMALL).untagged()]);
    for (tagging, contents) in [
        (Tagging::Untagged, [&SMALL, &MAP].as_slice()),
        (Tagging::Untagged, &[ANY, <String>::SCHEMA_REF, &SMALL]),
        (INTERNAL, &[&INNER]),
    ] {
        let names = ["A", "B", "C"].into_iter().zip(contents);
        let variants = names.map(|(name, content)| Variant::new(name).with(content));
        let schema = Schema::one_of(tagging, variants.collect::<Vec<_>>().leak());
        assert_eq!(refused(tagging, contents), "");
        assert!(render_schema(&schema).is_ok(), "{tagging:?}");
    }
    assert!(!refused(Tagging::Untagged, &[<String>::SCHEMA_REF, &SMALL]).is_empty());
}
