//! The API server's rules over a finished CustomResourceDefinition.
//!
//! Most of them hold by construction, or are checked while compiling. These are for what only the finished schema
//! shows: types whose schema comes from schemars, the arguments of generic types, and definitions written by hand.
//!
//! Of rules in CEL, crdkit's feature `cel` adds the syntax, and whether a default passes them. Their names, types and cost are
//! left to the server.

use std::fmt;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion, JSONSchemaProps,
    JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};

pub(crate) mod approval;
mod default;
mod lists;
mod names;
mod node;
mod paths;
mod rules;

/// A rule that a definition breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The part of the definition, such as `v1.spec.replicas` for a field of the version `v1`, or `spec.names.plural`.
    pub path: String,
    /// What is wrong, and what to do about it.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

/// Every rule that the definition breaks.
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
    let mut violations = validate_unapproved(crd);
    if let Some(message) = approval::lacking(crd) {
        let path = "metadata.annotations".to_owned();
        violations.insert(0, Violation { path, message });
    }
    violations
}

/// The same of a definition that others install, who answer for its approval.
pub(crate) fn validate_unapproved(crd: &CustomResourceDefinition) -> Vec<Violation> {
    let mut violations = Violations::default();
    names::check(crd, &mut violations);
    for version in &crd.spec.versions {
        validate_version(version, &mut violations);
    }
    violations.found
}

fn validate_version(version: &CustomResourceDefinitionVersion, violations: &mut Violations) {
    let Some(schema) = schema(version) else {
        violations.add(
            &version.name,
            "the version has no schema, which the server demands",
        );
        return;
    };
    walk(schema, &version.name, true, violations);
    paths::check(version, schema, violations);
}

/// Checks a schema and everything below it. `followed` says whether the server knows what a value was before a change.
fn walk(schema: &JSONSchemaProps, path: &str, followed: bool, violations: &mut Violations) {
    node::check(schema, path, violations);
    lists::check(schema, path, violations);
    rules::check(schema, path, followed, violations);
    default::check(schema, path, violations);
    for (name, property) in schema.properties.iter().flatten() {
        walk(property, &format!("{path}.{name}"), followed, violations);
    }
    if let Some(items) = items(schema) {
        let tells_apart = schema.x_kubernetes_list_type.as_deref() == Some("map");
        walk(
            items,
            &format!("{path}[]"),
            followed && tells_apart,
            violations,
        );
    }
    if let Some(values) = values(schema) {
        walk(values, &format!("{path}[*]"), followed, violations);
    }
}

/// The schema of a version, if it has one.
pub(crate) fn schema(version: &CustomResourceDefinitionVersion) -> Option<&JSONSchemaProps> {
    version.schema.as_ref()?.open_api_v3_schema.as_ref()
}

/// The schema of the items of a list.
pub(crate) fn items(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match schema.items.as_ref()? {
        JSONSchemaPropsOrArray::Schema(items) => Some(items),
        JSONSchemaPropsOrArray::Schemas(_) => None,
    }
}

/// The schema of the values of a map.
pub(crate) fn values(schema: &JSONSchemaProps) -> Option<&JSONSchemaProps> {
    match schema.additional_properties.as_ref()? {
        JSONSchemaPropsOrBool::Schema(values) => Some(values),
        JSONSchemaPropsOrBool::Bool(_) => None,
    }
}

fn is(flag: Option<bool>) -> bool {
    flag == Some(true)
}

/// Violations while they are found.
#[derive(Default)]
struct Violations {
    found: Vec<Violation>,
}

impl Violations {
    fn add(&mut self, path: &str, message: impl Into<String>) {
        self.found.push(Violation {
            path: path.to_owned(),
            message: message.into(),
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// The violations of a version whose spec has this schema.
    pub(super) fn of_spec(spec: Value) -> Vec<String> {
        of_version(json!({
            "name": "v1", "served": true, "storage": true,
            "schema": { "openAPIV3Schema": { "type": "object", "properties": { "spec": spec } } }
        }))
    }

    pub(super) fn of_version(version: Value) -> Vec<String> {
        let version = serde_json::from_value(version).unwrap();
        let mut violations = Violations::default();
        validate_version(&version, &mut violations);
        violations.found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_version_needs_a_schema() {
        let found = of_version(json!({ "name": "v1", "served": true, "storage": true }));
        assert_eq!(
            found,
            ["v1: the version has no schema, which the server demands"]
        );
    }

    #[test]
    fn everything_below_is_checked() {
        let found = of_spec(json!({
            "type": "object",
            "properties": { "a": { "type": "array", "items": {} } },
        }));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("v1.spec.a[]: "), "{found:?}");
    }
}
