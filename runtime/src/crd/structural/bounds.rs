//! Numeric bounds.

use crdkit_core::{
    literal::numbers::{Bound, stricter_maximum, stricter_minimum},
    schema::{CountBound, Side},
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Map, Value};

use crate::{
    crd::{crd_accessors::count_mut, structural::keywords},
    error::RenderError,
};

/// Returns the minimum of a node.
pub fn minimum(props: &JSONSchemaProps) -> Option<Bound> {
    bound(props.minimum, props.exclusive_minimum)
}

/// Returns the maximum of a node.
pub fn maximum(props: &JSONSchemaProps) -> Option<Bound> {
    bound(props.maximum, props.exclusive_maximum)
}

fn bound(value: Option<f64>, exclusive: Option<bool>) -> Option<Bound> {
    value.map(|value| Bound { value, exclusive: exclusive == Some(true) })
}

/// Replaces the minimum of a node.
pub(super) fn set_minimum(props: &mut JSONSchemaProps, bound: Option<Bound>) {
    props.minimum = bound.map(|bound| bound.value);
    props.exclusive_minimum = bound.and_then(|bound| bound.exclusive.then_some(true));
}

/// Replaces the maximum of a node.
pub(super) fn set_maximum(props: &mut JSONSchemaProps, bound: Option<Bound>) {
    props.maximum = bound.map(|bound| bound.value);
    props.exclusive_maximum = bound.and_then(|bound| bound.exclusive.then_some(true));
}

/// Raises the minimum of a node to at least `bound`.
pub(crate) fn raise_minimum(props: &mut JSONSchemaProps, bound: Option<Bound>) {
    set_minimum(props, stricter_minimum(minimum(props), bound));
}

/// Lowers the maximum of a node to at most `bound`.
pub(crate) fn lower_maximum(props: &mut JSONSchemaProps, bound: Option<Bound>) {
    set_maximum(props, stricter_maximum(maximum(props), bound));
}

/// Narrows a bound of lengths to at least, or at most, `count`.
pub(crate) fn narrow_count(props: &mut JSONSchemaProps, bound: CountBound, count: Option<i64>) {
    let before = count_mut(props, bound);
    *before = match bound.side() {
        Side::Min => count.max(*before),
        Side::Max | Side::Neither => count.into_iter().chain(*before).min(),
    };
}

/// Returns the lower of two minima, if both exist.
pub(super) fn lower(a: Option<Bound>, b: Option<Bound>) -> Option<Bound> {
    let (a, b) = (a?, b?);
    let is_lower = b.value < a.value || b.value == a.value && a.exclusive;
    Some(if is_lower { b } else { a })
}

/// Returns the higher of two maxima, if both exist.
pub(super) fn higher(a: Option<Bound>, b: Option<Bound>) -> Option<Bound> {
    let (a, b) = (a?, b?);
    let is_higher = b.value > a.value || b.value == a.value && a.exclusive;
    Some(if is_higher { b } else { a })
}

/// Reads the bounds of a node. Exclusive bounds are numbers (2020-12) or flags (OpenAPI 3.0).
pub(super) fn read(schema: &mut Map<String, Value>, props: &mut JSONSchemaProps) -> Result<(), RenderError> {
    let minimum = inclusive(schema, "minimum", "exclusiveMinimum")?;
    set_minimum(props, minimum);
    raise_minimum(props, exclusive(schema, "exclusiveMinimum")?);
    let maximum = inclusive(schema, "maximum", "exclusiveMaximum")?;
    set_maximum(props, maximum);
    lower_maximum(props, exclusive(schema, "exclusiveMaximum")?);
    Ok(())
}

fn inclusive(schema: &mut Map<String, Value>, keyword: &str, exclusive: &str) -> Result<Option<Bound>, RenderError> {
    let value = keywords::number(schema, keyword)?;
    let flag = schema.get(exclusive).and_then(Value::as_bool);
    Ok(bound(value, flag))
}

fn exclusive(schema: &mut Map<String, Value>, keyword: &str) -> Result<Option<Bound>, RenderError> {
    if schema.get(keyword).is_some_and(Value::is_boolean) {
        return Ok(None);
    }
    Ok(keywords::number(schema, keyword)?.map(Bound::exclusive))
}
