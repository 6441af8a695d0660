//! The cost of a copy of all objects of a kind: crdkit's informer beside kube-runtime's reflector and client-go's
//! informer.
//!
//! Each runs in a separate process, one after the other, and so does the server. This program is all of them except for
//! client-go's, selected by its first argument.

mod chart;
mod charts;
mod contestants;
mod goals;
mod lookups;
mod notification_latency;
mod options;
mod report;
mod rounds;
mod runs;
mod scenario;
mod server;
mod subscribers;
mod work;

use std::env;

use anyhow::{Context, Result};
use crdkit_benches::{GoProgram, Results, gauges, in_conditions, objects};

use crate::{contestants::Contestant, objects::Shape, options::Options, report::Report, work::Work};

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1).peekable();
    match arguments.peek().map(String::as_str) {
        Some("serve") => serve(arguments.skip(1)),
        Some("contest") => contest(arguments.skip(1)),
        _ => benchmark(&Options::parse(arguments)?),
    }
}

fn serve(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let shape = match arguments.next().as_deref() {
        Some("Volume") => Shape::Volumes,
        _ => Shape::VirtualMachines,
    };
    server::serve(shape, arguments.next().context("how many objects?")?.parse()?)
}

fn contest(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let contestant = arguments.next().as_deref().and_then(Contestant::of_word);
    let work: Work = serde_json::from_str(&arguments.next().context("what is to be done?")?)?;
    let figures = contestant.context("which contestant?")?.run(&work)?;
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

fn benchmark(options: &Options) -> Result<()> {
    let client_go = GoProgram::build("informer/client-go")?;
    let measured = in_conditions(options.rounds, || rounds::measure(options, client_go.as_ref()))?;

    println!("{} objects, {} changes\n", options.objects, options.events);
    println!("{}", Report::new(&measured, options));
    let mut results = Results::default();
    goals::state(&measured, &mut results);
    results.write("informer")?;
    let mut figures = Results::default();
    measured.state(&mut figures);
    figures.write("informer-figures")?;
    charts::draw(&measured, options.events)?;
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
