//! The cost of reconciling all objects of a kind, and those that change: crdkit's controller, kube-runtime's and
//! controller-runtime's.
//!
//! Each works in a process of its own, one after the other, and so does the server. This program is all of them, by its
//! first argument, but for controller-runtime's.

mod contestants;
mod goals;
mod observed;
mod options;
mod report;
mod rounds;
mod scenario;
mod server;
mod shards;
mod work;

use std::env;

use anyhow::{Context, Result};
use crdkit_benches::{GoProgram, Results, in_conditions};

use crate::{contestants::Contestant, options::Options, report::Report, work::Work};

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1).peekable();
    match arguments.peek().map(String::as_str) {
        Some("serve") => server::serve(arguments.nth(1).context("how many objects?")?.parse()?),
        Some("hold") => hold(arguments.skip(1)),
        Some("contest") => contest(arguments.skip(1)),
        _ => benchmark(&Options::parse(arguments)?),
    }
}

/// As `#[tokio::main]` runs it.
#[tokio::main]
async fn contest(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let contestant = arguments.next().as_deref().and_then(Contestant::of_word).context("which contestant?")?;
    let work: Work = serde_json::from_str(&arguments.next().context("what is to be done?")?)?;
    let figures = contestant.run(&work).await?;
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

/// The other replicas of one that holds a shard.
#[tokio::main]
async fn hold(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let mut number =
        || arguments.next().context("which port, and how many shards?")?.parse().map_err(anyhow::Error::from);
    shards::hold(number()?, number()?).await
}

fn benchmark(options: &Options) -> Result<()> {
    let go = GoProgram::build("controller/controller-runtime")?;
    let measured = in_conditions(options.rounds, || rounds::measure(options, go.as_ref()))?;

    let Options { objects, paced, rate, .. } = options;
    println!("{objects} objects; {paced} changes at {rate} a second, then {objects} at once\n");
    println!("{}", Report(&measured));
    let mut results = Results::default();
    goals::state(&measured, &mut results);
    measured.state(&mut results);
    results.write("controller")?;
    measured.ensure_complete()
}

/// A client made from a configuration, as crdkit's and kube's users make it.
fn client<C>(port: u16) -> Result<C>
where
    C: TryFrom<kube::Config, Error: Into<anyhow::Error>>,
{
    let config = kube::Config::new(format!("http://127.0.0.1:{port}").parse()?);
    C::try_from(config).map_err(Into::into)
}
