//! What controllers own: random schedules of parents and children in several namespaces, two controllers, two versions of the operator,
//! restarts, failures of requests and other writers. In the end the cluster has what the last specs describe, and what others made, nothing
//! else; and no run wrote again what was there.

mod cluster;
mod operator;
mod schedule;

use self::{cluster::Cluster, schedule::Schedule};
use crate::models::{Model, problem_of};

/// The number of schedules.
const COUNT: &str = "CRDKIT_OWNERSHIP_SCHEDULES";
/// The seed of the first of them.
const SEED: &str = "CRDKIT_OWNERSHIP_SEED";

#[test]
fn the_cluster_has_what_the_last_specs_describe() {
    let problem = |seed, schedule: &Schedule| problem_of(async || Cluster::new(seed).run(schedule).await);
    let model = Model {
        count: (COUNT, 10_000),
        seed: SEED,
        schedule: Schedule::new,
        steps: |schedule| &mut schedule.0,
        problem,
    };
    model.check();
}
