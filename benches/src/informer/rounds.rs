//! Makes all runs, in turn, again and again.

use std::process::Command;

use anyhow::Result;
use crdkit_benches::{GoProgram, Measured, ServerProcess, contest, itself};

use crate::{
    contestants::Contestant,
    objects::Shape,
    options::Options,
    runs::{RUNS, Run},
    work::{Figures, Work, control},
};

/// Makes as many rounds as the options request.
pub(crate) fn measure(options: &Options, client_go: Option<&GoProgram>) -> Result<Measured> {
    let mut measured = Measured::default();
    let mut servers = Servers::default();
    let is_meant = |run: &Run| options.only.is_empty() || options.only.iter().any(|name| name == run.name);
    for round in 1..=options.rounds {
        for run in RUNS.into_iter().filter(is_meant) {
            let (shape, objects) = run.server_objects(options);
            let work = run.work(options, servers.port(shape, objects)?);
            eprintln!("round {round} of {}: {}", options.rounds, run.name);
            let figures = match (run.contestant, client_go) {
                (Contestant::ClientGo, None) => continue,
                (Contestant::ClientGo, Some(client_go)) => contest_anew(
                    client_go.command().env("KUBE_FEATURE_WatchListClient", work.streams.to_string()),
                    &work,
                ),
                _ => contest_anew(itself()?.args(["contest", run.contestant.word()]), &work),
            };
            measured.add(run.name, figures);
        }
    }
    Ok(measured)
}

/// Runs a contestant with a server that is as in the beginning.
fn contest_anew(command: &mut Command, work: &Work) -> Result<Figures> {
    control(work.port, &format!("reset?streams={}", work.streams))?;
    contest(command, work)
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
