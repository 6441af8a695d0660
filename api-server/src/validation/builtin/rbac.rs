//! Roles and bindings.

use crdkit_core::go;
use serde_json::Value;

use super::{Change, common, each, items};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

const GROUP: &str = "rbac.authorization.k8s.io";

/// `ValidateRole`.
pub(super) fn role(report: &mut Report, change: &Change<'_>) {
    rules(report, change.new, true);
}

/// `ValidateClusterRole`.
pub(super) fn cluster_role(report: &mut Report, change: &Change<'_>) {
    rules(report, change.new, false);
    let aggregation = &change.new["aggregationRule"];
    if !aggregation.is_object() {
        return;
    }
    let root = Place::Root.field("aggregationRule");
    let place = root.field("clusterRoleSelectors");
    if items(&aggregation["clusterRoleSelectors"]).is_empty() {
        report.required(&place, "at least one clusterRoleSelector required if aggregationRule is non-nil");
    }
    each(&place, &aggregation["clusterRoleSelectors"], |place, selector| {
        common::label_selector(report, place, selector);
        if !common::is_usable_selector(selector) {
            report.invalid(place, &Value::Null, "invalid label selector.");
        }
    });
}

fn rules(report: &mut Report, role: &Value, is_namespaced: bool) {
    each(&Place::Root.field("rules"), &role["rules"], |place, rule| policy_rule(report, place, rule, is_namespaced));
}

/// `ValidatePolicyRule`.
fn policy_rule(report: &mut Report, place: &Place<'_>, rule: &Value, is_namespaced: bool) {
    let is_empty = |name: &str| items(&rule[name]).is_empty();
    if is_empty("verbs") {
        report.required(&place.field("verbs"), "");
    }
    if !is_empty("nonResourceURLs") {
        let (place, urls) = (place.field("nonResourceURLs"), &rule["nonResourceURLs"]);
        if is_namespaced {
            report.invalid(&place, urls, "namespaced rules cannot apply to non-resource URLs");
        }
        if ["apiGroups", "resources", "resourceNames"].iter().any(|name| !is_empty(name)) {
            report.invalid(&place, urls, "rules cannot apply to both regular resources and non-resource URLs");
        }
        return;
    }
    if is_empty("apiGroups") {
        report.required(&place.field("apiGroups"), "resource rules must supply at least one api group");
    }
    if is_empty("resources") {
        report.required(&place.field("resources"), "resource rules must supply at least one resource");
    }
}

/// `ValidateRoleBinding`.
pub(super) fn role_binding(report: &mut Report, change: &Change<'_>) {
    binding(report, change, &["Role", "ClusterRole"]);
}

/// `ValidateClusterRoleBinding`.
pub(super) fn cluster_role_binding(report: &mut Report, change: &Change<'_>) {
    binding(report, change, &["ClusterRole"]);
}

fn binding(report: &mut Report, change: &Change<'_>, kinds: &[&str]) {
    let (binding, reference) = (change.new, &change.new["roleRef"]);
    let place = Place::Root.field("roleRef");
    if reference["apiGroup"] != GROUP {
        report.not_supported(&place.field("apiGroup"), &reference["apiGroup"], &[GROUP]);
    }
    if !kinds.contains(&text(reference, "kind")) {
        report.not_supported(&place.field("kind"), &reference["kind"], kinds);
    }
    match text(reference, "name") {
        "" => report.required(&place.field("name"), ""),
        name => common::path_segment(report, &place.field("name"), name),
    }
    let is_namespaced = kinds.contains(&"Role");
    each(&Place::Root.field("subjects"), &binding["subjects"], |place, subject| {
        role_binding_subject(report, place, subject, is_namespaced);
    });
    if change.old.is_some_and(|old| old["roleRef"] != *reference) {
        let part = |name| go::quote(text(reference, name));
        let shown = format!(r#"{{"APIGroup":{},"Kind":{},"Name":{}}}"#, part("apiGroup"), part("kind"), part("name"));
        report.invalid_struct(&place, shown, "field is immutable");
    }
}

/// `ValidateRoleBindingSubject`.
fn role_binding_subject(report: &mut Report, place: &Place<'_>, subject: &Value, is_namespaced: bool) {
    let name = text(subject, "name");
    if name.is_empty() {
        report.required(&place.field("name"), "");
    }
    match text(subject, "kind") {
        "ServiceAccount" => {
            if !name.is_empty() {
                common::subdomain(report, &place.field("name"), name);
            }
            if !text(subject, "apiGroup").is_empty() {
                report.not_supported(&place.field("apiGroup"), &subject["apiGroup"], &[""]);
            }
            if !is_namespaced && text(subject, "namespace").is_empty() {
                report.required(&place.field("namespace"), "");
            }
        }
        "User" | "Group" => {
            if subject["apiGroup"] != GROUP {
                report.not_supported(&place.field("apiGroup"), &subject["apiGroup"], &[GROUP]);
            }
        }
        _ => report.not_supported(&place.field("kind"), &subject["kind"], &["ServiceAccount", "User", "Group"]),
    }
}
