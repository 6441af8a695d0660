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
    /// The share of [`Step::Check`] in which macros are expanded.
    Expand,
}

impl Step {
    pub(crate) const ALL: [Self; 5] = [Self::Check, Self::Changed, Self::Debug, Self::Release, Self::Expand];

    /// The name in the results.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Changed => "check_after_change",
            Self::Debug => "debug",
            Self::Release => "release",
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
pub(crate) struct Measurements(BTreeMap<(Form, Step), Series>);

impl Measurements {
    /// Adds a run. Of the expansion of macros only the time on the clock is known.
    pub(crate) fn add(&mut self, form: Form, step: Step, compilation: &Compilation) {
        let series = self.0.entry((form, step)).or_default();
        if step == Step::Expand {
            series.wall.push(compilation.expand);
            series.cpu.push(compilation.expand);
        } else {
            series.wall.push(compilation.wall);
            series.cpu.push(compilation.cpu);
        }
        series.peak.push(compilation.peak);
    }

    /// What was measured of a step.
    pub(crate) fn of(&self, form: Form, step: Step) -> &Series {
        &self.0[&(form, step)]
    }
}
