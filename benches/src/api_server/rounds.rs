//! Measures all contestants, in turn, again and again.

use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use crdkit_benches::{Figures, GoProgram, Samples, itself};

use crate::{contestants::Contestant, options::Options, work::Work};

/// All figures, by contestant and name.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    figures: BTreeMap<(String, String), Samples>,
    /// The number of contestants that failed.
    pub(crate) failures: usize,
}

impl Measured {
    pub(crate) fn take(options: &Options, go: Option<&GoProgram>) -> Result<Self> {
        let mut measured = Self::default();
        for round in 1..=options.rounds {
            for contestant in Contestant::ALL.into_iter().filter(|contestant| options.includes(contestant.word())) {
                let name = contestant.word();
                let Some(mut command) = command(contestant, go)? else { continue };
                eprintln!("round {round} of {}: {name}", options.rounds);
                measured.add(name, contest(&mut command, &options.work()));
            }
        }
        Ok(measured)
    }

    /// The figures of a name, if there are any.
    pub(crate) fn of(&self, contestant: Contestant, figure: &str) -> Option<&Samples> {
        self.figures.get(&(contestant.word().to_owned(), figure.to_owned()))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (String, &Samples)> {
        self.figures.iter().map(|((contestant, figure), samples)| (format!("{contestant}.{figure}"), samples))
    }

    fn add(&mut self, name: &str, figures: Result<Figures>) {
        match figures {
            Ok(figures) => {
                for (figure, value) in figures.0 {
                    self.figures.entry((name.to_owned(), figure)).or_default().push(value);
                }
            }
            // The figures of the others are of use without this one.
            Err(error) => {
                self.failures += 1;
                eprintln!("`{name}` failed: {error:#}");
            }
        }
    }
}

impl Options {
    fn includes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    fn work(&self) -> Work {
        const CHANGES: usize = 200;
        Work { requests: self.requests, watches: self.watches, changes: CHANGES, objects: self.objects }
    }
}

/// The program of a contestant; `None` without Go.
fn command(contestant: Contestant, go: Option<&GoProgram>) -> Result<Option<Command>> {
    if contestant == Contestant::FakeClient {
        return Ok(go.map(GoProgram::command));
    }
    let mut command = itself()?;
    command.args(["contest", contestant.word()]);
    Ok(Some(command))
}

/// Runs a contestant. Its figures are on the last line of its output.
fn contest(command: &mut Command, work: &Work) -> Result<Figures> {
    let output = command.arg(serde_json::to_string(work)?).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "it ended with {}", output.status);
    serde_json::from_slice(&output.stdout).context("its output is not JSON")
}
