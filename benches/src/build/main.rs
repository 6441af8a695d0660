//! The build of an operator with crdkit beside that of the same operator with kube, and of programs that only write its definition:
//! from nothing and after an edit, the size of the programs, and the functions that are compiled in the operator's own crate.
//!
//! Cargo reserves the name `build` for a folder, so the program has a longer one.

mod form;
mod functions;
mod goals;
mod options;
mod project;
mod report;
mod rounds;

use anyhow::Result;
use crdkit_benches::{Order, Results, in_conditions};

use crate::{form::Form, functions::Functions, options::Options, project::Project, report::Report};

fn main() -> Result<()> {
    if let Some(order) = Order::given() {
        return order.run();
    }
    let options = Options::parse()?;
    if options.functions {
        return functions();
    }
    benchmark(&options)
}

fn benchmark(options: &Options) -> Result<()> {
    let projects = Form::ALL.into_iter().map(Project::generate).collect::<Result<Vec<_>>>()?;
    let measured = in_conditions(options.rounds, || rounds::measure(&projects, options))?;

    for project in &projects {
        println!("{}: {}", project.form.name(), project.versions()?);
    }
    println!("\n{}", Report(&measured));
    let mut results = Results::default();
    goals::state(&measured, &mut results);
    measured.state(&mut results);
    results.note("rounds", options.rounds);
    results.write("build")
}

/// The functions that crdkit's operator compiles in its own crate, for those who change crdkit.
fn functions() -> Result<()> {
    let project = Project::generate(Form::OperatorCrdkit)?;
    eprintln!("compiling the operator");
    let functions = Functions::new(project.functions()?);
    let earlier = functions.keep(&project)?;
    match earlier {
        Some(earlier) => println!("{} functions ({earlier} the last time)", functions.count()),
        None => println!("{} functions", functions.count()),
    }
    println!("\n{}", functions.modules());
    println!("The functions: {}", Functions::path(&project).display());
    Ok(())
}
