//! Both servers, and the responses to a sequence of requests.

use std::{collections::BTreeSet, fmt};

use crdkit::testing::ApiServer;
use crdkit_tests::{Answer, ControlPlane, Request};
use kube::Client;
use serde_json::{Value, json};

use super::{
    documents::definition,
    steps::{Sequence, Step},
};

const GROUP: &str = "apply.example.com";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/// The kinds, without and with the subresource `status`.
const KINDS: [&str; 2] = ["Whole", "Parted"];

/// Changes of `resourceVersion`: none, and one of an object that is the same.
const KEPT: &str = "kept";
const REWRITTEN: &str = "rewritten";

/// The server in the process and the real one.
pub(super) struct Servers {
    embedded: Client,
    real: Client,
}

/// Two responses that differ.
pub(super) struct Difference {
    /// The index of the request.
    pub(super) step: usize,
    embedded: Value,
    real: Value,
}

impl Servers {
    /// Returns `None` if there is no real server.
    pub(super) async fn start() -> Option<Self> {
        let plane = ControlPlane::shared()?;
        let servers = Self { embedded: ApiServer::new().kube_client(), real: plane.client() };
        for has_status in [false, true] {
            let definition = definition(KINDS[usize::from(has_status)], has_status);
            let verdict = plane.install(&definition).await;
            assert!(verdict.accepted, "{verdict}");
            let created = send(&servers.embedded, Request::post(DEFINITIONS, definition)).await;
            assert!(created.is_success(), "{}", created.body);
        }
        Some(servers)
    }

    /// Sends requests for a new object to both servers, until they respond differently.
    pub(super) async fn run(&self, name: &str, sequence: &Sequence) -> Option<Difference> {
        let kind = KINDS[usize::from(sequence.has_status)];
        let mut embedded = Object::new(&self.embedded, kind, name);
        let mut real = Object::new(&self.real, kind, name);
        for (at, step) in sequence.steps.iter().enumerate() {
            let (ours, mut theirs) = (embedded.send(step).await, real.send(step).await);
            if theirs["version"] == REWRITTEN {
                // An apply stored nulls, which are not in the object that the server reads.
                theirs["version"] = KEPT.into();
            }
            if ours != theirs {
                return Some(Difference { step: at, embedded: ours, real: theirs });
            }
        }
        None
    }
}

/// An object on a server.
struct Object<'a> {
    client: &'a Client,
    kind: &'static str,
    name: &'a str,
    /// The object in the last response.
    last: Value,
    /// The last response, as it is compared, and its `resourceVersion`.
    normalized: Value,
    version: Value,
}

impl<'a> Object<'a> {
    fn new(client: &'a Client, kind: &'static str, name: &'a str) -> Self {
        Self { client, kind, name, last: Value::Null, normalized: Value::Null, version: Value::Null }
    }

    async fn send(&mut self, step: &Step) -> Value {
        let answer = send(self.client, self.request(step)).await;
        if answer.is_success() && answer.body["kind"] == self.kind {
            self.last = answer.body.clone();
        }
        self.normalized(answer)
    }

    fn request(&self, step: &Step) -> Request {
        let by = step.by();
        let (kind, name, version) = (self.kind, self.name, by.version);
        let mut path = format!("/apis/{GROUP}/{version}/namespaces/default/{}s/{name}", kind.to_lowercase());
        if !by.subresource.is_empty() {
            path += &format!("/{}", by.subresource);
        }
        path += &format!("?fieldManager={}", by.manager);
        let complete = |mut object: Value| {
            let (api_version, kind) = match by.subresource {
                "scale" => ("autoscaling/v1".to_owned(), "Scale"),
                _ => (format!("{GROUP}/{version}"), kind),
            };
            object["apiVersion"] = api_version.into();
            object["kind"] = kind.into();
            object["metadata"]["name"] = name.into();
            object
        };
        match step {
            Step::Apply { force, body, .. } => Request::apply(format!("{path}&force={force}"), complete(body.clone())),
            Step::Update { patch, .. } if by.subresource == "scale" => Request::put(path, complete(patch.clone())),
            Step::Update { patch, .. } => {
                let mut object = self.last.clone();
                merge(&mut object, patch);
                Request::put(path, complete(object))
            }
            Step::MergePatch { patch, .. } => Request::patch(path, "application/merge-patch+json", patch.clone()),
            Step::JsonPatch { patch, .. } => Request::patch(path, "application/json-patch+json", patch.clone()),
        }
    }

    fn normalized(&mut self, answer: Answer) -> Value {
        let Answer { status, mut body, .. } = answer;
        let metadata = &mut body["metadata"];
        let version = metadata["resourceVersion"].take();
        if metadata["uid"].is_string() {
            metadata["uid"] = "<uid>".into();
            metadata["creationTimestamp"] = "<time>".into();
        }
        if let Some(Value::Array(entries)) = metadata.get_mut("managedFields") {
            for entry in entries.iter_mut().filter(|entry| entry["time"].is_string()) {
                entry["time"] = "<time>".into();
            }
            // Their order depends on the times.
            entries.sort_by_key(ToString::to_string);
        }
        if status >= 400 {
            return json!({"code": status, "body": failure(&body)});
        }
        let mut response = json!({"code": status, "body": body});
        if body["kind"] == self.kind {
            // Requests are in several versions.
            body["apiVersion"] = Value::Null;
            let change = match (version == self.version, body == self.normalized) {
                (true, _) => KEPT,
                (false, true) => REWRITTEN,
                (false, false) => "changed",
            };
            response["version"] = change.into();
            (self.normalized, self.version) = (body, version);
        }
        response
    }
}

/// Returns what is the same in all responses of the real server to a request with errors, which it reports in random order.
fn failure(body: &Value) -> Value {
    let causes = body["details"]["causes"].as_array();
    let mut causes: Vec<_> = causes.into_iter().flatten().map(ToString::to_string).collect();
    causes.sort();
    causes.dedup();
    let message = body["message"].as_str().unwrap_or_default();
    let message = match message.split_once("): ") {
        Some((start, problem)) if problem.starts_with("errors:") || problem.ends_with("not declared in schema") => {
            start
        }
        _ if causes.len() > 1 && body["reason"] == "Invalid" => "",
        _ => message,
    };
    json!({"reason": body["reason"], "message": message, "causes": causes})
}

async fn send(client: &Client, request: Request) -> Answer {
    request.send(client.clone()).await.expect("the server responds")
}

/// Applies a merge patch.
fn merge(object: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        object.clone_from(patch);
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    for (name, value) in patch {
        match (value, object.as_object_mut()) {
            (Value::Null, Some(object)) => drop(object.remove(name)),
            (_, Some(object)) => merge(object.entry(name).or_insert(Value::Null), value),
            (_, None) => {}
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "the response to the last request differs")?;
        write(f, "", &self.embedded, &self.real)
    }
}

/// Writes the members in which two documents differ.
fn write(f: &mut fmt::Formatter<'_>, path: &str, embedded: &Value, real: &Value) -> fmt::Result {
    let absent = Value::String("<absent>".to_owned());
    match (embedded, real) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let names: BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
            names.into_iter().try_for_each(|name| {
                let [embedded, real] = [ours, theirs].map(|members| members.get(name).unwrap_or(&absent));
                write(f, &format!("{path}.{name}"), embedded, real)
            })
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            let mut items = ours.iter().zip(theirs).enumerate();
            items.try_for_each(|(at, (ours, theirs))| write(f, &format!("{path}[{at}]"), ours, theirs))
        }
        _ if embedded == real => Ok(()),
        _ => writeln!(f, "{path}\n  in the process: {embedded}\n  real: {real}"),
    }
}
