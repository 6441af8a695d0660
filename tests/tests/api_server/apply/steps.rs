//! Random requests.

use crdkit_tests::faults::Random;
use serde_json::{Map, Value, json};

use super::documents::{Documents, spec, status};

/// Requests for one object.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    /// Whether the status of the object is a subresource.
    pub(super) has_status: bool,
    pub(super) steps: Vec<Step>,
}

/// A request for an object.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Applies a configuration.
    Apply {
        by: Writer,
        force: bool,
        body: Value,
    },
    /// Merges a patch into the last object, and replaces the object by the result.
    Update {
        by: Writer,
        patch: Value,
    },
    MergePatch {
        by: Writer,
        patch: Value,
    },
    JsonPatch {
        by: Writer,
        patch: Value,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Writer {
    pub(super) manager: String,
    pub(super) version: &'static str,
    pub(super) subresource: &'static str,
}

impl Step {
    pub(super) const fn by(&self) -> &Writer {
        match self {
            Self::Apply { by, .. }
            | Self::Update { by, .. }
            | Self::MergePatch { by, .. }
            | Self::JsonPatch { by, .. } => by,
        }
    }

    /// The body of the request.
    pub(super) const fn body(&mut self) -> &mut Value {
        match self {
            Self::Apply { body, .. } => body,
            Self::Update { patch, .. } | Self::MergePatch { patch, .. } | Self::JsonPatch { patch, .. } => patch,
        }
    }
}

impl Sequence {
    /// Returns random requests, most of them applies.
    pub(super) fn new(random: &mut Random, count: usize) -> Self {
        let has_many_managers = random.percent(15);
        let steps = (0..count).map(|_| step(random, has_many_managers)).collect();
        Self { has_status: random.percent(50), steps }
    }
}

fn step(random: &mut Random, has_many_managers: bool) -> Step {
    let manager = match has_many_managers && random.percent(60) {
        true => format!("m{}", random.below(30)),
        false => (*random.pick(&["a", "b", "c"])).to_owned(),
    };
    let version = if random.percent(20) { "v2" } else { "v1" };
    let subresource = match random.below(100) {
        0..12 => "status",
        12..18 => "scale",
        _ => "",
    };
    let by = Writer { manager, version, subresource };
    let invalid = if random.percent(15) { 15 } else { 0 };
    let document = match subresource {
        "scale" => json!({"metadata": {}, "spec": {"replicas": random.below(3) + 1}}),
        _ => Documents { random, invalid }.document(),
    };
    match random.below(10) {
        0 => Step::Update { by, patch: with_nulls(random, document) },
        1 => Step::MergePatch { by, patch: with_nulls(random, document) },
        2 => Step::JsonPatch { by, patch: operations(random, &document) },
        _ => Step::Apply { by, force: random.percent(60), body: document },
    }
}

impl Documents<'_> {
    fn document(&mut self) -> Value {
        let mut document = json!({"metadata": self.metadata()});
        if self.random.percent(95) {
            document["spec"] = self.object(&spec(), false);
        }
        if self.random.percent(30) {
            document["status"] = self.object(&status(), false);
        }
        document
    }
}

/// Returns a patch that also removes fields, and sometimes resets managed fields.
fn with_nulls(random: &mut Random, mut document: Value) -> Value {
    if document["spec"]["replicas"].is_number() {
        return document;
    }
    for name in spec()["properties"].as_object().into_iter().flat_map(Map::keys) {
        if random.percent(15) && document["spec"].is_object() {
            document["spec"][name] = Value::Null;
        }
    }
    for name in ["labels", "finalizers", "ownerReferences"] {
        if random.percent(15) {
            document["metadata"][name] = Value::Null;
        }
    }
    if random.percent(5) {
        document["metadata"]["managedFields"] = random.pick(&[json!([]), json!([{}]), json!(null)]).clone();
    }
    document
}

/// Returns a JSON patch that sets fields, which exist or not.
fn operations(random: &mut Random, document: &Value) -> Value {
    let mut operations = Vec::new();
    for (name, value) in document["spec"].as_object().into_iter().flatten() {
        let path = format!("/spec/{name}");
        operations.push(match random.below(6) {
            0 => json!({"op": "remove", "path": path}),
            _ => json!({"op": "add", "path": path, "value": value}),
        });
    }
    let kept = operations.into_iter().filter(|_| random.percent(40));
    kept.collect()
}
