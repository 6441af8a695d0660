//! The number of reviews that a webhook answers: crdkit's, controller-runtime's, and a hand-written one with axum and serde.
//!
//! Each serves in a process of its own, one after the other, over TLS and HTTP/1.1, as API servers call webhooks in a cluster.
//! This program is all of them, by its first argument, but for controller-runtime's, and it is the API server.

mod certificate;
mod client;
mod contestants;
mod goals;
mod options;
mod processors;
mod report;
mod reviews;
mod rounds;
mod scenario;
#[cfg(test)]
mod tests;
mod usage;

use std::{env, path::PathBuf};

use anyhow::{Context, Result};
use crdkit_benches::{GoProgram, Results, in_conditions};

use crate::{contestants::Contestant, options::Options, report::Report};

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1).peekable();
    match arguments.peek().map(String::as_str) {
        Some("serve") => serve(arguments.skip(1)),
        _ => benchmark(&Options::parse(arguments)?),
    }
}

/// As `#[tokio::main]` runs it.
#[tokio::main]
async fn serve(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let contestant = arguments.next().as_deref().and_then(Contestant::of_word).context("which contestant?")?;
    let folder = PathBuf::from(arguments.next().context("where is the certificate?")?);
    let address = contestant.serve(&folder).await?;
    println!("{}", address.port());
    tokio::task::spawn_blocking(usage::answer).await?
}

fn benchmark(options: &Options) -> Result<()> {
    let go = GoProgram::build("webhook/controller-runtime")?;
    let measured = in_conditions(options.rounds, || rounds::measure(options, go.as_ref()))?;

    let Options { seconds, connections, objects, .. } = options;
    println!("{seconds} s of each kind of review on {connections} connections; {objects} objects in a conversion\n");
    println!("{}", Report(&measured));
    let mut results = Results::default();
    goals::state(&measured, &mut results);
    measured.state(&mut results);
    results.write("webhook")?;
    measured.ensure_complete()
}
