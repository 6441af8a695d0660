//! Rules about defaults: each must fit its own schema.

use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps},
    apimachinery::pkg::api::resource::Quantity,
};
use serde_json::Value;

use super::{Violations, is, items, node::has_type, values};
use crate::{
    schema::{Keyword, KubeSchema},
    testing::agreement::text,
};

/// From the server's rules on defaults, which it checks as it checks objects. Rules in CEL are left to it, and so are
/// patterns and formats that nobody here understands.
pub(super) fn check(schema: &JSONSchemaProps, path: &str, violations: &mut Violations) {
    if let Some(JSON(value)) = &schema.default
        && let Err(mismatch) = fits(value, schema)
    {
        violations.add(
            path,
            format!("the default {value} does not fit its own schema: {mismatch}"),
        );
    }
}

fn fits(value: &Value, schema: &JSONSchemaProps) -> Result<(), String> {
    if value.is_null() {
        return if is(schema.nullable) {
            Ok(())
        } else {
            Err("null is not allowed".to_owned())
        };
    }
    if is(schema.x_kubernetes_int_or_string) && !(value.is_string() || has_type(value, "integer")) {
        return Err(format!("{value} is no integer or string"));
    }
    if let Some(type_) = schema.type_.as_deref()
        && !has_type(value, type_)
    {
        return Err(format!("{value} is no {type_}"));
    }
    if let Some(allowed) = &schema.enum_
        && !allowed.iter().any(|JSON(allowed)| allowed == value)
    {
        return Err(format!("{value} is not among the values of the `enum`"));
    }
    match value {
        Value::Number(number) => number_fits(number.as_f64().unwrap_or_default(), schema),
        Value::String(text) if text.is_empty() && is_quantity(schema) => {
            Err("an empty text is no quantity".to_owned())
        }
        Value::String(text) => text_fits(text, schema),
        Value::Array(list) => list_fits(list, schema),
        Value::Object(members) => object_fits(members, schema),
        _ => Ok(()),
    }
}

fn text_fits(text: &str, schema: &JSONSchemaProps) -> Result<(), String> {
    let length = text.chars().count();
    size_fits("characters", length, schema.min_length, schema.max_length)?;
    text::fits(text, schema.pattern.as_deref(), schema.format.as_deref())
}

fn is_quantity(schema: &JSONSchemaProps) -> bool {
    let pattern = schema.pattern.as_deref();
    Quantity::SCHEMA
        .keywords
        .iter()
        .any(|keyword| matches!(keyword, Keyword::Pattern(quantity) if Some(*quantity) == pattern))
}

fn number_fits(number: f64, schema: &JSONSchemaProps) -> Result<(), String> {
    let below =
        |minimum: f64| number < minimum || number == minimum && is(schema.exclusive_minimum);
    let above =
        |maximum: f64| number > maximum || number == maximum && is(schema.exclusive_maximum);
    let is_too_long = schema.format.as_deref() == Some("int32")
        && !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number);
    if is_too_long || schema.minimum.is_some_and(below) || schema.maximum.is_some_and(above) {
        return Err(format!("{number} is out of bounds"));
    }
    if schema
        .multiple_of
        .is_some_and(|factor| (number / factor).fract() != 0.0)
    {
        return Err(format!("{number} is no multiple"));
    }
    Ok(())
}

fn size_fits(what: &str, size: usize, min: Option<i64>, max: Option<i64>) -> Result<(), String> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    if min.is_some_and(|min| size < min) || max.is_some_and(|max| size > max) {
        return Err(format!("{size} {what} are too few or too many"));
    }
    Ok(())
}

fn list_fits(list: &[Value], schema: &JSONSchemaProps) -> Result<(), String> {
    size_fits("items", list.len(), schema.min_items, schema.max_items)?;
    match items(schema) {
        Some(items) => list.iter().try_for_each(|item| fits(item, items)),
        None => Ok(()),
    }
}

fn object_fits(
    members: &serde_json::Map<String, Value>,
    schema: &JSONSchemaProps,
) -> Result<(), String> {
    size_fits(
        "entries",
        members.len(),
        schema.min_properties,
        schema.max_properties,
    )?;
    let missing = schema
        .required
        .iter()
        .flatten()
        .find(|name| !members.contains_key(*name));
    if let Some(name) = missing {
        return Err(format!("`{name}` is missing"));
    }
    let properties = schema.properties.as_ref();
    for (name, value) in members {
        match properties
            .and_then(|properties| properties.get(name))
            .or(values(schema))
        {
            Some(schema) => fits(value, schema).map_err(|why| format!("`{name}`: {why}"))?,
            None if is(schema.x_kubernetes_preserve_unknown_fields) => {}
            None => return Err(format!("`{name}` is no field")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::validate::tests::of_spec;

    #[test]
    fn the_default_of_a_quantity_is_none() {
        let schema = crate::render::render_schema(&Quantity::SCHEMA).unwrap();
        for (default, violations) in [("", 1), ("1Gi", 0)] {
            let mut quantity = json!(schema);
            quantity["default"] = json!(default);
            assert_eq!(of_spec(quantity).len(), violations, "{default}");
        }
    }

    #[test]
    fn defaults() {
        for (schema, expected) in [
            (json!({ "type": "integer", "default": 1 }), None),
            (
                json!({ "type": "integer", "default": "1" }),
                Some("is no integer"),
            ),
            (
                json!({ "type": "integer", "default": u64::MAX }),
                Some("is no integer"),
            ),
            (
                json!({ "type": "integer", "minimum": 2, "default": 1 }),
                Some("out of bounds"),
            ),
            (
                json!({ "type": "string", "enum": ["a"], "default": "b" }),
                Some("not among"),
            ),
            (
                json!({ "type": "string", "pattern": "^a+$", "default": "ab" }),
                Some("does not match"),
            ),
            (
                json!({ "type": "string", "format": "date-time", "default": "today" }),
                Some("is no date-time"),
            ),
            (
                json!({ "type": "integer", "format": "int32", "default": 2_147_483_648_i64 }),
                Some("out of bounds"),
            ),
            (
                json!({ "type": "string", "maxLength": 1, "default": "bb" }),
                Some("too many"),
            ),
            (
                json!({ "type": "array", "items": { "type": "string" }, "default": [1] }),
                Some("is no string"),
            ),
            (
                json!({
                    "type": "object", "required": ["a"], "default": {},
                    "properties": { "a": { "type": "string", "default": "x" } },
                }),
                Some("`a` is missing"),
            ),
            (
                json!({ "type": "object", "default": { "a": 1 } }),
                Some("`a` is no field"),
            ),
            (
                json!({ "x-kubernetes-int-or-string": true, "default": true }),
                Some("no integer or"),
            ),
            (
                json!({ "type": "object", "default": { "a": 1 }, "additionalProperties": { "type": "integer" } }),
                None,
            ),
        ] {
            let found = of_spec(schema.clone());
            match expected {
                None => assert!(found.is_empty(), "{schema}: {found:?}"),
                Some(text) => assert!(found[0].contains(text), "{schema}: {found:?}"),
            }
        }
    }
}
