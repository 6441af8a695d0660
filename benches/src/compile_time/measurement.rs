//! The measurements.

use std::{collections::BTreeMap, fmt};

use anyhow::{Context, Result};
use crdkit_benches::Samples;
use serde_json::{Value, json};

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

/// What one run of the compiler used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Seconds on the clock.
    pub(crate) wall: f64,
    /// Seconds of processors, user and system.
    pub(crate) cpu: f64,
    /// The most memory at one time, in MB.
    pub(crate) peak: f64,
    /// Wall-clock seconds of macro expansion, if measured.
    pub(crate) expand: f64,
}

impl Usage {
    /// As text for another process.
    pub(crate) fn to_json(self) -> Value {
        json!({ "wall": self.wall, "cpu": self.cpu, "peak": self.peak, "expand": self.expand })
    }

    /// From the text of another process.
    pub(crate) fn from_json(value: &Value) -> Result<Self> {
        let number = |name: &str| value[name].as_f64().with_context(|| format!("no `{name}`"));
        Ok(Self { wall: number("wall")?, cpu: number("cpu")?, peak: number("peak")?, expand: number("expand")? })
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
    pub(crate) fn add(&mut self, form: Form, step: Step, usage: Usage) {
        let series = self.0.entry((form, step)).or_default();
        if step == Step::Expand {
            series.wall.push(usage.expand);
            series.cpu.push(usage.expand);
        } else {
            series.wall.push(usage.wall);
            series.cpu.push(usage.cpu);
        }
        series.peak.push(usage.peak);
    }

    /// What was measured of a step.
    pub(crate) fn of(&self, form: Form, step: Step) -> &Series {
        &self.0[&(form, step)]
    }
}
