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

/// How many requests of each kind there are of ten by an operator.
const MIX: [(&str, f64); 5] = [("get", 5.0), ("list", 1.0), ("create", 1.0), ("status", 2.0), ("apply", 1.0)];

/// Returns the mixed requests that one core processes in a second, by the processor time of each kind.
pub(crate) fn mixed_rate(measured: &Measured, contestant: Contestant) -> Option<f64> {
    let cpu = |request: &str| Some(measured.of(contestant.word(), &format!("{request}_cpu"))?.median());
    let parts: Option<Vec<f64>> = MIX.into_iter().map(|(request, count)| Some(cpu(request)? * count)).collect();
    let count: f64 = MIX.into_iter().map(|(_, count)| count).sum();
    Some(1e6 * count / parts?.into_iter().sum::<f64>())
}

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
    add("mixed_rate".to_owned(), Target::AtLeast(20_000.0), mixed_rate(measured, Contestant::Crdkit));
    for (request, _) in REQUESTS {
        add(format!("{request}_rate"), Target::AtLeast(20_000.0), crdkit(&format!("{request}_rate")));
    }
    let on_port = |figure: &str| of(Contestant::CrdkitPort, figure);
    add("port_start_ms".to_owned(), Target::Below(1.0), on_port("start"));
    add("port_mixed_rate".to_owned(), Target::AtLeast(20_000.0), mixed_rate(measured, Contestant::CrdkitPort));
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
