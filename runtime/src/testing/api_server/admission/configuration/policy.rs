//! ValidatingAdmissionPolicies and their bindings as objects.

use crdkit_core::{ErrorType, admission::go::quote};
use serde_json::{Value, json};

use super::Errors;
use crate::testing::api_server::decode::text;

/// Sets the fields of a policy or a binding that have defaults.
pub(super) fn set_defaults(is_policy: bool, object: &mut Value) {
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
            super::set_scopes(rules);
        }
    }
}

impl Errors<'_> {
    pub(super) fn policy(&mut self, spec: &Value) {
        let constraints = &spec["matchConstraints"];
        if constraints.is_null() {
            self.required("matchConstraints", "");
        } else if constraints["resourceRules"].as_array().is_none_or(Vec::is_empty) {
            self.required("matchConstraints.resourceRules", "");
        }
        self.conditions(spec);
        for (index, variable) in items(&spec["variables"]) {
            self.expression(&format!("variables[{index}].expression"), text(variable, "expression"), "");
        }
        let lists = ["validations", "auditAnnotations"];
        if lists.iter().all(|list| items(&spec[*list]).next().is_none()) {
            let detail = "validations or auditAnnotations must contain at least one item";
            lists.iter().for_each(|list| self.required(list, detail));
        }
        for (index, validation) in items(&spec["validations"]) {
            self.validation(&format!("validations[{index}]"), validation);
        }
        let mut keys = Vec::new();
        for (index, annotation) in items(&spec["auditAnnotations"]) {
            let path = format!("auditAnnotations[{index}]");
            let expression = text(annotation, "valueExpression");
            self.expression(&format!("{path}.valueExpression"), expression, "valueExpression is not specified");
            let key = text(annotation, "key");
            if keys.contains(&key) {
                self.add(&format!("{path}.key"), ErrorType::Duplicate, Some(quote(key)), "");
            }
            keys.push(key);
        }
    }

    fn validation(&mut self, path: &str, validation: &Value) {
        const EMPTY: &str = "must be non-empty if specified";
        self.expression(&format!("{path}.expression"), text(validation, "expression"), "expression is not specified");
        let expression = text(validation, "messageExpression");
        match (expression.is_empty(), expression.trim().is_empty()) {
            (false, true) => self.invalid(&format!("{path}.messageExpression"), quote(expression), EMPTY),
            (false, false) => self.expression(&format!("{path}.messageExpression"), expression, ""),
            _ => {}
        }
        let message = text(validation, "message");
        if !message.is_empty() && message.trim().is_empty() {
            self.invalid(&format!("{path}.message"), quote(message), EMPTY);
        } else if message.trim().contains(['\n', '\r']) {
            self.invalid(&format!("{path}.message"), quote(message), "must not contain line breaks");
        }
        const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
        if let Some(reason) = validation["reason"].as_str().filter(|reason| !REASONS.contains(reason)) {
            self.not_supported(&format!("{path}.reason"), reason, &REASONS);
        }
    }

    pub(super) fn binding(&mut self, spec: &Value) {
        if text(spec, "policyName").is_empty() {
            self.required("policyName", "");
        }
        let parameters = &spec["paramRef"];
        if parameters.is_object() {
            let (has_name, has_selector) = (!text(parameters, "name").is_empty(), parameters["selector"].is_object());
            if !has_name && !has_selector {
                self.required("paramRef", "one of name or selector must be specified");
            }
            if has_name && has_selector {
                for field in ["paramRef.name", "paramRef.selector"] {
                    self.add(field, ErrorType::Forbidden, None, "name and selector are mutually exclusive");
                }
            }
            if text(parameters, "parameterNotFoundAction").is_empty() {
                self.required("paramRef.parameterNotFoundAction", "");
            }
        }
        if items(&spec["validationActions"]).next().is_none() {
            self.required("validationActions", "");
        }
        const ACTIONS: [&str; 3] = ["Audit", "Deny", "Warn"];
        let actions: Vec<_> =
            items(&spec["validationActions"]).map(|(_, it)| it.as_str().unwrap_or_default()).collect();
        for (index, action) in actions.iter().enumerate().filter(|(_, action)| !ACTIONS.contains(action)) {
            self.not_supported(&format!("validationActions[{index}]"), action, &ACTIONS);
        }
        if actions.contains(&"Deny") && actions.contains(&"Warn") {
            let detail = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                          response and headers serves no purpose)";
            self.invalid("validationActions", json!(actions).to_string(), detail);
        }
    }

    fn not_supported(&mut self, field: &str, value: &str, supported: &[&str]) {
        let supported: Vec<_> = supported.iter().map(|it| quote(it)).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        self.add(field, ErrorType::NotSupported, Some(quote(value)), &detail);
    }
}

fn items(list: &Value) -> impl Iterator<Item = (usize, &Value)> {
    list.as_array().into_iter().flatten().enumerate()
}
