//! Rules of roles: which requests they allow, and which rules cover others.

use crdkit_core::go::quote;
use k8s_openapi::api::rbac::v1::PolicyRule;

use super::{Attributes, Target};

const ALL: &str = "*";

/// Returns whether a rule allows a request.
pub(super) fn is_allowed(rule: &PolicyRule, attributes: &Attributes) -> bool {
    if !has_or_all(&rule.verbs, &attributes.verb) {
        return false;
    }
    match &attributes.target {
        Target::Path(path) => list(&rule.non_resource_urls).iter().any(|url| url == ALL || covers_url(url, path)),
        Target::Resource(target) => {
            let names = list(&rule.resource_names);
            has_or_all(list(&rule.api_groups), &target.group)
                && list(&rule.resources).iter().any(|it| matches_resource(it, &target.resource, &target.subresource))
                && (names.is_empty() || names.contains(&target.name))
        }
    }
}

fn matches_resource(pattern: &str, resource: &str, subresource: &str) -> bool {
    match subresource {
        "" => pattern == ALL || pattern == resource,
        _ => {
            pattern == ALL
                || pattern
                    .split_once('/')
                    .is_some_and(|(parent, child)| child == subresource && (parent == ALL || parent == resource))
        }
    }
}

fn covers_url(pattern: &str, url: &str) -> bool {
    pattern == url || pattern.ends_with(ALL) && url.starts_with(pattern.trim_end_matches('*'))
}

fn list(values: &Option<Vec<String>>) -> &[String] {
    values.as_deref().unwrap_or_default()
}

fn has_or_all(values: &[String], value: &str) -> bool {
    values.iter().any(|it| it == ALL || it == value)
}

/// Returns the rules, each with at most one group, resource, verb, name and path, that no rule of the owner covers.
pub(super) fn uncovered(owner: &[PolicyRule], rules: &[PolicyRule]) -> Vec<PolicyRule> {
    let single = rules.iter().flat_map(break_down);
    single.filter(|rule| !owner.iter().any(|owner| covers(owner, rule))).collect()
}

fn break_down(rule: &PolicyRule) -> Vec<PolicyRule> {
    let one = |value: &String| Some(vec![value.clone()]);
    let mut single = Vec::new();
    for group in list(&rule.api_groups) {
        for resource in list(&rule.resources) {
            for verb in &rule.verbs {
                let of_resource = PolicyRule {
                    api_groups: one(group),
                    resources: one(resource),
                    verbs: vec![verb.clone()],
                    ..PolicyRule::default()
                };
                match list(&rule.resource_names) {
                    [] => single.push(of_resource),
                    names => single.extend(
                        names.iter().map(|name| PolicyRule { resource_names: one(name), ..of_resource.clone() }),
                    ),
                }
            }
        }
    }
    for url in list(&rule.non_resource_urls) {
        let of_url =
            |verb: &String| PolicyRule { non_resource_urls: one(url), verbs: vec![verb.clone()], ..<_>::default() };
        single.extend(rule.verbs.iter().map(of_url));
    }
    single
}

fn covers(owner: &PolicyRule, rule: &PolicyRule) -> bool {
    let has_all = |owner: &[String], values: &[String]| values.iter().all(|value| owner.contains(value));
    let has_resource = |resource: &String| {
        let resources = list(&owner.resources);
        let subresource = resource.split_once('/').map(|(_, child)| format!("*/{child}"));
        resources.contains(resource) || subresource.is_some_and(|pattern| resources.contains(&pattern))
    };
    let has_star = |values: &[String]| values.iter().any(|value| value == ALL);
    let names = list(&owner.resource_names);
    (has_star(&owner.verbs) || has_all(&owner.verbs, &rule.verbs))
        && (has_star(list(&owner.api_groups)) || has_all(list(&owner.api_groups), list(&rule.api_groups)))
        && (has_star(list(&owner.resources)) || list(&rule.resources).iter().all(has_resource))
        && list(&rule.non_resource_urls)
            .iter()
            .all(|url| list(&owner.non_resource_urls).iter().any(|pattern| covers_url(pattern, url)))
        && (names.is_empty() || !list(&rule.resource_names).is_empty() && has_all(names, list(&rule.resource_names)))
}

/// Describes rules that a user lacks: those that differ in their verbs only as one, sorted.
pub(super) fn describe(rules: &[PolicyRule]) -> Vec<String> {
    let mut compact: Vec<PolicyRule> = Vec::new();
    for rule in rules {
        let is_same = |other: &&mut PolicyRule| {
            list(&rule.non_resource_urls).is_empty()
                && PolicyRule { verbs: rule.verbs.clone(), ..(**other).clone() } == *rule
        };
        match compact.iter_mut().find(is_same) {
            Some(other) => other.verbs.extend(rule.verbs.iter().cloned()),
            None => compact.push(rule.clone()),
        }
    }
    let mut lines: Vec<_> = compact.iter().map(describe_rule).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn describe_rule(rule: &PolicyRule) -> String {
    let lists = [
        ("APIGroups", list(&rule.api_groups)),
        ("Resources", list(&rule.resources)),
        ("NonResourceURLs", list(&rule.non_resource_urls)),
        ("ResourceNames", list(&rule.resource_names)),
        ("Verbs", &rule.verbs),
    ];
    let parts: Vec<_> = lists
        .into_iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(name, values)| format!("{name}:{}", quote_list(values)))
        .collect();
    format!("{{{}}}", parts.join(", "))
}

/// Returns a list of strings as Go's verb `%q` formats it.
pub(super) fn quote_list(values: &[String]) -> String {
    let quoted: Vec<_> = values.iter().map(|value| quote(value)).collect();
    format!("[{}]", quoted.join(" "))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn rule(value: Value) -> PolicyRule {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn owners_cover_rules() {
        let of = |resources: &[&str], verbs: &[&str]| {
            rule(json!({ "apiGroups": ["apps"], "resources": resources, "verbs": verbs }))
        };
        let owner = [of(&["deployments", "*/scale"], &["get", "list"])];
        assert!(uncovered(&owner, &[of(&["deployments", "replicasets/scale"], &["get"])]).is_empty());
        let missing = uncovered(&owner, &[of(&["deployments", "pods"], &["get", "update", "watch"])]);
        assert_eq!(
            describe(&missing),
            [
                r#"{APIGroups:["apps"], Resources:["deployments"], Verbs:["update" "watch"]}"#,
                r#"{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "update" "watch"]}"#,
            ]
        );
        let named = rule(
            json!({ "apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"], "resourceNames": ["a"] }),
        );
        assert!(uncovered(&owner, std::slice::from_ref(&named)).is_empty());
        assert_eq!(uncovered(&[named], &owner).len(), 4);
    }
}
