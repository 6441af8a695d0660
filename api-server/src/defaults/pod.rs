//! The defaults of Pods and of the templates of Pods.

use serde_json::{Value, json};

use super::{each, set_value};

/// The taints that each Pod tolerates for some minutes.
const TOLERATED: [&str; 2] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
/// The mode of the files in volumes: 0644.
const FILE_MODE: u32 = 420;

/// Sets the defaults of a Pod.
pub(super) fn set_pod(spec: &mut Value) {
    set_spec(spec);
    set_value(spec, "enableServiceLinks", true);
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
}

/// Sets the defaults of the spec of a Pod or a template.
pub(super) fn set_spec(spec: &mut Value) {
    set_value(spec, "dnsPolicy", "ClusterFirst");
    set_value(spec, "restartPolicy", "Always");
    set_value(spec, "schedulerName", "default-scheduler");
    set_value(spec, "securityContext", json!({}));
    set_value(spec, "terminationGracePeriodSeconds", 30);
    if let Some(account) = spec["serviceAccountName"].as_str().map(str::to_owned) {
        set_value(spec, "serviceAccount", account);
    }
    for list in ["/containers", "/initContainers", "/ephemeralContainers"] {
        each(spec, list, set_container);
    }
    each(spec, "/volumes", set_volume);
}

fn set_container(container: &mut Value) {
    let image = container["image"].as_str().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    // A digest is more specific than a tag.
    let is_latest = !image.contains('@') && (!name.contains(':') || name.ends_with(":latest"));
    set_value(container, "imagePullPolicy", if is_latest { "Always" } else { "IfNotPresent" });
    set_value(container, "resources", json!({}));
    set_value(container, "terminationMessagePath", "/dev/termination-log");
    set_value(container, "terminationMessagePolicy", "File");
    container.get_mut("resources").into_iter().for_each(set_requests);
    each(container, "/ports", |port| set_value(port, "protocol", "TCP"));
    each(container, "/env", |variable| {
        if let Some(field) = variable.pointer_mut("/valueFrom/fieldRef") {
            set_value(field, "apiVersion", "v1");
        }
    });
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(probe) = container.get_mut(probe) {
            set_probe(probe);
        }
    }
    for hook in ["/lifecycle/postStart/httpGet", "/lifecycle/preStop/httpGet"] {
        container.pointer_mut(hook).into_iter().for_each(set_http_get);
    }
}

/// What a container is limited to is also requested.
fn set_requests(resources: &mut Value) {
    let limits = resources["limits"].as_object().cloned().unwrap_or_default();
    for (name, quantity) in limits {
        set_value(resources, "requests", json!({}));
        resources.get_mut("requests").into_iter().for_each(|requests| set_value(requests, &name, quantity.clone()));
    }
}

fn set_probe(probe: &mut Value) {
    for (name, value) in
        [("failureThreshold", 3), ("periodSeconds", 10), ("successThreshold", 1), ("timeoutSeconds", 1)]
    {
        set_value(probe, name, value);
    }
    probe.pointer_mut("/httpGet").into_iter().for_each(set_http_get);
    probe.pointer_mut("/grpc").into_iter().for_each(|grpc| set_value(grpc, "service", ""));
}

fn set_http_get(action: &mut Value) {
    set_value(action, "path", "/");
    set_value(action, "scheme", "HTTP");
}

fn set_volume(volume: &mut Value) {
    if volume.as_object().is_some_and(|members| members.keys().all(|name| name == "name")) {
        set_value(volume, "emptyDir", json!({}));
    }
    for source in ["configMap", "secret", "projected", "downwardAPI"] {
        if let Some(source) = volume.get_mut(source) {
            set_value(source, "defaultMode", FILE_MODE);
        }
    }
    if let Some(path) = volume.get_mut("hostPath") {
        set_value(path, "type", "");
    }
    let set_field = |item: &mut Value| {
        if let Some(field) = item.get_mut("fieldRef") {
            set_value(field, "apiVersion", "v1");
        }
    };
    each(volume, "/downwardAPI/items", set_field);
    each(volume, "/projected/sources", |source| {
        if let Some(token) = source.get_mut("serviceAccountToken") {
            set_value(token, "expirationSeconds", 3600);
        }
        each(source, "/downwardAPI/items", set_field);
    });
}

/// Returns the quality of service, by what the containers request of the processor and the memory.
fn quality_of_service(pod: &Value) -> &'static str {
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
