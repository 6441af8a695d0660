//! Rules: the operations and resources that webhooks and policies are for.

use crdkit_core::{
    Rule,
    go::{json, quote},
    rules::admission_registration::{H8, H10, H11, H12, H13, H20},
};
use serde_json::Value;

use crate::crd::{
    admission_registration::{Errors, items, text, texts},
    crd_accessors::read,
};

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES: [&str; 3] = ["*", "Cluster", "Namespaced"];

impl Errors<'_> {
    /// Checks a rule of a webhook or of a policy.
    pub(super) fn rule(&mut self, rule: &Value) {
        self.names(&H10, "operations", &rule["operations"], "operations");
        for (index, operation) in texts(&rule["operations"]).into_iter().enumerate() {
            if !OPERATIONS.contains(&operation) {
                self.not_supported(&H10, &format!("operations[{index}]"), operation, &OPERATIONS);
            }
        }
        self.names(&H11, "apiGroups", &rule["apiGroups"], "API groups");
        self.names(&H11, "apiVersions", &rule["apiVersions"], "API versions");
        for (index, version) in texts(&rule["apiVersions"]).into_iter().enumerate() {
            if version.is_empty() {
                self.required(&H11, &format!("apiVersions[{index}]"), "");
            }
        }
        self.resources(&rule["resources"]);
        self.one_of(&H13, rule, "scope", &SCOPES);
    }

    /// Checks a list that is not empty, and has no other items if it has `*`.
    fn names(&mut self, rule: &'static Rule, field: &str, list: &Value, what: &str) {
        let names = texts(list);
        if names.is_empty() {
            self.required(rule, field, "");
        }
        if names.len() > 1 && names.contains(&"*") {
            let detail = format!("if '*' is present, must not specify other {what}");
            self.invalid(rule, field, json(&read::json(list)), &detail);
        }
    }

    fn resources(&mut self, list: &Value) {
        let resources = texts(list);
        if resources.is_empty() {
            self.required(&H12, "resources", "");
        }
        let (mut with_all_subresources, mut of_all_resources) = (Vec::new(), Vec::new());
        let mut has_plain = false;
        for (index, resource) in resources.iter().enumerate() {
            let field = format!("resources[{index}]");
            if resource.is_empty() {
                self.required(&H12, &field, "");
                continue;
            }
            let Some((name, subresource)) = resource.split_once('/') else {
                has_plain = *resource != "*";
                continue;
            };
            if with_all_subresources.contains(&name) {
                let detail = format!("if '{name}/*' is present, must not specify {resource}");
                self.invalid(&H12, &field, quote(resource), &detail);
            }
            if of_all_resources.contains(&subresource) {
                let detail = format!("if '*/{subresource}' is present, must not specify {resource}");
                self.invalid(&H12, &field, quote(resource), &detail);
            }
            if subresource == "*" {
                with_all_subresources.push(name);
            }
            if name == "*" {
                of_all_resources.push(subresource);
            }
        }
        let mut invalid = |detail| self.invalid(&H12, "resources", json(&read::json(list)), detail);
        if resources.len() > 1 && resources.contains(&"*/*") {
            invalid("if '*/*' is present, must not specify other resources");
        }
        if has_plain && resources.contains(&"*") {
            invalid("if '*' is present, must not specify other resources without subresources");
        }
    }

    /// Checks `matchConstraints` of a policy, or `matchResources` of a binding.
    pub(super) fn match_resources(&mut self, resources: &Value) {
        self.one_of(&H8, resources, "matchPolicy", &["Equivalent", "Exact"]);
        for field in ["namespaceSelector", "objectSelector"] {
            self.below(field).label_selector(&resources[field]);
        }
        for list in ["resourceRules", "excludeResourceRules"] {
            for (index, rule) in items(&resources[list]) {
                let mut of = self.below(&format!("{list}[{index}]"));
                of.resource_names(&rule["resourceNames"]);
                of.rule(rule);
            }
        }
    }

    fn resource_names(&mut self, list: &Value) {
        let names = texts(list);
        for (index, name) in names.iter().enumerate() {
            let field = format!("resourceNames[{index}]");
            path_segment_errors(name).into_iter().for_each(|message| self.invalid(&H20, &field, quote(name), &message));
            if names[..index].contains(name) {
                self.duplicate(&H20, &field, name);
            }
        }
    }

    /// Checks the name of an object.
    pub(super) fn path_segment(&mut self, rule: &'static Rule, object: &Value, field: &str) {
        let name = text(object, field);
        path_segment_errors(name).into_iter().for_each(|message| self.invalid(rule, field, quote(name), &message));
    }
}

/// Returns why a name cannot be a segment of a path.
fn path_segment_errors(name: &str) -> Vec<String> {
    if matches!(name, "." | "..") {
        return vec![format!("may not be '{name}'")];
    }
    let contained = ["/", "%"].into_iter().filter(|character| name.contains(character));
    contained.map(|character| format!("may not contain '{character}'")).collect()
}
