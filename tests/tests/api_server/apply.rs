//! Random applies, updates and patches by several managers, compared with the real API server.

mod documents;
mod steps;

use std::sync::Arc;

use crdkit_tests::{case_count, faults::Random, number};

use self::{
    documents::definition,
    steps::{APPLY, steps},
};
use crate::sequence::{Sequence, compare};

const GROUP: &str = "apply.example.com";
/// The kinds, without and with the subresource `status`.
const KINDS: [&str; 2] = ["Whole", "Parted"];

/// Objects, each with a sequence of requests.
const OBJECTS: u64 = 80;
const STEPS: usize = 40;
const SEED: u64 = 7;

/// `CRDKIT_APPLY_SEED` and `CRDKIT_APPLY_OBJECTS` select other and more sequences.
#[tokio::test(flavor = "multi_thread")]
async fn managed_fields_are_those_of_the_server() {
    let (seed, objects) = (number("CRDKIT_APPLY_SEED").unwrap_or(SEED), case_count("CRDKIT_APPLY_OBJECTS", OBJECTS));
    let definitions: Arc<[_]> = [false, true].map(|has| definition(KINDS[usize::from(has)], has)).into();
    let sequences: Vec<_> = (0..objects)
        .map(|object| Sequence {
            name: format!("apply-{object}"),
            definitions: definitions.clone(),
            steps: steps(&mut Random::for_purpose(seed, "apply", object), STEPS),
            ends: Vec::new(),
        })
        .collect();
    let applies = sequences.iter().flat_map(|it| &it.steps).filter(|step| step.media_type == APPLY).count();
    assert!(objects < OBJECTS || applies >= 2_000, "{applies}");
    compare(sequences).await;
}
