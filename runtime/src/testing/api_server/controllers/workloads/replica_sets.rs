//! ReplicaSets: they create and delete Pods until the number is right.

use serde_json::{Value, json};

use super::{PODS, REPLICA_SETS, controlled, create_pod, delete, is_condition, number, pods::is_active, write_status};
use crate::testing::api_server::{decode::text, failure::Failure, state::State};

pub(super) fn sync(state: &mut State, set: &Value) -> Result<(), Failure> {
    let mut pods = controlled(state, set, PODS);
    pods.retain(is_active);
    let desired = usize::try_from(number(&set["spec"]["replicas"], 1)).unwrap_or_default();
    for _ in pods.len()..desired {
        create_pod(state, set, set["spec"]["template"]["metadata"]["labels"].clone())?;
    }
    // Those that are not ready are deleted first.
    pods.sort_by_key(|pod| (is_condition(pod, "Ready"), text(&pod["metadata"], "name").to_owned()));
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
    status["observedGeneration"] = set["metadata"]["generation"].clone();
    write_status(state, REPLICA_SETS, set, status)
}

/// Returns whether a ready Pod has been ready for long enough.
fn is_available(state: &State, pod: &Value, min_seconds: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
    let since = conditions.filter(|it| text(it, "type") == "Ready").find_map(|it| it["lastTransitionTime"].as_str());
    let since = since.and_then(crdkit_core::literal::times::unix_time).unwrap_or_default();
    let min_seconds = number(min_seconds, 0);
    min_seconds == 0 || state.clock.now().as_second() >= since + min_seconds
}
