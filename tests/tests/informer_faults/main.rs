//! Informers under storms of faults, each determined by a seed.
//!
//! `tests/README.md` describes how to run one, or many.
//!
//! A seed determines the writes, the faults and the subscribers. The back-off of the informer is random.

mod bounds;
mod case;
mod event_checks;
mod exact_events;
mod follower;
mod history;
mod isolation;
mod read_your_writes;
mod reentrant_callbacks;
mod refused_version;
mod report;
mod request_rate;
mod restores;
mod run;
mod same_version;
mod secure;
mod single_faults;
mod subscribers;
mod transports;
mod widget;
mod writer;
mod wrong_responses;

use crdkit_tests::{case_count, number, seeds};
use tokio::runtime::Builder;

use crate::{
    case::{Case, Timing},
    report::Report,
    run::{run_case, run_compact_case},
    transports::{Memory, Tcp, Tls},
};

/// The number of schedules.
const COUNT: &str = "CRDKIT_FAULT_SCHEDULES";
/// The only seed.
const SEED: &str = "CRDKIT_FAULT_SEED";
/// The number of schedules of a whole run.
const SCHEDULES: u64 = 300;
/// One of this number of the schedules of a whole run also runs over TCP, in each run: fewer lose too few watches to judge how many
/// are resumed.
const OVER_TCP: u64 = 5;
/// One of this number of those runs over TLS.
const OVER_TLS: u64 = 4;
/// One of this number of schedules in memory has compact objects.
const COMPACT: u64 = 6;
/// The number of concurrent schedules over TCP, which mostly wait.
const CONCURRENT: u64 = 16;

#[test]
fn storms_over_tcp() {
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let (mut report, mut mistakes) = (Report::default(), Vec::new());
    runtime.block_on(async {
        let mut running = tokio::task::JoinSet::new();
        let mut seeds = seeds(SEED, number(COUNT).unwrap_or(SCHEDULES).div_ceil(OVER_TCP));
        loop {
            while running.len() < CONCURRENT as usize
                && let Some(seed) = seeds.next()
            {
                running.spawn(async move {
                    let case = Case::draw(seed, Timing::real());
                    let result = match seed % OVER_TLS {
                        0 => run_case(&case, &Tls).await,
                        _ => run_case(&case, &Tcp).await,
                    };
                    (seed, result)
                });
            }
            let Some(outcome) = running.join_next().await else {
                break;
            };
            note(outcome.unwrap(), &mut report, &mut mistakes);
        }
    });
    finish("over TCP", &report, &mistakes);
}

#[test]
fn storms_in_memory() {
    let all = seeds(SEED, schedules());
    let (mut report, mut mistakes) = (Report::default(), Vec::new());
    std::thread::scope(|scope| {
        let lanes = std::thread::available_parallelism().map_or(2, usize::from);
        let lanes: Vec<_> = (0..lanes)
            .map(|lane| {
                let seeds = all.clone().skip(lane).step_by(lanes);
                scope.spawn(|| seeds.map(run_in_memory).collect::<Vec<_>>())
            })
            .collect();
        for lane in lanes {
            for outcome in lane.join().unwrap() {
                note(outcome, &mut report, &mut mistakes);
            }
        }
    });
    finish("in memory", &report, &mistakes);
}

type Outcome = (u64, Result<Report, String>);

/// Runs on one thread with a simulated clock: hours take milliseconds.
fn run_in_memory(seed: u64) -> Outcome {
    let case = Case::draw(seed, Timing::simulated());
    let outcome = run_paused(async {
        match seed % COMPACT {
            0 => run_compact_case(&case, &Memory).await,
            _ => run_case(&case, &Memory).await,
        }
    });
    (seed, outcome)
}

fn run_paused<T>(future: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(future)
}

fn note((seed, result): Outcome, report: &mut Report, mistakes: &mut Vec<String>) {
    match result {
        Ok(one) => report.add(one),
        Err(mistake) => mistakes.push(format!("{SEED}={seed}: {mistake}")),
    }
}

fn finish(transport: &str, report: &Report, mistakes: &[String]) {
    println!("{transport}: {report}");
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n\n"));
    assert!(report.resumed_percent() >= 95.0, "{report}");
}

fn schedules() -> u64 {
    case_count(COUNT, SCHEDULES)
}
