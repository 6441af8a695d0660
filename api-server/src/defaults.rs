//! The defaults of built-in kinds that operators write, and the first status of their objects.

use serde_json::{Value, json};

use super::{kinds, resource::Resource};

mod pod;

/// The defaults of kinds: the kind, the path of a field, and its value in JSON.
const DEFAULTS: &[(&str, &str, &str)] = &[
    ("CronJob", "spec.concurrencyPolicy", r#""Allow""#),
    ("CronJob", "spec.failedJobsHistoryLimit", "1"),
    ("CronJob", "spec.successfulJobsHistoryLimit", "3"),
    ("CronJob", "spec.suspend", "false"),
    ("CronJob", "spec.jobTemplate.metadata", "{}"),
    ("CronJob", "spec.jobTemplate.spec.template.metadata", "{}"),
    ("DaemonSet", "spec.revisionHistoryLimit", "10"),
    ("DaemonSet", "spec.updateStrategy.type", r#""RollingUpdate""#),
    ("Deployment", "spec.progressDeadlineSeconds", "600"),
    ("Deployment", "spec.replicas", "1"),
    ("Deployment", "spec.revisionHistoryLimit", "10"),
    ("Deployment", "spec.strategy.type", r#""RollingUpdate""#),
    ("HorizontalPodAutoscaler", "spec.minReplicas", "1"),
    ("Job", "spec.backoffLimit", "6"),
    ("Job", "spec.completionMode", r#""NonIndexed""#),
    ("Job", "spec.podReplacementPolicy", r#""TerminatingOrFailed""#),
    ("Job", "spec.manualSelector", "false"),
    ("Job", "spec.suspend", "false"),
    ("PersistentVolumeClaim", "spec.volumeMode", r#""Filesystem""#),
    ("ReplicaSet", "spec.replicas", "1"),
    ("Secret", "type", r#""Opaque""#),
    ("Service", "spec.sessionAffinity", r#""None""#),
    ("Service", "spec.type", r#""ClusterIP""#),
    ("StatefulSet", "spec.persistentVolumeClaimRetentionPolicy.whenDeleted", r#""Retain""#),
    ("StatefulSet", "spec.persistentVolumeClaimRetentionPolicy.whenScaled", r#""Retain""#),
    ("StatefulSet", "spec.podManagementPolicy", r#""OrderedReady""#),
    ("StatefulSet", "spec.replicas", "1"),
    ("StatefulSet", "spec.revisionHistoryLimit", "10"),
    ("StatefulSet", "spec.updateStrategy.type", r#""RollingUpdate""#),
    ("StorageClass", "reclaimPolicy", r#""Delete""#),
    ("StorageClass", "volumeBindingMode", r#""Immediate""#),
];

/// The defaults of rolling updates: the kind, the path of the strategy, and the fields.
const ROLLING_UPDATES: &[(&str, &str, &str)] = &[
    ("DaemonSet", "updateStrategy", r#"{"maxSurge":0,"maxUnavailable":1}"#),
    ("Deployment", "strategy", r#"{"maxSurge":"25%","maxUnavailable":"25%"}"#),
    ("StatefulSet", "updateStrategy", r#"{"maxUnavailable":1,"partition":0}"#),
];

/// Sets the defaults of a built-in kind.
pub(super) fn set(resource: &Resource, object: &mut Value) {
    let kind = resource.names.kind.as_str();
    kinds::remove_omitted(object, &resource.group, kind);
    if kind == "Secret" {
        encode_string_data(object);
    }
    if kind == "Event"
        && let Some(empty) = kinds::empty(&resource.group, kinds::version(object), kind)
    {
        empty.read.iter().for_each(|(name, value)| set_value(object, name, value.clone()));
    }
    let has_spec = object["spec"].is_object();
    let is_set = |path: &str| has_spec || !path.starts_with("spec.");
    for (_, path, value) in DEFAULTS.iter().filter(|(of, path, _)| *of == kind && is_set(path)) {
        set_path(object, path, value);
    }
    let Some(spec) = object.get_mut("spec").filter(|_| has_spec) else {
        return;
    };
    for (_, strategy, fields) in ROLLING_UPDATES.iter().filter(|(of, ..)| *of == kind) {
        spec.get_mut(*strategy).into_iter().for_each(|strategy| set_rolling_update(strategy, fields));
    }
    match kind {
        "Pod" => pod::set_pod(spec),
        "DaemonSet" | "Deployment" | "ReplicaSet" => set_template(spec, "/template/spec"),
        "StatefulSet" => {
            set_template(spec, "/template/spec");
            each(spec, "/volumeClaimTemplates", set_claim_template);
        }
        "Job" => {
            set_job_counts(spec);
            set_template(spec, "/template/spec");
        }
        "CronJob" => set_template(spec, "/jobTemplate/spec/template/spec"),
        "Service" => set_service(spec),
        "NetworkPolicy" => set_policy_types(spec),
        "APIService" => spec.pointer_mut("/service").into_iter().for_each(|service| set_value(service, "port", 443)),
        _ => {}
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

fn set_template(spec: &mut Value, pointer: &str) {
    spec.pointer_mut(pointer).into_iter().for_each(pod::set_spec);
}

fn set_claim_template(claim: &mut Value) {
    set_value(claim, "apiVersion", "v1");
    set_value(claim, "kind", "PersistentVolumeClaim");
    set_path(claim, "spec.volumeMode", r#""Filesystem""#);
    set_path(claim, "status.phase", r#""Pending""#);
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
        "Service" => assign_cluster_ip(object),
        "APIService" => set_available(object),
        "DaemonSet" => {
            insert(object, &["metadata", "annotations"], "deprecated.daemonset.template.generation", "1".into());
        }
        "PersistentVolumeClaim" => {
            object["status"]["phase"] = "Pending".into();
            insert(object, &["metadata"], "finalizers", json!(["kubernetes.io/pvc-protection"]));
        }
        _ => {}
    }
}

fn parse(json: &str) -> Value {
    serde_json::from_str(json).expect("the tables have JSON")
}

/// Sets a member that is absent or null.
fn set_value(object: &mut Value, name: &str, value: impl Into<Value>) {
    if let Value::Object(members) = object
        && members.get(name).is_none_or(Value::is_null)
    {
        members.insert(name.to_owned(), value.into());
    }
}

/// Sets a field that is absent or null, and its parents.
fn set_path(object: &mut Value, path: &str, value: &str) {
    match path.split_once('.') {
        Some((first, rest)) => {
            set_value(object, first, json!({}));
            object.get_mut(first).into_iter().for_each(|child| set_path(child, rest, value));
        }
        None => set_value(object, path, parse(value)),
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

/// Changes each item of a list.
fn each(object: &mut Value, pointer: &str, change: impl FnMut(&mut Value)) {
    let items = object.pointer_mut(pointer).and_then(Value::as_array_mut);
    items.into_iter().flatten().for_each(change);
}

fn set_rolling_update(strategy: &mut Value, fields: &str) {
    if strategy["type"] == "RollingUpdate" {
        set_value(strategy, "rollingUpdate", json!({}));
        for (name, value) in parse(fields).as_object().into_iter().flatten() {
            strategy.get_mut("rollingUpdate").into_iter().for_each(|update| set_value(update, name, value.clone()));
        }
    }
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

/// A job without counts runs one Pod; with a parallelism alone, it is a work queue.
fn set_job_counts(spec: &mut Value) {
    if spec["parallelism"].is_null() {
        set_value(spec, "completions", 1);
    }
    set_value(spec, "parallelism", 1);
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
    let selector = json!({ "matchLabels": { "batch.kubernetes.io/controller-uid": uid } });
    insert(object, &["spec"], "selector", selector);
}

fn set_service(spec: &mut Value) {
    let type_ = spec["type"].as_str().unwrap_or_default().to_owned();
    each(spec, "/ports", |port| {
        set_value(port, "protocol", "TCP");
        set_value(port, "targetPort", port["port"].clone());
    });
    if type_ == "LoadBalancer" {
        set_value(spec, "allocateLoadBalancerNodePorts", true);
    }
    if type_ == "LoadBalancer" || type_ == "NodePort" {
        set_value(spec, "externalTrafficPolicy", "Cluster");
    }
    if type_ != "ExternalName" {
        set_value(spec, "internalTrafficPolicy", "Cluster");
    }
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

/// Assigns an address that depends on the UID, since no other part of the server uses addresses.
fn assign_cluster_ip(object: &mut Value) {
    let spec = &object["spec"];
    if spec["type"] == "ExternalName" {
        return;
    }
    let uid = object["metadata"]["uid"].as_str().unwrap_or_default();
    let part = |range| u8::from_str_radix(uid.get(range).unwrap_or_default(), 16).unwrap_or_default();
    let address = format!("10.96.{}.{}", part(0..2), part(2..4).max(1));
    let Some(spec) = object.get_mut("spec").filter(|spec| spec.is_object()) else {
        return;
    };
    if matches!(spec["clusterIP"].as_str(), None | Some("")) {
        spec["clusterIP"] = address.into();
    }
    set_value(spec, "clusterIPs", json!([spec["clusterIP"]]));
    set_value(spec, "ipFamilies", json!(["IPv4"]));
    set_value(spec, "ipFamilyPolicy", "SingleStack");
}

fn set_policy_types(spec: &mut Value) {
    let egress = spec["egress"].as_array().is_some_and(|rules| !rules.is_empty()).then_some("Egress");
    let types: Vec<_> = ["Ingress"].into_iter().chain(egress).collect();
    set_value(spec, "policyTypes", json!(types));
    for rules in ["/ingress", "/egress"] {
        each(spec, rules, |rule| each(rule, "/ports", |port| set_value(port, "protocol", "TCP")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_json() {
        let values = DEFAULTS.iter().chain(ROLLING_UPDATES).map(|(_, _, value)| value);
        values.for_each(|value| drop(parse(value)));
    }

    #[test]
    fn parents_are_set_and_values_are_kept() {
        let mut object = json!({ "spec": { "replicas": 2 } });
        set_path(&mut object, "spec.replicas", "1");
        set_path(&mut object, "spec.strategy.type", r#""Recreate""#);
        assert_eq!(object, json!({ "spec": { "replicas": 2, "strategy": { "type": "Recreate" } } }));
    }
}
