//! Which requests a webhook is called for.

use serde_json::Value;

use super::attributes::Attributes;
use super::attributes::Operation;
use crate::{
    failure::Failure,
    selector::labels::LabelSelector,
    store::Store,
    value::{text, texts},
};

/// The requests that a webhook or a policy is for.
#[derive(Default)]
pub(super) struct Selection {
    pub(super) rules: Vec<Rule>,
    pub(super) excluded: Vec<Rule>,
    /// Whether no rules select all requests.
    pub(super) is_open: bool,
    /// Whether rules for one version of a resource apply to the others.
    pub(super) matches_equivalent: bool,
    pub(super) namespace_selector: Value,
    pub(super) object_selector: Value,
}

pub(super) struct Rule {
    pub(super) operations: Vec<String>,
    pub(super) groups: Vec<String>,
    pub(super) versions: Vec<String>,
    /// Resources with their subresources, such as `pods/status`.
    pub(super) resources: Vec<String>,
    /// The names of objects; all if there are none.
    pub(super) names: Vec<String>,
    pub(super) scope: String,
}

impl Selection {
    pub(super) fn of_webhook(webhook: &Value) -> Self {
        Self::parse(webhook, "rules", false)
    }

    /// Returns the selection of `matchConstraints` of a policy, or of `matchResources` of a binding.
    pub(super) fn of_policy(resources: &Value) -> Self {
        Self::parse(resources, "resourceRules", true)
    }

    fn parse(object: &Value, rules: &str, is_open: bool) -> Self {
        let rules_of = |name: &str| object[name].as_array().into_iter().flatten().map(Rule::parse).collect();
        Self {
            rules: rules_of(rules),
            excluded: rules_of("excludeResourceRules"),
            is_open,
            matches_equivalent: text(object, "matchPolicy") != "Exact",
            namespace_selector: object["namespaceSelector"].clone(),
            object_selector: object["objectSelector"].clone(),
        }
    }
}

/// Returns the version of the objects that is selected; `None` if the request is not.
pub(super) fn select(
    store: &Store,
    selection: &Selection,
    attributes: &Attributes<'_>,
) -> Result<Option<usize>, Failure> {
    let is_selected = selects_namespace(store, &selection.namespace_selector, attributes);
    if matches!(is_selected, Ok(false)) || !selects_object(&selection.object_selector, attributes) {
        return Ok(None);
    }
    let resource = &attributes.call.resource;
    let matches = |rule: &Rule, version: usize| rule.matches(attributes, &resource.versions[version].spec.name);
    let requested = attributes.call.version;
    let others = || (0..resource.versions.len()).filter(|version| *version != requested);
    let version_of = |rules: &[Rule]| {
        if rules.iter().any(|rule| matches(rule, requested)) {
            Some(requested)
        } else if selection.matches_equivalent {
            rules.iter().find_map(|rule| others().find(|version| matches(rule, *version)))
        } else {
            None
        }
    };
    if version_of(&selection.excluded).is_some() {
        return Ok(None);
    }
    let version =
        if selection.rules.is_empty() && selection.is_open { Some(requested) } else { version_of(&selection.rules) };
    match (version, is_selected) {
        (Some(_), Err(failure)) => Err(failure),
        (version, _) => Ok(version),
    }
}

fn selects_namespace(store: &Store, selector: &Value, attributes: &Attributes<'_>) -> Result<bool, Failure> {
    let selector = LabelSelector::of_object(selector);
    let namespace = attributes.namespace();
    let is_namespace = attributes.call.resource.is_namespace();
    if selector.is_empty() || namespace.is_empty() && !is_namespace {
        return Ok(true);
    }
    if is_namespace && attributes.subresource().is_empty() && attributes.operation != Operation::Delete {
        return Ok(attributes.object.as_ref().is_some_and(|object| selector.matches(object)));
    }
    match store.namespace(namespace) {
        Some(object) => Ok(selector.matches(&object)),
        None => Err(Failure::new(404, "NotFound", format!("namespaces \"{namespace}\" not found")).about(
            "",
            "namespaces",
            namespace,
        )),
    }
}

fn selects_object(selector: &Value, attributes: &Attributes<'_>) -> bool {
    let selector = LabelSelector::of_object(selector);
    selector.is_empty()
        || [&attributes.object, &attributes.old].into_iter().flatten().any(|object| selector.matches(object))
}

impl Rule {
    fn parse(rule: &Value) -> Self {
        Self {
            operations: texts(&rule["operations"]),
            groups: texts(&rule["apiGroups"]),
            versions: texts(&rule["apiVersions"]),
            resources: texts(&rule["resources"]),
            names: texts(&rule["resourceNames"]),
            scope: text(rule, "scope").to_owned(),
        }
    }

    fn matches(&self, attributes: &Attributes<'_>, version: &str) -> bool {
        let resource = &attributes.call.resource;
        let is_cluster = resource.is_namespace() || attributes.namespace().is_empty();
        let is_in_scope = match self.scope.as_str() {
            "Namespaced" => !is_cluster,
            "Cluster" => is_cluster,
            _ => true,
        };
        is_in_scope
            && (self.names.is_empty() || self.names.iter().any(|name| name == attributes.name()))
            && has_or_all(&self.operations, attributes.operation.name())
            && has_or_all(&self.groups, &resource.group)
            && has_or_all(&self.versions, version)
            && self.resources.iter().any(|it| matches_resource(it, &resource.names.plural, attributes.subresource()))
    }
}

fn has_or_all(values: &[String], value: &str) -> bool {
    values.iter().any(|it| it == "*" || it == value)
}

fn matches_resource(pattern: &str, resource: &str, subresource: &str) -> bool {
    let (parent, child) = pattern.split_once('/').unwrap_or((pattern, ""));
    (parent == "*" || parent == resource) && (child == "*" || child == subresource)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_resources() {
        for (pattern, resource, subresource, is_matched) in [
            ("pods", "pods", "", true),
            ("pods", "pods", "status", false),
            ("pods/*", "pods", "", true),
            ("pods/*", "pods", "status", true),
            ("*", "pods", "", true),
            ("*", "pods", "status", false),
            ("*/*", "pods", "status", true),
            ("*/scale", "pods", "scale", true),
            ("*/scale", "pods", "status", false),
        ] {
            assert_eq!(matches_resource(pattern, resource, subresource), is_matched, "{pattern}");
        }
    }
}
