//! Evaluates random rules as the server does when an object is created: a sample, as each schema needs a definition.

use crdkit::validate::{Severity, validate_json};
use crdkit_core::{
    cel::{EvaluationError, RuleScope},
    json::Json,
    schema::{AdditionalProperties, Items, SchemaProps},
};
use crdkit_oracles::{
    Oracle,
    cel::{Scope, Target, Writer, random_root, targets},
    evaluation::{Question, RuleText, ask, zone},
    schema_json,
};
use crdkit_tests::{ControlPlane, Request, Verdict, case_count, number};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

const DEFINITIONS: u64 = 30;
const RULES: usize = 12;
/// The number of definitions that are created at the same time.
const CONCURRENT: usize = 4;
/// The limit of one evaluation: `PerCallLimit` of the API server.
const LIMIT: u64 = 1_000_000;

/// Rules of a schema, and a value.
struct Sample {
    number: usize,
    schema: SchemaProps<'static>,
    value: Json<'static>,
    rules: Vec<String>,
}

#[tokio::test]
async fn rules_have_the_outcomes_of_the_server_when_objects_are_created() {
    let (Some(plane), Some(oracle)) = (ControlPlane::shared(), Oracle::shared()) else {
        return;
    };
    let mut random = crdkit_oracles::Random::new(number("CRDKIT_RANDOM_DEFINITIONS_SEED").unwrap_or(1));
    let count: usize = case_count("CRDKIT_EVALUATED_DEFINITIONS", DEFINITIONS);
    let samples: Vec<_> = (0..count).map(|at| sample(at, &mut random, oracle)).collect();
    let compared = stream::iter(&samples).map(|it| differences(plane, it)).buffer_unordered(CONCURRENT);
    let all: Vec<_> = compared.collect().await;
    let judged: usize = all.iter().map(|it| it.0).sum();
    let different: Vec<_> = all.into_iter().filter_map(|it| it.1).collect();
    println!("{judged} rules judged, {} definitions differ", different.len());
    // Known: see the test of random rules.
    assert!(different.len() * 20 < count.max(21), "{}", different.join("\n"));
    assert!(judged > count * 3, "{judged} rules are judged");
}

/// A sample, whose rules a new definition can have, and have one outcome in any order of a map.
fn sample(number: usize, random: &mut crdkit_oracles::Random, oracle: &Oracle) -> Sample {
    let scope = loop {
        let node = random_root(random);
        if node.can_be_root() {
            break Scope::of(node, false);
        }
    };
    let schema = bounded(scope.node.schema());
    let value = scope.random_value(random);
    let mut rules = Vec::new();
    while rules.len() < RULES {
        let target = Target::Function(&targets()[random.below(targets().len())]);
        let rule = Writer::new(random, &scope, None).rule(target).to_string();
        let crd = definition(number, &schema, std::slice::from_ref(&rule));
        if validate_json(&crd).iter().all(|it| it.severity != Severity::Error) {
            rules.push(rule);
        }
    }
    let texts = rules.iter().map(|it| RuleText { rule: it.clone(), ..RuleText::default() }).collect();
    let values = vec![(value.clone(), None)];
    let question = Question { schema: schema.clone(), is_root: false, limit: LIMIT, repeats: 20, rules: texts, values };
    let response = ask(oracle, &[question]).remove(0);
    let mut outcomes = response.outcomes[0].iter();
    rules.retain(|_| outcomes.next().is_some_and(|it| it.len() == 1));
    Sample { number, schema, value, rules }
}

/// The schema with bounds, without which the estimated cost of most rules is too high.
fn bounded(schema: SchemaProps<'static>) -> SchemaProps<'static> {
    let is = |type_| schema.type_.as_deref() == Some(type_);
    let properties = schema.properties.map(|all| all.into_iter().map(|(name, it)| (name, bounded(it))).collect());
    let (is_text, is_list, is_object) = (is("string") || schema.int_or_string, is("array"), is("object"));
    SchemaProps {
        max_length: is_text.then_some(200),
        max_items: is_list.then_some(5),
        max_properties: is_object.then_some(40),
        properties,
        items: match schema.items {
            Some(Items::Schema(items)) => Some(Items::Schema(Box::new(bounded(*items)))),
            other => other,
        },
        additional_properties: match schema.additional_properties {
            Some(AdditionalProperties::Schema(values)) => {
                Some(AdditionalProperties::Schema(Box::new(bounded(*values))))
            }
            other => other,
        },
        ..schema
    }
}

fn group(number: usize) -> String {
    format!("evaluated-{number}.example.com")
}

fn definition(number: usize, schema: &SchemaProps<'static>, rules: &[String]) -> Value {
    let group = group(number);
    let mut spec: Value = serde_json::from_str(&schema_json(schema).to_string()).expect("it is JSON");
    spec["x-kubernetes-validations"] = rules.iter().map(|it| json!({ "rule": it })).collect();
    let root = json!({ "type": "object", "properties": { "spec": spec } });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("things.{group}") },
        "spec": {
            "group": group, "names": { "kind": "Thing", "plural": "things" }, "scope": "Cluster",
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": root } }],
        },
    })
}

/// The number of rules that the server evaluates, and what differs.
async fn differences(plane: &ControlPlane, sample: &Sample) -> (usize, Option<String>) {
    let crd = definition(sample.number, &sample.schema, &sample.rules);
    let verdict = plane.install(&crd).await;
    if !verdict.accepted {
        return (0, Some(format!("{crd}\n  {verdict}")));
    }
    let group = group(sample.number);
    let spec: Value = serde_json::from_str(&sample.value.to_string()).expect("it is JSON");
    let object = json!({
        "apiVersion": format!("{group}/v1"), "kind": "Thing", "metadata": { "name": "a" }, "spec": spec,
    });
    let request = Request::post(format!("/apis/{group}/v1/things?dryRun=All"), object);
    let verdict: Verdict = plane.raw(request).await.into();
    let mut theirs: Vec<_> =
        verdict.causes.iter().filter(|it| it.field == "spec").map(|it| it.message.clone()).collect();
    if theirs.len() < verdict.causes.len() {
        // The object is invalid, so that its rules are not evaluated.
        return (0, None);
    }
    let mut ours = expected(sample);
    theirs.sort();
    ours.sort();
    let only = |these: &[String], those: &[String]| {
        let only: Vec<_> = these.iter().filter(|it| !those.contains(it)).cloned().collect();
        only.join("\n    ")
    };
    let text = || format!("{spec}\n  ours:\n    {}\n  theirs:\n    {}", only(&ours, &theirs), only(&theirs, &ours));
    (sample.rules.len(), (ours != theirs).then(text))
}

/// The messages of the rules that are not true.
fn expected(sample: &Sample) -> Vec<String> {
    let scope = RuleScope::of(&sample.schema, false).expect("it is an object");
    let mut messages = Vec::new();
    for rule in &sample.rules {
        let program = scope.program(rule, false).expect("it compiles").with_zones(zone);
        let text = rule.trim();
        let message = match program.evaluate(&sample.value, None, LIMIT).result {
            Ok(true) => continue,
            Ok(false) => format!("Invalid value: failed rule: {text}"),
            Err(EvaluationError::Failed(error)) if error.starts_with("no such overload") => format!(
                "Invalid value: \"object\": '{error}': call arguments did not match a supported operator, function or macro \
                 signature for rule: {text}"
            ),
            Err(EvaluationError::Failed(error)) => {
                format!("Invalid value: \"object\": {error} evaluating rule: {text}")
            }
            Err(EvaluationError::CostLimitExceeded) => {
                messages.push(format!(
                    "Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further validation rules will \
                     be run due to call cost exceeds limit for rule: {text}"
                ));
                break;
            }
        };
        messages.push(message);
    }
    messages
}
