//! The figures that are compared with goals: medians of the rounds and, of ratios, of the rounds' ratios.

use crdkit_benches::{Measured, Results, Samples};

use crate::form::Form;

/// A figure under a key of the results.
pub(crate) struct Goal {
    pub(crate) key: &'static str,
    value: Value,
    /// What it should be at most, if there is a goal.
    pub(crate) at_most: Option<f64>,
}

enum Value {
    /// The figure of a form.
    Of(Form, &'static str),
    /// The figure of crdkit's operator above that of kube's.
    OperatorRatio(&'static str),
    /// The same of the programs that write the definition.
    DefinitionRatio(&'static str),
}

use Value::{DefinitionRatio, Of, OperatorRatio};

/// All of them.
pub(crate) const GOALS: [Goal; 14] = [
    goal("cold_vs_kube", OperatorRatio("cold"), 1.25),
    figure("cold_cpu_vs_kube", OperatorRatio("cold_cpu")),
    goal("cold_release_vs_kube", OperatorRatio("release"), 1.25),
    figure("cold_release_cpu_vs_kube", OperatorRatio("release_cpu")),
    goal("edit_vs_kube", OperatorRatio("edit"), 1.1),
    goal("operator_crate_s", Of(Form::OperatorCrdkit, "crate"), 5.0),
    figure("operator_crate_kube_s", Of(Form::OperatorKube, "crate")),
    goal("operator_functions", Of(Form::OperatorCrdkit, "functions"), 6000.0),
    figure("operator_functions_kube", Of(Form::OperatorKube, "functions")),
    goal("program_vs_kube", OperatorRatio("program"), 1.2),
    goal("release_program_vs_kube", OperatorRatio("release_program"), 1.2),
    figure("release_stripped_vs_kube", OperatorRatio("release_stripped")),
    figure("definition_vs_kube", DefinitionRatio("cold")),
    figure("definition_cpu_vs_kube", DefinitionRatio("cold_cpu")),
];

const fn goal(key: &'static str, value: Value, at_most: f64) -> Goal {
    Goal { key, value, at_most: Some(at_most) }
}

const fn figure(key: &'static str, value: Value) -> Goal {
    Goal { key, value, at_most: None }
}

impl Goal {
    /// The figure of each round; `None` if it was not measured.
    pub(crate) fn samples(&self, measured: &Measured) -> Option<Samples> {
        let of = |form: Form, figure| measured.of(form.name(), figure);
        match self.value {
            Of(form, figure) => of(form, figure).cloned(),
            OperatorRatio(figure) => Some(of(Form::OperatorCrdkit, figure)?.over(of(Form::OperatorKube, figure)?)),
            DefinitionRatio(figure) => {
                Some(of(Form::DefinitionCrdkit, figure)?.over(of(Form::DefinitionKube, figure)?))
            }
        }
    }
}

/// States the medians.
pub(crate) fn state(measured: &Measured, results: &mut Results) {
    for goal in &GOALS {
        if let Some(samples) = goal.samples(measured) {
            results.figure(goal.key, samples.median());
        }
    }
}
