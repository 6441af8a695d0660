//! The ratios that are compared with the goals: medians of the ratios of the rounds.

use crdkit_benches::{Measured, Results, Samples};

/// A ratio of two figures of the same round.
pub(crate) struct Goal {
    pub(crate) name: &'static str,
    above: (&'static str, &'static str),
    below: (&'static str, &'static str),
    pub(crate) target: Target,
}

#[derive(Clone, Copy)]
pub(crate) enum Target {
    AtLeast(f64),
    AtMost(f64),
}

const KUBE: &str = "kube";
const CRDKIT: &str = "crdkit";
const GO: &str = "controller-runtime";
const GO_PAGES: &str = "controller-runtime-pages";

/// All of them.
pub(crate) const GOALS: [Goal; 10] = [
    goal("start_vs_kube", (KUBE, "start_wall"), (CRDKIT, "start_wall"), Target::AtLeast(3.0)),
    goal("decode_start_vs_kube", (KUBE, "start_wall"), ("decode", "start_wall"), Target::AtLeast(3.0)),
    goal("start_vs_controller_runtime", (GO, "start_wall"), (CRDKIT, "start_wall"), Target::AtLeast(4.0)),
    goal("start_vs_controller_runtime_pages", (GO_PAGES, "start_wall"), (CRDKIT, "start_wall"), Target::AtLeast(4.0)),
    goal("p99_vs_kube", (CRDKIT, "p99"), (KUBE, "p99"), Target::AtMost(0.5)),
    goal("p99_vs_controller_runtime", (CRDKIT, "p99"), (GO, "p99"), Target::AtMost(0.5)),
    goal("memory_vs_kube", (CRDKIT, "memory"), (KUBE, "memory"), Target::AtMost(0.5)),
    goal("peak_vs_kube", (CRDKIT, "peak"), (KUBE, "peak"), Target::AtMost(0.5)),
    goal("start_cpu_vs_kube", (KUBE, "start_cpu"), (CRDKIT, "start_cpu"), Target::AtLeast(3.0)),
    goal("memory_of_four_shards", ("shards-4", "memory"), ("shards-1", "memory"), Target::AtMost(0.3)),
];

const fn goal(
    name: &'static str,
    above: (&'static str, &'static str),
    below: (&'static str, &'static str),
    target: Target,
) -> Goal {
    Goal { name, above, below, target }
}

impl Goal {
    /// The ratio of each round.
    pub(crate) fn ratios(&self, measured: &Measured) -> Option<Samples> {
        let [above, below] = [self.above, self.below].map(|(contestant, figure)| measured.of(contestant, figure));
        Some(above?.over(below?))
    }
}

/// States the medians.
pub(crate) fn state(measured: &Measured, results: &mut Results) {
    for goal in &GOALS {
        if let Some(ratios) = goal.ratios(measured) {
            results.figure(goal.name, ratios.median());
        }
    }
}
