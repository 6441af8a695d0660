//! Enums whose problems only rendering can detect.

use std::collections::BTreeMap;

use serde_json::json;

use crate::{
    crd::{
        render::{render_closed, render_schema},
        structural::to_schemars,
    },
    schema::{Field, ForeignSchema, Keyword, Rule, Schema, Tagging, Variant},
};

fn refused(schema: &Schema) -> String {
    render_schema(schema).unwrap_err().to_string()
}

const NUMBER: Schema = Schema::foreign(ForeignSchema::of::<u8>());
const TEXT: Schema = Schema::foreign(ForeignSchema::of::<String>());
const WITH_NUMBER: Schema = Schema::object(&[Field::new("value", &NUMBER)]);
const WITH_TEXT: Schema = Schema::object(&[Field::new("value", &TEXT)]);

#[test]
fn a_conflict_names_path_and_variants() {
    const VARIANTS: &[Variant] =
        &[Variant::new("none"), Variant::new("count").with(&WITH_NUMBER), Variant::new("name").with(&WITH_TEXT)];
    let internal = refused(&Schema::one_of(Tagging::Internal("type"), VARIANTS));
    let expected = ".value: the value is an integer in `count` and a string in `name`, which one structural schema \
                    cannot express: rename one";
    assert!(internal.starts_with(expected), "{internal}");
    let tagging = Tagging::Adjacent { tag: "type", content: "data" };
    let adjacent = refused(&Schema::one_of(tagging, VARIANTS));
    assert!(adjacent.starts_with(".data.value: "), "{adjacent}");
}

#[test]
fn a_rule_of_one_variant_belongs_on_the_enum() {
    const ONE: Keyword = Keyword::Rule(Rule::new("self > 1"));
    const TWO: Keyword = Keyword::Rule(Rule::new("self < 9"));
    const RULED: Schema = Schema::object(&[Field::new("value", &NUMBER).with(&[ONE, TWO])]);
    const RULED_TOO: Schema = Schema::object(&[Field::new("value", &NUMBER).with(&[TWO, ONE])]);
    const PLAIN: &[Variant] = &[Variant::new("ruled").with(&RULED), Variant::new("plain").with(&WITH_NUMBER)];
    const BOTH: &[Variant] = &[Variant::new("one").with(&RULED), Variant::new("other").with(&RULED_TOO)];
    let refused = refused(&Schema::one_of(Tagging::Internal("type"), PLAIN));
    let expected = ".value: the value has the rule `self > 1` in `ruled` but not in `plain`";
    assert!(refused.starts_with(expected), "{refused}");
    assert!(refused.contains("or on the variant `ruled`, with `self.value` in place of `self`"), "{refused}");
    let props = render_schema(&Schema::one_of(Tagging::Internal("type"), BOTH)).unwrap();
    let rules = &json!(props.properties)["value"]["x-kubernetes-validations"];
    assert_eq!(rules, &json!([{ "rule": "self > 1" }, { "rule": "self < 9" }]));
}

#[test]
fn an_error_in_a_variant_has_its_path() {
    const PAIR: Schema = Schema::tuple(&[&NUMBER, &TEXT]);
    const VARIANTS: &[Variant] = &[Variant::new("pair").with(&PAIR)];
    let external = refused(&Schema::one_of(Tagging::External, VARIANTS));
    assert!(external.starts_with(".pair: a tuple with different types"), "{external}");
}

#[test]
fn a_map_has_no_place_for_a_tag() {
    const MAP: Schema = Schema::foreign(ForeignSchema::of::<BTreeMap<String, u8>>());
    const VARIANTS: &[Variant] = &[Variant::new("sizes").with(&MAP)];
    let internal = refused(&Schema::one_of(Tagging::Internal("type"), VARIANTS));
    assert!(internal.starts_with("`sizes` is a map, which cannot hold the tag `type`"), "{internal}");
    assert!(render_schema(&Schema::one_of(Tagging::External, VARIANTS)).is_ok());
}

#[test]
fn rules_of_integers_are_not_about_strings() {
    const NUMBER: Schema = Schema::integer().with(&[Keyword::Rule(Rule::new("self > 1"))]);
    const TEXT: Schema = Schema::string().with(&[Keyword::Rule(Rule::new("self == oldSelf"))]);
    const VARIANTS: &[Variant] = &[Variant::new("number").with(&NUMBER), Variant::new("text").with(&TEXT)];
    let rendered = json!(render_schema(&Schema::one_of(Tagging::Untagged, VARIANTS)).unwrap());
    assert_eq!(
        rendered["x-kubernetes-validations"],
        json!([
            { "rule": "type(self) != int || (self > 1)" },
            { "rule": "type(self) != string || type(oldSelf) != string || (self == oldSelf)" },
        ])
    );
    const LIMITED: &[Variant] = &[VARIANTS[0], Variant::new("any").with(&Schema::integer()), VARIANTS[1]];
    let refused = refused(&Schema::one_of(Tagging::Untagged, LIMITED));
    assert!(refused.starts_with("the value has the rule `self > 1` in `number` but not in `any`"), "{refused}");
}

#[test]
fn null_alone_is_no_value() {
    const VARIANTS: &[Variant] = &[Variant::new("none")];
    let untagged = refused(&Schema::one_of(Tagging::Untagged, VARIANTS));
    assert!(untagged.contains("whose only value is null"), "{untagged}");
}

#[test]
fn a_field_with_the_name_of_the_tag_is_refused() {
    const VARIANTS: &[Variant] = &[Variant::new("count").with(&WITH_NUMBER)];
    let internal = refused(&Schema::one_of(Tagging::Internal("value"), VARIANTS));
    assert!(internal.starts_with(".value: `count` has a field `value`"), "{internal}");
}

#[test]
fn a_rule_of_one_variant_needs_a_tag_that_rules_can_name() {
    const RULED: Schema = WITH_NUMBER.with(&[Keyword::Rule(Rule::new("self.value > 0"))]);
    const VARIANTS: &[Variant] = &[Variant::new("count").with(&RULED), Variant::new("none")];
    for (tag, rule) in [
        ("type", r#"self.type != "count" || (self.value > 0)"#),
        ("a-tag", r#"self.a__dash__tag != "count" || (self.value > 0)"#),
    ] {
        let schema = Schema::one_of(Tagging::Internal(tag), VARIANTS);
        let props = render_schema(&schema).unwrap();
        assert_eq!(json!(props.x_kubernetes_validations), json!([{ "rule": rule }]));
    }
    let refused = refused(&Schema::one_of(Tagging::Internal("1"), VARIANTS));
    assert!(refused.contains("`count` alone"), "{refused}");
}

#[test]
fn foreign_types_see_that_a_derived_one_is_closed() {
    const CLOSED: Schema = Schema::object(&[Field::new("size", &Schema::integer())]).closed();
    const LIST: Schema = Schema::object(&[Field::new("all", &Schema::list(&CLOSED))]);
    let seen = json!(to_schemars(render_closed(&LIST).unwrap()));
    assert_eq!(seen["properties"]["all"]["items"]["additionalProperties"], false);
    assert!(!json!(render_schema(&LIST).unwrap()).to_string().contains("additionalProperties"));
}

#[test]
fn a_variant_does_not_count_its_tag() {
    const SOME: Schema = Schema::object(&[Field::new("value", &NUMBER).optional()])
        .with(&[Keyword::min_properties(1), Keyword::max_properties(2)]);
    const INNER: Schema =
        Schema::one_of(Tagging::Internal("inner"), &[Variant::new("some").with(&SOME), Variant::new("none")]);
    const OUTER: Schema =
        Schema::one_of(Tagging::Internal("outer"), &[Variant::new("one").with(&INNER), Variant::new("none")]);
    let counts = |schema: &Schema, branch: &str| {
        let branch = json!(render_schema(schema).unwrap()).pointer_mut(branch).unwrap().take();
        ["minProperties", "maxProperties"].map(|key| branch[key].clone())
    };
    assert_eq!(counts(&INNER, "/oneOf/1"), [2, 3]);
    assert_eq!(counts(&OUTER, "/oneOf/1/oneOf/1"), [3, 4]);
    const AROUND: Schema = Schema::object(&[Field::flattened(&INNER)]);
    let refused = refused(&AROUND);
    assert!(refused.contains("restricts its number of fields"), "{refused}");
}
