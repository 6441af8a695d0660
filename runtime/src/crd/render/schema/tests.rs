//! Objects and flattened types.

use serde_json::{Value, json};

use crate::{
    crd::render::schema::*,
    schema::{Keyword, KubeSchema, Rule, Tagging, Variant},
};

const SIZED: Schema = Schema::object(&[Field::new("size", &Schema::integer())])
    .named("Sized")
    .with(&[Keyword::Description("Something with a size."), Keyword::Rule(Rule::new("self.size > 0"))]);

fn rendered(schema: &Schema) -> Value {
    json!(render_schema(schema).unwrap())
}

fn refused(schema: &Schema) -> String {
    render_schema(schema).unwrap_err().to_string()
}

#[test]
fn rules_of_a_flattened_type_hold_for_its_parent() {
    const PARENT: Schema = Schema::object(&[Field::new("name", &Schema::string()), Field::flattened(&SIZED)])
        .with(&[Keyword::Rule(Rule::new("self.name != ''"))]);
    assert_eq!(
        rendered(&PARENT),
        json!({
            "type": "object",
            "properties": { "name": { "type": "string" }, "size": { "type": "integer" } },
            "required": ["name", "size"],
            "x-kubernetes-validations": [{ "rule": "self.size > 0" }, { "rule": "self.name != ''" }],
        })
    );
}

#[test]
fn rules_of_a_type_that_may_be_absent_hold_where_it_is_there() {
    const MAYBE: Schema = SIZED.optional();
    const PARENT: Schema = Schema::object(&[Field::flattened(&MAYBE)]);
    assert_eq!(
        rendered(&PARENT)["x-kubernetes-validations"],
        json!([{ "rule": "!has(self.size) || (self.size > 0)" }])
    );
    const RULE: &[Keyword] = &[Keyword::Rule(Rule::new("self.b >= oldSelf.b"))];
    const LOOSE: Schema = Schema::object(&[
        Field::new("in", &Schema::integer()).optional(),
        Field::new("b", &Schema::integer()).optional(),
    ])
    .with(RULE)
    .optional();
    const OF_LOOSE: Schema = Schema::object(&[Field::flattened(&LOOSE)]);
    assert_eq!(
        rendered(&OF_LOOSE)["x-kubernetes-validations"][0]["rule"],
        "!(has(self.b) || has(self.__in__)) || !(has(oldSelf.b) || has(oldSelf.__in__)) || (self.b >= oldSelf.b)"
    );
}

#[test]
fn what_is_null_does_not_tell_that_a_type_is_there() {
    const PART: Schema = Schema::object(&[
        Field::new("a", <Option<u8>>::SCHEMA_REF).required_nullable(),
        Field::new("b", &Schema::integer()),
    ])
    .with(&[Keyword::Rule(Rule::new("self.b > 0"))])
    .optional();
    const PARENT: Schema = Schema::object(&[Field::flattened(&PART)]);
    assert_eq!(rendered(&PARENT)["x-kubernetes-validations"][0]["rule"], "!has(self.b) || (self.b > 0)");
}

#[test]
fn a_flattened_type_that_cannot_change_is_refused() {
    const RULE: &[Keyword] = &[Keyword::Rule(Rule::new("self == oldSelf"))];
    const PART: Schema = Schema::object(&[Field::new("a", &Schema::integer())]).with(RULE).optional();
    const PARENT: Schema = Schema::object(&[Field::flattened(&PART)]);
    assert!(refused(&PARENT).contains("is immutable as a whole"), "{}", refused(&PARENT));
}

#[test]
fn variants_without_a_tag_are_described_by_the_object_around() {
    const A: Schema = Schema::object(&[Field::new("a", &Schema::integer())]);
    const B: Schema = Schema::object(&[Field::new("b", &Schema::integer())]);
    const CHOICE: Schema = Schema::one_of(
        Tagging::Untagged,
        &[Variant::new("A").with(&A).describe("The first."), Variant::new("B").with(&B)],
    );
    const INNER: Schema = Schema::object(&[Field::flattened(&CHOICE)]);
    const OUTER: Schema = Schema::object(&[Field::flattened(&INNER)]).with(&[Keyword::Description("All of it.")]);
    assert_eq!(rendered(&OUTER)["description"], "All of it.\n\n- `A`: The first.");
}

#[test]
fn rules_of_a_type_that_cannot_be_seen_are_refused() {
    const UNNAMEABLE: Schema = Schema::object(&[Field::new("a size", &Schema::integer())])
        .with(&[Keyword::Rule(Rule::new("self.size > 0"))])
        .named("Sized")
        .optional();
    const PARENT: Schema = Schema::object(&[Field::flattened(&UNNAMEABLE)]);
    assert_eq!(
        refused(&PARENT),
        "the flattened `Sized` is optional, but its rule `self.size > 0` cannot detect its presence from its fields: move the rule to the \
         enclosing struct"
    );
}

#[test]
fn what_cannot_change_stays_set_in_the_object_around() {
    const PART: Schema = Schema::object(&[
        Field::new("zone", &Schema::integer()).immutable(),
        Field::new("rack", &Schema::integer()).optional().immutable(),
        Field::new("size", &Schema::integer()),
    ])
    .with(&[Keyword::Rule(Rule::new("self.size > 0"))])
    .optional();
    const PARENT: Schema = Schema::object(&[Field::flattened(&PART)]);
    let parent = rendered(&PARENT);
    let rules: Vec<_> = parent["x-kubernetes-validations"].as_array().unwrap().iter().map(|it| &it["rule"]).collect();
    assert_eq!(
        rules,
        [
            "!has(oldSelf.zone) || has(self.zone)",
            "!has(oldSelf.rack) || has(self.rack)",
            "!has(self.size) || (self.size > 0)",
        ]
    );
}

#[test]
fn rules_of_a_flattened_map_are_refused() {
    const MAP: Schema = Schema::map(&Schema::string());
    const RULED: Schema = Schema::newtype(&MAP).with(&[Keyword::Rule(Rule::new("self.all(key, key != '')"))]);
    const PARENT: Schema = Schema::object(&[Field::flattened(&RULED)]);
    assert!(refused(&PARENT).contains("is a map"), "{}", refused(&PARENT));
}

#[test]
fn a_flattened_map_has_its_values_where_it_is_all() {
    const TEXTS: Schema = Schema::map(&Schema::string());
    const ANY: Schema = Schema::map(&Schema::any());
    const ALL: Schema = Schema::object(&[Field::flattened(&TEXTS)]);
    const TWICE: Schema = Schema::object(&[Field::flattened(&ALL)]);
    let of_texts = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    assert_eq!(rendered(&ALL), of_texts);
    assert_eq!(rendered(&TWICE), of_texts);
    const CLOSED: Schema = ALL.closed();
    assert_eq!(rendered(&CLOSED), of_texts);

    let of_anything = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    const OF_ANY: Schema = Schema::object(&[Field::flattened(&ANY)]);
    const BOTH: Schema = Schema::object(&[Field::flattened(&TEXTS), Field::flattened(&TEXTS)]);
    assert_eq!(rendered(&OF_ANY), of_anything);
    assert_eq!(rendered(&BOTH), of_anything);

    const BESIDE: Schema = Schema::object(&[Field::new("size", &Schema::integer()), Field::flattened(&TEXTS)]);
    let beside = rendered(&BESIDE);
    assert_eq!(beside["x-kubernetes-preserve-unknown-fields"], json!(true));
    assert_eq!(beside["additionalProperties"], Value::Null);

    let root = root(&DerivedRoot::new(&ALL).flatten_spec(), Descriptions::default()).unwrap();
    assert_eq!(root.additional_properties, None);
    assert_eq!(root.x_kubernetes_preserve_unknown_fields, Some(true));
}

#[test]
fn what_is_null_has_no_fields_where_it_is_flattened() {
    const NULL: Schema = <() as KubeSchema>::SCHEMA;
    const PARENT: Schema = Schema::object(&[Field::new("size", &Schema::integer()), Field::flattened(&NULL)]);
    let expected = json!({
        "type": "object",
        "properties": { "size": { "type": "integer" } },
        "required": ["size"],
    });
    assert_eq!(rendered(&PARENT), expected);
}

#[test]
fn numbers_of_fields_are_refused() {
    const FEW: Schema = Schema::object(&[]).with(&[Keyword::max_properties(1)]);
    const PARENT: Schema = Schema::object(&[Field::flattened(&FEW)]);
    assert!(refused(&PARENT).contains("restricts its number of fields"), "{}", refused(&PARENT));
}

#[test]
fn keywords_of_a_flattened_type_are_not_lost() {
    const ATOMIC: Schema = SIZED.with(&[Keyword::Patch(|| json!({"x-kubernetes-map-type": "atomic"}))]);
    const FILLED: Schema = SIZED.with(&[Keyword::Patch(|| json!({"default": {"size": 1}}))]);
    const GRANULAR: Schema =
        SIZED.with(&[Keyword::Patch(|| json!({"x-kubernetes-map-type": "granular", "title": "T"}))]);
    const REQUIRED: Schema = SIZED.with(&[Keyword::Patch(|| json!({"required": ["size", "other"]}))]);
    const OF_ATOMIC: Schema = Schema::object(&[Field::flattened(&ATOMIC)]);
    const OF_FILLED: Schema = Schema::object(&[Field::flattened(&FILLED)]);
    const OF_GRANULAR: Schema = Schema::object(&[Field::flattened(&GRANULAR)]);
    const OF_REQUIRED: Schema = Schema::object(&[Field::flattened(&REQUIRED)]);
    let expected = "the flattened `Sized` has the keyword `x-kubernetes-map-type`, which the enclosing object cannot take over: \
                    write it on the enclosing struct, or do not flatten it";
    assert_eq!(refused(&OF_ATOMIC), expected);
    let expected = "the flattened `Sized` has the keyword `default`, which the enclosing object cannot take over: write defaults \
                    on its fields, or do not flatten it";
    assert_eq!(refused(&OF_FILLED), expected);
    rendered(&OF_GRANULAR);
    let required = rendered(&OF_REQUIRED);
    assert_eq!(required["required"], json!(["other", "size"]));
    let root_of = |spec| root(&DerivedRoot::new(spec).flatten_spec(), Descriptions::default());
    let refused = root_of(&ATOMIC).unwrap_err().message;
    assert!(refused.ends_with("take over: remove it, or remove `no_spec`"), "{refused}");
    assert_eq!(root_of(&REQUIRED).unwrap().required, Some(vec!["other".to_owned(), "size".to_owned()]));
}

#[test]
fn two_fields_of_one_name_are_refused() {
    const TEXT: Schema = Schema::object(&[Field::new("size", &Schema::string())]);
    const PARENT: Schema = Schema::object(&[Field::new("size", &Schema::string()), Field::flattened(&SIZED)]);
    let expected =
        "`size` is a field of the type itself and of the flattened `Sized`, but an object has only one value";
    assert!(refused(&PARENT).starts_with(expected));
    const BEHIND: Schema = Schema::object(&[Field::flattened(&SIZED), Field::new("size", &Schema::integer())]);
    assert!(refused(&BEHIND).starts_with(expected));
    const SIBLINGS: Schema = Schema::object(&[Field::flattened(&SIZED), Field::flattened(&TEXT)]);
    let expected =
        "`size` is a field of the flattened `Sized` and of a flattened type, but an object has only one value";
    assert!(refused(&SIBLINGS).starts_with(expected));
    const OF_SCHEMARS: Schema = <crate::Foreign<Foreign>>::SCHEMA;
    const BESIDE: Schema = Schema::object(&[Field::new("size", &Schema::integer()), Field::flattened(&OF_SCHEMARS)]);
    let refused = refused(&BESIDE);
    assert!(refused.starts_with("`size` is a field of the type itself and of a flattened type"), "{refused}");
}

#[derive(schemars::JsonSchema)]
#[allow(dead_code)]
struct Foreign {
    size: Option<u8>,
}

#[test]
fn fields_of_the_spec_at_the_root() {
    const COUNTED: Schema = SIZED.with(&[Keyword::max_properties(1)]);
    const OF_STATUS: Schema = Schema::object(&[Field::new("status", &Schema::string())]).named("Spec");
    let refused = |spec| {
        let root_of = DerivedRoot::new(spec).flatten_spec().status(&SIZED);
        root(&root_of, Descriptions::default()).unwrap_err().message
    };
    assert_eq!(
        refused(&OF_STATUS),
        "with `no_spec`, the fields of `Spec` are at the root, which already has a field `status`: rename the field"
    );
    let counted = refused(&COUNTED);
    assert!(counted.starts_with("the spec `Sized` restricts its number of fields"), "{counted}");
    assert!(counted.ends_with("or remove `no_spec`"), "{counted}");
}
