//! `status::of` agrees with kstatus on the objects of its own tests, and on random ones.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use crdkit::status;
use crdkit_oracles::{Random, case_count, number, program_of};
use serde_json::{Map, Value, json};

/// The folder of the Go module that judges.
const MODULE: &str = "tests/kstatus";

/// Compares the answers of the judge, of which each has an object, a status and a reason. Returns how many there are.
fn compare(answers: &str) -> usize {
    for answer in answers.lines() {
        let fields: Vec<_> = answer.split('\t').collect();
        let [object, state, reason] = fields[..] else { panic!("{answer}") };
        assert_ne!(state, "error", "{answer}");
        let object: Value = serde_json::from_str(object).unwrap();
        let status = status::of(&object);
        assert_eq!((status.state.to_string().as_str(), status.reason.as_str()), (state, reason), "{object}: {status}");
    }
    answers.lines().count()
}

#[test]
fn published_objects_have_the_status_of_kstatus() {
    let Some(judge) = program_of(MODULE, ".", "kstatus") else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kstatus");
    let list = Command::new("go")
        .current_dir(folder)
        .args(["list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cli-utils"])
        .env("GOWORK", "off")
        .output()
        .unwrap();
    let sources = String::from_utf8(list.stdout).unwrap();
    let tests = Path::new(sources.trim()).join("pkg/kstatus/status/status_compute_test.go");
    let answers = Command::new(judge).arg(tests).output().unwrap();
    assert!(answers.status.success(), "{}", String::from_utf8_lossy(&answers.stderr));
    assert!(compare(&String::from_utf8(answers.stdout).unwrap()) > 50);
}

#[test]
fn random_objects_have_the_status_of_kstatus() {
    let Some(judge) = program_of(MODULE, ".", "kstatus") else { return };
    let mut random = Random::new(number("CRDKIT_ORACLE_SEED").unwrap_or(1));
    let count: usize = case_count("CRDKIT_KSTATUS_OBJECTS", 50_000);
    let objects: Vec<_> = (0..count).map(|_| object(&mut random).to_string()).collect();
    let mut child = Command::new(judge).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for object in objects {
            writeln!(input, "{object}").unwrap();
        }
    });
    let answers = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(compare(&String::from_utf8(answers.stdout).unwrap()), count);
}

const KINDS: &[(&str, &str)] = &[
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "ReplicaSet"),
    ("v1", "Pod"),
    ("v1", "PersistentVolumeClaim"),
    ("v1", "Service"),
    ("v1", "ConfigMap"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("policy/v1", "PodDisruptionBudget"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("example.com/v1", "Deployment"),
    ("example.com/v1", "App"),
];

/// The fields of a status that are numbers.
const COUNTS: &[&str] = &[
    "active",
    "availableReplicas",
    "currentNumberScheduled",
    "currentReplicas",
    "desiredNumberScheduled",
    "failed",
    "fullyLabeledReplicas",
    "numberAvailable",
    "numberReady",
    "readyReplicas",
    "replicas",
    "succeeded",
    "updatedNumberScheduled",
    "updatedReplicas",
];

const CONDITIONS: &[&str] = &[
    "Available",
    "Complete",
    "Established",
    "Failed",
    "NamesAccepted",
    "PodScheduled",
    "Progressing",
    "Ready",
    "Reconciling",
    "ReplicaFailure",
    "Stalled",
];

const REASONS: &[&str] =
    &["Installing", "NewReplicaSetAvailable", "Other", "ProgressDeadlineExceeded", "Unschedulable"];

/// An object of one of the kinds. Most numbers are those of a finished rollout, so that each rule decides at times.
fn object(random: &mut Random) -> Value {
    let (api_version, kind) = *random.choose(KINDS);
    let mut metadata = json!({ "name": "a" });
    if !random.once_in(5) {
        metadata["generation"] = 2.into();
    }
    if random.once_in(30) {
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    }
    if random.once_in(2) {
        // Long ago, or never.
        metadata["creationTimestamp"] = random.pick(&["2026-01-01T00:00:00Z", "2126-01-01T00:00:00Z"]).into();
    }
    let mut object = json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata });
    if !random.once_in(20) {
        object["spec"] = spec(random);
    }
    if !random.once_in(20) {
        object["status"] = status_of(kind, random);
    }
    object
}

fn spec(random: &mut Random) -> Value {
    let mut spec = Map::new();
    let replicas = *random.choose(&[0, 1, 2, 2, 2, 3]);
    let mut add = |times: usize, name: &str, value: Value| {
        if random.once_in(times) {
            spec.insert(name.to_owned(), value);
        }
    };
    add(2, "replicas", replicas.into());
    add(3, "parallelism", 2.into());
    add(3, "completions", 3.into());
    add(3, "progressDeadlineSeconds", 600.into());
    add(6, "progressDeadlineSeconds", i32::MAX.into());
    add(4, "type", "LoadBalancer".into());
    add(4, "clusterIP", "10.0.0.1".into());
    add(6, "updateStrategy", json!({ "type": "OnDelete" }));
    add(6, "updateStrategy", json!({ "type": "RollingUpdate", "rollingUpdate": { "partition": 1 } }));
    spec.into()
}

fn status_of(kind: &str, random: &mut Random) -> Value {
    let mut status = Map::new();
    let usual = *random.choose(&[0, 1, 2, 2, 3]);
    for name in COUNTS {
        if !random.once_in(8) {
            let count = if random.once_in(8) { random.below(4) } else { usual };
            status.insert((*name).to_owned(), count.into());
        }
    }
    if !random.once_in(4) {
        status.insert("observedGeneration".to_owned(), random.choose(&[1, 2, 2, 2, 2]).to_owned().into());
    }
    if random.once_in(2) {
        status.insert("startTime".to_owned(), "2026-01-01T00:00:00Z".into());
    }
    if !random.once_in(6) {
        // kstatus has an error for a Pod with a phase that it does not know.
        let phases = if kind == "Pod" {
            ["Failed", "Pending", "Running", "Succeeded"]
        } else {
            ["Bound", "Lost", "Pending", ""]
        };
        status.insert("phase".to_owned(), random.pick(&phases).into());
    }
    for revision in ["currentRevision", "updateRevision"] {
        if random.once_in(3) {
            status.insert(revision.to_owned(), random.pick(&["a", "a", "b"]).into());
        }
    }
    if random.once_in(2) {
        status.insert("containerStatuses".to_owned(), json!([{ "name": "a", "state": state(random) }]));
    }
    let conditions: Vec<_> = (0..random.below(4)).map(|_| condition(random)).collect();
    if !random.once_in(5) {
        status.insert("conditions".to_owned(), conditions.into());
    }
    status.into()
}

fn state(random: &mut Random) -> Value {
    let reason = *random.choose(&["CrashLoopBackOff", "ContainerCreating"]);
    if random.once_in(3) { json!({ "running": {} }) } else { json!({ "waiting": { "reason": reason } }) }
}

fn condition(random: &mut Random) -> Value {
    let mut condition =
        json!({ "type": random.pick(CONDITIONS), "status": random.pick(&["True", "True", "False", "Unknown"]) });
    if !random.once_in(4) {
        condition["reason"] = random.pick(REASONS).into();
        condition["message"] = "it is so".into();
    }
    condition
}
