//! Null with an `enum`: the server accepts it only if the `enum` contains it.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};
use serde_json::Value;

use crate::crd::structural::{types, walk};

/// Whether a schema allows null.
pub(super) fn is_allowed(schema: &Value) -> bool {
    let list = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
    let has = |keyword: &str, value: Value| list(keyword).is_some_and(|all| all.contains(&value));
    let mut branches = ["anyOf", "oneOf"].into_iter().filter_map(list).flatten();
    types::is_null(schema)
        || schema.get("nullable") == Some(&Value::Bool(true))
        || has("type", "null".into())
        || has("enum", Value::Null)
        || branches.any(is_allowed)
}

/// Removes `nullable` from an optional field with an `enum`: the server drops null from it.
pub(crate) fn drop_from_enum(props: &mut JSONSchemaProps) {
    if props.enum_.is_some() {
        props.nullable = None;
    }
}

/// Allows null for optional integers or strings, like kube-derive: the schemas of k8s-openapi do not indicate an
/// `Option`.
pub(super) fn allow_in_int_or_string(props: &mut JSONSchemaProps) {
    let required = props.required.as_deref().unwrap_or_default();
    for (name, property) in props.properties.iter_mut().flatten() {
        if types::is_int_or_string(property) && !required.contains(name) {
            property.nullable = Some(true);
        }
    }
    walk::children(props).for_each(allow_in_int_or_string);
}

/// Adds null to the `enum` of a nullable value, inside `allOf`, which the server does not evaluate for null.
pub(super) fn allow_in_enum_if_nullable(props: &mut JSONSchemaProps) {
    if props.nullable == Some(true) {
        allow_in_enum(props);
    }
}

/// Adds null to the `enum` of a value.
pub(super) fn allow_in_enum(props: &mut JSONSchemaProps) {
    if let Some(mut values) = props.enum_.take() {
        values.push(JSON(Value::Null));
        props
            .all_of
            .get_or_insert_default()
            .push(JSONSchemaProps { enum_: Some(values), ..JSONSchemaProps::default() });
    }
}
