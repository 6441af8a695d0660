//! Validation of the objects that configure admission.

use serde_json::Value;

use crate::crd::{
    admission_registration::{BrokenRule, broken_rules, broken_rules_of_fields, broken_rules_of_metadata},
    validate::Violation,
};

/// Returns all rule violations of an object that configures admission: a ValidatingWebhookConfiguration, a
/// MutatingWebhookConfiguration, a ValidatingAdmissionPolicy, a MutatingAdmissionPolicy or a binding of a policy, of
/// `admissionregistration.k8s.io/v1`. There are none for other kinds.
///
/// The types in the expressions of mutations, such as `Object` and `JSONPatch`, are not checked.
///
/// ```
/// let configuration = serde_json::json!({
///     "apiVersion": "admissionregistration.k8s.io/v1",
///     "kind": "ValidatingWebhookConfiguration",
///     "metadata": { "name": "vm-operator" },
///     "webhooks": [{
///         "name": "machines.example.com",
///         "clientConfig": { "service": { "namespace": "operators", "name": "vm-operator" } },
///         "admissionReviewVersions": ["v1"],
///         "sideEffects": "Some",
///     }],
/// });
/// let violations = crdkit::validate::validate_admission(&configuration);
/// assert_eq!(violations[0].rule, "H7");
/// assert_eq!(
///     violations[0].to_string(),
///     "webhooks[0].sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\""
/// );
/// ```
pub fn validate_admission(object: &Value) -> Vec<Violation> {
    let kind = match object["apiVersion"].as_str() {
        Some("admissionregistration.k8s.io/v1") => object["kind"].as_str().unwrap_or_default(),
        _ => return Vec::new(),
    };
    let undecodable = broken_rules_of_fields(kind, object);
    if !undecodable.is_empty() {
        // The server checks the others of what it has decoded.
        return undecodable.into_iter().map(violation).collect();
    }
    let broken = broken_rules_of_metadata(kind, object).into_iter().chain(broken_rules(kind, object));
    broken.map(violation).collect()
}

fn violation(BrokenRule { rule, error }: BrokenRule) -> Violation {
    let (field, server_error) = (error.field(""), error.body());
    Violation {
        rule: rule.id,
        severity: rule.severity,
        path: field.clone(),
        message: server_error.clone(),
        field,
        server_error,
    }
}
