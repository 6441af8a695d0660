//! The API server's validation rules for CustomResourceDefinitions.
//!
//! Most rules hold by construction or are checked at compile time. This module covers the rest: types with a schemars
//! schema, arguments of generic types, and handwritten definitions.
//!
//! CEL rules are compiled with the names, types and functions of the server, and their cost is estimated in the same
//! way. They are also evaluated on defaults.
//!
//! [`validate_admission`] has the rules for webhook configurations and policies.

use std::fmt;

pub use crdkit_core::Severity;
use crdkit_core::{definition::Definition, rules};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::crd::{crd_accessors::read, definition_size};

mod admission_objects;
pub(crate) mod default_rules;
mod depth;
mod json;

pub use admission_objects::validate_admission;
pub use json::validate_json;

/// A violation of a validation rule by a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The rule: a letter for its family and a number, such as `L6`.
    pub rule: &'static str,
    /// How the server treats a definition that violates the rule.
    pub severity: Severity,
    /// The path in the definition, such as `v1.spec.replicas` for a field of the version `v1`, or `spec.names.plural`.
    pub path: String,
    /// A description of the problem and its solution.
    pub message: String,
    /// The field in the server's error, such as `spec.validation.openAPIV3Schema.properties[spec].items.type`; empty if
    /// the server reports no error.
    pub field: String,
    /// The server's error message for the field, such as `Required value: must be specified`; empty if the server
    /// reports no error.
    pub server_error: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl Violation {
    fn new(place: rules::Location, violation: &crdkit_core::Violation<'_>) -> Self {
        let server_error = violation.server_error;
        Self {
            rule: violation.rule.id,
            severity: violation.rule.severity,
            path: place.path,
            message: violation.message.to_string(),
            field: server_error.map_or_else(String::new, |it| format!("{}{}", place.field, it.field)),
            server_error: server_error.map_or_else(String::new, |it| it.to_string()),
        }
    }

    pub(crate) fn without_rule(path: String, message: String) -> Self {
        Self { rule: "", severity: Severity::Error, path, message, field: String::new(), server_error: String::new() }
    }
}

/// Returns all rule violations of a definition.
///
/// ```
/// use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
///
/// let crd: CustomResourceDefinition = serde_json::from_value(serde_json::json!({
///     "metadata": { "name": "ats.example.com" },
///     "spec": {
///         "group": "example.com",
///         "names": { "kind": "At", "plural": "ats" },
///         "scope": "Namespaced",
///         "versions": [{
///             "name": "v1", "served": true, "storage": true,
///             "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": {} } } }
///         }]
///     }
/// }))?;
/// let violations = crdkit::validate::validate(&crd);
/// assert_eq!(violations[0].path, "v1.spec");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn validate(crd: &CustomResourceDefinition) -> Vec<Violation> {
    depth::with_stack_for(depth::of_definition(crd), || validate_read(crd, &read::definition(crd)))
}

fn validate_read(crd: &CustomResourceDefinition, definition: &Definition<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    rules::check_definition(definition, &mut |place, violation| {
        found.push(Violation::new(place, violation));
    });
    sizes(crd, &mut found);
    default_rules::check(crd, definition, &mut found);
    found
}

/// Like [`validate`], for a definition that is installed elsewhere, so that its approval is not checked here.
pub(crate) fn validate_unapproved(crd: &CustomResourceDefinition) -> Vec<Violation> {
    let is_of_approval = |it: &Violation| rules::approval::RULES.iter().any(|rule| rule.id == it.rule);
    let mut violations = validate(crd);
    violations.retain(|it| !is_of_approval(it));
    violations
}

/// Returns all rule violations of several definitions, each with the index of the definition.
///
/// In addition, two definitions of one group must not share a name: the server accepts only the names of the first one,
/// and never serves the other.
///
/// ```
/// # #[derive(crdkit::CustomResource, crdkit::KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
/// # #[crd(group = "example.com", version = "v1", kind = "At", shortname = "a")]
/// # struct AtSpec { size: u8 }
/// # #[derive(crdkit::CustomResource, crdkit::KubeSchema, serde::Serialize, serde::Deserialize, Clone, Debug)]
/// # #[crd(group = "example.com", version = "v1", kind = "By", shortname = "a")]
/// # struct BySpec { size: u8 }
/// use crdkit::CustomResourceExt;
///
/// let violations = crdkit::validate::validate_all(&[At::crd(), By::crd()]);
/// let (definition, violation) = &violations[0];
/// assert_eq!((*definition, violation.path.as_str()), (1, "spec.names.shortNames"));
/// ```
pub fn validate_all(crds: &[CustomResourceDefinition]) -> Vec<(usize, Violation)> {
    let deepest = crds.iter().map(depth::of_definition).max();
    depth::with_stack_for(deepest.unwrap_or_default(), || validate_group(crds))
}

fn validate_group(crds: &[CustomResourceDefinition]) -> Vec<(usize, Violation)> {
    let definitions: Vec<_> = crds.iter().map(read::definition).collect();
    let mut found = Vec::new();
    for (at, (crd, definition)) in crds.iter().zip(&definitions).enumerate() {
        let violations = validate_read(crd, definition).into_iter();
        found.extend(violations.map(|violation| (at, violation)));
    }
    rules::check_definitions(&definitions, &mut |at, place, violation| {
        found.push((at, Violation::new(place, violation)));
    });
    found
}

/// Splits the violations of a type's definition into errors and notes. A type without fields is not reported, because
/// it is intentional.
pub(crate) fn split_by_severity(found: Vec<Violation>) -> (Vec<Violation>, Vec<Violation>) {
    let is_meant = |it: &Violation| it.rule == rules::schema_lints::X11.id;
    let found = found.into_iter().filter(|it| !is_meant(it));
    found.partition(|it| it.severity.is_fatal())
}

fn sizes(crd: &CustomResourceDefinition, found: &mut Vec<Violation>) {
    let (bytes, annotations) = definition_size::stored_and_applied(crd);
    // A definition that is too large to store is not checked further.
    let results = [
        rules::sizes::definition_fits(bytes),
        rules::sizes::definition_fits_with_additions(bytes),
        rules::sizes::applied_copy_fits(annotations),
    ];
    if let Some(violation) = results.into_iter().find_map(Result::err) {
        let place = rules::Location { path: crd.metadata.name.clone().unwrap_or_default(), field: String::new() };
        found.push(Violation::new(place, &violation));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    mod definitions;
    mod nodes;

    /// Returns the violations of a version whose spec has this schema.
    pub(super) fn of_spec(spec: Value) -> Vec<String> {
        let found = validate(&with_spec(spec));
        found.iter().map(ToString::to_string).collect()
    }

    /// Returns the definition of a resource whose spec has this schema.
    pub(in crate::crd::validate) fn with_spec(spec: Value) -> CustomResourceDefinition {
        let schema = json!({ "type": "object", "properties": { "spec": spec } });
        let version = json!({
            "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
        });
        let crd = json!({
            "metadata": { "name": "ats.example.com" },
            "spec": {
                "group": "example.com", "names": { "kind": "At", "plural": "ats" },
                "scope": "Namespaced", "versions": [version],
            },
        });
        serde_json::from_value(crd).unwrap()
    }

    #[test]
    fn everything_below_is_checked() {
        let spec = json!({
            "type": "object",
            "properties": { "a": { "type": "array", "items": {} } },
        });
        let found = validate(&with_spec(spec));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].path, "v1.spec.a[]");
        assert_eq!(found[0].rule, "S2");
        assert_eq!(found[0].field, "spec.validation.openAPIV3Schema.properties[spec].properties[a].items.type");
        assert_eq!(found[0].server_error, "Required value: must not be empty for specified array items");
    }
}
