//! Makes all runs, in turn, again and again.

use std::{
    collections::BTreeMap,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use crdkit_benches::{GoProgram, Samples, ServerProcess, itself};

use crate::{
    contestants::Contestant,
    objects::Shape,
    options::Options,
    runs::{RUNS, Run},
    work::{Figures, Work, control},
};

/// All figures, by run and name.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    figures: BTreeMap<(&'static str, String), Samples>,
    /// How many runs did not come to their end.
    pub(crate) failures: usize,
}

impl Measured {
    /// Makes as many rounds as are asked for.
    pub(crate) fn take(options: &Options, client_go: Option<&GoProgram>) -> Result<Self> {
        let mut measured = Self::default();
        let mut servers = Servers::default();
        let is_meant = |run: &Run| options.only.is_empty() || options.only.iter().any(|name| name == run.name);
        for round in 1..=options.rounds {
            for run in RUNS.into_iter().filter(is_meant) {
                let (shape, objects) = run.stock(options);
                let work = run.work(options, servers.port(shape, objects)?);
                eprintln!("round {round} of {}: {}", options.rounds, run.name);
                let figures = match (run.contestant, client_go) {
                    (Contestant::ClientGo, None) => continue,
                    (Contestant::ClientGo, Some(client_go)) => contest(
                        client_go.command().env("KUBE_FEATURE_WatchListClient", work.streams.to_string()),
                        &work,
                    ),
                    _ => contest(itself()?.args(["contest", run.contestant.word()]), &work),
                };
                match figures {
                    Ok(figures) => measured.add(run, figures),
                    // What the others take is worth to be known all the same.
                    Err(error) => {
                        measured.failures += 1;
                        eprintln!("`{}` failed: {error:#}", run.name);
                    }
                }
            }
        }
        Ok(measured)
    }

    /// The figures of a name, if the run was made.
    pub(crate) fn of(&self, run: &'static str, figure: &str) -> Option<&Samples> {
        self.figures.get(&(run, figure.to_owned()))
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (String, &Samples)> {
        self.figures.iter().map(|((run, figure), samples)| (format!("{run}.{figure}"), samples))
    }

    fn add(&mut self, run: Run, figures: Figures) {
        for (name, figure) in figures.0 {
            self.figures.entry((run.name, name)).or_default().push(figure);
        }
    }
}

/// Runs a contestant. What it found is on the last line of its output.
fn contest(command: &mut Command, work: &Work) -> Result<Figures> {
    control(work.port, &format!("reset?streams={}", work.streams))?;
    let output = command.arg(serde_json::to_string(work)?).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "it ended with {}", output.status);
    serde_json::from_slice(&output.stdout).context("it says nothing that can be understood")
}

/// The servers, each in a process of its own.
#[derive(Default)]
struct Servers(Vec<Server>);

struct Server {
    shape: Shape,
    objects: usize,
    process: ServerProcess,
}

impl Servers {
    fn port(&mut self, shape: Shape, objects: usize) -> Result<u16> {
        let mut same = self.0.iter().filter(|server| (server.shape, server.objects) == (shape, objects));
        if let Some(server) = same.next() {
            return Ok(server.process.port());
        }
        let process = ServerProcess::start(&["serve", shape.kind(), &objects.to_string()])?;
        let port = process.port();
        self.0.push(Server { shape, objects, process });
        Ok(port)
    }
}
