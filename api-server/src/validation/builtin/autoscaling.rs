//! HorizontalPodAutoscalers.

use serde_json::{Value, json};

use super::{Change, common, each, items, number};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// `ValidateHorizontalPodAutoscaler`.
pub(super) fn horizontal_pod_autoscaler(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        let place = Place::Root.field("status");
        return report.all_non_negative(&place, &change.new["status"], &["currentReplicas", "desiredReplicas"]);
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    let (least, most) = (spec["minReplicas"].as_i64(), number(&spec["maxReplicas"]));
    if least.is_some_and(|least| least < 0) {
        report.invalid(&place.field("minReplicas"), &json!(least), "must be greater than or equal to 0");
    }
    let scales_to_zero = |metric: &Value| matches!(text(metric, "type"), "Object" | "External");
    if least == Some(0) && !items(&spec["metrics"]).iter().any(scales_to_zero) {
        let detail = "must specify at least one Object or External metric to support scaling to zero replicas";
        report.forbidden(&place.field("metrics"), detail);
    }
    let most_place = place.field("maxReplicas");
    match most {
        0 => report.required(&most_place, ""),
        ..0 => report.invalid(&most_place, &json!(most), "must be greater than or equal to 1"),
        _ => {}
    }
    if least.is_some_and(|least| most < least) {
        report.invalid(&most_place, &json!(most), "must be greater than or equal to `minReplicas`");
    }
    let (target, target_place) = (&spec["scaleTargetRef"], place.field("scaleTargetRef"));
    for name in ["kind", "name"] {
        match text(target, name) {
            "" => report.required(&target_place.field(name), ""),
            value => common::path_segment(report, &target_place.field(name), value),
        }
    }
    let version = text(target, "apiVersion");
    if version.matches('/').count() > 1 {
        let detail = format!("unexpected GroupVersion string: {version}");
        report.invalid_text(&target_place.field("apiVersion"), version, detail);
    } else if !version.contains('/') && text(target, "kind") != "ReplicationController" {
        report.invalid_text(&target_place.field("apiVersion"), version, "apiVersion must specify API group");
    }
    each(&place.field("metrics"), &spec["metrics"], |place, metric| metric_spec(report, place, metric));
}

/// `validateMetricSpec`, of the types and their values.
fn metric_spec(report: &mut Report, place: &Place<'_>, metric: &Value) {
    const TYPES: [&str; 5] = ["ContainerResource", "External", "Object", "Pods", "Resource"];
    let type_ = text(metric, "type");
    if type_.is_empty() {
        report.required(&place.field("type"), "must specify a metric source type");
    }
    report.one_of(&place.field("type"), &metric["type"], &TYPES);
    let member = match type_ {
        "Resource" => "resource",
        "Pods" => "pods",
        "Object" => "object",
        "External" => "external",
        "ContainerResource" => "containerResource",
        _ => return,
    };
    let (source, at) = (&metric[member], place.field(member));
    if source.is_null() {
        return report.required(&at, "must populate information for the given metric source");
    }
    if member != "resource" {
        return;
    }
    if text(source, "name").is_empty() {
        report.required(&at.field("name"), "must specify a resource name");
    }
    let (target, target_place) = (&source["target"], at.field("target"));
    let utilization = target["averageUtilization"].as_i64();
    if utilization.is_some_and(|percent| percent < 1) {
        report.invalid(&target_place.field("averageUtilization"), &json!(utilization), "must be greater than 0");
    }
}
