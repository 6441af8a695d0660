//! Volumes, their claims and classes, limits and quotas.

use std::collections::BTreeSet;

use crdkit_core::cel::Quantity;
use serde_json::{Value, json};

use super::{Change, common, each, items};
use crate::{
    validation::report::{Place, Report},
    value::text,
};

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
/// The sources of volumes, which are fields of the spec.
const SOURCES: [&str; 21] = [
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "csi",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "glusterfs",
    "hostPath",
    "iscsi",
    "local",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
];
/// The resources of quotas whose names have one part.
const QUOTA_RESOURCES: [&str; 10] = [
    "configmaps",
    "cpu",
    "memory",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "storage",
];
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
        Quantity::parse(if size.is_empty() { "0" } else { size }).ok()
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
        report.unsupported_struct(&place.field("capacity"), spec["capacity"].to_string(), &["storage"]);
    }
    let path = &spec["hostPath"]["path"];
    if spec["hostPath"].is_object() && path.as_str().is_none_or(str::is_empty) {
        report.required(&place.field("hostPath").field("path"), "");
    }
    if !SOURCES.iter().any(|source| spec[*source].is_object()) {
        report.required(&place, "must specify a volume type");
    }
    for (name, quantity) in capacity.into_iter().flatten() {
        positive(report, &place.field("capacity").key(name), quantity);
    }
    if change.old.is_some_and(|old| SOURCES.iter().any(|source| old["spec"][*source] != spec[*source])) {
        // The real server adds a difference in Go's form.
        let detail = "spec.persistentvolumesource is immutable after creation\n";
        report.forbidden(&place.field("persistentvolumesource"), detail);
    }
    if let Some(old) = change.old {
        report.immutable(&Place::Root.field("volumeMode"), &old["spec"]["volumeMode"], &spec["volumeMode"]);
    }
    let policies = ["Delete", "Recycle", "Retain"];
    report.one_of(&place.field("persistentVolumeReclaimPolicy"), &spec["persistentVolumeReclaimPolicy"], &policies);
    if !text(spec, "storageClassName").is_empty() {
        common::subdomain(report, &place.field("storageClassName"), text(spec, "storageClassName"));
    }
    report.one_of(&place.field("volumeMode"), &spec["volumeMode"], &VOLUME_MODES);
}

/// `ValidateStorageClass`, `ValidateStorageClassUpdate`.
pub(super) fn storage_class(report: &mut Report, change: &Change<'_>) {
    let (root, class) = (Place::Root, change.new);
    match text(class, "provisioner") {
        "" => report.required(&root.field("provisioner"), ""),
        name => common::label_name(report, &root.field("provisioner"), &name.to_lowercase()),
    }
    report.one_of(&root.field("reclaimPolicy"), &class["reclaimPolicy"], &["Delete", "Retain"]);
    let modes = ["Immediate", "WaitForFirstConsumer"];
    report.one_of(&root.field("volumeBindingMode"), &class["volumeBindingMode"], &modes);
    let Some(old) = change.old else { return };
    // The declarative rules of the server do not show the value.
    for name in ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] {
        if old[name] != class[name] {
            report.invalid(&root.field(name), &Value::Null, "field is immutable");
        }
    }
}

/// `ValidateLimitRange`, without ratios.
pub(super) fn limit_range(report: &mut Report, change: &Change<'_>) {
    let spec = Place::Root.field("spec");
    let mut types = BTreeSet::new();
    each(&spec.field("limits"), &change.spec()["limits"], |place, limit| {
        let type_ = text(limit, "type");
        common::label_name(report, &place.field("type"), type_);
        if !types.insert(type_.to_owned()) {
            report.duplicate(&place.field("type"), &json!(type_));
        }
        for name in ["default", "defaultRequest"].into_iter().filter(|name| type_ == "Pod" && !limit[*name].is_null()) {
            report.forbidden(&place.field(name), "may not be specified when `type` is 'Pod'");
        }
        let has_storage = ["min", "max"].iter().any(|name| limit[*name].get("storage").is_some());
        if type_ == "PersistentVolumeClaim" && !has_storage {
            let detail = "either minimum or maximum storage value is required, but neither was provided";
            report.required(&place.field("limits"), detail);
        }
        for list in ["max", "min", "default", "defaultRequest"] {
            for name in limit[list].as_object().into_iter().flatten().map(|(name, _)| name) {
                if type_ == "Container" {
                    super::container::resource_name(report, &place.field(list).key(name), name);
                }
            }
        }
        limit_order(report, place, limit);
    });
}

/// A bound of a LimitRange: its field, and its name in messages.
type Bound = (&'static str, &'static str);

fn limit_order(report: &mut Report, place: &Place<'_>, limit: &Value) {
    const MIN: Bound = ("min", "min value");
    const MAX: Bound = ("max", "max value");
    const DEFAULT: Bound = ("default", "default value");
    const REQUEST: Bound = ("defaultRequest", "default request value");
    // What is less, what is more, where the error is, and which of them it shows.
    let pairs = [
        (MIN, MAX, "min", "min"),
        (MIN, REQUEST, "defaultRequest", "defaultRequest"),
        (REQUEST, MAX, "defaultRequest", "defaultRequest"),
        (REQUEST, ("default", "default limit value"), "defaultRequest", "defaultRequest"),
        (MIN, DEFAULT, "default", "min"),
        (DEFAULT, MAX, "default", "max"),
    ];
    for ((less, less_name), (more, more_name), at, shown) in pairs {
        for (name, value) in limit[less].as_object().into_iter().flatten() {
            let (Some(value), Some(bound)) = (value.as_str(), limit[more].get(name).and_then(Value::as_str)) else {
                continue;
            };
            let is_more = Quantity::parse(value)
                .is_ok_and(|value| Quantity::parse(bound).is_ok_and(|bound| value.order(&bound).is_gt()));
            if is_more {
                let detail = format!("{less_name} {value} is greater than {more_name} {bound}");
                report.invalid(&place.field(at).key(name), &limit[shown][name], detail);
            }
        }
    }
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
        if !name.contains(['/', '.', '-']) && !QUOTA_RESOURCES.contains(&name.as_str()) {
            report.invalid_text(&hard.key(name), name, "must be a standard resource type or fully qualified");
            report.invalid_text(&hard.key(name), name, "must be a standard resource for quota");
        }
        if Quantity::parse(text).is_ok_and(|amount| amount.sign() < 0) {
            report.invalid(&hard.key(name), quantity, "must be greater than or equal to 0");
        }
    }
}
