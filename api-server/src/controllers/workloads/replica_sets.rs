//! ReplicaSets: they create and delete Pods until the number is right.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::{PODS, REPLICA_SETS, controlled, create_pod, delete, is_condition, number, pods::is_active, write_status};
use crate::{failure::Failure, state::State, value::text};

pub(super) fn sync(state: &mut State, set: &Value) -> Result<(), Failure> {
    let mut pods = controlled(state, set, PODS);
    pods.retain(is_active);
    let desired = usize::try_from(number(&set["spec"]["replicas"], 1)).unwrap_or_default();
    for _ in pods.len()..desired {
        create_pod(state, set, set["spec"]["template"]["metadata"]["labels"].clone())?;
    }
    pods.sort_by_key(deletion_rank);
    for pod in pods.iter().take(pods.len().saturating_sub(desired)) {
        delete(state, PODS, pod)?;
    }
    let mut pods = controlled(state, set, PODS);
    pods.retain(is_active);
    let ready: Vec<_> = pods.iter().filter(|pod| is_condition(pod, "Ready")).collect();
    let available = ready.iter().filter(|pod| is_available(state, pod, &set["spec"]["minReadySeconds"])).count();
    let mut status = set.get("status").cloned().unwrap_or_else(|| json!({}));
    status["replicas"] = pods.len().into();
    status["fullyLabeledReplicas"] = pods.len().into();
    status["readyReplicas"] = ready.len().into();
    status["availableReplicas"] = available.into();
    status["terminatingReplicas"] = 0.into();
    status["observedGeneration"] = set["metadata"]["generation"].clone();
    write_status(state, REPLICA_SETS, set, status)
}

/// Returns the position of a Pod in the order of deletions: first those that do not run, then those that are not ready, the cheap ones,
/// and the latest ones.
fn deletion_rank(pod: &Value) -> (bool, bool, i64, Reverse<i64>, Reverse<i64>, String) {
    const COST: &str = "controller.kubernetes.io/pod-deletion-cost";
    let metadata = &pod["metadata"];
    let seconds =
        |time: Option<&str>| Reverse(time.and_then(crdkit_core::literal::times::unix_time).unwrap_or_default());
    (
        text(&pod["status"], "phase") == "Running",
        is_condition(pod, "Ready"),
        text(&metadata["annotations"], COST).parse().unwrap_or_default(),
        seconds(ready_since(pod)),
        seconds(metadata["creationTimestamp"].as_str()),
        text(metadata, "uid").to_owned(),
    )
}

/// Returns the time of the last change of the condition `Ready`.
fn ready_since(pod: &Value) -> Option<&str> {
    let mut conditions = pod["status"]["conditions"].as_array()?.iter();
    conditions.find(|it| text(it, "type") == "Ready")?["lastTransitionTime"].as_str()
}

/// Returns whether a ready Pod has been ready for long enough.
fn is_available(state: &State, pod: &Value, min_seconds: &Value) -> bool {
    let since = ready_since(pod).and_then(crdkit_core::literal::times::unix_time).unwrap_or_default();
    let min_seconds = number(min_seconds, 0);
    min_seconds == 0 || state.clock.now().as_second() >= since + min_seconds
}
