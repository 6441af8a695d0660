//! Requests to the server in the process and to the real one, and the differences between their responses.

use std::{
    collections::HashMap,
    fmt,
    time::{Duration, Instant},
};

use crdkit::testing::ApiServer;
use crdkit_tests::{Answer, ControlPlane, Request};
use kube::Client;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::definition::definition;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Both servers, with the same definition, and a namespace on each.
pub(crate) struct Both {
    embedded: Side,
    real: Side,
    pub(crate) namespace: String,
}

struct Side {
    client: Client,
    namespace: String,
    names: Names,
    /// The last object in a response.
    last: Value,
}

/// A request whose body may refer to the last object: `$uid`, `$resourceVersion`.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) media_type: &'static str,
    pub(crate) accept: &'static str,
    pub(crate) body: Value,
    /// The user who sends the request; the administrator if it is empty.
    pub(crate) user: &'static str,
}

/// Two responses that differ.
pub(crate) struct Difference {
    step: Step,
    embedded: Value,
    real: Value,
}

/// Replaces what differs between any two servers: UIDs, versions and times, each by the order of its first occurrence.
#[derive(Default)]
struct Names(HashMap<String, String>);

impl Names {
    fn replace(&mut self, kind: &str, text: &str) -> String {
        let next = format!("<{kind} {}>", self.0.values().filter(|it| it.starts_with(&format!("<{kind} "))).count());
        self.0.entry(text.to_owned()).or_insert(next).clone()
    }

    fn normalize(&mut self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                // Other tests write too, so that lists have later versions than their items.
                let is_list = members.contains_key("resourceVersion") && !members.contains_key("uid");
                for (name, value) in members {
                    match (name.as_str(), &mut *value) {
                        ("uid", Value::String(text)) => *value = self.replace("uid", text).into(),
                        ("resourceVersion", Value::String(_)) if is_list => *value = "<version of the list>".into(),
                        ("resourceVersion", Value::String(text)) => *value = self.replace("version", text).into(),
                        (
                            "creationTimestamp" | "deletionTimestamp" | "time" | "lastTransitionTime",
                            Value::String(_),
                        ) => {
                            *value = "<time>".into();
                        }
                        ("continue", Value::String(_)) => *value = "<token>".into(),
                        _ => self.normalize(value),
                    }
                }
            }
            Value::Array(items) => {
                items.iter_mut().for_each(|item| self.normalize(item));
                // They are ordered by time, of which a second may begin between two requests.
                if items.first().is_some_and(|item| item["fieldsV1"].is_object()) {
                    items
                        .sort_by_key(|item| ["operation", "manager", "subresource"].map(|name| item[name].to_string()));
                }
            }
            Value::String(text) => {
                for (from, to) in self.0.iter().filter(|(from, _)| from.len() > 8) {
                    *text = text.replace(from, to);
                }
                for before in ["ResourceVersion in record (", "\\\"resourceVersion\\\":\\\"", "T"] {
                    *text = without_numbers_after(text, before);
                }
                // The managers in a quoted object are ordered by time too.
                if let Some((before, quoted)) = text.split_once("Invalid value: \"{")
                    && let Some((_, after)) = quoted.rsplit_once("}\": ")
                {
                    *text = format!("{before}Invalid value: <object>: {after}");
                }
                // Go's maps have no order.
                if let Some((start, _)) = text.split_once("failed to create typed patch object") {
                    *text = format!("{start}failed to create typed patch object");
                }
            }
            _ => {}
        }
    }
}

/// Drops digits and colons, such as those of times, after each occurrence of a text.
fn without_numbers_after(text: &str, before: &str) -> String {
    let mut parts = text.split(before);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        result += before;
        result += part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
    }
    result
}

impl Side {
    fn new(client: Client, namespace: &str) -> Self {
        Self { client, namespace: namespace.to_owned(), names: Names::default(), last: Value::Null }
    }

    async fn send(&mut self, step: &Step) -> Value {
        let body = self.fill(&step.body);
        let path = self.fill(&Value::String(step.path.clone()));
        let path = path.as_str().unwrap_or_default().to_owned();
        let request = match step.method {
            "GET" => Request::get(path),
            "DELETE" if body.is_null() => Request::delete(path),
            "POST" => Request::post(path, body),
            "PUT" => Request::put(path, body),
            "DELETE" => Request::delete_with(path, body),
            _ => Request::patch(path, step.media_type, body),
        };
        let mut request = request.accept(step.accept);
        if !step.user.is_empty() {
            request = request.header("Impersonate-User", step.user);
        }
        let answer = request.send(self.client.clone()).await.expect("the server responds");
        if answer.is_success() && answer.body["metadata"]["uid"].is_string() {
            self.last = answer.body.clone();
        }
        self.normalized(answer)
    }

    fn fill(&self, value: &Value) -> Value {
        let text = value.to_string();
        let metadata = &self.last["metadata"];
        let part = |name: &str| metadata[name].as_str().unwrap_or("0").to_owned();
        let text = text
            .replace("$namespace", &self.namespace)
            .replace("$resourceVersion", &part("resourceVersion"))
            .replace("$uid", &part("uid"));
        serde_json::from_str(&text).expect("the placeholders are within strings")
    }

    fn normalized(&mut self, answer: Answer) -> Value {
        let mut body = events(answer.body);
        self.names.normalize(&mut body);
        sort_causes(&mut body);
        let mut response = json!({ "code": answer.status, "body": body });
        // The real server may patch a cached object before it finds that the object is gone.
        if !answer.warnings.is_empty() && answer.status != 404 {
            response["warnings"] = answer.warnings.into();
        }
        response
    }
}

/// Returns the events of a watch as a list.
fn events(body: Value) -> Value {
    let text = body.as_str().filter(|text| text.starts_with('{'));
    let events = text.map(|text| text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>());
    events.and_then(Result::ok).map_or(body, Value::Array)
}

/// The real server reports the errors of members in random order.
fn sort_causes(body: &mut Value) {
    let is_several = body["details"]["causes"].as_array().is_some_and(|causes| causes.len() > 1);
    if !is_several {
        return;
    }
    if let Some(Value::Array(causes)) = body.pointer_mut("/details/causes") {
        causes.sort_by_key(ToString::to_string);
    }
    let message = body["message"].as_str().unwrap_or_default();
    let start = message.split(" is invalid: ").next().unwrap_or_default().to_owned();
    body["message"] = start.into();
}

impl Both {
    /// Returns both servers with a new namespace; `None` if there is no real one.
    pub(crate) async fn with_namespace(namespace: &str) -> Option<Self> {
        Self::with_server(ApiServer::new(), namespace).await
    }

    /// As [`Self::with_namespace`], with the server in the process.
    pub(crate) async fn with_server(server: ApiServer, namespace: &str) -> Option<Self> {
        let plane = ControlPlane::shared()?;
        static INSTALLED: OnceCell<()> = OnceCell::const_new();
        INSTALLED.get_or_init(|| install(plane)).await;
        let mut both = Self {
            embedded: Side::new(server.kube_client(), namespace),
            real: Side::new(plane.client(), namespace),
            namespace: namespace.to_owned(),
        };
        both.define(definition()).await;
        let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } });
        for side in [&mut both.embedded, &mut both.real] {
            let created = side.send(&Step::new("POST", "/api/v1/namespaces", object.clone())).await;
            assert_eq!(created["code"], 201, "{created}");
        }
        for side in [&mut both.embedded, &mut both.real] {
            side.names = Names::default();
        }
        Some(both)
    }

    /// Creates a definition on the server in the process, which the real one has already.
    pub(crate) async fn define(&mut self, definition: Value) {
        let created = self.embedded.send(&Step::new("POST", DEFINITIONS, definition)).await;
        assert_eq!(created["code"], 201, "{created}");
        self.embedded.names = Names::default();
    }

    /// Sends a request to both servers, and returns the responses of the server in the process and of the real one.
    pub(crate) async fn respond(&mut self, step: &Step) -> [Value; 2] {
        [self.embedded.send(step).await, self.real.send(step).await]
    }

    /// Sends a request to both servers.
    pub(crate) async fn send(&mut self, step: &Step) -> Option<Difference> {
        let [embedded, real] = self.respond(step).await;
        Self::difference(step, embedded, real)
    }

    /// Sends a request to both servers, to the real one until it has noticed the writes before: some of its parts watch objects.
    pub(crate) async fn send_eventually(&mut self, step: &Step) -> Option<Difference> {
        const LIMIT: Duration = Duration::from_secs(5);
        const INTERVAL: Duration = Duration::from_millis(20);
        let deadline = Instant::now() + LIMIT;
        let embedded = self.embedded.send(step).await;
        loop {
            let real = self.real.send(step).await;
            if real == embedded || real["code"].as_u64() < Some(300) || Instant::now() > deadline {
                return Self::difference(step, embedded, real);
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Compares two responses.
    pub(crate) fn difference(step: &Step, embedded: Value, real: Value) -> Option<Difference> {
        (embedded != real).then(|| Difference { step: step.clone(), embedded, real })
    }
}

async fn install(plane: &ControlPlane) {
    let verdict = plane.install(&definition()).await;
    assert!(verdict.accepted, "{verdict}");
}

impl Step {
    pub(crate) fn new(method: &'static str, path: impl Into<String>, body: Value) -> Self {
        Self { method, path: path.into(), media_type: "application/json", accept: "application/json", body, user: "" }
    }

    pub(crate) fn accepting(self, accept: &'static str) -> Self {
        Self { accept, ..self }
    }

    pub(crate) fn by(self, user: &'static str) -> Self {
        Self { user, ..self }
    }

    pub(crate) fn of_type(self, media_type: &'static str) -> Self {
        Self { media_type, ..self }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step { method, path, media_type, body, user, .. } = &self.step;
        writeln!(f, "{method} {path} ({media_type}) {user}\n  {body}")?;
        let mut lines = Vec::new();
        compare("", &self.embedded, &self.real, &mut lines);
        lines.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// Lists the members in which two documents differ.
fn compare(path: &str, ours: &Value, theirs: &Value, lines: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(left), Value::Object(right)) => {
            let names: std::collections::BTreeSet<_> = left.keys().chain(right.keys()).collect();
            let absent = Value::from("(absent)");
            for name in names {
                let [left, right] = [left, right].map(|members| members.get(name).unwrap_or(&absent));
                compare(&format!("{path}.{name}"), left, right, lines);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (at, (left, right)) in left.iter().zip(right).enumerate() {
                compare(&format!("{path}[{at}]"), left, right, lines);
            }
        }
        _ if ours == theirs => {}
        _ => lines.push(format!("{path}\n      ours: {ours}\n      real: {theirs}")),
    }
}
