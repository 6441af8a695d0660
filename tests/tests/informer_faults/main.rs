//! Informers under storms of faults, each decided by a seed.
//!
//! `tests/README.md` says how to play one, or many.
//!
//! A seed decides what is written, what goes wrong and who subscribes; how long the informer waits between its tries is its
//! own random choice.

mod aimed;
mod bounds;
mod case;
mod exact;
mod follower;
mod isolation;
mod judge;
mod lies;
mod own_code;
mod pace;
mod reads;
mod refused_version;
mod report;
mod restores;
mod run;
mod secure;
mod subscribers;
mod truth;
mod ways;
mod widget;
mod writer;

use std::{env, ops::Range};

use tokio::runtime::Builder;

use crate::{
    case::{Case, Pace},
    report::Report,
    run::{play, play_compact},
    ways::{Memory, Tcp, Tls},
};

/// Schedules that are played unless a number is given.
const SCHEDULES: u64 = 1_500;
/// Of so many schedules one is played over TCP.
const OVER_TCP: u64 = 5;
/// Of these one is played over TLS.
const OVER_TLS: u64 = 4;
/// In memory one of so many is played with compact objects.
const COMPACT: u64 = 6;
/// So many are played at a time over TCP, where they mostly wait.
const AT_ONCE: u64 = 16;

#[test]
fn storms_over_tcp() {
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let (mut report, mut mistakes) = (Report::default(), Vec::new());
    runtime.block_on(async {
        let mut playing = tokio::task::JoinSet::new();
        let mut seeds = seeds(number("CRDKIT_FAULT_SCHEDULES").unwrap_or(SCHEDULES) / OVER_TCP);
        loop {
            while playing.len() < AT_ONCE as usize
                && let Some(seed) = seeds.next()
            {
                playing.spawn(async move {
                    let case = Case::draw(seed, Pace::real());
                    let result = match seed % OVER_TLS {
                        0 => play(&case, &Tls).await,
                        _ => play(&case, &Tcp).await,
                    };
                    (seed, result)
                });
            }
            let Some(played) = playing.join_next().await else {
                break;
            };
            note(played.unwrap(), &mut report, &mut mistakes);
        }
    });
    finish("over TCP", &report, &mistakes);
}

#[test]
fn storms_in_memory() {
    let all = seeds(number("CRDKIT_FAULT_SCHEDULES").unwrap_or(SCHEDULES));
    let (mut report, mut mistakes) = (Report::default(), Vec::new());
    std::thread::scope(|scope| {
        let lanes = std::thread::available_parallelism().map_or(2, usize::from);
        let lanes: Vec<_> = (0..lanes)
            .map(|lane| {
                let seeds = all.clone().skip(lane).step_by(lanes);
                scope.spawn(|| seeds.map(play_in_memory).collect::<Vec<_>>())
            })
            .collect();
        for lane in lanes {
            for played in lane.join().unwrap() {
                note(played, &mut report, &mut mistakes);
            }
        }
    });
    finish("in memory", &report, &mistakes);
}

type Played = (u64, Result<Report, String>);

/// On one thread, whose clock goes on when nothing else is to be done: hours take milliseconds.
fn play_in_memory(seed: u64) -> Played {
    let case = Case::draw(seed, Pace::usual());
    let played = play_paused(async {
        match seed % COMPACT {
            0 => play_compact(&case, &Memory).await,
            _ => play(&case, &Memory).await,
        }
    });
    (seed, played)
}

fn play_paused<T>(play: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(play)
}

fn note((seed, result): Played, report: &mut Report, mistakes: &mut Vec<String>) {
    match result {
        Ok(one) => report.add(one),
        Err(mistake) => mistakes.push(format!("CRDKIT_FAULT_SEED={seed}: {mistake}")),
    }
}

fn finish(way: &str, report: &Report, mistakes: &[String]) {
    println!("{way}: {report}");
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n\n"));
    assert!(report.resumed_percent() >= 95.0, "{report}");
}

fn seeds(schedules: u64) -> Range<u64> {
    match number("CRDKIT_FAULT_SEED") {
        Some(seed) => seed..seed + 1,
        None => 1..schedules + 1,
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} is no number: {text}")))
}
