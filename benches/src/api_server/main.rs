//! The cost of an API server for tests: crdkit's in the process, envtest's control plane (the real kube-apiserver and etcd), and
//! controller-runtime's fake client.
//!
//! Each is measured in a process of its own, one after the other. This program is all of them, by its first argument, but for
//! the fake client, which is written in Go.

mod contestants;
mod goals;
mod options;
mod report;
mod requests;
mod rounds;
mod scenario;
mod usage;
mod work;

use std::env;

use anyhow::{Context, Result};
use crdkit_benches::{GoProgram, Results, in_conditions};

use crate::{contestants::Contestant, options::Options, report::Report, work::Work};

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1).peekable();
    match arguments.peek().map(String::as_str) {
        Some("contest") => contest(arguments.skip(1)),
        _ => benchmark(&Options::parse(arguments)?),
    }
}

/// With one thread, so that a server in the process has one core.
#[tokio::main(flavor = "current_thread")]
async fn contest(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let contestant = arguments.next().as_deref().and_then(Contestant::of_word).context("which contestant?")?;
    let work: Work = serde_json::from_str(&arguments.next().context("what is to be done?")?)?;
    let figures = contestant.run(&work).await?;
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

fn benchmark(options: &Options) -> Result<()> {
    let go = GoProgram::build("api-server/controller-runtime")?;
    let measured = in_conditions(options.rounds, || rounds::measure(options, go.as_ref()))?;

    let Options { requests, watches, objects, .. } = options;
    println!("{requests} requests of each kind, {watches} watches, then {objects} objects\n");
    println!("{}", Report(&measured));
    let mut results = Results::default();
    goals::state(&measured, &mut results);
    measured.state(&mut results);
    results.write("api-server")?;
    measured.ensure_complete()
}
