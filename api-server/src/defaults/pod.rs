//! The defaults of Pods and of the templates of Pods.

use serde_json::{Value, json};

use super::{copy_missing, each, is_unset, remove, set_value};

/// The taints that each Pod tolerates for some minutes.
const TOLERATED: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/// `SetDefaults_Pod`.
pub(super) fn set_pod(pod: &mut Value) {
    let spec = &mut pod["spec"];
    set_value(spec, "enableServiceLinks", true);
    if spec["terminationGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds < 0) {
        spec["terminationGracePeriodSeconds"] = 1.into();
    }
    let uses_ports_of_host = spec["hostNetwork"] == true;
    for list in ["/containers", "/initContainers"] {
        each(spec, list, |container| {
            container.get_mut("resources").into_iter().for_each(|it| copy_missing(it, "limits", "requests"));
            if uses_ports_of_host {
                each(container, "/ports", |port| {
                    if is_unset(&port["hostPort"]) {
                        port["hostPort"] = port["containerPort"].clone();
                    }
                });
            }
        });
    }
}

/// Sets what the admission plugins of the server set in a Pod.
pub(super) fn admit(spec: &mut Value) {
    set_value(spec, "preemptionPolicy", "PreemptLowerPriority");
    set_value(spec, "priority", 0);
    for key in TOLERATED {
        set_value(spec, "tolerations", json!([]));
        if let Some(Value::Array(tolerations)) = spec.get_mut("tolerations")
            && !tolerations.iter().any(|toleration| toleration["key"] == key)
        {
            let effect = json!({ "effect": "NoExecute", "key": key, "operator": "Exists", "tolerationSeconds": 300 });
            tolerations.push(effect);
        }
    }
}

pub(super) fn initialize(pod: &mut Value) {
    pod["status"] = json!({ "phase": "Pending", "qosClass": quality_of_service(pod) });
    if pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty()) {
        pod["status"]["conditions"] = json!([{
            "type": "PodScheduled", "status": "False", "lastProbeTime": null,
            "lastTransitionTime": pod["metadata"]["creationTimestamp"], "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
        }]);
    }
}

/// `SetDefaults_PodSpec`.
pub(super) fn set_spec(spec: &mut Value) {
    if is_unset(&spec["serviceAccountName"]) {
        spec["serviceAccountName"] = spec["serviceAccount"].clone();
    }
    if is_unset(&spec["serviceAccountName"]) {
        remove(spec, "serviceAccountName");
        remove(spec, "serviceAccount");
    } else {
        spec["serviceAccount"] = spec["serviceAccountName"].clone();
    }
    set_value(spec, "securityContext", json!({}));
}

/// `SetDefaults_PodStatus`.
pub(super) fn set_status(status: &mut Value) {
    if let Some(address) = status["podIP"].as_str().map(str::to_owned) {
        if status["podIPs"][0]["ip"] != address.as_str() {
            status["podIPs"] = json!([{ "ip": address }]);
        }
    } else if let Some(first) = status["podIPs"][0].get("ip").cloned() {
        status["podIP"] = first;
    }
}

/// `SetDefaults_Container`.
pub(super) fn set_container(container: &mut Value) {
    let policy = pull_policy(container["image"].as_str().unwrap_or_default());
    set_value(container, "imagePullPolicy", policy);
}

/// A part of `SetDefaults_Volume`.
pub(super) fn set_image_volume(image: &mut Value) {
    let policy = pull_policy(image["reference"].as_str().unwrap_or_default());
    set_value(image, "pullPolicy", policy);
}

/// An image without a tag and a digest is the latest one.
fn pull_policy(image: &str) -> &'static str {
    let name = image.rsplit('/').next().unwrap_or_default();
    // What is no reference to an image has no tag.
    let is_malformed = name.split([':', '@']).next().is_none_or(|name| {
        name.is_empty() || name.contains(|letter: char| letter.is_ascii_uppercase() || letter.is_whitespace())
    });
    let is_latest = !is_malformed && !image.contains('@') && (!name.contains(':') || name.ends_with(":latest"));
    if is_latest { "Always" } else { "IfNotPresent" }
}

/// `SetDefaults_Volume`.
pub(super) fn set_volume(volume: &mut Value) {
    if volume.as_object().is_some_and(|members| members.keys().all(|name| name == "name")) {
        set_value(volume, "emptyDir", json!({}));
    }
}

/// Returns the quality of service, by what the containers request of the processor and the memory.
pub(crate) fn quality_of_service(pod: &Value) -> &'static str {
    let lists = ["containers", "initContainers"].map(|name| pod["spec"][name].as_array());
    let containers: Vec<_> = lists.into_iter().flatten().flatten().collect();
    let quantity = |container: &Value, part: &str, name: &str| container["resources"][part][name].clone();
    let is_guaranteed = |container: &&Value| {
        ["cpu", "memory"].iter().all(|name| {
            let limit = quantity(container, "limits", name);
            !limit.is_null() && limit == quantity(container, "requests", name)
        })
    };
    let requests_any = |container: &&Value| {
        let parts = ["limits", "requests"].into_iter();
        parts.flat_map(|part| ["cpu", "memory"].map(|name| quantity(container, part, name))).any(|it| !it.is_null())
    };
    match () {
        () if !containers.is_empty() && containers.iter().all(is_guaranteed) => "Guaranteed",
        () if containers.iter().any(requests_any) => "Burstable",
        () => "BestEffort",
    }
}
