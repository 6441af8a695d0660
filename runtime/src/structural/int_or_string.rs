//! Variants that are integers and strings: the only types that a structural schema may mix.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{JSON, JSONSchemaProps};

use super::bounds::{maximum, minimum, set_maximum, set_minimum};
use super::disjunction::join;

/// What integers and strings have in common: bounds concern only the integers, lengths and patterns only the strings.
pub(super) fn common(branches: &[JSONSchemaProps]) -> Option<JSONSchemaProps> {
    let integers = one_of_type(branches, "integer")?;
    let strings = one_of_type(branches, "string")?;
    let are_all =
        |branch: &JSONSchemaProps| matches!(branch.type_.as_deref(), Some("integer" | "string"));
    if !branches.iter().all(are_all) {
        return None;
    }
    let mut common = JSONSchemaProps {
        nullable: integers.nullable.or(strings.nullable),
        x_kubernetes_int_or_string: Some(true),
        multiple_of: integers.multiple_of,
        min_length: strings.min_length,
        max_length: strings.max_length,
        pattern: strings.pattern.or_else(|| Some(pattern(&strings.enum_?))),
        ..JSONSchemaProps::default()
    };
    set_minimum(&mut common, minimum(&integers));
    set_maximum(&mut common, maximum(&integers));
    Some(common)
}

fn one_of_type(branches: &[JSONSchemaProps], name: &str) -> Option<JSONSchemaProps> {
    let mut all = branches
        .iter()
        .filter(|branch| branch.type_.as_deref() == Some(name))
        .cloned();
    let first = all.next()?;
    all.try_fold(first, |common, branch| join(&common, &branch).ok())
}

/// The pattern of a fixed set of strings: `enum` would concern the integers, too.
fn pattern(values: &[JSON]) -> String {
    let values: Vec<_> = values
        .iter()
        .filter_map(|value| value.0.as_str())
        .map(escape)
        .collect();
    format!("^({})$", values.join("|"))
}

fn escape(text: &str) -> String {
    let escape = |character: char| {
        let backslash = character.is_ascii_punctuation().then_some('\\');
        backslash.into_iter().chain([character])
    };
    text.chars().flat_map(escape).collect()
}
