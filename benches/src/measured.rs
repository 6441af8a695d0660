use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use crate::{Figures, Samples};

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
}

/// Runs a contestant, whose last argument is its work. Its figures are its output.
pub fn contest(command: &mut Command, work: &impl Serialize) -> Result<Figures> {
    let output = command.arg(serde_json::to_string(work)?).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "it ended with {}", output.status);
    serde_json::from_slice(&output.stdout).context("its output is not JSON")
}
