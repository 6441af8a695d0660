//! The cells of Pods.

use crdkit_core::literal::times::unix_time;
use serde_json::{Value, json};

use super::{
    age,
    builtin::{count, list, or, str},
    name,
};
use crate::time;

/// What the cells count over the containers of a Pod.
#[derive(Default)]
struct Summary {
    reason: String,
    ready: usize,
    total: usize,
    restarts: i64,
    /// When a container was last restarted.
    last_restart: Option<i64>,
}

pub(super) fn cells(pod: &Value, now: i64) -> Vec<Value> {
    let summary = summary(pod);
    let restarts = match summary.last_restart {
        Some(time) if summary.restarts > 0 => {
            format!("{} ({} ago)", summary.restarts, time::human_duration(now - time))
        }
        _ => summary.restarts.to_string(),
    };
    vec![
        name(pod),
        format!("{}/{}", summary.ready, summary.total).into(),
        summary.reason.into(),
        restarts.into(),
        age(pod, now),
        or(str(&pod["status"]["podIPs"][0]["ip"]), "<none>").into(),
        or(str(&pod["spec"]["nodeName"]), "<none>").into(),
        or(str(&pod["status"]["nominatedNodeName"]), "<none>").into(),
        readiness_gates(pod).into(),
    ]
}

/// Returns the conditions of a row.
pub(super) fn conditions(pod: &Value) -> Option<Value> {
    let (reason, message) = match str(&pod["status"]["phase"]) {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!([{ "type": "Completed", "status": "True", "reason": reason, "message": message }]))
}

fn summary(pod: &Value) -> Summary {
    let (spec, status) = (&pod["spec"], &pod["status"]);
    let sidecars: Vec<_> = list(&spec["initContainers"]).filter(|it| it["restartPolicy"] == "Always").collect();
    let mut summary = Summary {
        reason: or(str(&status["reason"]), str(&status["phase"])).to_owned(),
        total: list(&spec["containers"]).count() + sidecars.len(),
        ..Summary::default()
    };
    let is_gated = |it: &&Value| it["type"] == "PodScheduled" && it["reason"] == "SchedulingGated";
    if list(&status["conditions"]).any(|it| is_gated(&it)) {
        summary.reason = "SchedulingGated".to_owned();
    }
    let mut of_sidecars = Summary::default();
    let is_sidecar = |container: &Value| sidecars.iter().any(|sidecar| sidecar["name"] == container["name"]);
    let is_initializing = initialize(pod, &mut summary, &mut of_sidecars, &is_sidecar);
    if !is_initializing || has_condition(status, "Initialized") {
        (summary.restarts, summary.last_restart) = (of_sidecars.restarts, of_sidecars.last_restart);
        run(status, &mut summary);
    }
    if !pod["metadata"]["deletionTimestamp"].is_null() {
        if status["reason"] == "NodeLost" {
            summary.reason = "Unknown".to_owned();
        } else if !matches!(str(&status["phase"]), "Succeeded" | "Failed") {
            summary.reason = "Terminating".to_owned();
        }
    }
    summary
}

impl Summary {
    fn add_restarts(&mut self, container: &Value) {
        self.restarts += count(&container["restartCount"]);
        let finished = unix_time(str(&container["lastState"]["terminated"]["finishedAt"]));
        self.last_restart = self.last_restart.max(finished);
    }
}

fn has_condition(status: &Value, type_: &str) -> bool {
    list(&status["conditions"]).any(|it| it["type"] == type_ && it["status"] == "True")
}

/// Summarizes the init containers, up to the first one that has not ended. Returns whether there is such a container.
fn initialize(
    pod: &Value,
    summary: &mut Summary,
    of_sidecars: &mut Summary,
    is_sidecar: &dyn Fn(&Value) -> bool,
) -> bool {
    for (at, container) in list(&pod["status"]["initContainerStatuses"]).enumerate() {
        summary.add_restarts(container);
        if is_sidecar(container) {
            of_sidecars.add_restarts(container);
        }
        let (terminated, waiting) = (&container["state"]["terminated"], &container["state"]["waiting"]);
        if !terminated.is_null() && count(&terminated["exitCode"]) == 0 {
            continue;
        }
        if is_sidecar(container) && container["started"] == true {
            summary.ready += usize::from(container["ready"] == true);
            continue;
        }
        let reason = if !terminated.is_null() {
            end_of(terminated)
        } else if !matches!(str(&waiting["reason"]), "" | "PodInitializing") {
            str(&waiting["reason"]).to_owned()
        } else {
            format!("{at}/{}", list(&pod["spec"]["initContainers"]).count())
        };
        summary.reason = format!("Init:{reason}");
        return true;
    }
    false
}

/// Returns why a container ended.
fn end_of(terminated: &Value) -> String {
    match (str(&terminated["reason"]), count(&terminated["signal"])) {
        ("", 0) => format!("ExitCode:{}", count(&terminated["exitCode"])),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

/// Summarizes the containers.
fn run(status: &Value, summary: &mut Summary) {
    let (mut is_running, mut failure) = (false, None);
    let containers: Vec<_> = list(&status["containerStatuses"]).collect();
    for container in containers.into_iter().rev() {
        summary.add_restarts(container);
        let state = &container["state"];
        if !str(&state["waiting"]["reason"]).is_empty() {
            summary.reason = str(&state["waiting"]["reason"]).to_owned();
        } else if !state["terminated"].is_null() {
            summary.reason = end_of(&state["terminated"]);
            if count(&state["terminated"]["exitCode"]) != 0 {
                failure = Some(summary.reason.clone());
            }
        } else if container["ready"] == true && !state["running"].is_null() {
            is_running = true;
            summary.ready += 1;
        }
    }
    if summary.reason == "Completed" {
        if is_running && has_condition(status, "Ready") {
            summary.reason = "Running".to_owned();
        } else if let Some(failure) = failure {
            summary.reason = failure;
        } else if is_running {
            summary.reason = "NotReady".to_owned();
        }
    }
}

fn readiness_gates(pod: &Value) -> String {
    let gates: Vec<_> = list(&pod["spec"]["readinessGates"]).collect();
    if gates.is_empty() {
        return "<none>".to_owned();
    }
    let is_open = |gate: &&&Value| has_condition(&pod["status"], str(&gate["conditionType"]));
    format!("{}/{}", gates.iter().filter(is_open).count(), gates.len())
}
