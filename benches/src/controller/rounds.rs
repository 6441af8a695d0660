//! Measures all contestants, in turn, again and again.

use std::process::Command;

use anyhow::Result;
use crdkit_benches::{GoProgram, Measured, ServerProcess, contest, itself};

use crate::{contestants::Contestant, options::Options, work::Work};

/// Runs all contestants in as many rounds as the options request.
pub(crate) fn measure(options: &Options, go: Option<&GoProgram>) -> Result<Measured> {
    let mut measured = Measured::default();
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
