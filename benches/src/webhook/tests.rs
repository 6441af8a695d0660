//! crdkit's server and controller-runtime's give the same answers to the same reviews.

use std::{env, sync::LazyLock};

use crdkit_benches::{GoProgram, ServerProcess};
use k8s_openapi::ByteString;
use serde_json::{Value, json};

use crate::{
    certificate::Certificate,
    client::Client,
    contestants::Contestant,
    reviews::{MUTATE_PATH, Review, VALIDATE_PATH, machine, old_machine},
};

fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap()[name] = value;
    object
}

fn without(mut object: Value, pointer: &str) -> Value {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(name);
    object
}

/// The object after an operation, and before.
fn admitted() -> Vec<(&'static str, Value, Value)> {
    let changes = [
        ("/spec/image", json!("")),
        ("/spec/replicas", json!(-1)),
        ("/spec/disks/1/name", json!("root")),
        ("/spec/paused", json!(true)),
        ("/spec/zone", json!("")),
        ("/spec/zone", json!("eu-central-1c")),
        ("/spec/cpu", json!("a \"quoted\" <text>")),
        ("/spec/networks", json!([])),
        ("/metadata/labels/team", json!("shop")),
        ("/status/replicas", json!(7)),
        // No type of Go and none of crdkit decodes it.
        ("/spec/replicas", json!("three")),
    ];
    let mut objects: Vec<_> = changes.into_iter().map(|(pointer, value)| with(machine(1), pointer, value)).collect();
    let wrong = with(with(machine(1), "/spec/image", json!("")), "/spec/replicas", json!(-5));
    objects.extend([machine(1), without(machine(1), "/status"), without(machine(1), "/metadata/labels"), wrong]);
    let create = objects.clone().into_iter().map(|object| ("CREATE", object, Value::Null));
    let update = objects.into_iter().map(|object| ("UPDATE", object, machine(1)));
    create.chain(update).chain([("DELETE", Value::Null, machine(1))]).collect()
}

/// Returns an answer without that in which the servers may differ: patches as what they lead to, the status of what is allowed, the
/// type of a status, and the words about an object that cannot be decoded.
fn comparable(answer: &[u8], original: &Value) -> Value {
    let mut answer: Value = serde_json::from_slice(answer).unwrap();
    let response = answer["response"].as_object_mut().unwrap();
    if let Some(patch) = response.remove("patch") {
        let ByteString(patch) = serde_json::from_value(patch).unwrap();
        let mut patched = original.clone();
        let patch: json_patch::Patch = serde_json::from_slice(&patch).unwrap();
        json_patch::patch(&mut patched, &patch).unwrap();
        response.insert("patched".into(), patched);
    }
    if response["allowed"] == true {
        response.remove("status");
    }
    if let Some(Value::Object(status)) = response.get_mut("status") {
        let left_out: &[_] = if status["code"] == 400 { &["message", "reason", "status"] } else { &[] };
        status.retain(|name, _| !["apiVersion", "kind"].contains(&&**name) && !left_out.contains(&&**name));
    }
    answer
}

struct Servers {
    clients: [Client; 2],
    _process: ServerProcess,
    _certificate: Certificate,
}

impl Servers {
    /// Starts them; `None` without Go.
    async fn start() -> Option<Self> {
        // Once for all tests.
        static GO: LazyLock<Option<GoProgram>> =
            LazyLock::new(|| GoProgram::build("webhook/controller-runtime").unwrap());
        let Some(go) = &*GO else {
            assert!(env::var("CRDKIT_REQUIRE_CONTROL_PLANE").is_err(), "no Go, but it is required");
            return None;
        };
        let certificate = Certificate::create().unwrap();
        let process = ServerProcess::spawn(go.command().arg(certificate.folder.path())).unwrap();
        let address = Contestant::Crdkit.serve(certificate.folder.path()).await.unwrap();
        let connect = |port| Client::connect(port, certificate.client_config().unwrap());
        let clients = [connect(address.port()).await.unwrap(), connect(process.port()).await.unwrap()];
        Some(Self { clients, _process: process, _certificate: certificate })
    }

    async fn answers(&mut self, review: &Review) -> [bytes::Bytes; 2] {
        let [crdkit, other] = &mut self.clients;
        [crdkit.send(review).await.unwrap(), other.send(review).await.unwrap()]
    }
}

#[tokio::test]
async fn admission_agrees() {
    let Some(mut servers) = Servers::start().await else { return };
    for (operation, object, old) in admitted() {
        for path in [VALIDATE_PATH, MUTATE_PATH] {
            let answers = servers.answers(&Review::admission(path, operation, &object, &old)).await;
            let [crdkit, other] = answers.map(|answer| comparable(&answer, &object));
            assert_eq!(crdkit, other, "{path} {operation} {object}");
        }
    }
}

#[tokio::test]
async fn conversion_agrees() {
    let Some(mut servers) = Servers::start().await else { return };
    let new: Vec<_> = (0..20).map(machine).collect();
    let old: Vec<_> = (0..20).map(old_machine).collect();
    for (objects, version, expected) in [(&old, "v1", &new), (&new, "v1alpha1", &old)] {
        let answers = servers.answers(&Review::conversion(objects, version)).await;
        let [crdkit, other] = answers.map(|answer| serde_json::from_slice::<Value>(&answer).unwrap());
        assert_eq!(crdkit["response"]["convertedObjects"], json!(expected));
        for part in ["uid", "convertedObjects"] {
            assert_eq!(crdkit["response"][part], other["response"][part]);
        }
        assert_eq!(crdkit["response"]["result"]["status"], other["response"]["result"]["status"]);
    }
    let wrong = with(machine(1), "/spec/cpu", json!("two"));
    let answers = servers.answers(&Review::conversion(&[wrong], "v1alpha1")).await;
    for answer in answers {
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["response"]["result"]["status"], "Failure", "{answer}");
        assert!(answer["response"].get("convertedObjects").is_none_or(Value::is_null), "{answer}");
    }
}
