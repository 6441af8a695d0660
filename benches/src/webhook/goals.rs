//! The ratios that are compared with the goals: medians of the ratios of the rounds, at least 3 for controller-runtime and 1 for axum.

use crdkit_benches::{Measured, Results, Samples};

use crate::contestants::Contestant;

/// The kinds of reviews.
pub(crate) const KINDS: [&str; 3] = ["validate", "mutate", "convert"];

/// How many times as good as another contestant crdkit is.
pub(crate) struct Goal {
    pub(crate) name: String,
    pub(crate) at_least: f64,
    pub(crate) ratios: Samples,
}

/// Returns the goals whose figures were measured.
pub(crate) fn goals(measured: &Measured) -> Vec<Goal> {
    let others = [(Contestant::ControllerRuntime, "controller_runtime", 3.0), (Contestant::Axum, "axum", 1.0)];
    let mut goals = Vec::new();
    for (other, name, at_least) in others {
        for kind in KINDS {
            // Of the rate, more is better, and of times less.
            for (figure, is_time) in [("rate", false), ("cpu", true), ("p99", true)] {
                let of = |contestant: Contestant| measured.of(contestant.word(), &format!("{kind}_{figure}"));
                let (Some(crdkit), Some(other)) = (of(Contestant::Crdkit), of(other)) else { continue };
                let ratios = if is_time { other.over(crdkit) } else { crdkit.over(other) };
                goals.push(Goal { name: format!("{kind}_{figure}_vs_{name}"), at_least, ratios });
            }
        }
    }
    goals
}

/// States the medians.
pub(crate) fn state(measured: &Measured, results: &mut Results) {
    for goal in goals(measured) {
        results.figure(goal.name, goal.ratios.median());
    }
}
