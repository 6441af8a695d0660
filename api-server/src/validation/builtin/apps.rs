//! What runs Pods, of the group `apps`, and ReplicationControllers.

use crdkit_core::go;
use serde_json::{Value, json};

use super::{Change, common, each, items, pod};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

/// `ValidateDeployment`, `ValidateDeploymentUpdate`.
pub(super) fn deployment(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        let counts = [
            "replicas",
            "updatedReplicas",
            "readyReplicas",
            "availableReplicas",
            "unavailableReplicas",
            "collisionCount",
        ];
        return status(report, change, &counts, &["updatedReplicas", "readyReplicas", "availableReplicas"]);
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    report.non_negative(&place.field("replicas"), &spec["replicas"]);
    replicated(report, &place, spec, "deployment");
    deployment_strategy(report, &place.field("strategy"), &spec["strategy"]);
    report.all_non_negative(&place, spec, &["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"]);
    let [deadline, ready] = ["progressDeadlineSeconds", "minReadySeconds"].map(|name| spec[name].as_i64());
    if deadline.is_some_and(|deadline| deadline <= ready.unwrap_or_default()) {
        let place = place.field("progressDeadlineSeconds");
        report.invalid(&place, &json!(deadline), "must be greater than minReadySeconds");
    }
    immutable_selector(report, change);
}

/// `ValidateReplicaSet`, `ValidateReplicaSetUpdate`.
pub(super) fn replica_set(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        let counts = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
        return status(report, change, &counts, &counts[1..]);
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    report.all_non_negative(&place, spec, &["replicas", "minReadySeconds"]);
    replicated(report, &place, spec, "deployment");
    immutable_selector(report, change);
}

/// `ValidateStatefulSet`, `ValidateStatefulSetUpdate`.
pub(super) fn stateful_set(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        let counts = ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
        return status(report, change, &counts, &counts[1..]);
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    if !matches!(text(spec, "podManagementPolicy"), "OrderedReady" | "Parallel") {
        let detail = "must be 'OrderedReady' or 'Parallel'";
        report.invalid(&place.field("podManagementPolicy"), &spec["podManagementPolicy"], detail);
    }
    stateful_set_strategy(report, &place.field("updateStrategy"), &spec["updateStrategy"]);
    let (retention, retention_place) =
        ("persistentVolumeClaimRetentionPolicy", place.field("persistentVolumeClaimRetentionPolicy"));
    for name in ["whenDeleted", "whenScaled"] {
        report.one_of(&retention_place.field(name), &spec[retention][name], &["Retain", "Delete"]);
    }
    // They cannot change.
    if change.old.is_none() {
        each(&place.field("volumeClaimTemplates"), &spec["volumeClaimTemplates"], |place, claim| {
            super::storage::claim_spec(report, &place.field("spec"), &claim["spec"]);
        });
    }
    report.all_non_negative(&place, spec, &["replicas", "minReadySeconds"]);
    if !text(spec, "serviceName").is_empty() {
        common::label(report, &place.field("serviceName"), text(spec, "serviceName"));
    }
    selector(report, &place, spec, "statefulset");
    let mut template = spec["template"].clone();
    add_claims(&mut template["spec"], items(&spec["volumeClaimTemplates"]));
    templated(report, &place, spec, &template);
    restarts_always(report, &place, spec, "StatefulSet");
    if let Some(old) = change.old {
        let immutable = ["selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"];
        report.all_immutable(&place, &old["spec"], spec, &immutable);
    }
}

/// The claims of a StatefulSet are volumes of its Pods.
fn add_claims(spec: &mut Value, claims: &[Value]) {
    let Some(members) = spec.as_object_mut() else { return };
    ["hostname", "subdomain"].iter().for_each(|name| drop(members.remove(*name)));
    let names: Vec<_> = claims.iter().map(|claim| claim["metadata"]["name"].clone()).collect();
    let others = members.get("volumes").and_then(Value::as_array).into_iter().flatten();
    let others = others.filter(|volume| !names.contains(&volume["name"])).cloned();
    let claimed = names.iter().map(|name| json!({ "name": name, "persistentVolumeClaim": { "claimName": name } }));
    let volumes: Vec<_> = claimed.chain(others).collect();
    members.insert("volumes".to_owned(), volumes.into());
}

/// `ValidateDaemonSet`, `ValidateDaemonSetUpdate`.
pub(super) fn daemon_set(report: &mut Report, change: &Change<'_>) {
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    if change.is_of_status() {
        let counts = [
            "currentNumberScheduled",
            "numberMisscheduled",
            "desiredNumberScheduled",
            "numberReady",
            "updatedNumberScheduled",
            "numberAvailable",
            "numberUnavailable",
        ];
        return report.all_non_negative(&Place::Root.field("status"), &change.new["status"], &counts);
    }
    if let Some(old) = change.old {
        report.immutable(&place.field("selector"), &old["spec"]["selector"], &spec["selector"]);
    }
    common::label_selector(report, &place.field("selector"), &spec["selector"]);
    if common::is_usable_selector(&spec["selector"]) {
        common::matching_template(report, &place, spec, &spec["template"]);
    }
    if spec["selector"].is_object() && common::is_empty_selector(&spec["selector"]) {
        report.invalid(&place.field("selector"), &spec["selector"], "empty selector is invalid for daemonset");
    }
    pod::template_spec(report, &place.field("template"), &spec["template"]);
    restarts_always(report, &place, spec, "DaemonSet");
    report.non_negative(&place.field("minReadySeconds"), &spec["minReadySeconds"]);
    daemon_set_strategy(report, &place.field("updateStrategy"), &spec["updateStrategy"]);
    report.non_negative(&place.field("revisionHistoryLimit"), &spec["revisionHistoryLimit"]);
}

/// `ValidateReplicationController`.
pub(super) fn replication_controller(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        let counts = ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"];
        return status(report, change, &counts, &counts[1..]);
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    report.non_negative(&place.field("minReadySeconds"), &spec["minReadySeconds"]);
    if spec["selector"].as_object().is_none_or(|labels| labels.is_empty()) {
        report.required(&place.field("selector"), "");
    }
    report.non_negative(&place.field("replicas"), &spec["replicas"]);
    if spec["template"].is_null() {
        return report.required(&place.field("template"), "");
    }
    let selector = json!({ "matchLabels": spec["selector"] });
    common::matching_labels(report, &place.field("template"), &selector, &spec["template"]);
    pod::template_spec(report, &place.field("template"), &spec["template"]);
    restarts_always(report, &place, spec, "ReplicationController");
}

/// `ValidateControllerRevision`, `ValidateControllerRevisionUpdate`.
pub(super) fn controller_revision(report: &mut Report, change: &Change<'_>) {
    let (root, revision) = (Place::Root, change.new);
    report.non_negative(&root.field("revision"), &revision["revision"]);
    if let Some(old) = change.old {
        // The declarative rules of the server show no other error of a field that cannot change.
        return report.immutable(&root.field("data"), &old["data"], &revision["data"]);
    }
    match &revision["data"] {
        Value::Null => report.required(&root.field("data"), "data is mandatory"),
        Value::Object(_) => {}
        _ => report.required(&root.field("data"), "data must be a valid JSON object"),
    }
}

/// A selector, and a template with its labels, of Deployments and ReplicaSets.
fn replicated(report: &mut Report, place: &Place<'_>, spec: &Value, kind: &str) {
    selector(report, place, spec, kind);
    templated(report, place, spec, &spec["template"]);
    if common::is_usable_selector(&spec["selector"]) {
        // Messages of Deployments have this kind too.
        restarts_always(report, place, spec, "ReplicaSet");
    }
}

fn selector(report: &mut Report, place: &Place<'_>, spec: &Value, kind: &str) {
    let (place, selector) = (place.field("selector"), &spec["selector"]);
    if selector.is_null() {
        return report.required(&place, "");
    }
    common::label_selector(report, &place, selector);
    if common::is_empty_selector(selector) {
        report.invalid(&place, selector, format!("empty selector is invalid for {kind}"));
    }
}

/// A template with labels that a selector matches.
fn templated(report: &mut Report, place: &Place<'_>, spec: &Value, template: &Value) {
    if !common::is_usable_selector(&spec["selector"]) {
        let detail = if text(spec, "serviceName").is_empty() { "invalid label selector" } else { "" };
        return report.invalid(&place.field("selector"), &spec["selector"], detail);
    }
    common::matching_template(report, place, spec, template);
    pod::template_spec(report, &place.field("template"), template);
}

fn restarts_always(report: &mut Report, place: &Place<'_>, spec: &Value, kind: &str) {
    let (template, pod) = (place.field("template"), &spec["template"]["spec"]);
    let place = template.field("spec");
    if pod["restartPolicy"] != "Always" {
        report.not_supported(&place.field("restartPolicy"), &pod["restartPolicy"], &["Always"]);
    }
    if !pod["activeDeadlineSeconds"].is_null() {
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        report.forbidden(&place.field("activeDeadlineSeconds"), detail);
    }
}

fn immutable_selector(report: &mut Report, change: &Change<'_>) {
    if let Some(old) = change.old {
        let spec = Place::Root.field("spec");
        report.immutable(&spec.field("selector"), &old["spec"]["selector"], &change.spec()["selector"]);
    }
}

/// Returns a strategy of an unknown type as the internal type of the server prints it.
fn shown_strategy(type_: &str, update: &Value) -> String {
    let update = match update {
        Value::Null => "null".to_owned(),
        update if update["partition"].is_null() => {
            format!(r#"{{"MaxUnavailable":{},"MaxSurge":{}}}"#, update["maxUnavailable"], update["maxSurge"])
        }
        update => shown_partition(update),
    };
    format!(r#"{{"Type":{},"RollingUpdate":{update}}}"#, go::quote(type_))
}

fn shown_partition(update: &Value) -> String {
    format!(r#"{{"Partition":{},"MaxUnavailable":{}}}"#, update["partition"], update["maxUnavailable"])
}

/// `ValidateDeploymentStrategy`.
fn deployment_strategy(report: &mut Report, place: &Place<'_>, strategy: &Value) {
    let (update, at) = (&strategy["rollingUpdate"], place.field("rollingUpdate"));
    match text(strategy, "type") {
        "Recreate" if !update.is_null() => {
            report.forbidden(&at, "may not be specified when strategy `type` is 'Recreate'");
        }
        "Recreate" => {}
        "RollingUpdate" => {
            let (unavailable, surge) = (&update["maxUnavailable"], &update["maxSurge"]);
            common::int_or_percent(report, &at.field("maxUnavailable"), unavailable);
            common::int_or_percent(report, &at.field("maxSurge"), surge);
            if common::is_zero_or_none(unavailable) && common::is_zero_or_none(surge) {
                report.invalid(&at.field("maxUnavailable"), unavailable, "may not be 0 when `maxSurge` is 0");
            }
            common::at_most_all(report, &at.field("maxUnavailable"), unavailable);
        }
        type_ => {
            report.unsupported_struct(place, shown_strategy(type_, update), &["Recreate", "RollingUpdate"]);
        }
    }
}

/// `ValidateDaemonSetUpdateStrategy`.
fn daemon_set_strategy(report: &mut Report, place: &Place<'_>, strategy: &Value) {
    let (update, at) = (&strategy["rollingUpdate"], place.field("rollingUpdate"));
    match text(strategy, "type") {
        "OnDelete" => {}
        "RollingUpdate" => {
            let (unavailable, surge) = (&update["maxUnavailable"], &update["maxSurge"]);
            common::int_or_percent(report, &at.field("maxUnavailable"), unavailable);
            common::int_or_percent(report, &at.field("maxSurge"), surge);
            common::at_most_all(report, &at.field("maxUnavailable"), unavailable);
            common::at_most_all(report, &at.field("maxSurge"), surge);
            match (common::is_zero_or_none(unavailable), common::is_zero_or_none(surge)) {
                (false, false) => {
                    report.invalid(&at.field("maxSurge"), surge, "may not be set when maxUnavailable is non-zero");
                }
                (true, true) => report.required(&at.field("maxUnavailable"), "cannot be 0 when maxSurge is 0"),
                _ => {}
            }
        }
        type_ => {
            report.unsupported_struct(place, shown_strategy(type_, update), &["RollingUpdate", "OnDelete"]);
        }
    }
}

/// The strategy in `ValidateStatefulSetSpec`.
fn stateful_set_strategy(report: &mut Report, place: &Place<'_>, strategy: &Value) {
    let (update, at) = (&strategy["rollingUpdate"], place.field("rollingUpdate"));
    match text(strategy, "type") {
        "OnDelete" if !update.is_null() => {
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            report.invalid_struct(&at, shown_partition(update), detail);
        }
        "OnDelete" => {}
        "RollingUpdate" => {
            let unavailable = &update["maxUnavailable"];
            report.non_negative(&at.field("partition"), &update["partition"]);
            if !unavailable.is_null() {
                common::int_or_percent(report, &at.field("maxUnavailable"), unavailable);
                if common::is_zero_or_none(unavailable) {
                    report.invalid(&at.field("maxUnavailable"), unavailable, "cannot be 0");
                }
                common::at_most_all(report, &at.field("maxUnavailable"), unavailable);
            }
        }
        type_ => {
            let detail = "must be 'RollingUpdate' or 'OnDelete'";
            report.invalid_struct(place, shown_strategy(type_, update), detail);
        }
    }
}

/// The counts of a status, of which some are parts of `replicas`.
fn status(report: &mut Report, change: &Change<'_>, counts: &[&str], parts: &[&str]) {
    let (place, status) = (Place::Root.field("status"), &change.new["status"]);
    report.non_negative(&place.field("observedGeneration"), &status["observedGeneration"]);
    report.all_non_negative(&place, status, counts);
    pod::counts(report, &place, status, parts);
}
