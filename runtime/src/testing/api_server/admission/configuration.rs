//! Webhook configurations and policies as objects: their defaults and their validation.

use crdkit_core::{
    ErrorType,
    admission::{FieldError, go::quote},
};
use serde_json::{Value, json};

use super::GROUP;
use crate::{
    cel::evaluate::expression::syntax_error,
    testing::api_server::{decode::text, resource::Resource},
};

mod policy;

/// Sets the fields of a configuration that have defaults.
pub(in crate::testing::api_server) fn set_defaults(resource: &Resource, object: &mut Value) {
    match kind(resource) {
        "ValidatingAdmissionPolicy" => return policy::set_defaults(true, object),
        "ValidatingAdmissionPolicyBinding" => return policy::set_defaults(false, object),
        kind if kind.ends_with("WebhookConfiguration") => {}
        _ => return,
    }
    let is_mutating = resource.names.kind == "MutatingWebhookConfiguration";
    for webhook in object["webhooks"].as_array_mut().into_iter().flatten().filter(|it| it.is_object()) {
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
    match !resource.is_custom && resource.group == GROUP {
        true => &resource.names.kind,
        false => "",
    }
}

/// Returns the errors of a configuration.
pub(in crate::testing::api_server) fn errors(resource: &Resource, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut of_spec = Errors { path: ".spec".to_owned(), errors: &mut errors };
    match kind(resource) {
        "ValidatingAdmissionPolicy" => of_spec.policy(&object["spec"]),
        "ValidatingAdmissionPolicyBinding" => of_spec.binding(&object["spec"]),
        kind if kind.ends_with("WebhookConfiguration") => {}
        _ => return errors,
    }
    let mut names = Vec::new();
    for (index, webhook) in object["webhooks"].as_array().into_iter().flatten().enumerate() {
        let mut of = Errors { path: format!(".webhooks[{index}]"), errors: &mut errors };
        of.name(webhook);
        of.client_config(&webhook["clientConfig"]);
        of.side_effects(webhook);
        of.review_versions(webhook);
        of.conditions(webhook);
        let seconds = &webhook["timeoutSeconds"];
        if seconds.as_i64().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
            let detail = "the timeout value must be between 1 and 30 seconds";
            of.invalid("timeoutSeconds", seconds.to_string(), detail);
        }
        let name = text(webhook, "name");
        if !name.is_empty() && names.contains(&name) {
            of.add("name", ErrorType::Duplicate, Some(quote(name)), "");
        }
        names.push(name);
    }
    errors
}

/// The errors of a webhook or of a spec.
struct Errors<'e> {
    path: String,
    errors: &'e mut Vec<FieldError>,
}

impl Errors<'_> {
    fn add(&mut self, field: &str, kind: ErrorType, value: Option<String>, detail: &str) {
        let place = format!("{}.{field}", self.path);
        self.errors.push(FieldError { place, kind, value, detail: detail.to_owned() });
    }

    fn required(&mut self, field: &str, detail: &str) {
        self.add(field, ErrorType::Required, None, detail);
    }

    fn invalid(&mut self, field: &str, value: String, detail: &str) {
        self.add(field, ErrorType::Invalid, Some(value), detail);
    }

    fn name(&mut self, webhook: &Value) {
        match text(webhook, "name") {
            "" => self.required("name", ""),
            name if name.split('.').filter(|part| !part.is_empty()).count() < 3 => {
                let detail = "should be a domain with at least three segments separated by dots";
                self.invalid("name", quote(name), detail);
            }
            _ => {}
        }
    }

    fn client_config(&mut self, config: &Value) {
        const FORM: &str = "desired format: https://host[/path]";
        let url = config["url"].as_str();
        if url.is_some() == config["service"].is_object() {
            return self.required("clientConfig", "exactly one of url or service is required");
        }
        let Some(url) = url else { return };
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        if scheme != "https" {
            let detail = format!("'https' is the only allowed URL scheme; {FORM}");
            self.invalid("clientConfig.url", quote(scheme), &detail);
        }
        if scheme.is_empty() || rest.split('/').next().is_none_or(str::is_empty) {
            self.invalid("clientConfig.url", quote(""), &format!("host must be specified; {FORM}"));
        }
        if let Some((_, query)) = url.split_once('?') {
            self.invalid("clientConfig.url", quote(query), "query parameters are not permitted in the URL");
        }
    }

    fn side_effects(&mut self, webhook: &Value) {
        match text(webhook, "sideEffects") {
            "None" | "NoneOnDryRun" => {}
            "" => self.required("sideEffects", "must specify one of None, NoneOnDryRun"),
            other => self.add(
                "sideEffects",
                ErrorType::NotSupported,
                Some(quote(other)),
                "supported values: \"None\", \"NoneOnDryRun\"",
            ),
        }
    }

    fn review_versions(&mut self, webhook: &Value) {
        let versions = webhook["admissionReviewVersions"].as_array().map(Vec::as_slice).unwrap_or_default();
        if versions.is_empty() {
            self.required("admissionReviewVersions", "must specify one of v1, v1beta1");
        } else if !versions.iter().any(|it| it == "v1" || it == "v1beta1") {
            let value = Value::from(versions).to_string();
            self.invalid("admissionReviewVersions", value, "must include at least one of v1, v1beta1");
        }
    }

    fn conditions(&mut self, webhook: &Value) {
        for (index, (_, expression)) in super::webhook::conditions(webhook).into_iter().enumerate() {
            self.expression(&format!("matchConditions[{index}].expression"), &expression, "");
        }
    }

    /// Checks an expression; `required` is the detail of the error about an empty one.
    fn expression(&mut self, field: &str, expression: &str, required: &str) {
        match (expression.trim().is_empty(), syntax_error(expression)) {
            (true, _) => self.required(field, required),
            (false, Some(error)) => self.invalid(field, quote(expression), &format!("compilation failed: {error}")),
            (false, None) => {}
        }
    }
}
