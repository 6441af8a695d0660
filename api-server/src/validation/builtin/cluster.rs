//! Nodes, Leases, budgets of disruptions, and classes of priority and of runtimes.

use serde_json::{Value, json};

use super::{Change, common, each, network_policy, number};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// `HighestUserDefinablePriority`.
const MAX_PRIORITY: i64 = 1_000_000_000;

/// `ValidateLease`.
pub(super) fn lease(report: &mut Report, change: &Change<'_>) {
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    let (seconds, transitions) = (spec["leaseDurationSeconds"].as_i64(), spec["leaseTransitions"].as_i64());
    if seconds.is_some_and(|seconds| seconds <= 0) {
        report.invalid(&place.field("leaseDurationSeconds"), &json!(seconds), "must be greater than 0");
    }
    if transitions.is_some_and(|count| count < 0) {
        let detail = "must be greater than or equal to 0";
        report.invalid(&place.field("leaseTransitions"), &json!(transitions), detail);
    }
    if !text(spec, "preferredHolder").is_empty() && text(spec, "strategy").is_empty() {
        report.forbidden(&place.field("preferredHolder"), "may only be specified if `strategy` is defined");
    }
}

/// `ValidateRuntimeClass`.
pub(super) fn runtime_class(report: &mut Report, change: &Change<'_>) {
    let (place, handler) = (Place::Root.field("handler"), text(change.new, "handler"));
    if handler.is_empty() {
        report.required(&place, "");
    } else {
        common::label(report, &place, handler);
    }
    if change.old.is_some_and(|old| old["handler"] != change.new["handler"]) {
        // The declarative rules of the server do not show the value.
        report.invalid(&place, &Value::Null, "field is immutable");
    }
}

/// `ValidateNode`, of the ranges of addresses.
pub(super) fn node(report: &mut Report, change: &Change<'_>) {
    let spec = Place::Root.field("spec");
    let before = change.old.map_or(&Value::Null, |old| &old["spec"]["podCIDRs"]);
    if !before.is_null() && *before != change.spec()["podCIDRs"] {
        let detail = "node updates may not change podCIDR except from \"\" to valid";
        report.forbidden(&spec.field("podCIDRs"), detail);
    }
    each(&spec.field("podCIDRs"), &change.spec()["podCIDRs"], |place, range| {
        network_policy::address_range(report, place, range.as_str().unwrap_or_default());
    });
}

/// `ValidatePodDisruptionBudget`.
pub(super) fn pod_disruption_budget(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        let counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];
        return report.all_non_negative(&Place::Root.field("status"), &change.new["status"], &counts);
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    let bounds = ["minAvailable", "maxUnavailable"];
    if bounds.iter().all(|name| !spec[*name].is_null()) {
        // As the internal type of the server prints it.
        let shown = format!(
            r#"{{"MinAvailable":{},"Selector":{},"MaxUnavailable":{},"UnhealthyPodEvictionPolicy":{}}}"#,
            spec["minAvailable"], spec["selector"], spec["maxUnavailable"], spec["unhealthyPodEvictionPolicy"]
        );
        report.invalid_struct(&place, shown, "minAvailable and maxUnavailable cannot be both set");
    }
    for name in bounds.into_iter().filter(|name| !spec[*name].is_null()) {
        common::int_or_percent(report, &place.field(name), &spec[name]);
        common::at_most_all(report, &place.field(name), &spec[name]);
    }
    common::label_selector(report, &place.field("selector"), &spec["selector"]);
    let policies = ["AlwaysAllow", "IfHealthyBudget"];
    let policy = &spec["unhealthyPodEvictionPolicy"];
    report.one_of(&place.field("unhealthyPodEvictionPolicy"), policy, &policies);
}

/// `ValidatePriorityClass`, `ValidatePriorityClassUpdate`.
pub(super) fn priority_class(report: &mut Report, change: &Change<'_>) {
    let (root, class) = (Place::Root, change.new);
    let is_system = text(&class["metadata"], "name").starts_with("system-");
    if let Some(old) = change.old {
        if number(&old["value"]) != number(&class["value"]) {
            report.forbidden(&root.field("value"), "may not be changed in an update.");
        }
        report.immutable(&root.field("preemptionPolicy"), &old["preemptionPolicy"], &class["preemptionPolicy"]);
        return;
    }
    if !is_system && number(&class["value"]) > MAX_PRIORITY {
        let detail = format!("maximum allowed value of a user defined priority is {MAX_PRIORITY}");
        report.forbidden(&root.field("value"), detail);
    }
    let policies = ["PreemptLowerPriority", "Never"];
    report.one_of(&root.field("preemptionPolicy"), &class["preemptionPolicy"], &policies);
}
