//! Objects that deny unknown fields.
//!
//! A structural schema cannot express this, because the server prunes unknown fields. But the schema of an enum
//! declares the fields of all variants, so that the fields of another variant are not unknown: the variant excludes
//! them by name. Until then, `additionalProperties: false` marks the object internally.

use std::collections::BTreeMap;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSONSchemaProps, JSONSchemaPropsOrBool};

use crate::crd::structural::{null, walk};

const CLOSED: Option<JSONSchemaPropsOrBool> = Some(JSONSchemaPropsOrBool::Bool(false));

/// Makes an object accept only its own fields, which include the entries of a map.
pub(crate) fn deny_unknown(props: &mut JSONSchemaProps) {
    if props.additional_properties.is_none() {
        props.additional_properties = CLOSED;
    }
}

/// Removes the mark, so that the object may have further fields.
pub(crate) fn allow_unknown(props: &mut JSONSchemaProps) {
    props.additional_properties.take_if(|it| is_false(it));
}

/// Removes all internal marks from a schema, so that the server accepts it. `nullable` with an `enum` is also such a
/// mark.
pub(crate) fn strip_internal_marks(props: &mut JSONSchemaProps) {
    allow_unknown(props);
    null::allow_in_enum_if_nullable(props);
    walk::children(props).for_each(strip_internal_marks);
    branches(props).for_each(strip_internal_marks);
}

pub(super) fn branches(props: &mut JSONSchemaProps) -> impl Iterator<Item = &mut JSONSchemaProps> {
    let all = [&mut props.all_of, &mut props.any_of, &mut props.one_of];
    all.into_iter().flatten().flatten()
}

pub(super) fn is_closed(props: &JSONSchemaProps) -> bool {
    props.additional_properties.as_ref().is_some_and(is_false)
}

fn is_false(others: &JSONSchemaPropsOrBool) -> bool {
    matches!(others, JSONSchemaPropsOrBool::Bool(false))
}

/// Excludes the fields of other variants from a variant that denies unknown fields, and likewise from nested variants.
/// `rest` is the schema of the variant without the common part.
pub(super) fn exclude_other_fields(rest: &mut JSONSchemaProps, variant: &JSONSchemaProps, common: &JSONSchemaProps) {
    let names = common.properties.iter().flat_map(BTreeMap::keys);
    let others = names.filter(|name| !has(variant, name)).map(|name| requires(name));
    if is_closed(variant) {
        exclude(rest, others);
    } else {
        branches(rest).for_each(|branch| exclude_in(branch, others.clone()));
    }
}

fn exclude_in(branch: &mut JSONSchemaProps, others: impl Iterator<Item = JSONSchemaProps> + Clone) {
    if is_closed(branch) {
        exclude(branch, others);
    } else {
        branches(branch).for_each(|branch| exclude_in(branch, others.clone()));
    }
}

fn has(props: &JSONSchemaProps, name: &str) -> bool {
    let properties = props.properties.as_ref();
    properties.is_some_and(|properties| properties.contains_key(name))
}

/// Whether each variant denies unknown fields and has a single, required field that no other variant has. Exclusive
/// variants then exclude each other anyway.
pub(super) fn have_one_field_each(variants: &[JSONSchemaProps]) -> bool {
    variants.iter().enumerate().all(|(at, variant)| {
        let mut names = variant.properties.iter().flat_map(BTreeMap::keys);
        let (Some(name), None) = (names.next(), names.next()) else {
            return false;
        };
        let is_required = variant.required.iter().flatten().any(|it| it == name);
        is_required && is_closed(variant) && !variants[..at].iter().any(|other| has(other, name))
    })
}

/// Excludes values that match one of these schemas, in addition to existing exclusions.
pub(crate) fn exclude(props: &mut JSONSchemaProps, schemas: impl IntoIterator<Item = JSONSchemaProps>) {
    let mut all = take_excluded(props);
    for schema in schemas {
        if !all.contains(&schema) {
            all.push(schema);
        }
    }
    let not = match all.len() {
        0 | 1 => all.pop(),
        _ => Some(any_of(all)),
    };
    props.not = not.map(Box::new);
}

fn take_excluded(props: &mut JSONSchemaProps) -> Vec<JSONSchemaProps> {
    let Some(mut not) = props.not.take() else {
        return Vec::new();
    };
    let alternatives = not.any_of.take();
    match alternatives {
        Some(all) if *not == JSONSchemaProps::default() => all,
        alternatives => {
            not.any_of = alternatives;
            vec![*not]
        }
    }
}

/// Returns the schema of an object that has the field.
pub(crate) fn requires(name: &str) -> JSONSchemaProps {
    JSONSchemaProps { required: Some(vec![name.to_owned()]), ..JSONSchemaProps::default() }
}

fn any_of(schemas: Vec<JSONSchemaProps>) -> JSONSchemaProps {
    JSONSchemaProps { any_of: Some(schemas), ..JSONSchemaProps::default() }
}
