//! Requests to the server in the process and to the real one, and the differences between their responses.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use crdkit_api_server::ApiServer;
use crdkit_tests::{Answer, ControlPlane, Request};
use http::Method;
use kube::Client;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::{definition::definition, normalize::Names, protobuf, watched::Watched};
pub(crate) use crate::{difference::Difference, step::Step};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// Both servers, with the same definitions, and a namespace on each.
pub(crate) struct Both {
    embedded: Side,
    real: Side,
    pub(crate) namespace: String,
}

struct Side {
    client: Client,
    namespace: String,
    names: Names,
    /// The last object in a response, and the last one that is no scale.
    last: Value,
    object: Value,
    /// The versions in all responses.
    versions: Vec<String>,
    watches: Vec<(Step, Watched)>,
}

impl Side {
    fn new(client: Client, namespace: &str) -> Self {
        Self {
            client,
            namespace: namespace.to_owned(),
            names: Names::default(),
            last: Value::Null,
            object: Value::Null,
            versions: Vec::new(),
            watches: Vec::new(),
        }
    }

    async fn send(&mut self, step: &Step) -> Value {
        let response = self.request(step).open(self.client.clone()).await.expect("the server responds");
        if step.is_watch() && response.status().is_success() {
            let content_type = protobuf::content_type(&response);
            self.watches.push((step.clone(), Watched::new(response.into_body(), protobuf::is_message(&content_type))));
            return json!({ "code": 200, "type": content_type });
        }
        let mut answer = Answer::read(response).await.expect("the server completes the response");
        if protobuf::is_message(&answer.content_type) {
            answer.body = protobuf::read(&answer.body);
        }
        let metadata = &answer.body["metadata"];
        if answer.is_success() && metadata["uid"].is_string() {
            self.last = answer.body.clone();
            if answer.body["kind"] != "Scale" {
                self.object = answer.body.clone();
            }
        }
        self.versions.extend(metadata["resourceVersion"].as_str().map(str::to_owned));
        self.names.response(answer)
    }

    fn request(&self, step: &Step) -> Request {
        let path = self.fill(&step.path);
        let method: Method = step.method.parse().expect("a method of HTTP");
        let body = step.body.bytes(&self.object, |text| self.fill(text));
        let body = if step.has_message() { protobuf::message(&body) } else { body };
        let request = if body.is_empty() {
            Request::without_body(method, path)
        } else {
            Request::with_bytes(method, path, step.media_type, body)
        };
        match step.user {
            "" => request.accept(step.accept),
            user => request.accept(step.accept).header("Impersonate-User", user),
        }
    }

    fn fill(&self, text: &str) -> String {
        let metadata = &self.last["metadata"];
        let part = |name: &str| metadata[name].as_str().unwrap_or("0").to_owned();
        let text = text
            .replace("$namespace", &self.namespace)
            .replace("$resourceVersion", &part("resourceVersion"))
            .replace("$uid", &part("uid"));
        let mut parts = text.split("$version");
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let index: usize = part[..end].parse().expect("the number of a version");
            let version = index.checked_rem(self.versions.len()).map(|index| self.versions[index].as_str());
            filled += version.unwrap_or("0");
            filled += &part[end..];
        }
        filled
    }

    /// Returns the events of all watches up to an object of this name.
    async fn events(&mut self, last: &str) -> Vec<(Step, Value)> {
        let mut all = Vec::new();
        for (step, mut watch) in self.watches.drain(..) {
            let events = watch.until(last).await;
            all.push((step, self.names.events(events)));
        }
        all
    }
}

impl Both {
    /// Returns both servers with a new namespace; `None` if there is no real one.
    pub(crate) async fn with_namespace(namespace: &str) -> Option<Self> {
        Self::with_definitions(namespace, &[definition()]).await
    }

    /// Returns both servers with these definitions and a new namespace; `None` if there is no real one.
    pub(crate) async fn with_definitions(namespace: &str, definitions: &[Value]) -> Option<Self> {
        Self::with_server(&ApiServer::new(), namespace, definitions).await
    }

    /// As [`Self::with_definitions`], with this server in the process.
    pub(crate) async fn with_server(server: &ApiServer, namespace: &str, definitions: &[Value]) -> Option<Self> {
        let plane = ControlPlane::shared()?;
        install(plane, definitions).await;
        let mut both = Self {
            embedded: Side::new(server.kube_client(), namespace),
            real: Side::new(without_retries(plane), namespace),
            namespace: namespace.to_owned(),
        };
        for definition in definitions {
            both.define(definition.clone()).await;
        }
        let object = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } });
        for side in [&mut both.embedded, &mut both.real] {
            let created = side.send(&Step::new("POST", "/api/v1/namespaces", object.clone())).await;
            assert_eq!(created["code"], 201, "{created}");
            *side = Side::new(side.client.clone(), namespace);
        }
        Some(both)
    }

    /// Returns clients of the server in the process and of the real one.
    pub(crate) fn clients(&self) -> [Client; 2] {
        [&self.embedded, &self.real].map(|side| side.client.clone())
    }

    /// Creates a definition on the server in the process, which the real one has already.
    pub(crate) async fn define(&mut self, definition: Value) {
        let created = self.embedded.send(&Step::new("POST", DEFINITIONS, definition)).await;
        assert_eq!(created["code"], 201, "{created}");
        self.embedded = Side::new(self.embedded.client.clone(), &self.namespace);
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

    /// Compares the responses to a request after a change of each. The request is sent to the real server until it has noticed the writes before: some of its parts watch objects.
    pub(crate) async fn send_eventually(&mut self, step: &Step, change: impl Fn(&mut Value)) -> Option<Difference> {
        const LIMIT: Duration = Duration::from_secs(5);
        const INTERVAL: Duration = Duration::from_millis(20);
        let deadline = Instant::now() + LIMIT;
        let mut embedded = self.embedded.send(step).await;
        change(&mut embedded);
        let names = self.real.names.clone();
        loop {
            self.real.names = names.clone();
            let mut real = self.real.send(step).await;
            change(&mut real);
            let is_done = [&real, &embedded].iter().all(|response| response["code"].as_u64() < Some(300));
            // A review stores nothing, so it can be sent again.
            if real == embedded || (is_done && !step.path.ends_with("reviews")) || Instant::now() > deadline {
                return Self::difference(step, embedded, real);
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Waits until the cache of the real server, from which it serves watches, has all changes.
    pub(crate) async fn wait_for_cache(&mut self, watch: &Step) {
        let collection = watch.path.split('?').next().unwrap_or_default();
        let list = Step::new("GET", format!("{collection}?labelSelector=none"), Value::Null);
        // The response does not matter.
        let _ = self.real.request(&list).send(self.real.client.clone()).await;
    }

    /// Compares the events of all watches, up to an object of this name.
    pub(crate) async fn compare_events(&mut self, last: &str) -> Option<Difference> {
        let (embedded, real) = (self.embedded.events(last).await, self.real.events(last).await);
        let pairs = embedded.into_iter().zip(real);
        pairs.into_iter().find_map(|((step, ours), (_, theirs))| Self::difference(&step, ours, theirs))
    }

    /// Compares two responses.
    pub(crate) fn difference(step: &Step, embedded: Value, real: Value) -> Option<Difference> {
        (embedded != real).then(|| Difference { step: step.clone(), embedded, real })
    }
}

/// Returns a client of the real server that sends a request once, whatever the response.
fn without_retries(plane: &ControlPlane) -> Client {
    let mut config = plane.config();
    config.default_retry = false;
    Client::try_from(config).expect("the configuration is valid")
}

/// Creates definitions on the real server, each once.
async fn install(plane: &ControlPlane, definitions: &[Value]) {
    static INSTALLED: Mutex<BTreeSet<String>> = Mutex::const_new(BTreeSet::new());
    let mut installed = INSTALLED.lock().await;
    for definition in definitions {
        if installed.insert(definition["metadata"]["name"].to_string()) {
            let verdict = plane.install(definition).await;
            assert!(verdict.accepted, "{verdict}");
        }
    }
}
