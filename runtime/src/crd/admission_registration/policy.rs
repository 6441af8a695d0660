//! ValidatingAdmissionPolicies and their bindings.

use crdkit_core::{
    ErrorType,
    cel::{AdmissionScope, ResultType},
    go::quote,
    literal::{
        cel::is_identifier,
        dns::{LABEL_1035, SUBDOMAIN, label_1035, subdomain},
    },
    rules::admission_registration::{H8, H19, H21, H22, H23, H24, H25, H26, H27, H28, H29, H30, H31, H34},
};
use serde_json::{Value, json};

use crate::crd::admission_registration::{Errors, items, text, texts};

/// `maxAuditAnnotations` of the API server.
const MAX_AUDIT_ANNOTATIONS: usize = 20;
/// `maxAuditAnnotationValueExpressionLength` of the API server.
const MAX_AUDIT_EXPRESSION: usize = 5 * 1024;

impl Errors<'_> {
    pub(super) fn policy(&mut self, name: &str, spec: &Value) {
        self.one_of(&H8, spec, "failurePolicy", &["Fail", "Ignore"]);
        let scope = self.parameter_kind(&spec["paramKind"]);
        self.match_constraints(&spec["matchConstraints"]);
        self.conditions(spec, &scope);
        let scope = match items(&spec["variables"]).next() {
            Some(_) => self.variables(spec, scope.with_variables()),
            None => scope,
        };
        let lists = ["validations", "auditAnnotations"];
        if lists.iter().all(|list| items(&spec[*list]).next().is_none()) {
            let detail = "validations or auditAnnotations must contain at least one item";
            return lists.iter().for_each(|list| self.required(&H22, list, detail));
        }
        for (index, validation) in items(&spec["validations"]) {
            self.below(&format!("validations[{index}]")).validation(validation, &scope);
        }
        self.audit_annotations(name, spec, &scope);
    }

    /// Checks the kind of the parameters, and returns the scope of expressions, with them if there are any.
    pub(super) fn parameter_kind(&mut self, kind: &Value) -> AdmissionScope {
        if !kind.is_object() {
            return AdmissionScope::new();
        }
        let mut of = self.below("paramKind");
        match (text(kind, "apiVersion"), text(kind, "apiVersion").split('/').collect::<Vec<_>>().as_slice()) {
            ("", _) => of.required(&H34, "apiVersion", ""),
            ("/", _) => of.invalid(&H34, "apiVersion", quote("/"), "version must be specified"),
            (_, [version]) => of.group_version("", version),
            (api_version, [_, ""]) => of.invalid(&H34, "apiVersion", quote(api_version), "version must be specified"),
            (_, [group, version]) => of.group_version(group, version),
            (api_version, _) => {
                let detail = format!("unexpected GroupVersion string: {api_version}");
                of.invalid(&H34, "apiVersion", quote(api_version), &detail);
            }
        }
        let name = text(kind, "kind");
        if name.is_empty() {
            of.required(&H34, "kind", "");
        } else if let Err(error) = label_1035(&name.to_lowercase()) {
            let messages: Vec<_> = LABEL_1035.messages(error).collect();
            let detail = format!("may have mixed case, but should otherwise match: {}", messages.join(","));
            of.invalid(&H34, "kind", quote(name), &detail);
        }
        AdmissionScope::new().with_params()
    }

    fn group_version(&mut self, group: &str, version: &str) {
        if let Err(error) = subdomain(group)
            && !group.is_empty()
        {
            let messages: Vec<_> = SUBDOMAIN.messages(error).collect();
            self.invalid(&H34, "apiVersion", quote(group), &messages.join(","));
        }
        if let Err(error) = label_1035(version) {
            let messages: Vec<_> = LABEL_1035.messages(error).collect();
            self.invalid(&H34, "apiVersion", quote(version), &messages.join(","));
        }
    }

    pub(super) fn match_constraints(&mut self, constraints: &Value) {
        if constraints.is_null() {
            return self.required(&H19, "matchConstraints", "");
        }
        self.below("matchConstraints").match_resources(constraints);
        if items(&constraints["resourceRules"]).next().is_none() {
            self.required(&H19, "matchConstraints.resourceRules", "");
        }
    }

    /// Checks the variables, and returns the scope with them.
    pub(super) fn variables(&mut self, spec: &Value, mut scope: AdmissionScope) -> AdmissionScope {
        for (index, variable) in items(&spec["variables"]) {
            let path = format!("variables[{index}]");
            let name = text(variable, "name");
            if name.trim().is_empty() {
                self.required(&H21, &format!("{path}.name"), "name is not specified");
            } else if !is_identifier(name) {
                self.invalid(&H21, &format!("{path}.name"), quote(name), "must be a valid CEL identifier");
            }
            let expression = text(variable, "expression");
            let (field, required) = (format!("{path}.expression"), "expression is not specified");
            self.expression(&H21, &field, expression, required, ResultType::Any, |source| {
                scope.compile_variable(name, source)
            });
        }
        scope
    }

    fn validation(&mut self, validation: &Value, scope: &AdmissionScope) {
        const EMPTY: &str = "must be non-empty if specified";
        const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
        let expression = text(validation, "expression");
        self.expression(&H23, "expression", expression, "expression is not specified", ResultType::Bool, |source| {
            scope.compile(source, ResultType::Bool)
        });
        let expression = text(validation, "messageExpression");
        match (expression.is_empty(), expression.trim().is_empty()) {
            (false, true) => self.invalid(&H25, "messageExpression", quote(expression), EMPTY),
            (false, false) => {
                let scope = scope.clone().without_authorizer();
                let compile = |source: &str| scope.compile(source, ResultType::String);
                self.expression(&H25, "messageExpression", expression, "", ResultType::String, compile);
            }
            _ => {}
        }
        let message = text(validation, "message");
        if !message.is_empty() && message.trim().is_empty() {
            self.invalid(&H24, "message", quote(message), EMPTY);
        } else if message.trim().contains(['\n', '\r']) {
            self.invalid(&H24, "message", quote(message), "must not contain line breaks");
        }
        self.one_of(&H26, validation, "reason", &REASONS);
    }

    fn audit_annotations(&mut self, name: &str, spec: &Value, scope: &AdmissionScope) {
        let annotations = items(&spec["auditAnnotations"]);
        if annotations.clone().count() > MAX_AUDIT_ANNOTATIONS {
            let detail = format!("must not have more than {MAX_AUDIT_ANNOTATIONS} auditAnnotations");
            self.invalid(&H27, "auditAnnotations", spec["auditAnnotations"].to_string(), &detail);
        }
        let mut keys = Vec::new();
        for (index, annotation) in annotations {
            let path = format!("auditAnnotations[{index}]");
            let (field, key) = (format!("{path}.key"), text(annotation, "key"));
            match name {
                "" => self.invalid(&H27, &field, quote(key), "requires metadata.name be non-empty"),
                name => self.qualified_name(&H27, &field, &format!("{name}/{key}")),
            }
            let (value, expression) = (format!("{path}.valueExpression"), text(annotation, "valueExpression").trim());
            if expression.len() > MAX_AUDIT_EXPRESSION {
                self.required(&H28, &value, &format!("must not exceed {MAX_AUDIT_EXPRESSION} bytes in length"));
            } else {
                let required = "valueExpression is not specified";
                self.expression(&H28, &value, expression, required, ResultType::StringOrNull, |source| {
                    scope.compile(source, ResultType::StringOrNull)
                });
            }
            if keys.contains(&key) {
                self.duplicate(&H27, &field, key);
            }
            keys.push(key);
        }
    }

    pub(super) fn binding(&mut self, spec: &Value) {
        self.binding_of_policy(spec);
        self.actions(spec);
    }

    /// Checks what bindings of both kinds of policies have.
    pub(super) fn binding_of_policy(&mut self, spec: &Value) {
        let policy = text(spec, "policyName");
        match subdomain(policy) {
            _ if policy.is_empty() => self.required(&H29, "policyName", ""),
            Ok(()) => {}
            Err(error) => {
                SUBDOMAIN.messages(error).for_each(|message| self.invalid(&H29, "policyName", quote(policy), message));
            }
        }
        let parameters = &spec["paramRef"];
        if parameters.is_object() {
            self.parameters(parameters);
        }
        if spec["matchResources"].is_object() {
            self.below("matchResources").match_resources(&spec["matchResources"]);
        }
    }

    fn parameters(&mut self, parameters: &Value) {
        const EXCLUSIVE: &str = "name and selector are mutually exclusive";
        let (has_name, has_selector) = (!text(parameters, "name").is_empty(), parameters["selector"].is_object());
        let mut of = self.below("paramRef");
        if has_name {
            of.path_segment(&H30, parameters, "name");
        }
        if has_name && has_selector {
            of.add(&H30, "name", ErrorType::Forbidden, None, EXCLUSIVE);
        }
        if has_selector {
            of.below("selector").label_selector(&parameters["selector"]);
        }
        if has_name && has_selector {
            of.add(&H30, "selector", ErrorType::Forbidden, None, EXCLUSIVE);
        }
        if !has_name && !has_selector {
            of.required(&H30, "", "one of name or selector must be specified");
        }
        match text(parameters, "parameterNotFoundAction") {
            "" => of.required(&H30, "parameterNotFoundAction", ""),
            _ => of.one_of(&H30, parameters, "parameterNotFoundAction", &["Deny", "Allow"]),
        }
    }

    fn actions(&mut self, spec: &Value) {
        const ACTIONS: [&str; 3] = ["Audit", "Deny", "Warn"];
        let actions = texts(&spec["validationActions"]);
        for (index, action) in actions.iter().enumerate() {
            let field = format!("validationActions[{index}]");
            if !ACTIONS.contains(action) {
                self.not_supported(&H31, &field, action, &ACTIONS);
            }
            if actions[..index].contains(action) {
                self.duplicate(&H31, &field, action);
            }
        }
        if actions.contains(&"Deny") && actions.contains(&"Warn") {
            let detail = "must not contain both Deny and Warn (repeating the same validation failure information in the API \
                          response and headers serves no purpose)";
            self.invalid(&H31, "validationActions", json!(actions).to_string(), detail);
        }
        if actions.is_empty() {
            self.required(&H31, "validationActions", "");
        }
    }
}
