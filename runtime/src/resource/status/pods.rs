//! Pods, and the Jobs that run them.

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{ObjectStatus, fields::Fields};

/// How long the scheduler may take before a Pod that it could not place has failed. The time is that of kstatus.
const SCHEDULE_WINDOW: SignedDuration = SignedDuration::from_secs(15);

pub(super) fn pod(object: &Fields<'_>, now: Timestamp) -> ObjectStatus {
    match object.text("/status/phase").unwrap_or_default() {
        "Succeeded" => ObjectStatus::current("the Pod has completed"),
        "Failed" => ObjectStatus::current("the Pod has completed with a failure"),
        "Running" => running_pod(object),
        "Pending" => pending_pod(object, now),
        "" => ObjectStatus::in_progress("PodNotObserved", "the Pod has no phase yet"),
        phase => ObjectStatus::in_progress("PodPhaseUnknown", format!("the Pod has the phase {phase}")),
    }
}

fn running_pod(object: &Fields<'_>) -> ObjectStatus {
    if object.condition("Ready", "True").is_some() {
        return ObjectStatus::current("the Pod is ready");
    }
    let crashing = object.list("/status/containerStatuses").filter(|container| is_crashing(container));
    let names: Vec<_> = crashing.filter_map(|container| container["name"].as_str()).collect();
    if names.is_empty() {
        return ObjectStatus::in_progress("PodRunningNotReady", "the Pod runs, and is not ready yet");
    }
    ObjectStatus::failed("ContainerCrashLooping", format!("containers crash again and again: {}", names.join(", ")))
}

fn is_crashing(container: &Value) -> bool {
    container["state"]["waiting"]["reason"].as_str() == Some("CrashLoopBackOff")
}

fn pending_pod(object: &Fields<'_>, now: Timestamp) -> ObjectStatus {
    let not_scheduled = object.condition("PodScheduled", "False");
    if not_scheduled.is_none_or(|condition| condition.reason != "Unschedulable") {
        return ObjectStatus::in_progress("PodPending", "the Pod is pending");
    }
    let created = object.text("/metadata/creationTimestamp").and_then(|time| time.parse::<Timestamp>().ok());
    if created.is_some_and(|created| now.duration_since(created) < SCHEDULE_WINDOW) {
        return ObjectStatus::in_progress("PodNotScheduled", "no node was found for the Pod yet");
    }
    ObjectStatus::failed("PodUnschedulable", "no node was found for the Pod")
}

pub(super) fn job(object: &Fields<'_>) -> ObjectStatus {
    let parallelism = object.integer("/spec/parallelism").unwrap_or(1);
    let completions = object.integer("/spec/completions").unwrap_or(parallelism);
    let [succeeded, active, failed] =
        ["succeeded", "active", "failed"].map(|field| object.count(&format!("/status/{field}")));
    let finished =
        object.conditions().filter(|condition| condition.is_true()).find_map(|condition| match condition.type_ {
            "Complete" => Some(ObjectStatus::current(format!("{succeeded} of {completions} Pods have succeeded"))),
            "Failed" => Some(ObjectStatus::failed("JobFailed", format!("{failed} Pods have failed"))),
            _ => None,
        });
    if let Some(status) = finished {
        return status;
    }
    if object.text("/status/startTime").unwrap_or_default().is_empty() {
        return ObjectStatus::in_progress("JobNotStarted", "the Job has not started");
    }
    ObjectStatus::current(format!(
        "the Job runs: {active} Pods are active, {succeeded} have succeeded, {failed} have failed"
    ))
}
