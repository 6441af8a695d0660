//! What controllers own: random schedules of parents and children in several namespaces, two controllers, two versions of the operator,
//! restarts, failures of requests and other writers. In the end the cluster has what the last specs describe, and what others made, nothing
//! else; and no run wrote again what was there.

mod cluster;
mod operator;
mod schedule;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use crdkit_tests::{case_count, number};

use self::{cluster::Cluster, schedule::Schedule};

/// The number of schedules.
const COUNT: &str = "CRDKIT_OWNERSHIP_SCHEDULES";
/// The seed of the first of them.
const SEED: &str = "CRDKIT_OWNERSHIP_SEED";

#[test]
fn the_cluster_has_what_the_last_specs_describe() {
    let (first, count) = (number(SEED).unwrap_or(1), case_count::<u64>(COUNT, 10_000));
    let threads = thread::available_parallelism().map_or(1, |count| count.get() as u64);
    thread::scope(|scope| {
        let run = |thread| (first + thread..first + count).step_by(threads as usize).for_each(check);
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        for thread in running {
            thread.join().unwrap();
        }
    });
}

/// Runs the schedule of a seed, and shortens it if it fails.
fn check(seed: u64) {
    let mut schedule = Schedule::new(seed);
    let Some(mut problem) = problem_of(seed, &schedule) else {
        return;
    };
    let mut index = 0;
    while index < schedule.0.len() {
        let mut shorter = Schedule(schedule.0.clone());
        shorter.0.remove(index);
        match problem_of(seed, &shorter) {
            Some(same) => (schedule, problem) = (shorter, same),
            None => index += 1,
        }
    }
    panic!("{SEED}={seed}: {problem}\n{schedule:?}");
}

fn problem_of(seed: u64, schedule: &Schedule) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let run = || runtime.block_on(async { Cluster::new(seed).run(schedule).await });
    let outcome = catch_unwind(AssertUnwindSafe(run));
    outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Some(format!("a panic: {}", text.unwrap_or_default()))
    })
}
