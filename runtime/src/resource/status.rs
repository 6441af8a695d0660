//! Whether an object has become what its spec asks for, by the rules of kstatus, which Flux and the tools of SIG CLI use.
//!
//! ```
//! use crdkit::status::{self, State};
//! use k8s_openapi::api::apps::v1::Deployment;
//!
//! let deployment: Deployment = serde_json::from_value(serde_json::json!({
//!     "metadata": { "name": "web", "generation": 2 },
//!     "spec": { "replicas": 3, "selector": {}, "template": {} },
//!     "status": { "observedGeneration": 2, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 1, "availableReplicas": 1 },
//! }))?;
//! let status = status::of(&deployment);
//! assert_eq!(status.state, State::InProgress);
//! assert_eq!(status.to_string(), "InProgress: LessAvailable: 1 of 3 replicas are available");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! The rules, in this order:
//!
//! 1. An object with a `deletionTimestamp` is terminating.
//! 2. It is in progress if `status.observedGeneration` is not `metadata.generation`.
//! 3. It is in progress if its condition `Reconciling` is true, and has failed if `Stalled` is true.
//! 4. Kubernetes' own kinds have rules of their own: Deployments, StatefulSets, DaemonSets and ReplicaSets by their replicas, Pods, Jobs,
//!    PersistentVolumeClaims, Services of the type `LoadBalancer`, and CustomResourceDefinitions.
//! 5. An object of any other kind is in progress if its condition `Ready` is false or unknown.
//! 6. Any other object is current. That includes an object without conditions whose controller has not seen it yet: set
//!    `observedGeneration`, or a condition, with the first status.
//!
//! A Job is current as soon as it runs. To wait for its end, wait for its condition `Complete`.

pub(crate) mod fields;
mod pods;
mod replicas;

use std::fmt;

use k8s_openapi::jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use fields::Fields;

use crate::clock;

/// How far an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// The object is what its spec asks for.
    Current,
    /// It is on the way.
    InProgress,
    /// It does not get any further by itself.
    Failed,
    /// It is being deleted.
    Terminating,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Current => "Current",
            Self::InProgress => "InProgress",
            Self::Failed => "Failed",
            Self::Terminating => "Terminating",
        })
    }
}

/// How far an object is, and why. It displays as `InProgress: LessReady: 1 of 3 replicas are ready`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectStatus {
    /// How far it is.
    pub state: State,
    /// Why in one word, such as `LessReady`: that of kstatus, or that of the condition; empty if the object is current or terminating.
    /// Where kstatus has an error, it is `PodPhaseUnknown` or `NotJson`.
    pub reason: String,
    /// Why in a sentence. It may be empty if it is that of a condition.
    pub message: String,
}

impl ObjectStatus {
    fn new(state: State, reason: &str, message: impl Into<String>) -> Self {
        Self { state, reason: reason.to_owned(), message: message.into() }
    }

    fn current(message: impl Into<String>) -> Self {
        Self::new(State::Current, "", message)
    }

    fn in_progress(reason: &str, message: impl Into<String>) -> Self {
        Self::new(State::InProgress, reason, message)
    }

    pub(crate) fn failed(reason: &str, message: impl Into<String>) -> Self {
        Self::new(State::Failed, reason, message)
    }

    /// Returns whether the object is what its spec asks for.
    pub fn is_current(&self) -> bool {
        self.state == State::Current
    }
}

impl fmt::Display for ObjectStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(f)?;
        for part in [&self.reason, &self.message] {
            if !part.is_empty() {
                write!(f, ": {part}")?;
            }
        }
        Ok(())
    }
}

/// Returns how far an object is: of Kubernetes' own kinds, or a custom one. Metadata alone say no more than whether the object is being
/// deleted.
pub fn of<K: Serialize + ?Sized>(object: &K) -> ObjectStatus {
    match serde_json::to_value(object) {
        Ok(object) => of_value(&object, clock::now()),
        Err(error) => ObjectStatus::failed("NotJson", format!("the object cannot be serialized: {error}")),
    }
}

pub(crate) fn of_value(object: &Value, now: Timestamp) -> ObjectStatus {
    let fields = Fields(object);
    of_any_kind(&fields).unwrap_or_else(|| of_kind(&fields, now))
}

/// What is the same for all kinds.
fn of_any_kind(object: &Fields<'_>) -> Option<ObjectStatus> {
    if object.text("/metadata/deletionTimestamp").is_some_and(|time| !time.is_empty()) {
        return Some(ObjectStatus::new(State::Terminating, "", "the object is being deleted"));
    }
    if let (Some(generation), Some(observed)) =
        (object.integer("/metadata/generation"), object.integer("/status/observedGeneration"))
        && generation != observed
    {
        let message = format!("the generation is {generation}, and the controller has observed {observed}");
        return Some(ObjectStatus::in_progress("LatestGenerationNotObserved", message));
    }
    object.conditions().find_map(|condition| match condition.type_ {
        "Reconciling" if condition.is_true() => Some(condition.in_progress()),
        "Stalled" if condition.is_true() => Some(condition.failed()),
        _ => None,
    })
}

fn of_kind(object: &Fields<'_>, now: Timestamp) -> ObjectStatus {
    let api_version = object.text("/apiVersion").unwrap_or_default();
    let kind = object.text("/kind").unwrap_or_default();
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    match (group, kind) {
        ("", "ConfigMap" | "Secret") | ("batch", "CronJob") | ("policy", "PodDisruptionBudget") => {
            ObjectStatus::current(format!("a {kind} has nothing to wait for"))
        }
        ("", "PersistentVolumeClaim") => claim(object),
        ("", "Pod") => pods::pod(object, now),
        ("", "Service") => service(object),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition(object),
        ("apps", "DaemonSet") => replicas::daemon_set(object),
        ("apps", "Deployment") => replicas::deployment(object),
        ("apps", "ReplicaSet") => replicas::replica_set(object),
        ("apps", "StatefulSet") => replicas::stateful_set(object),
        ("batch", "Job") => pods::job(object),
        _ => by_ready(object),
    }
}

/// Objects whose kind has no rule of its own.
fn by_ready(object: &Fields<'_>) -> ObjectStatus {
    let of_condition =
        object.conditions().filter(|condition| condition.type_ == "Ready").find_map(|ready| match ready.status {
            "True" => Some(ObjectStatus::current("the condition `Ready` is true")),
            "False" | "Unknown" => Some(ready.in_progress()),
            _ => None,
        });
    of_condition.unwrap_or_else(|| ObjectStatus::current("nothing says that the object is not ready"))
}

fn claim(object: &Fields<'_>) -> ObjectStatus {
    match object.text("/status/phase") {
        Some("Bound") => ObjectStatus::current("the claim is bound to a volume"),
        phase => {
            let phase = phase.unwrap_or("unknown");
            ObjectStatus::in_progress("NotBound", format!("the claim is not bound to a volume: its phase is {phase}"))
        }
    }
}

fn service(object: &Fields<'_>) -> ObjectStatus {
    let is_load_balancer = object.text("/spec/type") == Some("LoadBalancer");
    if is_load_balancer && object.text("/spec/clusterIP").unwrap_or_default().is_empty() {
        return ObjectStatus::in_progress("NoIPAssigned", "the load balancer has no clusterIP yet");
    }
    ObjectStatus::current("the service can be used")
}

fn definition(object: &Fields<'_>) -> ObjectStatus {
    let of_condition = object.conditions().find_map(|condition| match (condition.type_, condition.status) {
        ("NamesAccepted", "False") => Some(condition.failed()),
        ("Established", "False") if condition.reason != "Installing" => Some(condition.failed()),
        ("Established", "True") => Some(ObjectStatus::current("the definition is established")),
        _ => None,
    });
    of_condition.unwrap_or_else(|| ObjectStatus::in_progress("Installing", "the definition is not established yet"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of_json(object: Value) -> String {
        of(&object).to_string()
    }

    #[test]
    fn a_custom_resource_goes_by_its_conditions() {
        let object = |conditions: Value| {
            json!({
                "apiVersion": "example.com/v1",
                "kind": "App",
                "metadata": { "name": "a", "generation": 2 },
                "status": { "observedGeneration": 2, "conditions": conditions },
            })
        };
        let condition = |type_: &str, status: &str| json!({ "type": type_, "status": status, "reason": "Why", "message": "it is so" });
        let none = of_json(object(json!([])));
        assert_eq!(none, "Current: nothing says that the object is not ready");
        assert_eq!(of_json(object(json!([condition("Ready", "False")]))), "InProgress: Why: it is so");
        assert_eq!(of_json(object(json!([condition("Ready", "Unknown")]))), "InProgress: Why: it is so");
        assert!(of_json(object(json!([condition("Ready", "True")]))).starts_with("Current"));
        let stalled = json!([condition("Ready", "False"), condition("Stalled", "True")]);
        assert_eq!(of_json(object(stalled)), "Failed: Why: it is so");
        let reconciling = json!([condition("Ready", "True"), condition("Reconciling", "True")]);
        assert_eq!(of_json(object(reconciling)), "InProgress: Why: it is so");
    }

    #[test]
    fn a_generation_that_was_not_observed_comes_before_conditions() {
        let object = json!({
            "metadata": { "generation": 3 },
            "status": { "observedGeneration": 2, "conditions": [{ "type": "Ready", "status": "True" }] },
        });
        let expected =
            "InProgress: LatestGenerationNotObserved: the generation is 3, and the controller has observed 2";
        assert_eq!(of_json(object), expected);
    }

    #[test]
    fn deletion_comes_before_everything() {
        let object = json!({
            "metadata": { "generation": 3, "deletionTimestamp": "2026-01-01T00:00:00Z" },
            "status": { "observedGeneration": 2 },
        });
        assert_eq!(of_json(object), "Terminating: the object is being deleted");
    }
}
