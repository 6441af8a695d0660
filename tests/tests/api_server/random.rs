//! Random sequences of requests, for objects of several kinds, with watches and bad requests.

mod kubernetes;
mod malformed;
mod watches;
mod widgets;
mod workloads;

use std::sync::Arc;

use crdkit_tests::{ControlPlane, case_count, faults::Random, number};
use serde_json::{Value, json};

use self::kubernetes::KINDS;
use crate::{
    both::Step,
    definition::{GROUP, definition},
    protobuf::in_protobuf,
    sequence::{END, Sequence, compare},
};

const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json-patch+json";
const APPLY: &str = "application/apply-patch+yaml";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// The sequences of a run, and the requests of each.
const SEQUENCES: u64 = 260;
const REQUESTS: usize = 40;

/// Those whose objects are sent and read as protobuf.
const MESSAGE_SEQUENCES: u64 = 20;

/// The first of the seeds, which this variable changes: each run then sends other requests.
const SEED: &str = "CRDKIT_SEED";
/// The number of sequences.
const COUNT: &str = "CRDKIT_SEQUENCES";

/// A kind whose objects the requests write.
#[derive(Clone, Copy, Debug)]
struct Kind {
    api_version: &'static str,
    kind: &'static str,
    plural: &'static str,
}

const WIDGET: Kind = Kind { api_version: "differential.example.com/v1", kind: "Widget", plural: "widgets" };

impl Kind {
    /// The path of the objects in the namespace of the test.
    fn path(&self) -> String {
        let root = if self.api_version.contains('/') { "/apis" } else { "/api" };
        format!("{root}/{}/namespaces/$namespace/{}", self.api_version, self.plural)
    }

    fn object(&self, name: &str) -> Value {
        json!({ "apiVersion": self.api_version, "kind": self.kind, "metadata": { "name": name } })
    }

    /// An object with the members that the real server adds to built-in kinds.
    fn whole(&self, name: &str) -> Value {
        let mut object = self.object(name);
        if self.kind == "Secret" {
            object["type"] = "Opaque".into();
        }
        if self.kind == "Deployment" {
            object["spec"] = workloads::spec(json!([{ "name": "x", "image": "i" }]));
        }
        object
    }

    fn is_custom(&self) -> bool {
        self.api_version.starts_with(GROUP)
    }

    /// The request that creates the object that ends the watches, which all their selectors match.
    fn end(&self) -> Step {
        let mut object = self.whole(END);
        object["metadata"]["labels"] = json!({ "k": "x" });
        if self.is_custom() {
            object["spec"] = json!({ "zone": "a" });
        }
        Step::new("POST", self.path(), object)
    }
}

/// A generator of requests, which always makes the same ones of a seed.
struct Generator {
    random: Random,
    /// The kind of the last request.
    kind: Kind,
}

impl Generator {
    fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), kind: WIDGET }
    }

    fn below(&mut self, end: usize) -> usize {
        self.random.below(end)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        self.random.pick(choices).clone()
    }

    fn name(&mut self) -> &'static str {
        self.pick(&["a", "b", "c"])
    }

    fn path(&self) -> String {
        self.kind.path()
    }

    fn step(&mut self) -> Step {
        if self.one_in(8) {
            self.kind = if self.one_in(2) { WIDGET } else { self.pick(&KINDS) };
        }
        match self.below(100) {
            0..5 => self.watch(),
            5..15 => self.bad_request(),
            _ if self.kind.is_custom() => self.widget_step(),
            _ => self.kubernetes_step(),
        }
    }

    fn read_or_delete(&mut self, name: &str) -> Step {
        let path = self.path();
        match self.below(20) {
            0..8 => {
                let query = self.pick(&[
                    "",
                    "",
                    "",
                    "?dryRun=All",
                    "?propagationPolicy=Foreground",
                    "?propagationPolicy=Background",
                ]);
                Step::new("DELETE", format!("{path}/{name}{query}"), Value::Null)
            }
            8 => Step::new("DELETE", path, Value::Null),
            9..14 => Step::new("GET", format!("{path}/{name}"), Value::Null).accepting(self.accept()),
            _ => self.list(),
        }
    }

    fn list(&mut self) -> Step {
        let version = self.below(1000);
        let mut queries = vec![
            String::new(),
            "limit=1".to_owned(),
            "limit=2".to_owned(),
            "resourceVersion=0".to_owned(),
            format!("resourceVersion=$version{version}&resourceVersionMatch=Exact"),
            format!("resourceVersion=$version{version}&resourceVersionMatch=NotOlderThan"),
        ];
        queries.extend(self.selectors().iter().map(|selector| (*selector).to_owned()));
        let query = self.pick(&queries);
        Step::new("GET", format!("{}?{query}", self.path()), Value::Null).accepting(self.accept())
    }

    /// Returns selectors that match the object that ends the watches.
    fn selectors(&self) -> &'static [&'static str] {
        const ALL: [&str; 4] = [
            "labelSelector=k%3Dx",
            "labelSelector=k%20in%20(x,y),!l",
            "fieldSelector=metadata.name!%3Da",
            "fieldSelector=spec.zone%3Da",
        ];
        if self.kind.is_custom() { &ALL } else { &ALL[..3] }
    }

    /// Returns the representation that a reader accepts.
    fn accept(&mut self) -> &'static str {
        self.pick(&[
            "application/json",
            "application/json",
            "application/json",
            "application/json;as=Table;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
            "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json",
        ])
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_requests_have_equal_responses() {
    let first = number(SEED).unwrap_or(0);
    let definitions: Arc<[_]> = [definition()].into();
    let sequences = (first..first + case_count::<u64>(COUNT, SEQUENCES)).map(|seed| {
        let mut generator = Generator::new(seed);
        let steps = (0..REQUESTS).map(|_| generator.step()).collect();
        let ends = [WIDGET].iter().chain(&KINDS).map(Kind::end).collect();
        Sequence { name: format!("random-{seed}"), definitions: definitions.clone(), steps, ends }
    });
    compare(sequences).await;
}

/// As before, as Go's clients send and read objects.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_requests_have_equal_responses_in_protobuf() {
    if ControlPlane::shared().is_none() {
        return;
    }
    let first = 10_000 + number(SEED).unwrap_or(0);
    let definitions: Arc<[_]> = [definition()].into();
    let sequences = (first..first + case_count::<u64>(COUNT, MESSAGE_SEQUENCES)).map(|seed| {
        let mut generator = Generator::new(seed);
        let steps = (0..REQUESTS).map(|_| in_protobuf(generator.step())).collect();
        let ends = [WIDGET].iter().chain(&KINDS).map(Kind::end).collect();
        Sequence { name: format!("message-{seed}"), definitions: definitions.clone(), steps, ends }
    });
    compare(sequences).await;
}
