//! Volumes, their claims and classes, limits and quotas.

use crdkit_core::cel::Quantity;
use serde_json::{Value, json};

use super::{Change, common, each, items};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: [&str; 2] = ["Block", "Filesystem"];

/// `ValidatePersistentVolumeClaim`, `ValidatePersistentVolumeClaimUpdate`. The real server adds a difference in Go's form to the
/// message about changes.
pub(super) fn persistent_volume_claim(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        return;
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    claim_spec(report, &place, spec);
    let Some(old) = change.old else { return };
    let is_bound = change.new["status"]["phase"] == "Bound";
    if without_mutable(&old["spec"], &old["spec"], is_bound) != without_mutable(spec, &old["spec"], is_bound) {
        report.forbidden(
            &place,
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n",
        );
    }
    let size = |object: &Value| {
        let size = text(&object["spec"]["resources"]["requests"], "storage");
        Quantity::parse(size).ok()
    };
    if let (Some(before), Some(after)) = (size(old), size(change.new))
        && after.order(&before).is_lt()
    {
        let status = text(&change.new["status"]["capacity"], "storage");
        if Quantity::parse(if status.is_empty() { "0" } else { status }).is_ok_and(|it| after.order(&it).is_le()) {
            let requests = place.field("resources");
            let requests = requests.field("requests");
            report.forbidden(&requests.field("storage"), "field can not be less than status.capacity");
        }
    }
    report.immutable(&Place::Root.field("volumeMode"), &old["spec"]["volumeMode"], &spec["volumeMode"]);
}

/// Returns the fields of a claim that cannot change.
fn without_mutable(spec: &Value, old: &Value, is_bound: bool) -> Value {
    let mut spec = spec.clone();
    let Some(members) = spec.as_object_mut() else { return spec };
    if text(old, "volumeName").is_empty() {
        members.remove("volumeName");
    }
    if is_bound {
        members.remove("volumeAttributesClassName");
        if let Some(Value::Object(requests)) = spec.pointer_mut("/resources/requests") {
            requests.remove("storage");
        }
    }
    spec
}

/// `ValidatePersistentVolumeClaimSpec`, without sources of data.
pub(super) fn claim_spec(report: &mut Report, place: &Place<'_>, spec: &Value) {
    if items(&spec["accessModes"]).is_empty() {
        report.required(&place.field("accessModes"), "at least 1 access mode is required");
    }
    common::label_selector(report, &place.field("selector"), &spec["selector"]);
    access_modes(report, &place.field("accessModes"), &spec["accessModes"]);
    let resources = place.field("resources");
    let storage = resources.key("storage");
    match spec["resources"]["requests"].get("storage") {
        None => report.required(&storage, ""),
        Some(size) => positive(report, &storage, size),
    }
    if !text(spec, "storageClassName").is_empty() {
        common::subdomain(report, &place.field("storageClassName"), text(spec, "storageClassName"));
    }
    report.one_of(&place.field("volumeMode"), &spec["volumeMode"], &VOLUME_MODES);
}

fn access_modes(report: &mut Report, place: &Place<'_>, modes: &Value) {
    for mode in items(modes) {
        report.one_of(place, mode, &ACCESS_MODES);
    }
    let has_pod_mode = items(modes).iter().any(|mode| mode == "ReadWriteOncePod");
    let has_other = items(modes).iter().any(|mode| ACCESS_MODES[..3].iter().any(|known| mode == known));
    if has_pod_mode && has_other {
        report.forbidden(place, "may not use ReadWriteOncePod with other access modes");
    }
}

fn positive(report: &mut Report, place: &Place<'_>, quantity: &Value) {
    let text = quantity.as_str().unwrap_or_default();
    if Quantity::parse(text).is_ok_and(|amount| amount.sign() <= 0) {
        report.invalid(place, quantity, "must be greater than zero");
    }
}

/// `ValidatePersistentVolume`, of the fields that all sources have.
pub(super) fn persistent_volume(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        return;
    }
    let (place, spec) = (Place::Root.field("spec"), change.spec());
    if items(&spec["accessModes"]).is_empty() {
        report.required(&place.field("accessModes"), "");
    }
    access_modes(report, &place.field("accessModes"), &spec["accessModes"]);
    let capacity = spec["capacity"].as_object();
    if capacity.is_none_or(|capacity| capacity.is_empty()) {
        report.required(&place.field("capacity"), "");
    }
    if capacity.is_none_or(|capacity| capacity.len() != 1 || !capacity.contains_key("storage")) {
        report.not_supported(&place.field("capacity"), &spec["capacity"], &["storage"]);
    }
    for (name, quantity) in capacity.into_iter().flatten() {
        positive(report, &place.field("capacity").key(name), quantity);
    }
    let policies = ["Delete", "Recycle", "Retain"];
    report.one_of(
        &place.field("persistentVolumeReclaimPolicy"),
        &spec["persistentVolumeReclaimPolicy"],
        &policies,
    );
    if !text(spec, "storageClassName").is_empty() {
        common::subdomain(report, &place.field("storageClassName"), text(spec, "storageClassName"));
    }
    report.one_of(&place.field("volumeMode"), &spec["volumeMode"], &VOLUME_MODES);
}

/// `ValidateStorageClass`, `ValidateStorageClassUpdate`.
pub(super) fn storage_class(report: &mut Report, change: &Change<'_>) {
    let (root, class) = (Place::Root, change.new);
    if text(class, "provisioner").is_empty() {
        report.required(&root.field("provisioner"), "");
    }
    report.one_of(&root.field("reclaimPolicy"), &class["reclaimPolicy"], &["Delete", "Retain"]);
    let modes = ["Immediate", "WaitForFirstConsumer"];
    report.one_of(&root.field("volumeBindingMode"), &class["volumeBindingMode"], &modes);
    let Some(old) = change.old else { return };
    if old["parameters"] != class["parameters"] {
        report.forbidden(&root.field("parameters"), "updates to parameters are forbidden.");
    }
    if old["provisioner"] != class["provisioner"] {
        report.forbidden(&root.field("provisioner"), "updates to provisioner are forbidden.");
    }
    if old["reclaimPolicy"] != class["reclaimPolicy"] {
        report.forbidden(&root.field("reclaimPolicy"), "updates to reclaimPolicy are forbidden.");
    }
    report.immutable(&root.field("volumeBindingMode"), &old["volumeBindingMode"], &class["volumeBindingMode"]);
}

/// `ValidateLimitRange`, of the order of the bounds.
pub(super) fn limit_range(report: &mut Report, change: &Change<'_>) {
    let spec = Place::Root.field("spec");
    each(&spec.field("limits"), &change.spec()["limits"], |place, limit| {
        let pairs = [("min", "max"), ("min", "default"), ("default", "max"), ("defaultRequest", "default")];
        for (less, more) in pairs {
            for (name, value) in limit[less].as_object().into_iter().flatten() {
                let Some(bound) = limit[more].get(name) else { continue };
                let parse = |value: &Value| Quantity::parse(value.as_str().unwrap_or_default()).ok();
                let (Some(amount), Some(limit)) = (parse(value), parse(bound)) else { continue };
                if amount.order(&limit).is_gt() {
                    let (amount, limit) = (value.as_str().unwrap_or_default(), bound.as_str().unwrap_or_default());
                    let detail = format!("{less} value {amount} is greater than {more} value {limit}");
                    report.invalid(&place.field(less).key(name), &json!(amount), detail);
                }
            }
        }
    });
}

/// `ValidateResourceQuota`, of the quantities.
pub(super) fn resource_quota(report: &mut Report, change: &Change<'_>) {
    if change.is_of_status() {
        return;
    }
    let spec = Place::Root.field("spec");
    let hard = spec.field("hard");
    for (name, quantity) in change.spec()["hard"].as_object().into_iter().flatten() {
        let text = quantity.as_str().unwrap_or_default();
        if Quantity::parse(text).is_ok_and(|amount| amount.sign() < 0) {
            report.invalid(&hard.key(name), quantity, "must be greater than or equal to 0");
        }
    }
}
