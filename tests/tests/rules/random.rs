//! Definitions that nobody thought of, and both verdicts on them.

mod changes;
mod pieces;
mod schema;
mod source;
mod whole;

use std::{collections::BTreeMap, fmt::Write as _};

use crdkit_tests::ControlPlane;
use serde_json::Value;

use crate::{
    judge::{self, Asked, Difference, Judged, from_env},
    report,
    shrink::shrunk,
};
pub(crate) use source::Source;
pub(crate) use whole::definition;

const DEFINITIONS: usize = 3_000;
const BATCH: usize = 500;
/// How many disagreements are made small.
const SHOWN: usize = 12;

#[tokio::test]
async fn random_definitions_are_judged_as_the_server_judges_them() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let count = from_env("CRDKIT_RANDOM_DEFINITIONS").unwrap_or(DEFINITIONS);
    let seed = from_env("CRDKIT_RANDOM_DEFINITIONS_SEED").unwrap_or(1);
    let mut source = Source::new(seed as u64);
    let (mut refused, mut different) = (0, BTreeMap::<Difference, Vec<Value>>::new());
    let mut left = count;
    while left > 0 {
        let batch: Vec<Value> = (0..left.min(BATCH)).map(|_| whole::definition(&mut source)).collect();
        left -= batch.len();
        let requests = batch.iter().map(|crd| (Asked::Create, crd.clone()));
        let verdicts = judge::verdicts(plane, requests.collect()).await;
        for (crd, server) in batch.into_iter().zip(verdicts) {
            refused += usize::from(!server.accepted);
            let judged = Judged::new(Asked::Create, server, &crd);
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
            let server = judge::verdicts(plane, vec![(Asked::Create, crd.clone())]).await;
            let judged = Judged::new(Asked::Create, server.into_iter().next().expect("one was asked for"), &crd);
            report::line(&mut text, "  ", &brief(&written));
            text.push_str(&report::server(&judged.server));
            text.push_str(&report::ours(&judged.ours));
        }
    }
    text
}
