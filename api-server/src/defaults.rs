//! The defaults of built-in kinds that depend on other fields, and the first status of their objects.
//!
//! Each function has the name of its source: `SetDefaults_…` of `pkg/apis/*/v*/defaults.go` in Kubernetes. Those that set constants
//! are data, `go_types.txt`.

use serde_json::{Value, json};

use super::{go_types, kinds, resource::Resource, types};

pub(super) mod pod;
mod service;
mod workload;

/// Keeps what the server has chosen for the old object, and counts changes of a template: `PrepareForUpdate` of the strategies.
pub(super) fn prepare_update(resource: &Resource, old: &Value, new: &mut Value) {
    match (resource.group.as_str(), resource.names.kind.as_str()) {
        ("", "Service") => service::keep_allocated(&old["spec"], &mut new["spec"]),
        ("apps", "DaemonSet") => workload::count_template(old, new),
        _ => {}
    }
}

/// Sets the defaults of a value of a type.
pub(super) type SetDefaults = fn(&mut Value);

/// Returns the function that sets the defaults of a type, such as `core/v1.Pod`.
pub(super) fn of_type(name: &str) -> Option<SetDefaults> {
    Some(match name {
        "apps/v1.DaemonSet" => workload::set_daemon_set,
        "apps/v1.Deployment" => workload::set_deployment,
        "apps/v1.StatefulSet" => workload::set_stateful_set,
        "autoscaling/v2.HorizontalPodAutoscaler" => workload::set_autoscaler,
        "batch/v1.Job" => workload::set_job,
        "core/v1.Container" | "core/v1.EphemeralContainer" => pod::set_container,
        "core/v1.ImageVolumeSource" => pod::set_image_volume,
        "core/v1.LimitRangeItem" => set_limit_range_item,
        "core/v1.NodeStatus" => set_node_status,
        "core/v1.Pod" => pod::set_pod,
        "core/v1.PodSpec" => pod::set_spec,
        "core/v1.PodStatus" => pod::set_status,
        "core/v1.Node" => set_node,
        "core/v1.PersistentVolume" => set_persistent_volume,
        "core/v1.ReplicationController" => workload::set_replication_controller,
        "core/v1.Service" => service::set_service,
        "core/v1.Volume" => pod::set_volume,
        "networking/v1.NetworkPolicy" => set_network_policy,
        "rbac/v1.Subject" => set_subject,
        "storage/v1.CSIDriver" => set_csi_driver,
        _ => return None,
    })
}

/// Sets the defaults of an object that was read as its type.
pub(super) fn set(resource: &Resource, object: &mut Value) {
    let kind = resource.names.kind.as_str();
    if kind == "Secret" {
        encode_string_data(object);
    }
    if kind == "Event"
        && let Some(empty) = kinds::empty(&resource.group, kinds::version(object), kind)
    {
        empty.read.iter().for_each(|(name, value)| set_value(object, name, value.clone()));
    }
    if resource.is_definition() {
        kinds::remove_omitted(object, &resource.group, kind);
        return;
    }
    if let Some(type_) = go_types::of_resource(&resource.group, kinds::version(object), kind) {
        types::complete(type_, object);
    }
}

/// Sets what the admission plugins of the server set, which no manager owns.
pub(super) fn admit(resource: &Resource, object: &mut Value) {
    if resource.names.kind == "Pod"
        && let Some(spec) = object.get_mut("spec").filter(|spec| spec.is_object())
    {
        pod::admit(spec);
    }
}

/// A new node is not ready, as the plugin `TaintNodesByCondition` has it.
fn add_taint(spec: &mut Value) {
    const KEY: &str = "node.kubernetes.io/not-ready";
    set_value(spec, "taints", json!([]));
    if let Some(Value::Array(taints)) = spec.get_mut("taints")
        && !taints.iter().any(|taint| taint["key"] == KEY)
    {
        taints.push(json!({ "key": KEY, "effect": "NoSchedule" }));
    }
}

/// Sets what the server sets in each new object of a built-in kind.
pub(super) fn initialize(resource: &Resource, object: &mut Value) {
    let kind = resource.names.kind.as_str();
    if object["status"].is_null()
        && !resource.is_definition()
        && let Some(empty) = kinds::empty(&resource.group, kinds::version(object), kind)
        && let Some(status) = empty.read.get("status")
    {
        object["status"] = status.clone();
    }
    match kind {
        "Pod" => pod::initialize(object),
        "Job" => select_pods_of_job(object),
        "Service" => service::assign_cluster_ip(object),
        "APIService" => set_available(object),
        "DaemonSet" => {
            insert(object, &["metadata", "annotations"], "deprecated.daemonset.template.generation", "1".into());
        }
        "Node" => object.get_mut("spec").into_iter().for_each(add_taint),
        "PersistentVolume" => {
            let now = object["metadata"]["creationTimestamp"].clone();
            object["status"] = json!({ "phase": "Pending", "lastPhaseTransitionTime": now });
            insert(object, &["metadata"], "finalizers", json!(["kubernetes.io/pv-protection"]));
        }
        "PersistentVolumeClaim" => {
            object["status"]["phase"] = "Pending".into();
            insert(object, &["metadata"], "finalizers", json!(["kubernetes.io/pvc-protection"]));
        }
        _ => {}
    }
}

/// Sets a member that is absent or null.
fn set_value(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Value::Object(members) = object
        && members.get(name).is_none_or(Value::is_null)
    {
        members.insert(name.to_owned(), value.into());
    }
}

/// Sets a member of a map that is created if it is absent. Does nothing if there is another value.
fn insert(object: &mut Value, path: &[&str], name: &str, value: Value) {
    match path {
        [first, rest @ ..] => {
            set_value(object, first, json!({}));
            object.get_mut(*first).into_iter().for_each(|child| insert(child, rest, name, value.clone()));
        }
        [] => drop(object.as_object_mut().map(|members| members.insert(name.to_owned(), value))),
    }
}

fn remove(object: &mut Value, name: &str) {
    object.as_object_mut().map(|members| members.remove(name));
}

/// Whether a value is one that Go cannot tell from an absent one.
fn is_unset(value: &Value) -> bool {
    value.is_null() || *value == "" || *value == 0
}

/// Changes each item of a list.
fn each(object: &mut Value, pointer: &str, change: impl FnMut(&mut Value)) {
    let items = object.pointer_mut(pointer).and_then(Value::as_array_mut);
    items.into_iter().flatten().for_each(change);
}

/// Moves the texts of a secret to its data.
fn encode_string_data(object: &mut Value) {
    let Some(Value::Object(texts)) = object.as_object_mut().and_then(|members| members.remove("stringData")) else {
        return;
    };
    for (name, text) in texts {
        let data = k8s_openapi::ByteString(text.as_str().unwrap_or_default().as_bytes().to_vec());
        insert(object, &["data"], &name, json!(data));
    }
}

fn select_pods_of_job(object: &mut Value) {
    if object["spec"]["manualSelector"] == true {
        return;
    }
    let [uid, name] = ["uid", "name"].map(|member| object["metadata"][member].clone());
    let labels = [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ];
    for (label, value) in labels {
        insert(object, &["metadata", "labels"], label, value.clone());
        insert(object, &["spec", "template", "metadata", "labels"], label, value.clone());
    }
    insert(object, &["spec", "selector", "matchLabels"], "batch.kubernetes.io/controller-uid", uid);
}

/// An API that no service serves is available.
fn set_available(object: &mut Value) {
    if object["spec"]["service"].is_null() {
        object["status"]["conditions"] = json!([{
            "type": "Available", "status": "True", "lastTransitionTime": object["metadata"]["creationTimestamp"],
            "reason": "Local", "message": "Local APIServices are always available",
        }]);
    }
}

/// `SetDefaults_LimitRangeItem`.
fn set_limit_range_item(item: &mut Value) {
    if item["type"] != "Container" {
        return;
    }
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        copy_missing(item, from, to);
    }
}

/// Copies the members of a map to another map, which keeps those that it has.
fn copy_missing(object: &mut Value, from: &str, to: &str) {
    for (name, value) in object[from].as_object().cloned().into_iter().flatten() {
        set_value(object, to, json!({}));
        object.get_mut(to).into_iter().for_each(|to| set_value(to, &name, value.clone()));
    }
}

/// `SetDefaults_NodeStatus`.
fn set_node_status(status: &mut Value) {
    if !status["capacity"].is_null() {
        let capacity = status["capacity"].clone();
        set_value(status, "allocatable", capacity);
    }
}

/// `Convert_v1_NodeSpec_To_core_NodeSpec` of `pkg/apis/core/v1/conversion.go`.
fn set_node(node: &mut Value) {
    let spec = &mut node["spec"];
    if is_unset(&spec["podCIDR"]) {
        if let Some(first) = spec["podCIDRs"].get(0).cloned() {
            spec["podCIDR"] = first;
        }
    } else if spec["podCIDRs"][0] != spec["podCIDR"] {
        spec["podCIDRs"] = json!([spec["podCIDR"]]);
    }
}

/// `SetDefaults_PersistentVolume`.
fn set_persistent_volume(volume: &mut Value) {
    set_value(&mut volume["spec"], "persistentVolumeReclaimPolicy", "Retain");
    set_value(&mut volume["spec"], "volumeMode", "Filesystem");
}

/// `SetDefaults_NetworkPolicy`.
fn set_network_policy(policy: &mut Value) {
    let spec = &mut policy["spec"];
    if spec["policyTypes"].as_array().is_none_or(Vec::is_empty) {
        let egress = spec["egress"].as_array().is_some_and(|rules| !rules.is_empty()).then_some("Egress");
        let types: Vec<_> = ["Ingress"].into_iter().chain(egress).collect();
        spec["policyTypes"] = json!(types);
    }
}

/// `SetDefaults_Subject`.
fn set_subject(subject: &mut Value) {
    if matches!(subject["kind"].as_str(), Some("User" | "Group")) {
        set_value(subject, "apiGroup", "rbac.authorization.k8s.io");
    }
}

/// `SetDefaults_CSIDriver`.
fn set_csi_driver(driver: &mut Value) {
    if driver["spec"]["volumeLifecycleModes"].as_array().is_none_or(Vec::is_empty) {
        driver["spec"]["volumeLifecycleModes"] = json!(["Persistent"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_depend_on_other_fields() {
        let mut item = json!({ "type": "Container", "max": { "cpu": "2" }, "min": { "memory": "1Gi" } });
        set_limit_range_item(&mut item);
        assert_eq!(item["default"], json!({ "cpu": "2" }));
        assert_eq!(item["defaultRequest"], json!({ "cpu": "2", "memory": "1Gi" }));
    }
}
