//! The duration of `crdkit::validate` for a definition with 100 fields.

use std::time::Instant;

use anyhow::{Result, ensure};
use crdkit::validate::{validate, validate_json};
use crdkit_benches::{Conditions, Results, Samples};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Map, Value, json};

const FIELDS: usize = 100;
const ROUNDS: usize = 31;
const CALLS: usize = 200;

/// A field of one of the usual kinds.
fn field(at: usize) -> Value {
    match at % 8 {
        0 => {
            json!({ "type": "string", "description": "A name.", "minLength": 1, "maxLength": 63, "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$" })
        }
        1 => json!({ "type": "integer", "format": "int32", "minimum": 0, "default": 1 }),
        2 => json!({ "type": "string", "enum": ["Always", "Never"], "default": "Always" }),
        3 => {
            json!({ "type": "array", "items": { "type": "string" }, "x-kubernetes-list-type": "set" })
        }
        4 => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        5 => json!({ "type": "boolean", "nullable": true }),
        6 => json!({ "type": "string", "format": "date-time" }),
        _ => json!({ "x-kubernetes-int-or-string": true }),
    }
}

fn definition() -> Value {
    let fields: Map<_, _> = (0..FIELDS).map(|at| (format!("field{at}"), field(at))).collect();
    let schema = json!({
        "type": "object", "properties": { "spec": { "type": "object", "properties": fields } },
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "things.example.com" },
        "spec": {
            "group": "example.com",
            "names": { "kind": "Thing", "plural": "things" },
            "scope": "Namespaced",
            "versions": [
                { "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } },
            ],
        },
    })
}

/// The times of one call, in microseconds.
fn time(mut call: impl FnMut() -> usize) -> Samples {
    let mut times = Samples::default();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let found: usize = (0..CALLS).map(|_| call()).sum();
        times.push(start.elapsed().as_secs_f64() * 1e6 / CALLS as f64);
        std::hint::black_box(found);
    }
    times
}

fn main() -> Result<()> {
    let json = definition();
    let crd: CustomResourceDefinition = serde_json::from_value(json.clone())?;
    let found = validate(&crd);
    ensure!(found.is_empty(), "{found:?}");
    println!("{}; {ROUNDS} rounds of {CALLS} calls", Conditions::here());
    let mut results = Results::default();
    let finished = time(|| validate(&crd).len());
    let written = time(|| validate_json(&json).len());
    for (name, times) in [("validate", finished), ("validate_json", written)] {
        println!("{name}: {:.0} µs (at least {:.0})", times.median(), times.min());
        results.figure(format!("{name}_us"), times.median());
    }
    results.write("validate")
}
