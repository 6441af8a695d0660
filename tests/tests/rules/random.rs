//! Compares both verdicts on random definitions.

mod changes;
mod definitions;
mod rng;
mod rules;
mod schema;
mod values;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use crdkit_tests::{ControlPlane, Verdict, case_count, number};
use serde_json::Value;

use crate::{
    comparison::{self, Comparison, Difference, Verb},
    expressions::missing_causes,
    report,
    shrink::shrunk,
};
pub(crate) use definitions::definition;
pub(crate) use rng::Rng;
pub(crate) use rules::{ruled, written};

const DEFINITIONS: u64 = 3_000;
const BATCH: usize = 500;
/// The number of disagreements that are shrunk.
const SHOWN: usize = 12;

#[tokio::test]
async fn random_definitions_are_judged_as_the_server_judges_them() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let count: usize = case_count("CRDKIT_RANDOM_DEFINITIONS", DEFINITIONS);
    let seed = number("CRDKIT_RANDOM_DEFINITIONS_SEED").unwrap_or(1);
    let mut rng = Rng::new(seed);
    let (mut refused, mut different) = (0, BTreeMap::<Difference, Vec<Value>>::new());
    let mut left = count;
    while left > 0 {
        let batch: Vec<Value> = (0..left.min(BATCH)).map(|_| definition(&mut rng)).collect();
        left -= batch.len();
        let requests = batch.iter().map(|crd| (Verb::Create, crd.clone()));
        let verdicts = comparison::verdicts(plane, requests.collect()).await;
        for (crd, server) in batch.into_iter().zip(verdicts) {
            refused += usize::from(!server.accepted);
            let comparison = Comparison::new(Verb::Create, server, &crd);
            if let Some(difference) = comparison.difference() {
                different.entry(difference).or_default().push(crd);
            }
        }
    }
    println!("{count} definitions of seed {seed}, {refused} of them refused");
    let text = shown(plane, &different).await;
    assert!(different.is_empty(), "{text}");
    assert!(refused * 5 > count, "only {refused} of {count} are refused");
    assert!(refused * 5 < count * 4, "{refused} of {count} are refused");
}

/// The number of random rules, and the number of rules in one definition.
const RULES: u64 = 1_000;
const RULES_TOGETHER: usize = 8;

#[tokio::test]
async fn random_rules_are_judged_as_the_server_judges_them() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let count: usize = case_count("CRDKIT_RANDOM_RULES", RULES);
    let mut rng = Rng::new(number("CRDKIT_RANDOM_DEFINITIONS_SEED").unwrap_or(1));
    let together = (0..count / RULES_TOGETHER).map(|_| rules::ruled(&mut rng, RULES_TOGETHER)).collect();
    let (refused, different) = disagreements(plane, together).await;
    let apart = different.iter().flat_map(rules::apart).collect();
    let (_, alone) = disagreements(plane, apart).await;
    let shown = if alone.is_empty() { different } else { alone };
    println!("{count} rules, {} definitions, {refused} rules refused", count / RULES_TOGETHER);
    let mut text = String::new();
    for crd in shown.iter().take(SHOWN) {
        let server = comparison::verdicts(plane, vec![(Verb::Create, crd.clone())]).await;
        let comparison = Comparison::new(Verb::Create, server.into_iter().next().expect("there is one verdict"), crd);
        report::line(&mut text, "", &rules::written(crd).to_string());
        text.push_str(&report::server(&comparison.server));
        text.push_str(&report::ours(&comparison.ours));
    }
    assert!(shown.is_empty(), "{} definitions:\n{text}", shown.len());
    assert!((count / 10..count * 9 / 10).contains(&refused), "{refused} of {count} rules are refused");
}

/// The number of rules of a definition that have an error.
fn refused_rules(verdict: &Verdict) -> usize {
    let rules = verdict.causes.iter().filter_map(|it| Some(it.field.split_once("x-kubernetes-validations[")?.1));
    rules.filter_map(|rest| Some(rest.split_once(']')?.0)).collect::<BTreeSet<_>>().len()
}

/// Returns the number of rules that the server refuses, and the definitions on whose rules the verdicts differ.
async fn disagreements(plane: &ControlPlane, crds: Vec<Value>) -> (usize, Vec<Value>) {
    let requests = crds.iter().map(|crd| (Verb::Create, crd.clone()));
    let verdicts = comparison::verdicts(plane, requests.collect()).await;
    let refused = verdicts.iter().map(refused_rules).sum();
    let different = crds.into_iter().zip(verdicts).filter(|(crd, server)| {
        let comparison = Comparison::new(Verb::Create, server.clone(), crd);
        !comparison.is_agreement() || !missing_causes(&comparison).is_empty()
    });
    (refused, different.map(|(crd, _)| crd).collect())
}

/// Returns the definition without the parts that all definitions have.
fn brief(written: &str) -> String {
    let everywhere = [
        r#""apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","#,
        r#""metadata":{"name":"things.example.com"},"#,
        r#""group":"example.com","names":{"kind":"Thing","plural":"things"},"scope":"Namespaced","#,
    ];
    let start = written.to_owned();
    everywhere.iter().fold(start, |text, it| text.replace(it, ""))
}

/// The smallest definitions that show the differences.
async fn shown(plane: &ControlPlane, different: &BTreeMap<Difference, Vec<Value>>) -> String {
    let mut text = String::new();
    for (difference, crds) in different {
        writeln!(text, "{difference:?}: {} definitions", crds.len()).expect("a string takes any text");
        let mut small: BTreeMap<String, Value> = BTreeMap::new();
        for crd in crds.iter().take(SHOWN) {
            let crd = shrunk(plane, crd.clone(), *difference).await;
            small.insert(crd.to_string(), crd);
        }
        for (written, crd) in small {
            let server = comparison::verdicts(plane, vec![(Verb::Create, crd.clone())]).await;
            let comparison =
                Comparison::new(Verb::Create, server.into_iter().next().expect("there is one verdict"), &crd);
            report::line(&mut text, "  ", &brief(&written));
            text.push_str(&report::server(&comparison.server));
            text.push_str(&report::ours(&comparison.ours));
        }
    }
    text
}
