//! Random requests for an object, most of them applies.

use crdkit_tests::faults::Random;
use serde_json::{Map, Value, json};

use super::{
    GROUP, KINDS,
    documents::{Documents, spec, status},
};
use crate::step::{Body, Step};

pub(super) const APPLY: &str = "application/apply-patch+yaml";

/// Who writes an object, and how.
struct Writer {
    manager: String,
    version: &'static str,
    subresource: &'static str,
    kind: &'static str,
}

impl Writer {
    fn path(&self) -> String {
        let Self { manager, version, subresource, kind } = self;
        let collection = format!("/apis/{GROUP}/{version}/namespaces/$namespace/{}s", kind.to_lowercase());
        let part = if subresource.is_empty() { String::new() } else { format!("/{subresource}") };
        format!("{collection}/one{part}?fieldManager={manager}")
    }

    /// Adds the type and the name to an object.
    fn complete(&self, mut object: Value) -> Value {
        let (api_version, kind) = match self.subresource {
            "scale" => ("autoscaling/v1".to_owned(), "Scale"),
            _ => (format!("{GROUP}/{}", self.version), self.kind),
        };
        object["apiVersion"] = api_version.into();
        object["kind"] = kind.into();
        object["metadata"]["name"] = "one".into();
        object
    }
}

/// Returns random requests for an object of a random kind.
pub(super) fn steps(random: &mut Random, count: usize) -> Vec<Step> {
    let has_many_managers = random.percent(15);
    let kind = *random.pick(&KINDS);
    (0..count).map(|_| step(random, kind, has_many_managers)).collect()
}

fn step(random: &mut Random, kind: &'static str, has_many_managers: bool) -> Step {
    let manager = if has_many_managers && random.percent(60) {
        format!("m{}", random.below(30))
    } else {
        (*random.pick(&["a", "b", "c"])).to_owned()
    };
    let version = if random.percent(20) { "v2" } else { "v1" };
    let subresource = match random.below(100) {
        0..12 => "status",
        12..18 => "scale",
        _ => "",
    };
    let by = Writer { manager, version, subresource, kind };
    let invalid = if random.percent(15) { 15 } else { 0 };
    let document = match subresource {
        "scale" => json!({"metadata": {}, "spec": {"replicas": random.below(3) + 1}}),
        _ => Documents { random, invalid }.document(),
    };
    let path = by.path();
    match random.below(10) {
        0 if subresource == "scale" => Step::new("PUT", path, by.complete(document)),
        0 => {
            let change = by.complete(with_nulls(random, document));
            Step::new("PUT", path, Value::Null).with_body(Body::Changed(change))
        }
        1 => Step::new("PATCH", path, with_nulls(random, document)).of_type("application/merge-patch+json"),
        2 => Step::new("PATCH", path, operations(random, &document)).of_type("application/json-patch+json"),
        _ => {
            let force = random.percent(60);
            Step::new("PATCH", format!("{path}&force={force}"), by.complete(document)).of_type(APPLY)
        }
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
