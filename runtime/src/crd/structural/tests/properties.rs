//! Properties that hold for every schema.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::crd::structural::{
    opaque::with_opaque_parts,
    strip_internal_marks, structural,
    tests::{rules, settled},
    to_schemars,
};

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let members = prop::collection::vec(("[a-c]", inner.clone()), 0..4);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::from),
            members.prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

fn word() -> impl Strategy<Value = Value> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(Value::from)
}

/// Generates a keyword with a value that it may have.
fn keyword() -> impl Strategy<Value = (&'static str, Value)> {
    let types = ["array", "boolean", "integer", "null", "number", "object", "string"];
    let types = prop::sample::select(types.to_vec()).prop_map(Value::from);
    let formats = ["int32", "int64", "uint8", "uint64", "date-time", "ip", "double"];
    let numbers = prop_oneof![any::<i64>().prop_map(Value::from), (-5..5).prop_map(Value::from)];
    let list = |values: BoxedStrategy<Value>| prop::collection::vec(values, 0..3).prop_map(Value::from).boxed();
    let named =
        |names: &[&'static str], values: BoxedStrategy<Value>| (prop::sample::select(names.to_vec()), values).boxed();
    prop_oneof![
        5 => named(&["type"], types.clone().boxed()),
        1 => named(&["type"], list(types.boxed())),
        1 => named(&["format"], prop::sample::select(formats.to_vec()).prop_map(Value::from).boxed()),
        2 => named(&["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], numbers.boxed()),
        1 => named(&["exclusiveMinimum", "uniqueItems", "nullable"], Just(json!(true)).boxed()),
        1 => named(&["minLength", "maxLength", "minItems", "maxItems"], (0..5).prop_map(Value::from).boxed()),
        1 => named(&["minProperties", "maxProperties", "multipleOf"], (0..5).prop_map(Value::from).boxed()),
        1 => named(&["pattern", "description", "title", "const", "default", "$ref"], word().boxed()),
        2 => named(&["enum", "required"], list(word().boxed())),
        1 => named(&["enum"], list(json().boxed())),
        1 => named(&["x-kubernetes-int-or-string"], Just(json!(true)).boxed()),
        1 => named(&["x-kubernetes-preserve-unknown-fields"], Just(json!(true)).boxed()),
    ]
}

/// Generates a schema, which may be invalid.
fn schema() -> impl Strategy<Value = Value> {
    let keywords = || prop::collection::vec(keyword(), 0..4);
    let object = |members: Vec<(&str, Value)>| {
        let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
        Value::Object(members.collect())
    };
    let leaf = prop_oneof![
        10 => keywords().prop_map(object),
        1 => any::<bool>().prop_map(Value::from),
        1 => json(),
    ];
    leaf.prop_recursive(4, 48, 3, move |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from);
        let members = prop::collection::vec(("[a-c]|metadata", inner.clone()), 0..4)
            .prop_map(|members| Value::Object(Map::from_iter(members)));
        let lists = prop::sample::select(vec!["allOf", "anyOf", "oneOf", "prefixItems"]);
        let maps = vec!["properties", "properties", "patternProperties", "$defs"];
        let maps = prop::sample::select(maps);
        let single = prop::sample::select(vec!["items", "not", "additionalProperties"]);
        let parts = prop_oneof![(lists, list), (maps, members), (single, inner)];
        (keywords(), prop::collection::vec(parts, 1..3)).prop_map(move |(mut keywords, parts)| {
            keywords.extend(parts);
            object(keywords)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_has_an_answer(json in json()) {
        if let Ok(props) = settled(json) {
            rules::check(&props);
        }
    }

    #[test]
    fn any_schema_becomes_structural_or_an_error(schema in schema()) {
        if let Ok(props) = settled(schema) {
            rules::check(&props);
        }
    }

    #[test]
    fn any_schema_has_a_form_in_which_parts_are_opaque(schema in schema()) {
        let (mut props, _) = with_opaque_parts(schema);
        strip_internal_marks(&mut props);
        rules::check(&props);
    }

    #[test]
    fn structural_schemas_come_back_from_schemars(schema in schema()) {
        if let Ok(props) = structural(schema) {
            let mut back = structural(to_schemars(props.clone()).to_value()).unwrap_or_else(|error| panic!("{error}"));
            prop_assert!(rules::has_branches(&props) || back == props);
            strip_internal_marks(&mut back);
            rules::check(&back);
        }
    }
}
