//! What a crate of custom resources costs to compile, by what its types derive, and what `crd()` costs to call.
//!
//! Generates the same types in several forms, compiles them in interleaved rounds, and compares.

mod compile;
mod crd;
mod form;
mod measurement;
mod options;
mod project;
mod report;
mod rustc;
mod source;

use anyhow::Result;
use crdkit_benches::{Conditions, Load, Results};

use crate::{
    compile::Compiler, form::Form, measurement::Measurements, options::Options, project::Project,
    report::Report,
};

fn main() -> Result<()> {
    match rustc::Order::given() {
        Some(order) => order.run(),
        None => run(&Options::parse()?),
    }
}

fn run(options: &Options) -> Result<()> {
    let project = Project::generate(options.crds)?;
    let compiler = Compiler::new(&project);
    eprintln!("compiling the dependencies");
    compiler.warm_up()?;
    let before = Load::now();
    let measurements = measure(&compiler, options.rounds)?;
    let after = Load::now();
    eprintln!("calling crd()");
    let crd = crd::measure(&project)?;

    let report = Report::new(options, &measurements, crd);
    println!("{}", Conditions::here());
    println!("{}", project.versions()?);
    if let (Some(before), Some(after)) = (before, after) {
        println!("load {before} at the start, {after} in the end");
    }
    println!("\n{report}");
    let mut results = Results::default();
    report.state(&mut results);
    results.write("compile-time")
}

/// Every step of every form, in turn, as often as there are rounds.
fn measure(compiler: &Compiler, rounds: usize) -> Result<Measurements> {
    let mut measurements = Measurements::default();
    for round in 0..rounds {
        eprintln!("round {} of {rounds}", round + 1);
        for form in Form::ALL {
            compiler.round(form, round, &mut measurements)?;
        }
    }
    Ok(measurements)
}
