//! Jobs: they run Pods until enough have succeeded or too many have failed.

use serde_json::{Value, json};

use super::{
    JOBS, PODS, controlled, create_pod, delete, is_condition, number, pods::is_active, set_condition, write_status,
};
use crate::{failure::Failure, state::State, value::text};

const BACKOFF_LIMIT: i64 = 6;

pub(super) fn sync(state: &mut State, job: &Value) -> Result<(), Failure> {
    if is_condition(job, "Complete") || is_condition(job, "Failed") {
        return Ok(());
    }
    let spec = &job["spec"];
    let pods = controlled(state, job, PODS);
    let count = |phase: &str| pods.iter().filter(|pod| text(&pod["status"], "phase") == phase).count() as i64;
    let (succeeded, failed) = (count("Succeeded"), count("Failed"));
    let active: Vec<_> = pods.iter().filter(|pod| is_active(pod)).cloned().collect();
    let completions = spec["completions"].as_i64();
    let is_failed = failed > number(&spec["backoffLimit"], BACKOFF_LIMIT);
    let is_complete = match completions {
        Some(completions) => succeeded >= completions,
        None => succeeded > 0 && active.is_empty(),
    };
    let is_suspended = spec["suspend"] == true;
    let wanted = match completions {
        _ if is_failed || is_complete || is_suspended => 0,
        Some(completions) => number(&spec["parallelism"], 1).min(completions - succeeded),
        // Without a number of completions, no Pod follows after one has succeeded.
        None if succeeded > 0 => active.len() as i64,
        None => number(&spec["parallelism"], 1),
    };
    let wanted = usize::try_from(wanted).unwrap_or_default();
    for _ in active.len()..wanted {
        create_pod(state, job, labels(job))?;
    }
    for pod in active.iter().skip(wanted) {
        delete(state, PODS, pod)?;
    }
    let now = state.clock.text();
    let mut status = job.get("status").cloned().unwrap_or_else(|| json!({}));
    let mut conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    let mut set = |kind, status, reason, message| {
        set_condition(&state.clock.text(), &mut conditions, kind, status, reason, message);
    };
    if is_failed {
        let message = "Job has reached the specified backoff limit";
        set("FailureTarget", "True", "BackoffLimitExceeded", message);
        set("Failed", "True", "BackoffLimitExceeded", message);
    } else if is_complete {
        let message = "Reached expected number of succeeded pods";
        set("SuccessCriteriaMet", "True", "CompletionsReached", message);
        set("Complete", "True", "CompletionsReached", message);
        status["completionTime"] = now.as_str().into();
    } else if is_suspended {
        set("Suspended", "True", "JobSuspended", "Job suspended");
        status["startTime"] = Value::Null;
    } else if is_condition(job, "Suspended") {
        set("Suspended", "False", "JobResumed", "Job resumed");
    }
    if !is_suspended && status["startTime"].is_null() {
        status["startTime"] = now.into();
    }
    let mut pods = controlled(state, job, PODS);
    pods.retain(is_active);
    status["active"] = pods.len().into();
    status["ready"] = pods.iter().filter(|pod| is_condition(pod, "Ready")).count().into();
    status["terminating"] = 0.into();
    status["uncountedTerminatedPods"] = json!({});
    status["succeeded"] = succeeded.into();
    status["failed"] = failed.into();
    status["conditions"] = if conditions.is_empty() { Value::Null } else { conditions.into() };
    write_status(state, JOBS, job, status)
}

/// The labels of the Pods: those of the template, and the name and the UID of the Job.
fn labels(job: &Value) -> Value {
    let mut labels = job["spec"]["template"]["metadata"]["labels"].as_object().cloned().unwrap_or_default();
    for (label, value) in [("job-name", &job["metadata"]["name"]), ("controller-uid", &job["metadata"]["uid"])] {
        labels.insert(label.into(), value.clone());
        labels.insert(format!("batch.kubernetes.io/{label}"), value.clone());
    }
    labels.into()
}
