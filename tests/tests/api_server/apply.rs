//! Random applies, updates and patches by several managers, compared with the real API server.

mod documents;
mod servers;
mod shrink;
mod steps;

use crdkit_tests::faults::Random;
use futures_util::{StreamExt as _, stream};

use self::{
    servers::Servers,
    steps::{Sequence, Step},
};

/// Objects, each with a sequence of requests.
const OBJECTS: u64 = 80;
const STEPS: usize = 40;
/// Objects whose requests run at the same time.
const CONCURRENT: usize = 8;
const SEED: u64 = 7;

/// `CRDKIT_APPLY_SEED` and `CRDKIT_APPLY_OBJECTS` select other and more sequences.
fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[tokio::test(flavor = "multi_thread")]
async fn managed_fields_are_those_of_the_server() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let (seed, objects) = (number("CRDKIT_APPLY_SEED", SEED), number("CRDKIT_APPLY_OBJECTS", OBJECTS));
    let sequences = (0..objects).map(|object| Sequence::new(&mut Random::for_purpose(seed, "apply", object), STEPS));
    let sequences: Vec<_> = sequences.collect();
    let steps = sequences.iter().flat_map(|sequence| &sequence.steps);
    let applies = steps.filter(|step| matches!(step, Step::Apply { .. })).count();
    assert!(objects < OBJECTS || applies >= 2_000, "{applies}");

    let runs = stream::iter(sequences.into_iter().enumerate()).map(|(object, sequence)| {
        let servers = &servers;
        async move {
            let difference = servers.run(&format!("object-{object}"), &sequence).await?;
            Some((sequence, difference))
        }
    });
    let found = runs.buffer_unordered(CONCURRENT).filter_map(|found| async { found });
    if let Some((sequence, difference)) = Box::pin(found).next().await {
        let (sequence, difference) = shrink::shrink(&servers, sequence, difference).await;
        panic!("{sequence}\n{difference}");
    }
}
