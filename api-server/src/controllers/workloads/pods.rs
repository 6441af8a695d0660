//! Pods, which do what the test decides.

use serde_json::{Value, json};

use super::{PODS, PodState, Runner, set_condition, write_status};
use crate::{failure::Failure, state::State, value::text};

pub(super) fn is_finished(pod: &Value) -> bool {
    matches!(text(&pod["status"], "phase"), "Succeeded" | "Failed")
}

/// Returns whether a Pod counts for its controller.
pub(super) fn is_active(pod: &Value) -> bool {
    !is_finished(pod) && pod["metadata"]["deletionTimestamp"].is_null()
}

pub(super) fn sync(state: &mut State, pod: &Value, runner: &Runner) -> Result<(), Failure> {
    if is_finished(pod) {
        return Ok(());
    }
    let typed = serde_json::from_value(pod.clone()).map_err(|error| Failure::internal(error.to_string()))?;
    let pod_state = runner(&typed);
    let (phase, is_ready, reason) = match pod_state {
        PodState::Pending => return Ok(()),
        PodState::Running => ("Running", false, "ContainersNotReady"),
        PodState::Ready => ("Running", true, ""),
        PodState::Succeeded => ("Succeeded", false, "PodCompleted"),
        PodState::Failed => ("Failed", false, "PodFailed"),
    };
    let mut status = pod["status"].clone();
    let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    let ready = if is_ready { "True" } else { "False" };
    for (kind, status, reason) in [
        ("PodScheduled", "True", ""),
        ("Initialized", "True", ""),
        ("ContainersReady", ready, reason),
        ("Ready", ready, reason),
    ] {
        set_condition(&state.clock.text(), &mut conditions, kind, status, reason, "");
    }
    let since = status.get("startTime").cloned().unwrap_or_else(|| state.clock.text().into());
    let container_state = match pod_state {
        PodState::Succeeded => json!({ "terminated": { "exitCode": 0, "reason": "Completed" } }),
        PodState::Failed => json!({ "terminated": { "exitCode": 1, "reason": "Error" } }),
        _ => json!({ "running": { "startedAt": since } }),
    };
    let containers: Vec<_> = pod["spec"]["containers"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|container| {
            json!({
                "name": container["name"], "image": container["image"], "imageID": "", "ready": is_ready,
                "restartCount": 0, "started": phase == "Running", "state": container_state,
            })
        })
        .collect();
    status["phase"] = phase.into();
    status["conditions"] = conditions.into();
    status["startTime"] = since;
    status["containerStatuses"] = containers.into();
    write_status(state, PODS, pod, status)
}
