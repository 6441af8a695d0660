//! Sequences of requests, which are shrunk if their responses differ.

use std::{fmt, sync::Arc};

use futures_util::{StreamExt, stream};
use serde_json::{Map, Value};

use crate::both::{Both, Difference, Step};

/// The sequences that are sent at the same time.
const PARALLEL: usize = 8;

/// The number of shrunk sequences that a failure shows.
const SHOWN: usize = 4;

/// The number of attempts to shrink a sequence.
const MAX_ATTEMPTS: usize = 400;

/// Requests in a namespace of their own.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    /// The start of the names of namespaces.
    pub(crate) name: String,
    pub(crate) definitions: Arc<[Value]>,
    pub(crate) steps: Vec<Step>,
    /// The requests that create the last object of each kind, which ends the watches of the kind.
    pub(crate) ends: Vec<Step>,
}

/// The name of the objects that end watches.
pub(crate) const END: &str = "the-end";

/// Sends sequences to both servers.
///
/// # Panics
///
/// If the servers respond differently.
pub(crate) async fn compare(sequences: impl IntoIterator<Item = Sequence>) {
    let runs = sequences.into_iter().map(|sequence| {
        let run = async move {
            let found = sequence.run(0).await?;
            Some((sequence, found))
        };
        async { tokio::spawn(run).await.expect("a sequence does not panic") }
    });
    let found: Vec<_> = stream::iter(runs).buffer_unordered(PARALLEL).collect().await;
    let differences: Vec<_> = found.iter().flatten().collect();
    let mut shown = Vec::new();
    for (sequence, found) in found.iter().flatten().take(SHOWN) {
        shown.push(sequence.clone().shrunk(found.0, &found.1).await);
    }
    assert!(shown.is_empty(), "{} of {} sequences differ\n{}", differences.len(), found.len(), shown.join("\n"));
}

impl Sequence {
    /// Returns the first difference, and the number of requests before it.
    async fn run(&self, attempt: usize) -> Option<(usize, Difference)> {
        let namespace = format!("{}-{attempt}", self.name);
        let mut both = Both::with_definitions(&namespace, &self.definitions).await?;
        for (index, step) in self.steps.iter().enumerate() {
            if step.is_watch() || step.path.contains("resourceVersion=") {
                both.wait_for_cache(step).await;
            }
            if let Some(difference) = both.send(step).await {
                return Some((index, difference));
            }
        }
        let is_watched = self.steps.iter().any(Step::is_watch);
        for step in self.ends.iter().filter(|_| is_watched) {
            if let Some(difference) = both.send(step).await {
                return Some((self.steps.len(), difference));
            }
        }
        Some((self.steps.len(), both.compare_events(END).await?))
    }

    /// Removes the requests, and the members of their bodies, that a difference does not need.
    async fn shrunk(mut self, mut last: usize, difference: &Difference) -> String {
        let (mut attempt, mut shown) = (0, difference.to_string());
        let place = difference.place();
        let is_same = |found: &Difference| found.place() == place;
        let mut at = last;
        // From the end to the start, and first whole requests.
        while at > 0 && attempt < MAX_ATTEMPTS {
            at -= 1;
            let mut candidate = self.clone();
            candidate.steps.truncate(last + 1);
            candidate.steps.remove(at);
            attempt += 1;
            if let Some((index, difference)) = candidate.run(attempt).await.filter(|(_, found)| is_same(found)) {
                (self, last, shown) = (candidate, index, difference.to_string());
                at = at.min(last);
            }
        }
        self.steps.truncate(last + 1);
        'members: while attempt < MAX_ATTEMPTS {
            for candidate in self.with_fewer_members() {
                attempt += 1;
                if let Some((_, difference)) = candidate.run(attempt).await.filter(|(_, found)| is_same(found)) {
                    (self, shown) = (candidate, difference.to_string());
                    continue 'members;
                }
            }
            break;
        }
        format!("{self}{shown}")
    }

    fn with_fewer_members(&self) -> Vec<Self> {
        let mut candidates = Vec::new();
        for at in 0..self.steps.len() {
            let paths = self.steps[at].clone().body.document().map(|body| paths(body)).unwrap_or_default();
            for path in paths {
                let mut candidate = self.clone();
                let parent = candidate.steps[at].body.document().and_then(|body| body.pointer_mut(&path.0));
                if let Some(members) = parent.and_then(Value::as_object_mut) {
                    members.remove(&path.1);
                    candidates.push(candidate);
                }
            }
        }
        candidates
    }
}

/// Returns the paths of the members that a body may lack, each as its parent and its name.
fn paths(body: &Value) -> Vec<(String, String)> {
    let names = |value: &Value| value.as_object().map(Map::keys).into_iter().flatten().cloned().collect::<Vec<_>>();
    let removable = |name: &String| !["apiVersion", "kind", "metadata", "type"].contains(&name.as_str());
    let mut paths: Vec<_> = names(body).into_iter().filter(removable).map(|name| (String::new(), name)).collect();
    for parent in names(body) {
        let inner = names(&body[&parent]).into_iter().filter(|name| name != "name");
        paths.extend(inner.map(|name| (format!("/{parent}"), name)));
    }
    paths
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "sequence {}", self.name)?;
        self.steps.iter().try_for_each(|step| writeln!(f, "  {step}"))
    }
}
