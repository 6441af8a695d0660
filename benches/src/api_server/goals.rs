//! The figures that are compared with the goals.

use crdkit_benches::{Measured, Results};

use crate::contestants::Contestant;

/// The kinds of requests, with the words of the tables.
pub(crate) const REQUESTS: [(&str, &str); 5] = [
    ("create", "create"),
    ("get", "get"),
    ("list", "list, 10 objects"),
    ("status", "status update"),
    ("apply", "server-side apply"),
];

pub(crate) struct Goal {
    pub(crate) name: String,
    pub(crate) target: Target,
    pub(crate) value: f64,
}

#[derive(Clone, Copy)]
pub(crate) enum Target {
    AtLeast(f64),
    Below(f64),
}

impl Target {
    pub(crate) fn is_met(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::Below(bound) => value < bound,
        }
    }
}

/// Returns the goals whose figures were measured.
pub(crate) fn goals(measured: &Measured) -> Vec<Goal> {
    let of =
        |contestant: Contestant, figure: &str| measured.of(contestant.word(), figure).map(|samples| samples.median());
    let crdkit = |figure: &str| of(Contestant::Crdkit, figure);
    let mut goals = Vec::new();
    let mut add = |name: String, target, value: Option<f64>| {
        goals.extend(value.map(|value| Goal { name, target, value }));
    };
    add("start_ms".to_owned(), Target::Below(1.0), crdkit("start"));
    for (request, _) in REQUESTS {
        add(format!("{request}_rate"), Target::AtLeast(20_000.0), crdkit(&format!("{request}_rate")));
    }
    let memory = crdkit("memory").zip(of(Contestant::ControlPlane, "memory"));
    add("memory_vs_control_plane".to_owned(), Target::Below(1.0), memory.map(|(ours, theirs)| ours / theirs));
    goals
}

/// States the figures of the goals.
pub(crate) fn state(measured: &Measured, results: &mut Results) {
    for goal in goals(measured) {
        results.figure(goal.name, goal.value);
    }
}
