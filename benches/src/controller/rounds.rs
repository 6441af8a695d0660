//! Measures all contestants, in turn, again and again.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use crdkit_benches::{GoProgram, Measured, ServerProcess, contest, in_rounds, itself};

use crate::{contestants::Contestant, options::Options, work::Work};

/// Runs all contestants in as many rounds as the options request.
pub(crate) fn measure(options: &Options, go: Option<&GoProgram>) -> Result<Measured> {
    let mut measured = Measured::default();
    for (round, contestant) in in_rounds(options.rounds, Contestant::ALL, Contestant::word, &options.only) {
        let name = contestant.word();
        let Some(mut command) = command(contestant, go)? else { continue };
        eprintln!("round {round} of {}: {name}", options.rounds);
        // A server of its own, so that none is longer in use than another.
        let server = ServerProcess::start(&["serve", &options.objects.to_string()])?;
        let _others = match contestant.shards() {
            Some(shards) if shards > 1 => Some(Holder::start(server.port(), shards)?),
            _ => None,
        };
        let work = Work { shards: contestant.shards().unwrap_or_default(), ..options.work(server.port()) };
        measured.add(name, contest(&mut command, &work));
    }
    Ok(measured)
}

impl Options {
    fn work(&self, port: u16) -> Work {
        Work {
            port,
            objects: self.objects,
            concurrency: self.concurrency,
            paced: self.paced,
            rate: self.rate,
            burst: self.objects,
            shards: 0,
        }
    }
}

/// A process with the other replicas, which ends when this is dropped.
struct Holder(Child);

impl Holder {
    /// Starts the replicas, and waits until they hold all shards.
    fn start(port: u16, shards: u16) -> Result<Self> {
        let arguments = ["hold", &port.to_string(), &shards.to_string()].map(str::to_owned);
        let mut holder = Self(itself()?.args(arguments).stdout(Stdio::piped()).spawn()?);
        let output = holder.0.stdout.take().context("the other replicas have no output")?;
        let read = BufReader::new(output).read_line(&mut String::new())?;
        ensure!(read > 0, "the other replicas do not hold the shards");
        Ok(holder)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
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
