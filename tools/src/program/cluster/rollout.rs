//! Waiting for Deployments, with the conditions of `kubectl rollout status`.

use std::{collections::BTreeMap, time::Duration};

use crdkit::{
    __internal::emit::program::Program,
    Client,
    client::{Error, Resources, scope::InNamespace},
};
use k8s_openapi::api::{
    apps::v1::{Deployment, DeploymentCondition, DeploymentSpec},
    core::v1::{ContainerStatus, Pod, PodStatus},
};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::{Failure, ObjectOutcome, Options, report};

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How many Pods are described: they mostly have the same problem.
const MAX_PODS: usize = 3;

/// A Deployment that was applied.
pub(super) struct Rollout {
    deployments: Resources<Deployment, InNamespace>,
    pods: Resources<Pod, InNamespace>,
    namespace: String,
    name: String,
}

/// How far a Deployment is.
#[derive(Debug, PartialEq)]
enum Progress {
    Complete,
    Waiting(String),
    Failed(String),
}

impl Rollout {
    pub(super) fn new(client: &Client, deployment: &Value) -> Self {
        let text = |key: &str| deployment["metadata"][key].as_str().unwrap_or_default().to_owned();
        let (namespace, name) = (text("namespace"), text("name"));
        let deployments = client.resources::<Deployment>().namespace(&namespace);
        Self { deployments, pods: client.resources::<Pod>().namespace(&namespace), namespace, name }
    }

    fn step<'a>(&'a self, action: &'a str, message: &'a str) -> ObjectOutcome<'a> {
        ObjectOutcome { action, kind: "Deployment", namespace: Some(&self.namespace), name: &self.name, message }
    }

    /// Returns the problems of the Deployment and of its Pods.
    async fn problems(&self, deployment: &Deployment) -> Result<Vec<String>, Error> {
        let spec = spec(deployment);
        let labels = selector(spec.as_ref().and_then(|spec| spec.selector.match_labels.as_ref()));
        let pods = self.pods.list().labels(labels).await?.items;
        let is_stopping = |pod: &Pod| pod.metadata.deletion_timestamp.is_some();
        let described = pods.iter().filter(|pod| !is_stopping(pod)).filter_map(|pod| {
            let problem = pod_problem(pod.status.as_ref()?)?;
            Some(format!("Pod {}: {problem}", pod.metadata.name.as_deref().unwrap_or_default()))
        });
        Ok(replica_failure(deployment).into_iter().chain(described.take(MAX_PODS)).collect())
    }

    fn failed(&self, reason: &str, problems: &[String]) -> Failure {
        let Self { namespace, name, .. } = self;
        let problems: String = problems.iter().map(|problem| format!("\n  {problem}")).collect();
        format!(
            "Deployment {namespace}/{name} is not available: {reason}{problems}\n\
             Its objects were applied. `kubectl --namespace {namespace} logs deployment/{name}` has its output, \
             `kubectl --namespace {namespace} get events` its events; `--timeout SECONDS` waits longer, `--no-wait` not at all."
        )
        .into()
    }
}

/// Waits until a Deployment is available, and reports what it waits for.
pub(super) async fn wait(program: &mut Program<'_>, rollout: &Rollout, options: &Options) -> Result<(), Failure> {
    let start = Instant::now();
    let mut last = String::new();
    loop {
        let deployment = rollout.deployments.get(&rollout.name).await?;
        let (message, is_failed) = match progress(&deployment) {
            Progress::Complete => return Ok(report(program, options, &rollout.step("available", ""))?),
            Progress::Waiting(message) => (message, false),
            Progress::Failed(message) => (message, true),
        };
        let problems = rollout.problems(&deployment).await?;
        if is_failed {
            return Err(rollout.failed(&message, &problems));
        }
        let shown = [std::slice::from_ref(&message), &problems].concat().join("; ");
        if shown != last {
            report(program, options, &rollout.step("waiting for", &shown))?;
            last = shown;
        }
        if start.elapsed() >= options.timeout {
            let reason = format!("{message} after {} s", options.timeout.as_secs());
            return Err(rollout.failed(&reason, &problems));
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// Returns the spec, which is optional in some versions of Kubernetes' types.
fn spec(deployment: &Deployment) -> Option<DeploymentSpec> {
    deployment.spec.clone().into()
}

/// Whether a field is equal to a text. The field is optional in some versions of Kubernetes' types.
fn has_text<T: From<String> + PartialEq>(field: &T, text: &str) -> bool {
    *field == T::from(text.to_owned())
}

fn selector(labels: Option<&BTreeMap<String, String>>) -> String {
    let labels: Vec<_> = labels.into_iter().flatten().map(|(key, value)| format!("{key}={value}")).collect();
    labels.join(",")
}

fn progress(deployment: &Deployment) -> Progress {
    let status = deployment.status.clone().unwrap_or_default();
    if status.observed_generation < deployment.metadata.generation {
        return Progress::Waiting("it has not been observed yet".to_owned());
    }
    if let Some(condition) = condition(deployment, "Progressing")
        && condition.reason.as_deref() == Some("ProgressDeadlineExceeded")
    {
        return Progress::Failed("it has not progressed within its `progressDeadlineSeconds`".to_owned());
    }
    let wanted = spec(deployment).and_then(|spec| spec.replicas).unwrap_or(1);
    let [replicas, updated, available] =
        [status.replicas, status.updated_replicas, status.available_replicas].map(Option::unwrap_or_default);
    if updated < wanted {
        Progress::Waiting(format!("{updated} of {wanted} replicas are updated"))
    } else if replicas > updated {
        Progress::Waiting(format!("{} old replicas have not ended", replicas - updated))
    } else if available < updated {
        Progress::Waiting(format!("{available} of {updated} replicas are available"))
    } else {
        Progress::Complete
    }
}

fn condition<'a>(deployment: &'a Deployment, type_: &str) -> Option<&'a DeploymentCondition> {
    deployment.status.as_ref()?.conditions.as_ref()?.iter().find(|condition| has_text(&condition.type_, type_))
}

/// Returns why Pods cannot be created, such as a quota.
fn replica_failure(deployment: &Deployment) -> Option<String> {
    let failure = condition(deployment, "ReplicaFailure").filter(|condition| has_text(&condition.status, "True"))?;
    Some(reason(failure.reason.as_deref(), failure.message.as_deref()))
}

/// Returns why a Pod is not ready.
fn pod_problem(status: &PodStatus) -> Option<String> {
    let containers = [&status.init_container_statuses, &status.container_statuses];
    let mut conditions: Vec<_> = status
        .conditions
        .iter()
        .flatten()
        .filter(|condition| condition.status == "False")
        .filter(|condition| condition.message.is_some())
        .collect();
    // A Pod without a node has no other problem, and `Ready` only repeats the others.
    conditions.sort_by_key(|condition| (condition.type_ != "PodScheduled", condition.type_ == "Ready"));
    containers
        .into_iter()
        .flatten()
        .flatten()
        .find_map(container_problem)
        .or_else(|| conditions.first().map(|it| reason(it.reason.as_deref(), it.message.as_deref())))
}

fn container_problem(status: &ContainerStatus) -> Option<String> {
    let state = status.state.as_ref()?;
    let name = &status.name;
    let ended = state.terminated.as_ref().filter(|ended| ended.exit_code != 0);
    if let Some(ended) = ended {
        let reason = in_parentheses(ended.reason.as_deref());
        return Some(format!("container {name} ended with exit code {}{reason}", ended.exit_code));
    }
    let waiting = state.waiting.as_ref()?;
    let is_start = |reason: &str| matches!(reason, "ContainerCreating" | "PodInitializing");
    if waiting.reason.as_deref().is_none_or(is_start) {
        return None;
    }
    let terminated = status.last_state.as_ref().and_then(|last| last.terminated.as_ref());
    let last = terminated.map(|last| {
        let reason = in_parentheses(last.reason.as_deref());
        format!("; its last exit code is {}{reason}", last.exit_code)
    });
    let reason = reason(waiting.reason.as_deref(), waiting.message.as_deref());
    Some(format!("container {name}: {reason}{}", last.unwrap_or_default()))
}

fn in_parentheses(reason: Option<&str>) -> String {
    reason.filter(|reason| !reason.is_empty()).map(|reason| format!(" ({reason})")).unwrap_or_default()
}

fn reason(reason: Option<&str>, message: Option<&str>) -> String {
    [reason, message].into_iter().flatten().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(status: Value) -> Deployment {
        serde_json::from_value(json!({
            "metadata": { "name": "a", "generation": 2 },
            "spec": { "replicas": 2, "selector": { "matchLabels": { "a": "b" } }, "template": {} },
            "status": status,
        }))
        .unwrap()
    }

    #[test]
    fn the_progress_follows_the_status() {
        let waiting = |text: &str| Progress::Waiting(text.to_owned());
        for (status, expected) in [
            (json!({ "observedGeneration": 1 }), waiting("it has not been observed yet")),
            (json!({ "observedGeneration": 2 }), waiting("0 of 2 replicas are updated")),
            (
                json!({ "observedGeneration": 2, "replicas": 3, "updatedReplicas": 2 }),
                waiting("1 old replicas have not ended"),
            ),
            (
                json!({ "observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 1 }),
                waiting("1 of 2 replicas are available"),
            ),
            (
                json!({ "observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2 }),
                Progress::Complete,
            ),
            (
                json!({ "observedGeneration": 2, "conditions": [
                    { "type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded" },
                ] }),
                Progress::Failed("it has not progressed within its `progressDeadlineSeconds`".to_owned()),
            ),
        ] {
            assert_eq!(progress(&deployment(status)), expected);
        }
    }

    #[test]
    fn the_problem_of_a_pod_is_its_first_cause() {
        let problem = |status: Value| pod_problem(&serde_json::from_value(status).unwrap());
        let container = |state: Value, last: Value| {
            json!({ "containerStatuses": [{
                "name": "main", "image": "a", "imageID": "", "ready": false, "restartCount": 0, "state": state, "lastState": last,
            }] })
        };
        for (status, expected) in [
            (json!({}), None),
            (container(json!({ "waiting": { "reason": "ContainerCreating" } }), json!({})), None),
            (
                container(json!({ "waiting": { "reason": "ErrImagePull", "message": "not found" } }), json!({})),
                Some("container main: ErrImagePull: not found"),
            ),
            (
                container(
                    json!({ "waiting": { "reason": "CrashLoopBackOff" } }),
                    json!({ "terminated": { "exitCode": 1, "reason": "Error" } }),
                ),
                Some("container main: CrashLoopBackOff; its last exit code is 1 (Error)"),
            ),
            (
                container(json!({ "terminated": { "exitCode": 137, "reason": "OOMKilled" } }), json!({})),
                Some("container main ended with exit code 137 (OOMKilled)"),
            ),
            (
                json!({ "conditions": [
                    { "type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": "unready" },
                    { "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes" },
                ] }),
                Some("Unschedulable: 0/1 nodes"),
            ),
        ] {
            assert_eq!(problem(status).as_deref(), expected);
        }
    }

    #[test]
    fn quotas_are_named() {
        let failure = json!({ "conditions": [
            { "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota" },
        ] });
        assert_eq!(replica_failure(&deployment(failure)).as_deref(), Some("FailedCreate: exceeded quota"));
        assert_eq!(replica_failure(&deployment(json!({}))), None);
    }
}
