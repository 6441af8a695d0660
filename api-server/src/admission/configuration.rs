//! Webhook configurations and policies as objects: their defaults, and which objects are validated.

use crdkit::__internal::admission_registration;
use crdkit_core::object_processing::FieldError;
use serde_json::{Value, json};

use crate::resource::Resource;

pub(super) const GROUP: &str = "admissionregistration.k8s.io";

/// Sets the fields of a configuration that have defaults.
pub(crate) fn set_defaults(resource: &Resource, object: &mut Value) {
    match kind(resource) {
        "MutatingAdmissionPolicy" | "ValidatingAdmissionPolicy" => return set_policy_defaults(true, object),
        "MutatingAdmissionPolicyBinding" | "ValidatingAdmissionPolicyBinding" => {
            return set_policy_defaults(false, object);
        }
        kind if kind.ends_with("WebhookConfiguration") => {}
        _ => return,
    }
    let is_mutating = resource.names.kind == "MutatingWebhookConfiguration";
    for webhook in
        object.get_mut("webhooks").and_then(Value::as_array_mut).into_iter().flatten().filter(|it| it.is_object())
    {
        let mut default = |name: &str, value: Value| {
            if webhook[name].is_null() {
                webhook[name] = value;
            }
        };
        default("failurePolicy", "Fail".into());
        default("matchPolicy", "Equivalent".into());
        default("namespaceSelector", json!({}));
        default("objectSelector", json!({}));
        default("timeoutSeconds", 10.into());
        if is_mutating {
            default("reinvocationPolicy", "Never".into());
        }
        if webhook["clientConfig"]["service"].is_object() && webhook["clientConfig"]["service"]["port"].is_null() {
            webhook["clientConfig"]["service"]["port"] = 443.into();
        }
        if let Some(rules) = webhook.get_mut("rules") {
            set_scopes(rules);
        }
    }
}

fn set_scopes(rules: &mut Value) {
    for rule in rules.as_array_mut().into_iter().flatten().filter(|rule| rule.is_object()) {
        if rule["scope"].is_null() {
            rule["scope"] = "*".into();
        }
    }
}

/// Returns the kind of an object that configures admission; empty for others.
fn kind(resource: &Resource) -> &str {
    if !resource.is_custom && resource.group == GROUP { &resource.names.kind } else { "" }
}

/// Returns the errors of a configuration.
pub(crate) fn errors(resource: &Resource, object: &Value) -> Vec<FieldError> {
    admission_registration::broken_rules(kind(resource), object).into_iter().map(|broken| broken.error).collect()
}

/// Sets the fields of a policy or a binding that have defaults.
fn set_policy_defaults(is_policy: bool, object: &mut Value) {
    let spec = &mut object["spec"];
    if is_policy && spec["failurePolicy"].is_null() {
        spec["failurePolicy"] = "Fail".into();
    }
    let resources = &mut spec[if is_policy { "matchConstraints" } else { "matchResources" }];
    if !resources.is_object() {
        return;
    }
    for (name, value) in
        [("matchPolicy", json!("Equivalent")), ("namespaceSelector", json!({})), ("objectSelector", json!({}))]
    {
        if resources[name].is_null() {
            resources[name] = value;
        }
    }
    for list in ["resourceRules", "excludeResourceRules"] {
        if let Some(rules) = resources.get_mut(list) {
            set_scopes(rules);
        }
    }
}
