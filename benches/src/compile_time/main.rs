//! The compile time of a crate of custom resources, by the derives of its types, and the duration of `crd()`.
//!
//! Generates the same types in several forms, compiles them in interleaved rounds, and compares.

mod compile;
mod crd;
mod form;
mod growth;
mod measurement;
mod options;
mod project;
mod report;
mod source;

use anyhow::Result;
use crdkit_benches::{Conditions, Load, Order, Results, in_conditions};

use crate::{
    compile::Compiler, growth::Growth, measurement::Measurements, options::Options, project::Project, report::Report,
    source::Types,
};

fn main() -> Result<()> {
    if let Some(order) = Order::given() {
        return order.run();
    }
    let options = Options::parse()?;
    if options.growth { grow(options.rounds) } else { run(&options) }
}

/// Measures how the time grows with the size of one type.
fn grow(rounds: usize) -> Result<()> {
    let growth = in_conditions(rounds, || Growth::measure(rounds))?;
    println!("\n{growth}");
    let mut results = Results::default();
    growth.state(&mut results);
    results.note("rounds", rounds);
    results.write("compile-time-growth")
}

fn run(options: &Options) -> Result<()> {
    let project = Project::generate(options.crds, options.types)?;
    let compiler = Compiler::new(&project);
    eprintln!("compiling the dependencies");
    compiler.warm_up()?;
    let before = Load::now();
    let measurements = measure(&compiler, options.rounds)?;
    let after = Load::now();
    let crd = call(&project)?;

    let report = Report::new(options, &measurements, crd);
    println!("{}", Conditions::here());
    println!("{}", project.versions()?);
    if let (Some(before), Some(after)) = (before, after) {
        println!("load {before} at the start, {after} in the end");
    }
    println!("\n{report}");
    let mut results = Results::default();
    report.state(&mut results);
    results.write(match options.types {
        Types::Plain => "compile-time",
        Types::WithEnums => "compile-time-enums",
    })
}

/// Calls `crd()`, where kube-derive's does not panic.
fn call(project: &Project) -> Result<Option<crd::Calls>> {
    match project.types {
        Types::Plain => {
            eprintln!("calling crd()");
            crd::measure(project).map(Some)
        }
        Types::WithEnums => Ok(None),
    }
}

/// Every step of every form, in turn, as often as there are rounds.
fn measure(compiler: &Compiler, rounds: usize) -> Result<Measurements> {
    let mut measurements = Measurements::default();
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        compiler.round(round, &mut measurements)?;
    }
    Ok(measurements)
}
