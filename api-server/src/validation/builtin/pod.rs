//! Pods and templates of Pods.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Change, common, container,
    container::{Containers, Role},
    each, items, number, pod_parts, pod_update, volume,
};
use crate::{
    validation::{
        WrittenPart,
        report::{Place, Report},
    },
    value::text,
};

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/// `ValidatePodCreate`, `ValidatePodUpdate`, and those of parts of a Pod.
pub(super) fn pod(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        return;
    }
    let place = Place::Root.field("spec");
    spec(report, &place, change.spec());
    if let Some(old) = change.old {
        match change.part {
            WrittenPart::EphemeralContainers => pod_parts::ephemeral_containers(report, old, change.new),
            WrittenPart::Resize => pod_parts::resize(report, old, change.new),
            _ => pod_update::pod_update(report, &place, &old["spec"], change.spec()),
        }
    } else if !items(&change.spec()["ephemeralContainers"]).is_empty() {
        report.forbidden(&place.field("ephemeralContainers"), "cannot be set on create");
    }
}

/// `ValidatePodTemplate`.
pub(super) fn pod_template(report: &mut Report, change: &Change<'_>) {
    template_spec(report, &Place::Root.field("template"), &change.new["template"]);
}

/// `ValidatePodTemplateSpec`.
pub(super) fn template_spec(report: &mut Report, place: &Place<'_>, template: &Value) {
    let metadata = &template["metadata"];
    common::labels(report, &place.field("labels"), &metadata["labels"]);
    common::annotations(report, &place.field("annotations"), &metadata["annotations"]);
    let spec_place = place.field("spec");
    spec(report, &spec_place, &template["spec"]);
    if !items(&template["spec"]["ephemeralContainers"]).is_empty() {
        report.forbidden(&spec_place.field("ephemeralContainers"), "ephemeral containers not allowed in pod template");
    }
}

/// `ValidatePodSpec`.
pub(super) fn spec(report: &mut Report, place: &Place<'_>, spec: &Value) {
    let volumes = volume::volumes(report, &place.field("volumes"), &spec["volumes"]);
    containers(report, place, spec, &volumes);
    if spec["hostNetwork"] == true {
        for list in ["containers", "initContainers"] {
            container::host_network_ports(report, &place.field(list), &spec[list]);
        }
    }
    report.required_one_of(&place.field("restartPolicy"), &spec["restartPolicy"], &["Always", "OnFailure", "Never"]);
    let dns_policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    report.required_one_of(&place.field("dnsPolicy"), &spec["dnsPolicy"], &dns_policies);
    common::labels(report, &place.field("nodeSelector"), &spec["nodeSelector"]);
    security_context(report, &place.field("securityContext"), &spec["securityContext"]);
    each(&place.field("imagePullSecrets"), &spec["imagePullSecrets"], |place, secret| {
        if text(secret, "name").is_empty() {
            report.required(&place.field("name"), "");
        }
    });
    let named = ["serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"];
    for name in named.into_iter().filter(|name| !text(spec, name).is_empty()) {
        common::subdomain(report, &place.field(name), text(spec, name));
    }
    if let Some(seconds) = spec["activeDeadlineSeconds"].as_i64()
        && !(1..=i64::from(i32::MAX)).contains(&seconds)
    {
        let detail = "must be between 1 and 2147483647, inclusive";
        report.invalid(&place.field("activeDeadlineSeconds"), &json!(seconds), detail);
    }
    for name in ["hostname", "subdomain"].into_iter().filter(|name| !text(spec, name).is_empty()) {
        common::label(report, &place.field(name), text(spec, name));
    }
    tolerations(report, &place.field("tolerations"), &spec["tolerations"]);
    report.one_of(&place.field("preemptionPolicy"), &spec["preemptionPolicy"], &["PreemptLowerPriority", "Never"]);
}

fn containers(report: &mut Report, place: &Place<'_>, spec: &Value, volumes: &BTreeSet<&str>) {
    let context = Containers { volumes, grace_period: spec["terminationGracePeriodSeconds"].as_i64() };
    let (list, init) = (place.field("containers"), place.field("initContainers"));
    if items(&spec["containers"]).is_empty() {
        report.required(&list, "");
    }
    let mut names = BTreeSet::new();
    each(&list, &spec["containers"], |place, item| {
        context.container(report, place, item, Role::Regular);
        if !names.insert(text(item, "name").to_owned()) {
            report.duplicate(&place.field("name"), &item["name"]);
        }
    });
    container::host_port_conflicts(report, &list, items(&spec["containers"]));
    each(&init, &spec["initContainers"], |place, item| {
        context.container(report, place, item, Role::Init);
        let name = text(item, "name");
        if !name.is_empty() && !names.insert(name.to_owned()) {
            report.duplicate(&place.field("name"), &item["name"]);
        }
        container::host_port_conflicts(report, &init, std::slice::from_ref(item));
    });
    let others = names.clone();
    each(&place.field("ephemeralContainers"), &spec["ephemeralContainers"], |place, item| {
        context.container(report, place, item, Role::Ephemeral);
        if !names.insert(text(item, "name").to_owned()) {
            report.duplicate(&place.field("name"), &item["name"]);
        }
        let target = text(item, "targetContainerName");
        if !target.is_empty() && !others.contains(target) {
            report.not_found(&place.field("targetContainerName"), target);
        }
        container::only_ephemeral_fields(report, place, item);
    });
}

/// `validatePodSpecSecurityContext`, without sysctls and profiles.
fn security_context(report: &mut Report, place: &Place<'_>, context: &Value) {
    for name in ["fsGroup", "runAsGroup", "runAsUser"] {
        container::user_id(report, &place.field(name), &context[name]);
    }
    each(&place.field("supplementalGroups"), &context["supplementalGroups"], |place, group| {
        container::user_id(report, place, group);
    });
}

/// `ValidateTolerations`.
fn tolerations(report: &mut Report, place: &Place<'_>, tolerations: &Value) {
    each(place, tolerations, |place, toleration| {
        let (key, operator, value) = (text(toleration, "key"), text(toleration, "operator"), text(toleration, "value"));
        let (operator_place, effect_place) = (place.field("operator"), place.field("effect"));
        if !key.is_empty() {
            common::label_name(report, &place.field("key"), key);
        }
        if key.is_empty() && operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            report.invalid_text(&operator_place, operator, detail);
        }
        if !toleration["tolerationSeconds"].is_null() && toleration["effect"] != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            report.invalid_text(&effect_place, text(toleration, "effect"), detail);
        }
        match operator {
            "Equal" | "" => common::label_value(report, &operator_place, value),
            "Exists" if !value.is_empty() => {
                report.invalid_text(&operator_place, value, "value must be empty when `operator` is 'Exists'");
            }
            "Exists" => {}
            _ => report.not_supported(&operator_place, &toleration["operator"], &["Equal", "Exists"]),
        }
        report.one_of(&effect_place, &toleration["effect"], &EFFECTS);
    });
}

/// `ValidateNonnegativeField` of a status and its sums.
pub(super) fn counts(report: &mut Report, place: &Place<'_>, status: &Value, parts: &[&str]) {
    for name in parts {
        if number(&status[*name]) > number(&status["replicas"]) {
            let value = json!(number(&status[*name]));
            report.invalid(&place.field(name), &value, "cannot be greater than status.replicas");
        }
    }
    if number(&status["availableReplicas"]) > number(&status["readyReplicas"]) {
        let value = json!(number(&status["availableReplicas"]));
        report.invalid(&place.field("availableReplicas"), &value, "cannot be greater than readyReplicas");
    }
}
