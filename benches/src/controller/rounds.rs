//! Measures all contestants, in turn, again and again.

use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use crdkit_benches::{Figures, GoProgram, Samples, ServerProcess, itself};

use crate::{contestants::Contestant, options::Options, work::Work};

/// All figures, by contestant and name.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    figures: BTreeMap<(String, String), Samples>,
    /// How many contestants did not come to their end.
    pub(crate) failures: usize,
}

impl Measured {
    /// Makes as many rounds as are asked for.
    pub(crate) fn take(options: &Options, go: Option<&GoProgram>) -> Result<Self> {
        let mut measured = Self::default();
        for round in 1..=options.rounds {
            for contestant in Contestant::ALL.into_iter().filter(|contestant| options.includes(contestant.word())) {
                let name = contestant.word();
                let Some(mut command) = command(contestant, go)? else { continue };
                eprintln!("round {round} of {}: {name}", options.rounds);
                // A server of its own, so that none is longer in use than another.
                let server = ServerProcess::start(&["serve", &options.objects.to_string()])?;
                measured.add(name, contest(&mut command, &options.work(server.port())));
            }
        }
        Ok(measured)
    }

    /// The figures of a name, if there are any.
    pub(crate) fn of(&self, contestant: &str, figure: &str) -> Option<&Samples> {
        self.figures.get(&(contestant.to_owned(), figure.to_owned()))
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
            // What the others take is worth to be known all the same.
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

    fn work(&self, port: u16) -> Work {
        Work {
            port,
            objects: self.objects,
            concurrency: self.concurrency,
            paced: self.paced,
            rate: self.rate,
            burst: self.objects,
        }
    }
}

/// The program of a contestant; `None` without Go.
fn command(contestant: Contestant, go: Option<&GoProgram>) -> Result<Option<Command>> {
    let streams = match contestant {
        Contestant::ControllerRuntime => "true",
        Contestant::ControllerRuntimePages => "false",
        _ => {
            let mut command = itself()?;
            command.args(["contest", contestant.word()]);
            return Ok(Some(command));
        }
    };
    Ok(go.map(|go| {
        let mut command = go.command();
        command.env("KUBE_FEATURE_WatchListClient", streams);
        command
    }))
}

/// Runs a contestant. What it found is on the last line of its output.
fn contest(command: &mut Command, work: &Work) -> Result<Figures> {
    let output = command.arg(serde_json::to_string(work)?).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "it ended with {}", output.status);
    serde_json::from_slice(&output.stdout).context("it says nothing that can be understood")
}
