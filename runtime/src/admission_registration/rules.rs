//! Rules: the operations and resources that webhooks and policies are for.

use crdkit_core::admission::go::{json, quote};
use serde_json::Value;

use super::{Errors, items, text, texts};
use crate::props::read;

const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES: [&str; 3] = ["*", "Cluster", "Namespaced"];

impl Errors<'_> {
    /// Checks a rule of a webhook or of a policy.
    pub(super) fn rule(&mut self, rule: &Value) {
        self.names("operations", &rule["operations"], "operations");
        for (index, operation) in texts(&rule["operations"]).into_iter().enumerate() {
            if !OPERATIONS.contains(&operation) {
                self.not_supported(&format!("operations[{index}]"), operation, &OPERATIONS);
            }
        }
        self.names("apiGroups", &rule["apiGroups"], "API groups");
        self.names("apiVersions", &rule["apiVersions"], "API versions");
        for (index, version) in texts(&rule["apiVersions"]).into_iter().enumerate() {
            if version.is_empty() {
                self.required(&format!("apiVersions[{index}]"), "");
            }
        }
        self.resources(&rule["resources"]);
        self.one_of(rule, "scope", &SCOPES);
    }

    /// Checks a list that is not empty, and has no other items if it has `*`.
    fn names(&mut self, field: &str, list: &Value, what: &str) {
        let names = texts(list);
        if names.is_empty() {
            self.required(field, "");
        }
        if names.len() > 1 && names.contains(&"*") {
            let detail = format!("if '*' is present, must not specify other {what}");
            self.invalid(field, json(&read::json(list)), &detail);
        }
    }

    fn resources(&mut self, list: &Value) {
        let resources = texts(list);
        if resources.is_empty() {
            self.required("resources", "");
        }
        let (mut with_all_subresources, mut of_all_resources) = (Vec::new(), Vec::new());
        let mut has_plain = false;
        for (index, resource) in resources.iter().enumerate() {
            let field = format!("resources[{index}]");
            if resource.is_empty() {
                self.required(&field, "");
                continue;
            }
            let Some((name, subresource)) = resource.split_once('/') else {
                has_plain = *resource != "*";
                continue;
            };
            if with_all_subresources.contains(&name) {
                let detail = format!("if '{name}/*' is present, must not specify {resource}");
                self.invalid(&field, quote(resource), &detail);
            }
            if of_all_resources.contains(&subresource) {
                let detail = format!("if '*/{subresource}' is present, must not specify {resource}");
                self.invalid(&field, quote(resource), &detail);
            }
            if subresource == "*" {
                with_all_subresources.push(name);
            }
            if name == "*" {
                of_all_resources.push(subresource);
            }
        }
        let mut invalid = |detail| self.invalid("resources", json(&read::json(list)), detail);
        if resources.len() > 1 && resources.contains(&"*/*") {
            invalid("if '*/*' is present, must not specify other resources");
        }
        if has_plain && resources.contains(&"*") {
            invalid("if '*' is present, must not specify other resources without subresources");
        }
    }

    /// Checks `matchConstraints` of a policy, or `matchResources` of a binding.
    pub(super) fn match_resources(&mut self, resources: &Value) {
        self.one_of(resources, "matchPolicy", &["Equivalent", "Exact"]);
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
            path_segment_errors(name).into_iter().for_each(|message| self.invalid(&field, quote(name), &message));
            if names[..index].contains(name) {
                self.duplicate(&field, name);
            }
        }
    }

    /// Checks the name of an object.
    pub(super) fn path_segment(&mut self, object: &Value, field: &str) {
        let name = text(object, field);
        path_segment_errors(name).into_iter().for_each(|message| self.invalid(field, quote(name), &message));
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
