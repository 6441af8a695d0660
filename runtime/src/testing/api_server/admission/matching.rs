//! Which requests a webhook is called for.

use serde_json::Value;

use super::{
    attributes::{Attributes, Operation},
    conditions,
    webhook::{Rule, Webhook},
};
use crate::testing::api_server::{failure::Failure, selector::labels::LabelSelector, state::State};

/// What requests a webhook or a policy selects.
pub(super) struct Selection<'a> {
    pub(super) rules: &'a [Rule],
    pub(super) matches_equivalent: bool,
    pub(super) namespace_selector: &'a Value,
    pub(super) object_selector: &'a Value,
}

impl State {
    /// Returns the version of the objects for a webhook; `None` if it is not called.
    pub(super) fn matched_version(
        &self,
        webhook: &Webhook,
        attributes: &Attributes<'_>,
    ) -> Result<Option<usize>, Failure> {
        let selection = Selection {
            rules: &webhook.rules,
            matches_equivalent: webhook.matches_equivalent,
            namespace_selector: &webhook.namespace_selector,
            object_selector: &webhook.object_selector,
        };
        let Some(version) = self.select(&selection, attributes)? else { return Ok(None) };
        let is_matched = webhook.conditions.is_empty()
            || conditions::are_met(&webhook.conditions, webhook.ignores_failures, attributes, version)?;
        Ok(is_matched.then_some(version))
    }

    /// Returns the version of the objects that is selected; `None` if the request is not.
    pub(super) fn select(
        &self,
        selection: &Selection<'_>,
        attributes: &Attributes<'_>,
    ) -> Result<Option<usize>, Failure> {
        let is_selected = self.selects_namespace(selection.namespace_selector, attributes);
        if matches!(is_selected, Ok(false)) || !selects_object(selection.object_selector, attributes) {
            return Ok(None);
        }
        let resource = &attributes.call.resource;
        let matches = |rule: &Rule, version: usize| rule.matches(attributes, &resource.versions[version].spec.name);
        let requested = attributes.call.version;
        let others = || (0..resource.versions.len()).filter(|version| *version != requested);
        let version = match selection.rules.iter().any(|rule| matches(rule, requested)) {
            true => Some(requested),
            false if selection.matches_equivalent => {
                selection.rules.iter().find_map(|rule| others().find(|version| matches(rule, *version)))
            }
            false => None,
        };
        match (version, is_selected) {
            (Some(_), Err(failure)) => Err(failure),
            (version, _) => Ok(version),
        }
    }

    fn selects_namespace(&self, selector: &Value, attributes: &Attributes<'_>) -> Result<bool, Failure> {
        let selector = LabelSelector::of_object(selector);
        let namespace = attributes.namespace();
        let is_namespace = attributes.call.resource.is_namespace();
        if selector.is_empty() || namespace.is_empty() && !is_namespace {
            return Ok(true);
        }
        if is_namespace && attributes.subresource().is_empty() && attributes.operation != Operation::Delete {
            return Ok(attributes.object.as_ref().is_some_and(|object| selector.matches(object)));
        }
        match self.namespace(namespace) {
            Some(object) => Ok(selector.matches(&object)),
            None => Err(Failure::new(404, "NotFound", format!("namespaces \"{namespace}\" not found")).about(
                "",
                "namespaces",
                namespace,
            )),
        }
    }
}

fn selects_object(selector: &Value, attributes: &Attributes<'_>) -> bool {
    let selector = LabelSelector::of_object(selector);
    selector.is_empty()
        || [&attributes.object, &attributes.old].into_iter().flatten().any(|object| selector.matches(object))
}

impl Rule {
    pub(super) fn matches(&self, attributes: &Attributes<'_>, version: &str) -> bool {
        let resource = &attributes.call.resource;
        let is_cluster = resource.is_namespace() || attributes.namespace().is_empty();
        let is_in_scope = match self.scope.as_str() {
            "Namespaced" => !is_cluster,
            "Cluster" => is_cluster,
            _ => true,
        };
        is_in_scope
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
