use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::{Figures, Results, Samples};

/// The figures of all rounds of a benchmark, by contestant and name.
#[derive(Debug, Default)]
pub struct Measured {
    figures: BTreeMap<(String, String), Samples>,
    /// The number of runs that failed.
    pub failures: usize,
}

impl Measured {
    /// Adds the figures of a run. A failure is printed and counted: the other figures are still valid.
    pub fn add(&mut self, contestant: &str, figures: Result<Figures>) {
        match figures {
            Ok(figures) => {
                for (figure, value) in figures.0 {
                    self.figures.entry((contestant.to_owned(), figure)).or_default().push(value);
                }
            }
            Err(error) => {
                self.failures += 1;
                eprintln!("`{contestant}` failed: {error:#}");
            }
        }
    }

    /// The figures of a name, if there are any.
    pub fn of(&self, contestant: &str, figure: &str) -> Option<&Samples> {
        self.figures.get(&(contestant.to_owned(), figure.to_owned()))
    }

    /// All figures, each with the name of its contestant before its own.
    pub fn all(&self) -> impl Iterator<Item = (String, &Samples)> {
        self.figures.iter().map(|((contestant, figure), samples)| (format!("{contestant}.{figure}"), samples))
    }

    /// States the median of each figure.
    pub fn state(&self, results: &mut Results) {
        for (name, samples) in self.all() {
            results.figure(name, samples.median());
        }
    }

    /// Fails if a run failed.
    pub fn ensure_complete(&self) -> Result<()> {
        ensure!(self.failures == 0, "{} runs failed", self.failures);
        Ok(())
    }
}

/// The contestants that run: in each round all, or those whose names `only` has.
pub fn in_rounds<const N: usize, C: Copy>(
    rounds: usize,
    contestants: [C; N],
    name: fn(C) -> &'static str,
    only: &[String],
) -> impl Iterator<Item = (usize, C)> {
    let is_selected = move |contestant: &C| only.is_empty() || only.iter().any(|only| only == name(*contestant));
    let selected = contestants.into_iter().filter(is_selected);
    (1..=rounds).flat_map(move |round| selected.clone().map(move |contestant| (round, contestant)))
}

/// Runs a contestant, whose last argument is its work. Its figures are its output.
pub fn contest(command: &mut Command, work: &impl Serialize) -> Result<Figures> {
    let output = command.arg(serde_json::to_string(work)?).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "it ended with {}", output.status);
    serde_json::from_slice(&output.stdout).context("its output is not JSON")
}
