//! The measurements.

use std::{collections::BTreeMap, fmt};

use crdkit_benches::{Compilation, Samples};

use crate::form::Form;

/// What is compiled, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// `cargo check`, with nothing left from before but the dependencies.
    Check,
    /// `cargo check` after a field of one nested struct was renamed.
    Changed,
    /// `cargo build`, as [`Step::Check`].
    Debug,
    /// `cargo build --release`, as [`Step::Check`].
    Release,
    /// [`Step::Release`], and `cargo build --release` of a program that decodes and encodes the types: much of what serde's derives
    /// generate is compiled there.
    Program,
    /// The share of [`Step::Check`] in which macros are expanded.
    Expand,
}

impl Step {
    pub(crate) const ALL: [Self; 6] =
        [Self::Check, Self::Changed, Self::Debug, Self::Release, Self::Program, Self::Expand];

    /// The name in the results.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Changed => "check_after_change",
            Self::Debug => "debug",
            Self::Release => "release",
            Self::Program => "program",
            Self::Expand => "expand",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Check => "check",
            Self::Changed => "check after a change",
            Self::Debug => "debug library",
            Self::Release => "release library",
            Self::Program => "release library, program",
            Self::Expand => "macro expansion alone",
        })
    }
}

/// What was measured of one step of one form.
#[derive(Debug, Default)]
pub(crate) struct Series {
    pub(crate) wall: Samples,
    pub(crate) cpu: Samples,
    pub(crate) peak: Samples,
}

/// All that was measured.
#[derive(Debug, Default)]
pub(crate) struct Measurements {
    series: BTreeMap<(Form, Step), Series>,
    sizes: BTreeMap<Form, f64>,
}

impl Measurements {
    /// Adds a run. Of the expansion of macros only the time on the clock is known.
    pub(crate) fn add(&mut self, form: Form, step: Step, compilation: &Compilation) {
        let library = match step {
            Step::Program => self.last(form, Step::Release),
            _ => [0.0; 3],
        };
        let series = self.series.entry((form, step)).or_default();
        let [wall, cpu] = match step {
            Step::Expand => [compilation.expand; 2],
            _ => [compilation.wall, compilation.cpu],
        };
        series.wall.push(library[0] + wall);
        series.cpu.push(library[1] + cpu);
        series.peak.push(library[2].max(compilation.peak));
    }

    /// The last times and the last peak of a step.
    fn last(&self, form: Form, step: Step) -> [f64; 3] {
        let series = self.of(form, step);
        [&series.wall, &series.cpu, &series.peak].map(Samples::last)
    }

    /// Adds the size of a program, in kilobytes.
    pub(crate) fn add_size(&mut self, form: Form, size: f64) {
        self.sizes.insert(form, size);
    }

    /// The size of a program, in kilobytes.
    pub(crate) fn size(&self, form: Form) -> f64 {
        self.sizes[&form]
    }

    /// What was measured of a step.
    pub(crate) fn of(&self, form: Form, step: Step) -> &Series {
        &self.series[&(form, step)]
    }
}
