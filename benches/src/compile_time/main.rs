//! The compile time of a crate of custom resources, by the derives of its types, and the duration of `crd()`.
//!
//! Generates the same types in several forms, compiles them in interleaved rounds, and compares.

mod compile;
mod crd;
mod form;
mod measurement;
mod options;
mod project;
mod report;
mod source;

use anyhow::Result;
use crdkit_benches::{Conditions, Load, Order, Results};

use crate::{
    compile::Compiler, measurement::Measurements, options::Options, project::Project, report::Report, source::Types,
};

fn main() -> Result<()> {
    match Order::given() {
        Some(order) => order.run(),
        None => run(&Options::parse()?),
    }
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
