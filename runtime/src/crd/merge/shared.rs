//! Properties that all versions of a kind share.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceConversion, CustomResourceDefinition,
};
use serde_json::{Value, json};

use crdkit_core::rules::names;

use crate::crd::{
    crd_accessors::read,
    merge::{MergeProblem, NamedCrd},
};

/// A shared property: its path, and a function that returns its value. Defaults of the server are filled in, and the
/// order of names is ignored.
type SharedProperty = (&'static str, fn(&CustomResourceDefinition) -> Value);

const SHARED: &[SharedProperty] = &[
    ("metadata.labels", |crd| json!(crd.metadata.labels.clone().unwrap_or_default())),
    ("metadata.annotations", |crd| json!(crd.metadata.annotations.clone().unwrap_or_default())),
    ("spec.group", |crd| json!(crd.spec.group)),
    ("spec.names.kind", |crd| json!(crd.spec.names.kind)),
    ("spec.names.listKind", |crd| json!(names::list_kind(&read::names(&crd.spec.names)))),
    ("spec.names.plural", |crd| json!(crd.spec.names.plural)),
    ("spec.names.singular", |crd| json!(names::singular(&read::names(&crd.spec.names)))),
    ("spec.names.shortNames", |crd| set(crd.spec.names.short_names.as_deref())),
    ("spec.names.categories", |crd| set(crd.spec.names.categories.as_deref())),
    ("spec.scope", |crd| json!(crd.spec.scope)),
    ("spec.preserveUnknownFields", |crd| json!(crd.spec.preserve_unknown_fields.unwrap_or_default())),
];

fn set(names: Option<&[String]>) -> Value {
    let mut names = names.unwrap_or_default().to_vec();
    names.sort_unstable();
    names.dedup();
    json!(names)
}

/// Returns a problem for each property in which a definition differs from the first one.
pub(super) fn problems(sources: &[NamedCrd]) -> Vec<MergeProblem> {
    let Some((first, others)) = sources.split_first() else {
        return Vec::new();
    };
    let mut problems: Vec<_> =
        others.iter().flat_map(|other| SHARED.iter().filter_map(move |part| differ(part, first, other))).collect();
    // If the group or the plural differ, the name differs for that reason.
    if problems.is_empty() {
        let name: SharedProperty = ("metadata.name", |crd| json!(crd.metadata.name));
        problems.extend(others.iter().filter_map(|other| differ(&name, first, other)));
    }
    problems
}

fn differ((path, value): &SharedProperty, first: &NamedCrd, second: &NamedCrd) -> Option<MergeProblem> {
    let (first_value, second_value) = (value(&first.crd), value(&second.crd));
    (first_value != second_value).then(|| MergeProblem::Mismatch {
        path,
        first: first.type_name.clone(),
        first_value: first_value.to_string(),
        second: second.type_name.clone(),
        second_value: second_value.to_string(),
    })
}

/// Compares the conversions of the definitions that have one.
pub(super) fn conversion_problems(sources: &[NamedCrd]) -> Vec<MergeProblem> {
    let part: SharedProperty = ("spec.conversion", |crd| json!(crd.spec.conversion));
    let mut converting = sources.iter().filter(|source| converts(source).is_some());
    match converting.next() {
        None => Vec::new(),
        Some(first) => converting.filter_map(|other| differ(&part, first, other)).collect(),
    }
}

/// Returns the conversion of the versions.
pub(super) fn conversion(sources: &[NamedCrd]) -> Option<&CustomResourceConversion> {
    sources.iter().find_map(converts)
}

/// Returns the conversion of a definition, unless the strategy is `None`.
fn converts(source: &NamedCrd) -> Option<&CustomResourceConversion> {
    let conversion = source.crd.spec.conversion.as_ref();
    conversion.filter(|conversion| conversion.strategy != "None")
}
