//! Measures all contestants, in turn, again and again.

use std::process::Command;

use anyhow::Result;
use crdkit_benches::{GoProgram, Measured, contest, in_rounds, itself};

use crate::{contestants::Contestant, options::Options, work::Work};

/// Runs all contestants in as many rounds as the options request.
pub(crate) fn measure(options: &Options, go: Option<&GoProgram>) -> Result<Measured> {
    let mut measured = Measured::default();
    for (round, contestant) in in_rounds(options.rounds, Contestant::ALL, Contestant::word, &options.only) {
        let name = contestant.word();
        let Some(mut command) = command(contestant, go)? else { continue };
        eprintln!("round {round} of {}: {name}", options.rounds);
        measured.add(name, contest(&mut command, &options.work()));
    }
    Ok(measured)
}

impl Options {
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
