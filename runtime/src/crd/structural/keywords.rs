//! Keywords that are the same in every dialect, and functions to read keywords.

use crdkit_core::{literal::numbers::I64_END, schema::CountBound};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    ExternalDocumentation, JSON, JSONSchemaProps, ValidationRule,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{
    crd::{
        crd_accessors::count_mut,
        structural::{bounds, describe},
    },
    error::RenderError,
};

/// Reads the keywords other than types and nested schemas.
pub(super) fn read(schema: &mut Map<String, Value>, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    props.title = text(schema, "title")?;
    props.format = text(schema, "format")?;
    props.pattern = text(schema, "pattern")?;
    for bound in CountBound::ALL {
        *count_mut(props, *bound) = count(schema, bound.name())?;
    }
    props.multiple_of = number(schema, "multipleOf")?;
    props.default = schema.remove("default").and_then(without_nulls).map(JSON);
    props.example = example(schema);
    props.external_docs = object::<ExternalDocumentation>(schema, "externalDocs", "an object")?;
    bounds::read(schema, props)?;
    describe::read(schema, props)?;
    extensions(schema, props)
}

fn extensions(schema: &mut Map<String, Value>, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    props.x_kubernetes_embedded_resource = flag(schema, "x-kubernetes-embedded-resource")?;
    props.x_kubernetes_int_or_string = flag(schema, "x-kubernetes-int-or-string")?;
    props.x_kubernetes_preserve_unknown_fields = flag(schema, "x-kubernetes-preserve-unknown-fields")?;
    props.x_kubernetes_list_type = text(schema, "x-kubernetes-list-type")?;
    props.x_kubernetes_map_type = text(schema, "x-kubernetes-map-type")?;
    props.x_kubernetes_list_map_keys = object(schema, "x-kubernetes-list-map-keys", "a list of strings")?;
    props.x_kubernetes_validations =
        object::<Vec<ValidationRule>>(schema, "x-kubernetes-validations", "a list of rules")?;
    Ok(())
}

fn example(schema: &mut Map<String, Value>) -> Option<JSON> {
    let first = match schema.remove("examples") {
        Some(Value::Array(examples)) => examples.into_iter().next(),
        _ => None,
    };
    let example = schema.remove("example").or(first);
    example.filter(|value| !value.is_null()).map(JSON)
}

/// Removes null members, which the server drops only after it has validated defaults.
fn without_nulls(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Object(members) => {
            Some(members.into_iter().filter_map(|(name, value)| Some((name, without_nulls(value)?))).collect())
        }
        Value::Array(items) => Some(items.into_iter().map(|item| without_nulls(item).unwrap_or(Value::Null)).collect()),
        scalar => Some(scalar),
    }
}

/// Takes a string.
pub(super) fn text(schema: &mut Map<String, Value>, keyword: &str) -> Result<Option<String>, RenderError> {
    object(schema, keyword, "a string")
}

/// Takes a number.
pub(super) fn number(schema: &mut Map<String, Value>, keyword: &str) -> Result<Option<f64>, RenderError> {
    object(schema, keyword, "a number")
}

/// Takes a flag; `false` is treated as absent.
pub(super) fn flag(schema: &mut Map<String, Value>, keyword: &str) -> Result<Option<bool>, RenderError> {
    Ok(object(schema, keyword, "true or false")?.filter(|flag| *flag))
}

/// Takes a list.
pub(super) fn list(schema: &mut Map<String, Value>, keyword: &str) -> Result<Vec<Value>, RenderError> {
    Ok(object(schema, keyword, "a list")?.unwrap_or_default())
}

/// Takes a count, which generators may write with a zero fraction.
fn count(schema: &mut Map<String, Value>, keyword: &str) -> Result<Option<i64>, RenderError> {
    let is_count = |number: &f64| number.fract() == 0.0 && number.abs() < I64_END;
    match number(schema, keyword)? {
        None => Ok(None),
        Some(number) if is_count(&number) => Ok(Some(number as i64)),
        Some(number) => Err(unexpected(keyword, &number.into(), "a whole number")),
    }
}

/// Takes a value of any type; null is treated as absent.
pub(super) fn object<T: DeserializeOwned>(
    schema: &mut Map<String, Value>,
    keyword: &str,
    expected: &str,
) -> Result<Option<T>, RenderError> {
    match schema.remove(keyword) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => T::deserialize(&value).map(Some).map_err(|_| unexpected(keyword, &value, expected)),
    }
}

fn unexpected(keyword: &str, value: &Value, expected: &str) -> RenderError {
    RenderError::new(format!("`{keyword}` of the schema is `{value}`: expected {expected}"))
}
