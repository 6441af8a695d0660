//! What no type has: it is removed from a definition, or noted.

use std::collections::BTreeSet;

use crdkit_core::literal::formats::is_known;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinitionVersion as Version, JSONSchemaProps as Props, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

/// Prepares the schema of a version, and returns where its types differ.
pub(super) fn prepare(version: &mut Version) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(root) = version.schema.as_mut().and_then(|schema| schema.open_api_v3_schema.as_mut()) {
        let metadata = root.properties.as_ref().and_then(|properties| properties.get("metadata"));
        let restricted = metadata.and_then(|metadata| metadata.properties.as_ref()).into_iter().flatten();
        notes.extend(restricted.map(|(name, _)| format!("`.metadata.{name}` has no schema")));
        prepare_value(root, "", &mut notes);
    }
    notes
}

fn prepare_value(schema: &mut Props, path: &str, notes: &mut Vec<String>) {
    let shown = if path.is_empty() { "." } else { path };
    if let Some(rules) = &mut schema.x_kubernetes_validations {
        let (mut seen, count) = (BTreeSet::new(), rules.len());
        rules.retain(|rule| seen.insert(rule.rule.clone()));
        if rules.len() < count {
            notes.push(format!("a repeated rule of `{shown}` is written once, since server-side apply rejects it"));
        }
    }
    if schema.x_kubernetes_int_or_string == Some(true) && schema.type_.is_some() {
        notes.push(format!("`{shown}` has no `type` beside `x-kubernetes-int-or-string`"));
    }
    if schema.one_of.as_ref().is_some_and(|branches| !branches.is_empty() && !is_choice_of_fields(branches)) {
        notes.push(format!("`oneOf` of `{shown}` may become `anyOf`, or the keywords that follow from it"));
    }
    if schema.all_of.as_ref().is_some_and(|members| !members.is_empty()) {
        notes.push(format!("`allOf` of `{shown}` may become the keywords that follow from it"));
    }
    without_null_in_enum(schema, shown, notes);
    without_repeated_values(schema, shown, notes);
    let type_ = schema.type_.as_deref().unwrap_or_default();
    if let Some(format) = schema.format.as_ref().filter(|format| !format.is_empty() && !is_known(type_, format)) {
        notes.push(format!("`{shown}` has no format `{format}`, which the API server ignores"));
    }
    for (name, field) in schema.properties.iter_mut().flatten() {
        prepare_value(field, &format!("{path}.{name}"), notes);
    }
    if let Some(JSONSchemaPropsOrArray::Schema(items)) = &mut schema.items {
        prepare_value(items, &format!("{path}[*]"), notes);
    }
    if let Some(JSONSchemaPropsOrBool::Schema(values)) = &mut schema.additional_properties {
        prepare_value(values, &format!("{path}.*"), notes);
    }
}

/// Removes null where there is an `enum`, with which the server never accepts it.
fn without_null_in_enum(schema: &mut Props, shown: &str, notes: &mut Vec<String>) {
    let Some(values) = schema.enum_.as_mut().filter(|values| values.iter().any(|value| !value.0.is_null())) else {
        return;
    };
    let count = values.len();
    values.retain(|value| !value.0.is_null());
    if values.len() < count || schema.nullable == Some(true) {
        schema.nullable = None;
        notes.push(format!("`{shown}` has no null beside its `enum`, with which the API server never accepts null"));
    }
}

fn without_repeated_values(schema: &mut Props, shown: &str, notes: &mut Vec<String>) {
    let Some(values) = &mut schema.enum_ else { return };
    let (mut seen, count) = (BTreeSet::new(), values.len());
    values.retain(|value| seen.insert(value.0.to_string()));
    if values.len() < count {
        notes.push(format!("a repeated value in the `enum` of `{shown}` is written once"));
    }
}

/// Whether each branch requires one field, another one each, and nothing else: such a `oneOf` remains as it is.
fn is_choice_of_fields(branches: &[Props]) -> bool {
    let fields: BTreeSet<_> = branches.iter().filter_map(required_field).collect();
    branches.len() > 1 && fields.len() == branches.len()
}

/// The only field that a branch requires, if it has no other keyword.
fn required_field(branch: &Props) -> Option<&String> {
    let [field] = branch.required.as_deref()? else { return None };
    let others = Props { required: None, ..branch.clone() };
    (others == Props::default()).then_some(field)
}
