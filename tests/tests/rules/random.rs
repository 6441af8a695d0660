//! Random definitions, and both verdicts on them.

mod changes;
mod pieces;
mod rules;
mod schema;
mod source;
mod whole;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use crdkit_tests::{ControlPlane, Verdict, case_count, number};
use serde_json::Value;

use crate::{
    expressions::missing_causes,
    judge::{self, Difference, Judged, Verb},
    report,
    shrink::shrunk,
};
pub(crate) use source::Source;
pub(crate) use whole::definition;

const DEFINITIONS: u64 = 3_000;
const BATCH: usize = 500;
/// How many disagreements are made small.
const SHOWN: usize = 12;

#[tokio::test]
async fn random_definitions_are_judged_as_the_server_judges_them() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let count: usize = case_count("CRDKIT_RANDOM_DEFINITIONS", DEFINITIONS);
    let seed = number("CRDKIT_RANDOM_DEFINITIONS_SEED").unwrap_or(1);
    let mut source = Source::new(seed);
    let (mut refused, mut different) = (0, BTreeMap::<Difference, Vec<Value>>::new());
    let mut left = count;
    while left > 0 {
        let batch: Vec<Value> = (0..left.min(BATCH)).map(|_| whole::definition(&mut source)).collect();
        left -= batch.len();
        let requests = batch.iter().map(|crd| (Verb::Create, crd.clone()));
        let verdicts = judge::verdicts(plane, requests.collect()).await;
        for (crd, server) in batch.into_iter().zip(verdicts) {
            refused += usize::from(!server.accepted);
            let judged = Judged::new(Verb::Create, server, &crd);
            if let Some(difference) = judged.difference() {
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

/// How many random rules there are, and how many of them in one definition.
const RULES: u64 = 1_000;
const RULES_TOGETHER: usize = 8;

#[tokio::test]
async fn random_rules_are_judged_as_the_server_judges_them() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let count: usize = case_count("CRDKIT_RANDOM_RULES", RULES);
    let mut source = Source::new(number("CRDKIT_RANDOM_DEFINITIONS_SEED").unwrap_or(1));
    let together = (0..count / RULES_TOGETHER).map(|_| rules::ruled(&mut source, RULES_TOGETHER)).collect();
    let (refused, different) = disagreements(plane, together).await;
    let apart = different.iter().flat_map(rules::apart).collect();
    let (_, alone) = disagreements(plane, apart).await;
    let shown = if alone.is_empty() { different } else { alone };
    println!("{count} rules, {} definitions, {refused} rules refused", count / RULES_TOGETHER);
    let mut text = String::new();
    for crd in shown.iter().take(SHOWN) {
        let server = judge::verdicts(plane, vec![(Verb::Create, crd.clone())]).await;
        let judged = Judged::new(Verb::Create, server.into_iter().next().expect("there is one verdict"), crd);
        report::line(&mut text, "", &rules::written(crd).to_string());
        text.push_str(&report::server(&judged.server));
        text.push_str(&report::ours(&judged.ours));
    }
    assert!(shown.is_empty(), "{} definitions:\n{text}", shown.len());
    assert!((count / 10..count * 9 / 10).contains(&refused), "{refused} of {count} rules are refused");
}

/// How many rules of a definition have an error.
fn refused_rules(verdict: &Verdict) -> usize {
    let rules = verdict.causes.iter().filter_map(|it| Some(it.field.split_once("x-kubernetes-validations[")?.1));
    rules.filter_map(|rest| Some(rest.split_once(']')?.0)).collect::<BTreeSet<_>>().len()
}

/// How many rules the server refuses, and the definitions about whose rules the two differ.
async fn disagreements(plane: &ControlPlane, crds: Vec<Value>) -> (usize, Vec<Value>) {
    let requests = crds.iter().map(|crd| (Verb::Create, crd.clone()));
    let verdicts = judge::verdicts(plane, requests.collect()).await;
    let refused = verdicts.iter().map(refused_rules).sum();
    let judged = crds.into_iter().zip(verdicts).filter(|(crd, server)| {
        let judged = Judged::new(Verb::Create, server.clone(), crd);
        !judged.is_one() || !missing_causes(&judged).is_empty()
    });
    (refused, judged.map(|(crd, _)| crd).collect())
}

/// The definition without what all have.
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
            let server = judge::verdicts(plane, vec![(Verb::Create, crd.clone())]).await;
            let judged = Judged::new(Verb::Create, server.into_iter().next().expect("there is one verdict"), &crd);
            report::line(&mut text, "  ", &brief(&written));
            text.push_str(&report::server(&judged.server));
            text.push_str(&report::ours(&judged.ours));
        }
    }
    text
}
