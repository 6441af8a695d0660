//! Kinds with replicas.

use super::{ObjectStatus, fields::Fields};

/// The default of `spec.replicas`.
const REPLICAS: i64 = 1;

/// The first of these numbers that is too low: the reason, the number, what it should be, and what it counts.
fn too_few<const N: usize>(numbers: [(&str, i64, i64, &str); N]) -> Option<ObjectStatus> {
    numbers.into_iter().find(|(_, actual, wanted, _)| wanted > actual).map(|(reason, actual, wanted, what)| {
        ObjectStatus::in_progress(reason, format!("{actual} of {wanted} replicas {what}"))
    })
}

fn too_many(actual: i64, wanted: i64) -> Option<ObjectStatus> {
    let surplus = actual - wanted;
    (surplus > 0)
        .then(|| ObjectStatus::in_progress("ExtraPods", format!("{surplus} more replicas than wanted are left")))
}

pub(super) fn deployment(object: &Fields<'_>) -> ObjectStatus {
    // The controller sets no condition `Progressing` without a deadline, and i32::MAX stands for none.
    let deadline = object.integer("/spec/progressDeadlineSeconds").filter(|seconds| *seconds != i64::from(i32::MAX));
    let mut has_progressed = deadline.is_none();
    for condition in object.conditions().filter(|condition| condition.type_ == "Progressing") {
        if condition.reason == "ProgressDeadlineExceeded" {
            let message = "there was no progress within `progressDeadlineSeconds`";
            return ObjectStatus::failed(condition.reason, message);
        }
        has_progressed |= condition.is_true() && condition.reason == "NewReplicaSetAvailable";
    }
    let wanted = object.integer("/spec/replicas").unwrap_or(REPLICAS);
    let [replicas, updated, ready, available] = ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"]
        .map(|field| object.count(&format!("/status/{field}")));
    too_few([("LessReplicas", replicas, wanted, "exist"), ("LessUpdated", updated, wanted, "are updated")])
        .or_else(|| too_many(replicas, wanted))
        .or_else(|| {
            too_few([("LessAvailable", available, updated, "are available"), ("LessReady", ready, wanted, "are ready")])
        })
        .or_else(|| {
            let message = "the new ReplicaSet is not available yet";
            (!has_progressed).then(|| ObjectStatus::in_progress("ReplicaSetNotAvailable", message))
        })
        .or_else(|| {
            let is_available = object.condition("Available", "True").is_some();
            let message = "the condition `Available` is not true yet";
            (!is_available).then(|| ObjectStatus::in_progress("DeploymentNotAvailable", message))
        })
        .unwrap_or_else(|| all(replicas, "available"))
}

pub(super) fn replica_set(object: &Fields<'_>) -> ObjectStatus {
    if object.condition("ReplicaFailure", "True").is_some() {
        return ObjectStatus::in_progress(
            "ReplicaFailure",
            "Pods cannot be created or deleted: see the condition `ReplicaFailure`",
        );
    }
    let wanted = object.integer("/spec/replicas").unwrap_or(REPLICAS);
    let [replicas, labelled, ready, available] =
        ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"]
            .map(|field| object.count(&format!("/status/{field}")));
    too_few([
        ("LessLabelled", labelled, wanted, "have the labels of the template"),
        ("LessAvailable", available, wanted, "are available"),
        ("LessReady", ready, wanted, "are ready"),
    ])
    .or_else(|| too_many(replicas, wanted))
    .unwrap_or_else(|| all(replicas, "available"))
}

pub(super) fn stateful_set(object: &Fields<'_>) -> ObjectStatus {
    if object.text("/spec/updateStrategy/type") == Some("OnDelete") {
        return ObjectStatus::current("Pods are updated when they are deleted, so there is nothing to wait for");
    }
    let wanted = object.integer("/spec/replicas").unwrap_or(REPLICAS);
    let [replicas, ready, current, updated] = ["replicas", "readyReplicas", "currentReplicas", "updatedReplicas"]
        .map(|field| object.count(&format!("/status/{field}")));
    let replicas_differ =
        too_few([("LessReplicas", replicas, wanted, "exist"), ("LessReady", ready, wanted, "are ready")])
            .or_else(|| too_many(replicas, wanted));
    if let Some(status) = replicas_differ {
        return status;
    }
    if let Some(partition) = object.integer("/spec/updateStrategy/rollingUpdate/partition").filter(|it| *it != -1) {
        return too_few([("PartitionRollout", updated, wanted - partition, "outside of the partition are updated")])
            .unwrap_or_else(|| all(updated, "updated outside of the partition"));
    }
    too_few([("LessCurrent", current, wanted, "are of the current revision")])
        .or_else(|| {
            let revision = |field: &str| object.text(&format!("/status/{field}")).unwrap_or_default();
            let is_same = revision("currentRevision") == revision("updateRevision");
            let message = "the updated revision is not the current one yet";
            (!is_same).then(|| ObjectStatus::in_progress("RevisionMismatch", message))
        })
        .unwrap_or_else(|| all(replicas, "ready"))
}

pub(super) fn daemon_set(object: &Fields<'_>) -> ObjectStatus {
    // Its controller sets both. Without them it has not seen the object.
    if object.integer("/metadata/generation").is_none() {
        return ObjectStatus::in_progress("NoGeneration", "`metadata.generation` is missing");
    }
    if object.integer("/status/observedGeneration").is_none() {
        return ObjectStatus::in_progress("NoObservedGeneration", "`status.observedGeneration` is missing");
    }
    let Some(wanted) = object.integer("/status/desiredNumberScheduled").filter(|wanted| *wanted != -1) else {
        return ObjectStatus::in_progress("NoDesiredNumber", "`status.desiredNumberScheduled` is missing");
    };
    let count = |field: &str| object.count(&format!("/status/{field}"));
    too_few([
        ("LessCurrent", count("currentNumberScheduled"), wanted, "are scheduled"),
        ("LessUpdated", count("updatedNumberScheduled"), wanted, "are updated"),
        ("LessAvailable", count("numberAvailable"), wanted, "are available"),
        ("LessReady", count("numberReady"), wanted, "are ready"),
    ])
    .unwrap_or_else(|| all(wanted, "ready"))
}

fn all(count: i64, what: &str) -> ObjectStatus {
    ObjectStatus::current(format!("all replicas are {what}: {count}"))
}
