//! The rules of a whole object, with messages, reasons and paths, evaluated as the server does when it is created or updated.
//!
//! Which errors of an update are only warnings is up to the server in the process.

use crdkit::__internal::{
    cel::{CompiledRules, Failure},
    crd_accessors::read,
};
use crdkit_core::{ErrorType, json::Json, object_processing::FieldError, rules::defaults::OUT_OF_BUDGET};
use crdkit_oracles::{
    Oracle, Random,
    cel::{Scope, random_root, ruled_schema, with_changes},
    schema_json, seed,
};
use crdkit_tests::case_count;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps;
use serde_json::{Value, json};

const OBJECTS: u64 = 2_000;
const SHOWN: usize = 20;

struct Sample {
    schema: Value,
    object: Value,
    old: Option<Value>,
}

#[test]
fn rules_of_objects_have_the_errors_of_the_server() {
    let Some(oracle) = Oracle::shared() else { return };
    let mut random = Random::new(seed());
    let count: usize = case_count("CRDKIT_RULED_OBJECTS", OBJECTS);
    let samples: Vec<_> = (0..count).map(|_| sample(&mut random)).collect();
    let queries: Vec<_> = samples.iter().map(query).collect();
    let (mut different, mut errors, mut judged, mut at) = (Vec::new(), 0, 0, 0);
    oracle.query(&queries, |_, response| {
        let sample = &samples[at];
        at += 1;
        let response: Value = serde_json::from_str(&response[0]).expect("the oracle answers JSON");
        let list = response["errors"].as_array().expect("there is a list");
        let theirs: Vec<_> = list.iter().filter_map(|it| it["text"].as_str()).map(str::to_owned).collect();
        // The server stops at one of the fields, which it visits in any order, or panics, depending on the order of a map.
        const ARBITRARY: &[&str] = &["no further validation rules", "invalid memory address", "could not find key"];
        if theirs.iter().any(|it| ARBITRARY.iter().any(|cause| it.contains(cause))) {
            return;
        }
        judged += 1;
        let mut ours = errors_of(sample);
        ours.sort();
        errors += theirs.len();
        if ours != theirs {
            different.push(shown(sample, &ours, &theirs));
        }
    });
    different.sort_by_key(String::len);
    println!("{judged} of {count} objects with {errors} errors, {} differ", different.len());
    let text = different[..different.len().min(SHOWN)].join("\n");
    // Known: see the test of random rules.
    assert!(different.len() * 200 < count, "{} of {count} objects differ:\n{text}", different.len());
    assert!(errors > count && judged * 20 > count * 19, "{errors} errors of {judged} objects");
}

fn sample(random: &mut Random) -> Sample {
    let scope = loop {
        let node = random_root(random);
        if node.can_be_root() {
            break Scope::of(node, true);
        }
    };
    let schema = ruled_schema(&scope.node, true, random);
    let object = scope.random_value(random);
    let old = random.once_in(2).then(|| with_changes(&object, &scope.node, random));
    let json = |it: &Json<'_>| serde_json::from_str(&it.to_string()).expect("it is JSON");
    Sample { schema: json(&schema_json(&schema)), object: json(&object), old: old.as_ref().map(json) }
}

fn query(sample: &Sample) -> Vec<String> {
    let mut asked = json!({
        "schema": sample.schema, "object": sample.object, "limit": 1_000_000, "budget": 10_000_000,
    });
    if let Some(old) = &sample.old {
        asked["oldObject"] = old.clone();
    }
    vec!["objects".to_owned(), asked.to_string()]
}

fn errors_of(sample: &Sample) -> Vec<String> {
    let schema: JSONSchemaProps = serde_json::from_value(sample.schema.clone()).expect("it is a schema");
    let schema = JSONSchemaProps { x_kubernetes_embedded_resource: Some(true), ..schema };
    let Some(rules) = CompiledRules::of(&schema) else { return Vec::new() };
    let failures = rules.failures(sample.old.as_ref().map(read::json).as_ref(), &read::json(&sample.object));
    failures.into_iter().map(|it| error(it).to_string()).collect()
}

fn error(failure: Failure) -> FieldError {
    match failure {
        Failure::Rule { kind, place, value, detail, .. } => FieldError { place, kind, value, detail },
        Failure::Budget { place, type_ } => {
            FieldError { place, kind: ErrorType::Invalid, value: Some(type_), detail: OUT_OF_BUDGET.to_owned() }
        }
    }
}

/// The sample, and the errors that only one of them has.
fn shown(sample: &Sample, ours: &[String], theirs: &[String]) -> String {
    let only = |these: &[String], those: &[String]| {
        let only: Vec<_> = these.iter().filter(|it| !those.contains(it)).cloned().collect();
        only.join("\n    ")
    };
    let old = sample.old.as_ref().map(ToString::to_string).unwrap_or_default();
    format!(
        "{}\n  {} {old}\n  ours:\n    {}\n  theirs:\n    {}",
        sample.schema,
        sample.object,
        only(ours, theirs),
        only(theirs, ours)
    )
}
