//! The defaults of what runs Pods.

use serde_json::{Value, json};

use super::{each, is_unset, set_value};

/// The annotation with the number of changes of a template.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// `SetDefaults_Deployment`.
pub(super) fn set_deployment(deployment: &mut Value) {
    set_rolling_update(&mut deployment["spec"], "strategy");
}

/// `SetDefaults_DaemonSet`.
pub(super) fn set_daemon_set(set: &mut Value) {
    set_rolling_update(&mut set["spec"], "updateStrategy");
    // `Convert_apps_DaemonSet_To_v1_DaemonSet` of `pkg/apis/apps/v1/conversion.go`.
    set_value(&mut set["metadata"], "annotations", json!({}));
    set_value(&mut set["metadata"]["annotations"], TEMPLATE_GENERATION, "0");
}

/// `PrepareForUpdate` of `pkg/registry/apps/daemonset/strategy.go`.
pub(super) fn count_template(old: &Value, new: &mut Value) {
    let generation = old["metadata"]["annotations"][TEMPLATE_GENERATION].as_str().and_then(|text| text.parse().ok());
    let changes = i64::from(old["spec"]["template"] != new["spec"]["template"]);
    let generation = generation.unwrap_or(0) + changes;
    new["metadata"]["annotations"][TEMPLATE_GENERATION] = generation.to_string().into();
}

/// `SetDefaults_StatefulSet`.
pub(super) fn set_stateful_set(set: &mut Value) {
    let spec = &mut set["spec"];
    // The parameters of a strategy that is chosen are not set.
    if is_unset(&spec["updateStrategy"]["type"]) {
        set_rolling_update(spec, "updateStrategy");
    }
    let is_rolling = spec["updateStrategy"]["type"] == "RollingUpdate";
    if let Some(update) = spec["updateStrategy"].get_mut("rollingUpdate").filter(|_| is_rolling) {
        set_value(update, "partition", 0);
        set_value(update, "maxUnavailable", 1);
    }
    set_value(spec, "persistentVolumeClaimRetentionPolicy", json!({}));
    each(spec, "/volumeClaimTemplates", |claim| {
        set_value(claim, "apiVersion", "v1");
        set_value(claim, "kind", "PersistentVolumeClaim");
    });
}

/// A rolling update, which is the default, has parameters.
fn set_rolling_update(spec: &mut Value, strategy: &str) {
    let strategy = &mut spec[strategy];
    if is_unset(&strategy["type"]) {
        strategy["type"] = "RollingUpdate".into();
    }
    if strategy["type"] == "RollingUpdate" {
        set_value(strategy, "rollingUpdate", json!({}));
    }
}

/// `SetDefaults_Job`.
pub(super) fn set_job(job: &mut Value) {
    let labels = job["spec"]["template"]["metadata"]["labels"].clone();
    let spec = &mut job["spec"];
    if spec["parallelism"].is_null() {
        set_value(spec, "completions", 1);
    }
    let has_index_limit = !spec["backoffLimitPerIndex"].is_null();
    let replaces_failed = !spec["podFailurePolicy"].is_null();
    set_value(spec, "parallelism", 1);
    set_value(spec, "backoffLimit", if has_index_limit { i32::MAX } else { 6 });
    set_value(spec, "completionMode", "NonIndexed");
    set_value(spec, "suspend", false);
    set_value(spec, "podReplacementPolicy", if replaces_failed { "Failed" } else { "TerminatingOrFailed" });
    set_value(spec, "manualSelector", false);
    if !labels.is_null() {
        set_value(&mut job["metadata"], "labels", labels);
    }
}

/// `SetDefaults_ReplicationController`.
pub(super) fn set_replication_controller(controller: &mut Value) {
    let labels = controller["spec"]["template"]["metadata"]["labels"].clone();
    if labels.is_object() {
        set_value(&mut controller["spec"], "selector", labels.clone());
        set_value(&mut controller["metadata"], "labels", labels);
    }
}

/// `SetDefaults_HorizontalPodAutoscaler` of `autoscaling/v2`.
pub(super) fn set_autoscaler(autoscaler: &mut Value) {
    let spec = &mut autoscaler["spec"];
    if spec["metrics"].as_array().is_none_or(Vec::is_empty) {
        let target = json!({ "type": "Utilization", "averageUtilization": 80 });
        spec["metrics"] = json!([{ "type": "Resource", "resource": { "name": "cpu", "target": target } }]);
    }
    if let Some(behavior) = spec.get_mut("behavior").filter(|behavior| behavior.is_object()) {
        let policy = |type_: &str, value: i32| json!({ "type": type_, "value": value, "periodSeconds": 15 });
        let up = json!({ "stabilizationWindowSeconds": 0, "policies": [policy("Pods", 4), policy("Percent", 100)] });
        let down = json!({ "policies": [policy("Percent", 100)] });
        for (name, defaults) in [("scaleUp", up), ("scaleDown", down)] {
            set_value(behavior, name, json!({}));
            let rules = &mut behavior[name];
            set_value(rules, "selectPolicy", "Max");
            for (field, value) in defaults.as_object().into_iter().flatten() {
                set_value(rules, field, value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_without_counts_runs_one_pod() {
        let completions = |spec: Value| {
            let mut job = json!({ "spec": spec });
            set_job(&mut job);
            job["spec"]["completions"].clone()
        };
        assert_eq!(completions(json!({})), 1);
        assert_eq!(completions(json!({ "parallelism": 2 })), Value::Null);
    }
}
