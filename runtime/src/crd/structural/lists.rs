//! Lists, sets and tuples.

use std::collections::BTreeMap;

use crdkit_core::{schema::Kind, shared_schema::Sharing};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, JSONSchemaPropsOrArray};
use serde_json::{Map, Value};

use crate::{
    crd::{
        crd_accessors,
        structural::{
            ADVICE, convert::convert_all, describe::undescribed, disjunction::join, finish::any, keywords, types::kind,
        },
    },
    error::RenderError,
};

/// Reads the items of a list. The items of a tuple must have compatible schemas.
pub(super) fn read(
    schema: &mut Map<String, Value>,
    props: &mut JSONSchemaProps,
    depth: usize,
) -> Result<(), RenderError> {
    props.unique_items = keywords::flag(schema, "uniqueItems")?;
    let items = convert_all(members(schema)?, depth, "[]")?;
    if !items.is_empty() {
        let common = tuple(items)?;
        props.items = Some(JSONSchemaPropsOrArray::Schema(Box::new(common)));
    }
    Ok(())
}

/// Returns the common schema of a tuple's items, which must be scalars of one type or have the same structure.
pub(crate) fn tuple(mut items: Vec<JSONSchemaProps>) -> Result<JSONSchemaProps, RenderError> {
    items.dedup_by_key(|item| undescribed(item));
    let mut items = items.into_iter();
    let mut common = items.next().unwrap_or_else(any);
    for item in items {
        if !are_alike(&common, &item) {
            return Err(different());
        }
        common = join(&common, &item).map_err(|_| different())?;
    }
    Ok(common)
}

/// Whether two schemas are compatible: scalars of one type, or values with the same structure.
fn are_alike(a: &JSONSchemaProps, b: &JSONSchemaProps) -> bool {
    if undescribed(a) == undescribed(b) {
        return true;
    }
    let [one, other] = [kind(a), kind(b)];
    let parts =
        [(crd_accessors::items(a), crd_accessors::items(b)), (crd_accessors::values(a), crd_accessors::values(b))];
    let are_contents_alike = parts.into_iter().all(|parts| match parts {
        (Some(a), Some(b)) => are_alike(a, b),
        (a, b) => a.is_none() && b.is_none(),
    });
    one != Kind::Opaque && Sharing::Items.allows(one, other) && are_contents_alike && have_the_same_fields(a, b)
}

fn have_the_same_fields(a: &JSONSchemaProps, b: &JSONSchemaProps) -> bool {
    let count = |props: &JSONSchemaProps| props.properties.as_ref().map_or(0, BTreeMap::len);
    let mut of_a = a.properties.iter().flatten();
    count(a) == count(b)
        && of_a.all(|(name, field)| {
            let other = b.properties.as_ref().and_then(|of_b| of_b.get(name));
            other.is_some_and(|other| are_alike(field, other))
        })
}

fn different() -> RenderError {
    RenderError::new(format!("a tuple with different types has no structural schema: {ADVICE}"))
}

/// Returns the schemas of a tuple's items, or the schema of all items.
fn members(schema: &mut Map<String, Value>) -> Result<Vec<Value>, RenderError> {
    let mut members = keywords::list(schema, "prefixItems")?;
    for keyword in ["items", "additionalItems"] {
        match schema.remove(keyword) {
            Some(Value::Array(schemas)) => members.extend(schemas),
            // `additionalItems` has no effect without items of a tuple.
            None | Some(Value::Bool(false)) => {}
            Some(_) if keyword == "additionalItems" && members.is_empty() => {}
            Some(schema) => members.push(schema),
        }
    }
    Ok(members)
}

/// Completes a list for the server.
pub(super) fn finish(props: &mut JSONSchemaProps) {
    let unique = props.unique_items.take() == Some(true);
    if props.type_.as_deref() != Some("array") {
        return;
    }
    let any_items = || JSONSchemaPropsOrArray::Schema(Box::new(any()));
    let items = props.items.get_or_insert_with(any_items);
    let JSONSchemaPropsOrArray::Schema(items) = items else {
        return;
    };
    let is_set = unique && is_scalar(items) && items.nullable.is_none();
    if is_set && props.x_kubernetes_list_type.is_none() {
        props.x_kubernetes_list_type = Some("set".to_owned());
    }
}

fn is_scalar(items: &JSONSchemaProps) -> bool {
    match items.type_.as_deref() {
        Some("boolean" | "integer" | "number" | "string") => true,
        _ => items.x_kubernetes_int_or_string == Some(true),
    }
}
