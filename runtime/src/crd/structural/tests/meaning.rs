//! A structural schema accepts the values that the original schema accepts.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::crd::{object_processing::rejection, structural::tests::settled};

/// Whether a schema accepts a value. Unlike in JSON Schema, `properties` and `additionalProperties` accept only
/// objects.
fn means(schema: &Value, value: &Value) -> bool {
    let Value::Object(schema) = schema else {
        return *schema == Value::Bool(true);
    };
    let holds = |(keyword, operand): (&String, &Value)| holds(schema, keyword, operand, value);
    schema.iter().all(holds)
}

fn holds(schema: &Map<String, Value>, keyword: &str, operand: &Value, value: &Value) -> bool {
    let list = || operand.as_array().into_iter().flatten();
    let number = |fits: fn(f64, f64) -> bool| {
        let both = value.as_f64().zip(operand.as_f64());
        both.is_none_or(|(value, bound)| fits(value, bound))
    };
    let count = |fits: fn(usize, usize) -> bool, size: Option<usize>| {
        let bound = operand.as_u64().and_then(|bound| usize::try_from(bound).ok());
        size.zip(bound).is_none_or(|(size, bound)| fits(size, bound))
    };
    let text = value.as_str();
    let items = value.as_array();
    let members = value.as_object();
    match keyword {
        "type" if operand.is_array() => list().any(|name| is_of(value, name)),
        "type" => is_of(value, operand),
        "enum" => list().any(|one| one == value),
        "const" => operand == value,
        "minimum" => number(|value, bound| value >= bound),
        "maximum" => number(|value, bound| value <= bound),
        "exclusiveMinimum" => number(|value, bound| value > bound),
        "exclusiveMaximum" => number(|value, bound| value < bound),
        "multipleOf" => number(|value, factor| (value / factor).fract() == 0.0),
        "minLength" => count(|size, bound| size >= bound, text.map(str::len)),
        "maxLength" => count(|size, bound| size <= bound, text.map(str::len)),
        "minItems" => count(|size, bound| size >= bound, items.map(Vec::len)),
        "maxItems" => count(|size, bound| size <= bound, items.map(Vec::len)),
        "minProperties" => count(|size, bound| size >= bound, members.map(Map::len)),
        "maxProperties" => count(|size, bound| size <= bound, members.map(Map::len)),
        "pattern" => text.is_none_or(|text| operand.as_str().is_some_and(|it| text.contains(it))),
        "items" => items.is_none_or(|items| items.iter().all(|item| means(operand, item))),
        "required" => members
            .is_none_or(|members| list().all(|name| name.as_str().is_some_and(|name| members.contains_key(name)))),
        "properties" => members.is_some_and(|members| {
            members.iter().all(|(name, value)| operand.get(name).is_none_or(|schema| means(schema, value)))
        }),
        "additionalProperties" => members.is_some_and(|members| {
            let is_named = |name: &String| {
                let properties = schema.get("properties");
                properties.is_some_and(|properties| properties.get(name).is_some())
            };
            let mut others = members.iter().filter(|(name, _)| !is_named(name));
            others.all(|(_, value)| means(operand, value))
        }),
        "allOf" => list().all(|schema| means(schema, value)),
        "anyOf" => list().any(|schema| means(schema, value)),
        "oneOf" => list().filter(|schema| means(schema, value)).count() == 1,
        "not" => !means(operand, value),
        _ => unreachable!("`{keyword}` is not generated"),
    }
}

/// Whether schemas that accept a value declare all of its fields. The server drops undeclared fields.
fn names_all(schemas: &[&Value], value: &Value) -> bool {
    let mut all = Vec::new();
    schemas.iter().for_each(|schema| collect(schema, value, &mut all));
    let names = |inner: Vec<&Value>, value| !inner.is_empty() && names_all(&inner, value);
    match value {
        Value::Object(members) => members.iter().all(|(name, value)| {
            let inner = all.iter().filter_map(|schema| {
                let named = schema.get("properties").and_then(|it| it.get(name));
                named.or(schema.get("additionalProperties"))
            });
            names(inner.collect(), value)
        }),
        Value::Array(items) => {
            let inner: Vec<_> = all.iter().filter_map(|it| it.get("items")).collect();
            items.iter().all(|item| inner.is_empty() || names_all(&inner, item))
        }
        _ => true,
    }
}

/// Collects a schema and those of its branches that accept the value.
fn collect<'a>(schema: &'a Value, value: &Value, all: &mut Vec<&'a Value>) {
    all.push(schema);
    for branching in ["allOf", "anyOf", "oneOf"] {
        let branches = schema.get(branching).and_then(Value::as_array);
        for branch in branches.into_iter().flatten() {
            if means(branch, value) {
                collect(branch, value, all);
            }
        }
    }
}

fn is_of(value: &Value, name: &Value) -> bool {
    match name.as_str() {
        Some("array") => value.is_array(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64(),
        Some("number") => value.is_number(),
        Some("object") => value.is_object(),
        _ => value.is_string(),
    }
}

/// Generates values of few kinds, so that schemas accept many of them.
fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        3 => (-2..4).prop_map(Value::from),
        3 => "[a-c]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let members = prop::collection::vec(("[a-c]", inner.clone()), 0..4);
        prop_oneof![
            1 => prop::collection::vec(inner, 0..3).prop_map(Value::from),
            3 => members.prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

fn words() -> impl Strategy<Value = Value> {
    prop::collection::vec("[a-c]", 1..3).prop_map(Value::from)
}

/// Generates a keyword for a schema of this type.
fn keyword(type_: &'static str) -> BoxedStrategy<(String, Value)> {
    let named = |names: &[&'static str], values: BoxedStrategy<Value>| {
        let names = prop::sample::select(names.to_vec()).prop_map(str::to_owned);
        (names, values).boxed()
    };
    let sizes = |names: &[&'static str]| named(names, (0..3).prop_map(Value::from).boxed());
    match type_ {
        "integer" | "number" => prop_oneof![
            named(
                &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
                (-2..4).prop_map(Value::from).boxed()
            ),
            named(&["multipleOf"], (1..4).prop_map(Value::from).boxed()),
            named(&["enum"], prop::collection::vec((-2..4).prop_map(Value::from), 1..4).prop_map(Value::from).boxed()),
            named(&["const"], (-2..4).prop_map(Value::from).boxed()),
        ]
        .boxed(),
        "string" => prop_oneof![
            sizes(&["minLength", "maxLength"]),
            named(&["pattern", "const"], "[a-c]".prop_map(Value::from).boxed()),
            named(&["enum"], words().boxed()),
        ]
        .boxed(),
        "array" => sizes(&["minItems", "maxItems"]),
        "object" => prop_oneof![
            sizes(&["minProperties", "maxProperties"]),
            named(&["required"], words().boxed()),
            named(&["required"], words().boxed()),
        ]
        .boxed(),
        _ => named(&["type"], Just(json!("boolean")).boxed()),
    }
}

fn schema() -> impl Strategy<Value = Value> {
    let types = ["array", "boolean", "integer", "number", "object", "object", "string"];
    let leaf = prop::sample::select(types.to_vec())
        .prop_flat_map(|type_| {
            let keywords = prop::collection::vec(keyword(type_), 0..3);
            (keywords, Just(type_), prop::bool::weighted(0.8))
        })
        .prop_map(|(mut keywords, type_, has_type)| {
            if has_type {
                keywords.push(("type".to_owned(), type_.into()));
            }
            Value::Object(Map::from_iter(keywords))
        })
        .boxed();
    let own = leaf.clone();
    leaf.prop_recursive(3, 24, 3, move |inner| {
        let members = prop::collection::vec(("[a-c]", inner.clone()), 1..4)
            .prop_map(|members| Value::Object(Map::from_iter(members)));
        let closed = prop_oneof![Just(json!(false)), Just(json!(true)), inner.clone()];
        let list = prop::collection::vec(inner.clone(), 1..4).prop_map(Value::from);
        let branching = prop::sample::select(vec!["allOf", "anyOf", "oneOf", "oneOf"]);
        let object =
            (own.clone(), members, prop::option::weighted(0.3, closed)).prop_map(|(mut schema, members, closed)| {
                if schema.get("type").is_none_or(|type_| type_ != "object") {
                    schema = json!({ "type": "object" });
                }
                schema["properties"] = members;
                if let Some(closed) = closed {
                    schema["additionalProperties"] = closed;
                }
                schema
            });
        let items = inner.clone();
        prop_oneof![
            4 => object,
            1 => items.prop_map(|items| json!({ "type": "array", "items": items })),
            1 => inner.clone().prop_map(|values| json!({ "type": "object", "additionalProperties": values })),
            3 => (own.clone(), branching, list).prop_map(|(mut schema, branching, list)| {
                schema[branching] = list;
                schema
            }),
            1 => (own.clone(), inner).prop_map(|(mut schema, not)| {
                schema["not"] = not;
                schema
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_meant_is_accepted(schema in schema(), documents in prop::collection::vec(document(), 20)) {
        let Ok(props) = settled(schema.clone()) else {
            return Ok(());
        };
        for document in documents.iter().filter(|it| means(&schema, it) && names_all(&[&schema], it)) {
            let refusal = rejection(&props, document);
            prop_assert_eq!(refusal, None, "{}: {} becomes {}", document, schema, json!(props));
        }
    }
}
