//! Which JSON a schema accepts: the tests' way to hold a type's schema against what serde does.

use crdkit_core::{
    literal::numbers::Numbers,
    schema::{AppliesTo, Side},
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Alternative, Field, Keyword, KubeSchema, Role, Schema, Shape, Tagging};

/// Panics unless the schema of `T` accepts what serde writes for `value`.
#[track_caller]
pub(super) fn written<T: KubeSchema + Serialize>(value: T) {
    let json = serde_json::to_value(value).unwrap();
    assert!(accepts(&T::SCHEMA, &json), "{json}");
}

/// Panics unless `T` reads `json`, writes the same, and its schema accepts it.
#[track_caller]
pub(super) fn kept<T: KubeSchema + Serialize + DeserializeOwned>(json: Value) {
    let value: T = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(value).unwrap(), json);
    assert!(accepts(&T::SCHEMA, &json), "{json}");
}

pub(super) fn accepts(schema: &Schema, json: &Value) -> bool {
    schema.optional && json.is_null()
        || shape_accepts(schema, json) && schema.keywords.iter().all(|it| keyword_accepts(it, json))
}

fn shape_accepts(schema: &Schema, json: &Value) -> bool {
    match &schema.shape {
        Shape::Boolean => json.is_boolean(),
        Shape::Integer => json.is_i64() || json.is_u64(),
        Shape::Number => json.is_number(),
        Shape::String => json.is_string(),
        Shape::IntOrString => json.is_i64() || json.is_string(),
        Shape::List(items) => json
            .as_array()
            .is_some_and(|list| list.iter().all(|item| accepts(items, item))),
        Shape::Map(values) => json.as_object().is_some_and(|map| {
            map.values().all(|value| accepts(values, value))
                && map.keys().all(|key| is_key(schema.keys, key))
        }),
        Shape::Object(fields) => json.as_object().is_some_and(|object| {
            (preserves_unknown_fields(schema) || object.keys().all(|name| knows(fields, name)))
                && fields.iter().all(|field| field_accepts(field, json))
        }),
        Shape::Enum(variants) => variants.iter().any(|variant| json == variant.name),
        Shape::OneOf(tagging, alternatives) => alternatives
            .iter()
            .any(|variant| variant_accepts(*tagging, variant, json)),
        Shape::Tuple(items) => json.as_array().is_some_and(|list| {
            list.len() == items.len()
                && items
                    .iter()
                    .zip(list)
                    .all(|(item, json)| accepts(item, json))
        }),
        Shape::Newtype(inner) => accepts(inner, json),
        Shape::Any | Shape::Foreign(_) => true,
    }
}

fn is_key(keys: Option<&Schema>, name: &str) -> bool {
    match keys.map(|keys| keys.shape) {
        Some(Shape::Enum(variants)) => variants.iter().any(|variant| variant.name == name),
        _ => true,
    }
}

fn variant_accepts(tagging: Tagging, variant: &Alternative, json: &Value) -> bool {
    let named = |tag: &Value| variant.role == Role::Other || *tag == variant.name;
    match (variant.tagging(tagging), variant.content) {
        (Tagging::External, None) => named(json),
        (Tagging::External, Some(content)) => {
            let data = json.as_object().filter(|object| object.len() == 1);
            data.and_then(|data| data.get(variant.name))
                .is_some_and(|data| accepts(content, data))
        }
        (Tagging::Internal(tag), None) => named(&json[tag]),
        (Tagging::Internal(tag), Some(content)) => {
            let mut data = json.clone();
            let tag = data.as_object_mut().and_then(|data| data.remove(tag));
            tag.is_some_and(|tag| named(&tag)) && accepts(content, &data)
        }
        (Tagging::Adjacent { tag, content }, None) => named(&json[tag]) && json[content].is_null(),
        (Tagging::Adjacent { tag, content }, Some(data)) => {
            named(&json[tag]) && accepts(data, &json[content])
        }
        (Tagging::Untagged, None) => json.is_null(),
        (Tagging::Untagged, Some(content)) => accepts(content, json),
    }
}

fn preserves_unknown_fields(schema: &Schema) -> bool {
    let mut keywords = schema.keywords.iter();
    keywords.any(|keyword| matches!(keyword, Keyword::PreserveUnknownFields))
}

fn knows(fields: &[Field], name: &str) -> bool {
    fields.iter().any(|field| match field.schema.shape {
        Shape::Object(inner) if field.flatten => knows(inner, name),
        _ => field.name == name,
    })
}

fn field_accepts(field: &Field, json: &Value) -> bool {
    match (&field.schema.shape, &json[field.name]) {
        (Shape::Object(inner), _) if field.flatten => {
            inner.iter().all(|it| field_accepts(it, json))
        }
        (_, Value::Null) => !field.is_required(),
        (_, value) => {
            accepts(field.schema, value)
                && field.keywords.iter().all(|it| keyword_accepts(it, value))
        }
    }
}

fn keyword_accepts(keyword: &Keyword, json: &Value) -> bool {
    let number = json.as_f64();
    let length = json.as_str().map(|text| text.chars().count() as i64);
    let items = json.as_array().map(|list| list.len() as i64);
    match *keyword {
        Keyword::Number(bound, end) => number.is_none_or(|n| match bound.side() {
            Side::Min => n >= end,
            Side::Max => n <= end,
            Side::Both => true,
        }),
        Keyword::Count(bound, end) => match (bound.applies_to(), bound.side()) {
            (AppliesTo::Text, Side::Min) => length.is_none_or(|n| n >= end),
            (AppliesTo::Text, Side::Max) => length.is_none_or(|n| n <= end),
            (AppliesTo::Lists, Side::Min) => items.is_none_or(|n| n >= end),
            (AppliesTo::Lists, Side::Max) => items.is_none_or(|n| n <= end),
            _ => true,
        },
        Keyword::Format("int32") => {
            let integers = Numbers::integers(Some("int32"));
            number.is_none_or(|n| integers.contains(n))
        }
        _ => true,
    }
}
