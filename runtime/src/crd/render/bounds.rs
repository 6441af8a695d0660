//! Bounds: those of a type and of a field apply together.

use crdkit_core::{
    literal::numbers::{Bound, is_within},
    schema::{NumberBound, Side},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};
use serde_json::Value;

use crate::{
    crd::{
        crd_accessors::with_plain_numbers,
        render::RenderError,
        structural::{drop_redundant_bounds, lower_maximum, narrow_count, raise_minimum, without_variants},
    },
    schema::{EnumValue, Keyword},
};

/// Narrows a schema by a bound.
pub(super) fn narrow(props: &mut JSONSchemaProps, bound: &Keyword) -> Result<(), RenderError> {
    match *bound {
        Keyword::Number(bound, number) if !number.is_finite() => return Err(not_finite(bound.name())),
        Keyword::Number(bound, number) => narrow_numbers(props, bound, number),
        Keyword::Count(bound, count) => narrow_count(props, bound, Some(count)),
        Keyword::Format(format) => match &props.format {
            Some(narrower) if narrower == format || is_within(narrower, format) => {}
            Some(_) if props.type_.as_deref() == Some("string") => {
                also(props).format = Some(format.to_owned());
            }
            _ => props.format = Some(format.to_owned()),
        },
        Keyword::Pattern(pattern) => add_pattern(props, pattern.to_owned()),
        _ => {}
    }
    drop_redundant_bounds(props);
    Ok(())
}

/// The error for a bound that JSON does not have, which would be null.
fn not_finite(keyword: &str) -> RenderError {
    RenderError::new(format!("`{keyword}` is not a finite number"))
}

fn narrow_numbers(props: &mut JSONSchemaProps, bound: NumberBound, number: f64) {
    let end = Bound { value: number, exclusive: bound.is_exclusive() };
    match (bound.side(), props.multiple_of) {
        (Side::Min, _) => raise_minimum(props, Some(end)),
        (Side::Max, _) => lower_maximum(props, Some(end)),
        (Side::Neither, Some(other)) if other != number => also(props).multiple_of = Some(number),
        (Side::Neither, _) => props.multiple_of = Some(number),
    }
}

fn add_pattern(props: &mut JSONSchemaProps, pattern: String) {
    match &props.pattern {
        Some(other) if *other != pattern => also(props).pattern = Some(pattern),
        _ => props.pattern = Some(pattern),
    }
}

/// Narrows a schema by the evaluated bounds in a JSON object, and returns the other members.
pub(super) fn without_bounds(props: &mut JSONSchemaProps, mut members: Value) -> Result<Value, RenderError> {
    let Value::Object(object) = &mut members else {
        return Ok(members);
    };
    let mut number = |name: &str| match object.remove(name).map(|value| value.as_f64()) {
        None => Ok(None),
        Some(None) => Err(not_finite(name)),
        Some(Some(number)) => Ok(Some(Bound::inclusive(number))),
    };
    raise_minimum(props, number("minimum")?);
    lower_maximum(props, number("maximum")?);
    drop_redundant_bounds(props);
    if let Some(Value::String(pattern)) = object.remove("pattern") {
        add_pattern(props, pattern);
    }
    Ok(members)
}

/// Restricts an `enum` to the given values, in the order of the type.
pub(super) fn one_of(props: &mut JSONSchemaProps, values: &[EnumValue]) -> Result<(), RenderError> {
    let values: Vec<_> = values.iter().map(|value| JSON(json(*value))).collect();
    let left = match props.enum_.take() {
        Some(mut all) => {
            all.retain(|value| values.contains(value));
            all
        }
        None => values,
    };
    if left.is_empty() {
        return Err(RenderError::new("no value is allowed: the type has none of the `enum_values`"));
    }
    let is_left = |name: &str| left.iter().any(|JSON(value)| value == name);
    props.description = props.description.take().and_then(|text| without_variants(&text, is_left));
    props.enum_ = Some(left);
    Ok(())
}

fn json(value: EnumValue) -> Value {
    match value {
        EnumValue::Text(text) => text.into(),
        EnumValue::Integer(number) => number.into(),
        EnumValue::Number(number) => with_plain_numbers(number.into()),
    }
}

/// Adds a schema to `allOf`, for a keyword that the schema already has.
fn also(props: &mut JSONSchemaProps) -> &mut JSONSchemaProps {
    let all = props.all_of.get_or_insert_default();
    all.push(JSONSchemaProps::default());
    let last = all.len() - 1;
    &mut all[last]
}
