//! The goals of the benchmark.

use std::fmt;

use crdkit_benches::{Measured, Results, Samples, Table};

/// A ratio or a time, and what it should be.
#[derive(Clone, Copy)]
struct Goal {
    /// The key in the results; some goals have none.
    key: Option<&'static str>,
    title: &'static str,
    bound: Bound,
    figure: fn(&Measured) -> Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

use Bound::{AtLeast, AtMost};

const GOALS: &[Goal] = &[
    goal("sync_vs_kube", "sync, times as fast as kube", AtLeast(2.5), |m| speedup(m, "crdkit", "kube", SYNC)),
    goal("watch_vs_kube", "watch, times kube's rate", AtLeast(2.6), |m| speedup(m, "crdkit", "kube", WATCH)),
    goal("memory_vs_kube", "peak of memory, of kube's", AtMost(0.55), |m| ratio(m, "crdkit", "kube", "sync_peak")),
    goal("relist_peak", "peak of a relist, of what was settled", AtMost(1.15), relist_peak),
    goal("compact_sync_vs_kube", "sync of `Compact`, times as fast", AtLeast(5.5), |m| {
        speedup(m, "compact", "kube", SYNC)
    }),
    goal("compact_memory_vs_kube", "peak of `Compact`, of kube's", AtMost(0.16), |m| {
        ratio(m, "compact", "kube", "sync_peak")
    }),
    goal("decode_on_one_sync_vs_kube", "sync with a derived decoder on one thread, times as fast", AtLeast(3.1), |m| {
        speedup(m, "decode-1", "kube", SYNC)
    }),
    goal("decode_sync_vs_kube", "the same on two threads", AtLeast(4.0), |m| speedup(m, "decode", "kube", SYNC)),
    goal("decode_watch_vs_kube", "watch with a derived decoder, times kube's rate", AtLeast(3.5), |m| {
        speedup(m, "decode", "kube", WATCH)
    }),
    goal("sync_vs_client_go", "sync with a derived decoder, times as fast as client-go in pages", AtLeast(6.0), |m| {
        speedup(m, "decode", "client-go-pages", SYNC)
    }),
    goal("watch_vs_client_go", "watch with a derived decoder, times client-go's rate", AtLeast(18.0), |m| {
        speedup(m, "decode", "client-go", WATCH)
    }),
    goal("get_random_vs_kube", "get of a random key, of kube's time", AtMost(1.0), |m| {
        ratio(m, "crdkit", "kube", "get_random")
    }),
    goal("by_label_us", "2,000 objects by label, µs", AtMost(35.0), |m| median(m, "crdkit", "by_label")),
    goal("snapshot_us", "snapshot, µs", AtMost(15.0), |m| median(m, "crdkit", "snapshot")),
    unnamed("1,000 objects by namespace, µs", AtMost(15.0), |m| median(m, "crdkit", "by_namespace")),
    unnamed("get of a hot key, µs", AtMost(0.2), |m| median(m, "crdkit", "get_hot")),
    unnamed("notified of a change while all is read, p99.9, µs", AtMost(100.0), |m| {
        median(m, "crdkit-readers", "notified_with_reader_p999")
    }),
    goal("subscribers_8_vs_1", "processor time with 8 subscribers, of one's", AtMost(1.2), |m| {
        ratio(m, "crdkit-8", "crdkit-1", "watch_cpu")
    }),
    unnamed("event with 1,000,000 objects, of the time with 10,000", AtMost(1.2), |m| {
        ratio(m, "volumes-1m", "volumes-10k", "watch_cpu")
    }),
    unnamed("sync in pages, times as fast as kube in pages", AtLeast(2.5), |m| {
        speedup(m, "crdkit-pages", "kube", SYNC)
    }),
    unnamed("sync as a stream, times as fast as kube's stream", AtLeast(2.5), |m| {
        speedup(m, "crdkit", "kube-stream", SYNC)
    }),
];

const SYNC: &str = "sync_wall";
const WATCH: &str = "watch_wall";

const fn goal(key: &'static str, title: &'static str, bound: Bound, figure: fn(&Measured) -> Option<f64>) -> Goal {
    Goal { key: Some(key), title, bound, figure }
}

const fn unnamed(title: &'static str, bound: Bound, figure: fn(&Measured) -> Option<f64>) -> Goal {
    Goal { key: None, title, bound, figure }
}

/// States what was measured of the goals under flat keys.
pub(crate) fn state(measured: &Measured, results: &mut Results) {
    for goal in GOALS {
        if let Some((key, figure)) = goal.key.zip((goal.figure)(measured)) {
            results.figure(key, figure);
        }
    }
}

/// The goals and what was reached.
pub(crate) fn table(measured: &Measured) -> Table {
    let mut table = Table::new(["goal", "", "reached", ""]);
    for goal in GOALS {
        if let Some(figure) = (goal.figure)(measured) {
            let verdict = if goal.bound.holds(figure) { "" } else { "missed" };
            table.row([goal.title.to_owned(), goal.bound.to_string(), format!("{figure:.2}"), verdict.to_owned()]);
        }
    }
    table
}

/// Of two runs of the same round, the first above the second.
fn ratio(measured: &Measured, one: &'static str, other: &'static str, figure: &str) -> Option<f64> {
    let [one, other] = [measured.of(one, figure)?, measured.of(other, figure)?];
    Some(one.over(other).median())
}

fn speedup(measured: &Measured, fast: &'static str, slow: &'static str, figure: &str) -> Option<f64> {
    ratio(measured, slow, fast, figure)
}

fn median(measured: &Measured, run: &'static str, figure: &str) -> Option<f64> {
    measured.of(run, figure).map(Samples::median)
}

/// The worse of two: nothing has changed, or some has.
fn relist_peak(measured: &Measured) -> Option<f64> {
    let figures = ["relist_unchanged_growth", "relist_changed_growth"];
    let growths = figures.map(|growth| median(measured, "crdkit", growth));
    growths.into_iter().collect::<Option<Vec<_>>>()?.into_iter().reduce(f64::max)
}

impl Bound {
    fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(least) => figure >= least,
            Self::AtMost(most) => figure <= most,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(least) => write!(f, "≥ {least}"),
            Self::AtMost(most) => write!(f, "≤ {most}"),
        }
    }
}
