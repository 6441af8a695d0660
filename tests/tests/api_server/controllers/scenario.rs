//! Requests, and the objects that are left when the controllers have nothing to do any more.

use std::{collections::HashMap, time::Duration};

use crdkit_api_server::{ApiServer, ControlPlane, ControlPlaneError};
use crdkit_tests::{Request, announce};
use futures_util::{StreamExt as _, stream};
use kube::Client;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};

const MERGE: &str = "application/merge-patch+json";
/// The time in which the controllers of a cluster finish.
const LIMIT: Duration = Duration::from_secs(45);
/// The time after which nothing follows any more.
const QUIET: Duration = Duration::from_secs(2);
/// Scenarios that run at the same time.
const CONCURRENT: usize = 8;

/// Requests in a namespace with the name of the scenario.
pub(crate) struct Scenario {
    name: &'static str,
    steps: Vec<(&'static str, String, Value)>,
    /// The collections whose objects are compared, below the namespace.
    collections: Vec<&'static str>,
    /// What is left, as `plural/name`.
    left: Vec<&'static str>,
}

impl Scenario {
    pub(crate) fn new(name: &'static str) -> Self {
        let collections = ["configmaps", "secrets", "pods"]
            .map(|plural| Box::leak(format!("/api/v1/namespaces/{name}/{plural}").into_boxed_str()) as &'static str);
        Self { name, steps: Vec::new(), collections: collections.into(), left: Vec::new() }
    }

    fn step(mut self, method: &'static str, path: &str, body: Value) -> Self {
        let path =
            if path.starts_with('/') { path.to_owned() } else { format!("/api/v1/namespaces/$namespace/{path}") };
        self.steps.push((method, path, body));
        self
    }

    /// Creates an object in its collection.
    pub(crate) fn create(self, object: Value) -> Self {
        let plural = format!("{}s", object["kind"].as_str().unwrap().to_lowercase());
        let start = match object["apiVersion"].as_str().unwrap() {
            "v1" => "/api/v1".to_owned(),
            version => format!("/apis/{version}"),
        };
        let path = match object["metadata"]["namespace"].as_str() {
            Some(namespace) => format!("{start}/namespaces/{namespace}/{plural}"),
            None => format!("{start}/{plural}"),
        };
        self.step("POST", &path, object)
    }

    pub(crate) fn patch(self, path: &str, body: Value) -> Self {
        self.step("PATCH", path, body)
    }

    pub(crate) fn delete(self, path: &str, options: Value) -> Self {
        self.step("DELETE", path, options)
    }

    pub(crate) fn leaves(self, left: &[&'static str]) -> Self {
        Self { left: left.into(), ..self }
    }

    /// Sends the requests, and returns the codes.
    async fn play(&self, client: &Client, pause: Duration) -> Vec<u16> {
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": self.name } });
        send(client, Request::post("/api/v1/namespaces", namespace)).await;
        let mut uids: HashMap<String, String> = HashMap::new();
        let mut codes = Vec::new();
        for (method, path, body) in &self.steps {
            let fill = |text: &str| {
                let text = text.replace("$namespace", self.name);
                uids.iter().fold(text, |text, (name, uid)| text.replace(&format!("$uid({name})"), uid))
            };
            let path = fill(path);
            let body: Value = serde_json::from_str(&fill(&body.to_string())).unwrap();
            let request = match *method {
                "POST" => Request::post(path, body),
                "PATCH" => Request::patch(path, MERGE, body),
                _ if body.is_null() => Request::delete(path),
                _ => Request::delete_with(path, body),
            };
            let (code, object) = send(client, request).await;
            codes.push(code);
            if let (Some(name), Some(uid)) = (object["metadata"]["name"].as_str(), object["metadata"]["uid"].as_str()) {
                uids.insert(name.to_owned(), uid.to_owned());
            }
            sleep(pause).await;
        }
        codes
    }

    /// Returns what is left, and the namespace.
    async fn state(&self, client: &Client) -> Map<String, Value> {
        let mut state = Map::new();
        for path in &self.collections {
            let (_, list) = send(client, Request::get(*path)).await;
            let plural = path.rsplit('/').next().unwrap();
            for object in list["items"].as_array().into_iter().flatten() {
                let name = object["metadata"]["name"].as_str().unwrap();
                if name != "kube-root-ca.crt" {
                    state.insert(format!("{plural}/{name}"), normalized(plural, object.clone()));
                }
            }
        }
        let (code, namespace) = send(client, Request::get(format!("/api/v1/namespaces/{}", self.name))).await;
        if code == 200 {
            state.insert("namespace".into(), normalized("namespaces", namespace));
        }
        state
    }
}

async fn send(client: &Client, request: Request) -> (u16, Value) {
    let answer = request.send(client.clone()).await.expect("the server responds");
    (answer.status, answer.body)
}

/// Leaves out what differs between any two servers, and what controllers do not write.
fn normalized(plural: &str, mut object: Value) -> Value {
    let metadata = object["metadata"].as_object_mut().unwrap();
    for name in ["uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "managedFields", "generation"] {
        if let Some(value) = metadata.remove(name)
            && name == "deletionTimestamp"
        {
            metadata.insert("isDeleting".into(), (!value.is_null()).into());
        }
    }
    for owner in metadata.get_mut("ownerReferences").and_then(Value::as_array_mut).into_iter().flatten() {
        owner["uid"] = "".into();
    }
    if plural == "pods" {
        return json!({ "metadata": object["metadata"] });
    }
    for condition in object["status"]["conditions"].as_array_mut().into_iter().flatten() {
        condition["lastTransitionTime"] = "".into();
    }
    json!({ "metadata": object["metadata"], "status": object["status"], "spec": object["spec"] })
}

/// Plays scenarios on servers in the process and, if the machine has it, with kube-controller-manager.
pub(crate) async fn compare(scenarios: &[Scenario], enable: impl Fn(ApiServer) -> ApiServer) {
    let mut ours = Vec::new();
    for scenario in scenarios {
        let client = enable(ApiServer::new()).kube_client();
        let codes = scenario.play(&client, Duration::ZERO).await;
        let state = scenario.state(&client).await;
        let left: Vec<&str> = state.keys().map(String::as_str).filter(|name| *name != "namespace").collect();
        assert_eq!(left, scenario.left, "{}: {state:#?}", scenario.name);
        ours.push((scenario, codes, state));
    }
    let Some(plane) = with_controllers() else { return };
    let client = Client::try_from(plane.config()).expect("a client");
    let differences = stream::iter(ours)
        .map(|(scenario, codes, state)| {
            let client = &client;
            async move {
                let theirs = scenario.play(client, Duration::from_millis(700)).await;
                if theirs != codes {
                    return Some(format!("{}: the codes are {codes:?}, and should be {theirs:?}", scenario.name));
                }
                settles_as(scenario, client, &state).await
            }
        })
        .buffer_unordered(CONCURRENT)
        .filter_map(|difference| async { difference })
        .collect::<Vec<_>>()
        .await;
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

/// Starts a control plane with kube-controller-manager, if the machine has one.
pub(super) fn with_controllers() -> Option<ControlPlane> {
    match ControlPlane::builder().controllers().start() {
        Ok(plane) => Some(plane),
        Err(error @ ControlPlaneError::NoControllerManager) => {
            announce(&format!("NOT COMPARED with the controllers of a cluster: {error}"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Waits until the state of the real server is this one, and stays so.
async fn settles_as(scenario: &Scenario, client: &Client, expected: &Map<String, Value>) -> Option<String> {
    let began = Instant::now();
    let mut since = None;
    loop {
        let state = scenario.state(client).await;
        if state == *expected {
            if since.get_or_insert_with(Instant::now).elapsed() > QUIET {
                return None;
            }
        } else {
            since = None;
        }
        if began.elapsed() > LIMIT {
            let (ours, theirs) = (json!(expected), json!(state));
            return Some(format!("{}\n  ours: {ours:#}\n  real: {theirs:#}", scenario.name));
        }
        sleep(Duration::from_millis(300)).await;
    }
}
