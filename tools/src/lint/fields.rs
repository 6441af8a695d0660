//! Conventions about types and keywords.

use crdkit::__internal::{
    crd_accessors::{items, values},
    schema::DURATION,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps as Props;

use super::Place;

fn is_type(schema: &Props, type_: &str) -> bool {
    schema.type_.as_deref() == Some(type_)
}

fn has_fields(schema: &Props) -> bool {
    schema.properties.as_ref().is_some_and(|all| !all.is_empty())
}

/// Whether objects need at least one field.
fn needs_field(schema: &Props) -> bool {
    let requires = |schema: &Props| schema.required.as_ref().is_some_and(|names| !names.is_empty());
    let mut branches = [&schema.one_of, &schema.any_of].into_iter().flatten().filter(|all| !all.is_empty());
    requires(schema) || schema.min_properties.is_some_and(|min| min > 0) || branches.any(|all| all.iter().all(requires))
}

pub(super) fn array_of_struct(place: &Place<'_>) -> Option<String> {
    let items = items(place.schema)?;
    (has_fields(items) && !needs_field(items))
        .then(|| "no field of the items is required: require at least one".to_owned())
}

/// Finds objects with a required enum whose values are the names of optional fields, which CEL rules do not relate.
pub(super) fn discriminated_unions(place: &Place<'_>) -> Option<String> {
    let required = place.schema.required.as_deref()?;
    required.iter().find_map(|discriminator| {
        let members = members(place.schema, discriminator);
        let free = |(_, member): &&(&str, &str)| !has_rule(place.schema, discriminator, member);
        let (value, member) = members.iter().find(free).filter(|_| members.len() > 1)?;
        Some(format!(
            "`{discriminator}` selects a field, but no rule allows `{member}` only with it: add \
             `self.{discriminator} == '{value}' ? has(self.{member}) : !has(self.{member})`"
        ))
    })
}

/// Returns the values of a discriminator with the fields that they select.
fn members<'a>(schema: &'a Props, discriminator: &str) -> Vec<(&'a str, &'a str)> {
    let Some(fields) = &schema.properties else { return Vec::new() };
    let values = fields.get(discriminator).and_then(|field| field.enum_.as_ref()).into_iter().flatten();
    let is_required = |name: &String| schema.required.iter().flatten().any(|required| required == name);
    let selected = values.filter_map(|value| {
        let value = value.0.as_str()?;
        let member = fields.keys().find(|name| name.eq_ignore_ascii_case(value) && !is_required(name))?;
        Some((value, member.as_str()))
    });
    selected.collect()
}

/// Whether a rule of an object mentions both fields.
fn has_rule(schema: &Props, discriminator: &str, member: &str) -> bool {
    let paths = [discriminator, member].map(|name| format!("self.{name}"));
    let mut rules = schema.x_kubernetes_validations.iter().flatten();
    rules.any(|rule| paths.iter().all(|path| rule.rule.contains(path.as_str())))
}

pub(super) fn conditions(place: &Place<'_>) -> Option<String> {
    if place.name != Some("conditions") || !is_type(place.schema, "array") {
        return None;
    }
    let list = place.schema;
    let keys = list.x_kubernetes_list_map_keys.as_deref().unwrap_or_default();
    if list.x_kubernetes_list_type.as_deref() != Some("map") || keys != ["type"] {
        return Some(
            "conditions are a list with `listType: map` and the key `type`: use `crdkit::conditions`".to_owned(),
        );
    }
    let required = items(list).and_then(|items| items.required.clone()).unwrap_or_default();
    let expected = ["lastTransitionTime", "message", "reason", "status", "type"];
    let missing: Vec<_> = expected.iter().filter(|name| !required.iter().any(|it| it == *name)).collect();
    (!missing.is_empty()).then(|| format!("a condition requires {missing:?}: use the type `Condition` of Kubernetes"))
}

pub(super) fn default_or_required(place: &Place<'_>) -> Option<String> {
    (place.is_required() && place.schema.default.is_some())
        .then(|| "the field is required and has a default: keep one of them".to_owned())
}

pub(super) fn integers(place: &Place<'_>) -> Option<String> {
    let format = place.schema.format.as_deref().filter(|_| is_type(place.schema, "integer"))?;
    (!["int32", "int64"].contains(&format))
        .then(|| format!("the format of the integer is `{format}`: use int32 or int64"))
}

pub(super) fn max_length(place: &Place<'_>) -> Option<String> {
    let schema = place.schema;
    match schema.type_.as_deref()? {
        "string" if schema.max_length.is_none() && schema.enum_.is_none() && schema.format.is_none() => {
            Some("the string has no maximum length: set `max_length`".to_owned())
        }
        "array" if schema.max_items.is_none() => Some("the list has no maximum size: set `max_items`".to_owned()),
        "object" if values(schema).is_some() && schema.max_properties.is_none() => {
            Some("the map has no maximum size: set `max_properties`".to_owned())
        }
        _ => None,
    }
}

pub(super) fn min_length(place: &Place<'_>) -> Option<String> {
    let schema = place.schema;
    match schema.type_.as_deref()? {
        "string" if schema.min_length.is_none() && schema.enum_.is_none() && schema.format.is_none() => {
            Some("the string can be empty: set `min_length`".to_owned())
        }
        "array" if schema.min_items.is_none() => Some("the list can be empty: set `min_items`".to_owned()),
        "object" if values(schema).is_some() && schema.min_properties.is_none() => {
            Some("the map can be empty: set `min_properties`".to_owned())
        }
        "object" if has_fields(schema) && !place.path.is_empty() && !needs_field(schema) => {
            Some("the object can be empty: require a field, or set `min_properties`".to_owned())
        }
        _ => None,
    }
}

pub(super) fn no_bools(place: &Place<'_>) -> Option<String> {
    is_type(place.schema, "boolean").then(|| "the value is a boolean: use an enum".to_owned())
}

pub(super) fn no_durations(place: &Place<'_>) -> Option<String> {
    let schema = place.schema;
    let is_duration = schema.format.as_deref() == Some("duration") || schema.pattern.as_deref() == Some(DURATION);
    is_duration.then(|| "the value is a duration in text: use an integer, with the unit in its name".to_owned())
}

pub(super) fn no_floats(place: &Place<'_>) -> Option<String> {
    is_type(place.schema, "number")
        .then(|| "the value is a floating-point number: use an integer, or a `Quantity`".to_owned())
}

pub(super) fn no_maps(place: &Place<'_>) -> Option<String> {
    let values = values(place.schema)?;
    (!is_type(values, "string"))
        .then(|| "the value is a map, not of strings: use a list of items with a name".to_owned())
}

pub(super) fn no_nullable(place: &Place<'_>) -> Option<String> {
    (place.schema.nullable == Some(true))
        .then(|| "the value can be null: set `nullable = false` on the resource, or remove `nullable`".to_owned())
}

pub(super) fn numeric_bounds(place: &Place<'_>) -> Option<String> {
    let schema = place.schema;
    if !matches!(schema.type_.as_deref()?, "integer" | "number") || schema.enum_.is_some() {
        return None;
    }
    let missing: Vec<_> = [("minimum", schema.minimum), ("maximum", schema.maximum)]
        .into_iter()
        .filter_map(|(name, bound)| bound.is_none().then_some(format!("`{name}`")))
        .collect();
    (!missing.is_empty()).then(|| format!("the range of the number is not limited: set {}", missing.join(" and ")))
}

pub(super) fn ssa_tags(place: &Place<'_>) -> Option<String> {
    let schema = place.schema;
    if !is_type(schema, "array") {
        return None;
    }
    let is_object = items(schema).is_some_and(|items| is_type(items, "object"));
    match schema.x_kubernetes_list_type.as_deref() {
        None => Some("the list has no list type: set `list_type` to \"atomic\", \"set\" or \"map\"".to_owned()),
        Some("set") if is_object => {
            Some("the list is a set of objects: use `list_type = \"map\"` with a key".to_owned())
        }
        Some(_) => None,
    }
}

pub(super) fn status_optional(place: &Place<'_>) -> Option<String> {
    let is_in_status = place.path.strip_prefix(".status.").is_some_and(|rest| !rest.contains(['.', '[']));
    (is_in_status && place.is_required()).then(|| "the field of the status is required: make it optional".to_owned())
}

pub(super) fn status_subresource(place: &Place<'_>) -> Option<String> {
    let has_subresource = place.version.subresources.as_ref().is_some_and(|it| it.status.is_some());
    (place.path == ".status" && !has_subresource)
        .then(|| "there is a status without the subresource: declare it with `status = \"...\"`".to_owned())
}
