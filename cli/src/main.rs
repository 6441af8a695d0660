//! `cargo crdkit`: creates operators, extends, runs and deploys them.

mod add;
mod command_line;
mod completions;
mod dev;
mod error;
mod files;
mod insertion_points;
mod names;
mod new;
mod project;
mod prompt;
mod spec_struct;
mod suggestions;
mod templates;

use std::process::ExitCode;

use clap::Parser as _;

use self::command_line::{Cargo, Command};
use self::error::Error;

fn main() -> ExitCode {
    let words = Cargo::arguments(std::env::args_os());
    let Cargo::Crdkit(arguments) =
        Cargo::try_parse_from(&words).unwrap_or_else(|error| suggestions::add(error, &words).exit());
    match run(arguments.command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Error> {
    match command {
        Command::New(arguments) => new::new(arguments)?,
        Command::Add(arguments) => add::add(arguments)?,
        Command::Dev(arguments) => dev::dev(&arguments)?,
        Command::Install(arguments) => project::install(&arguments)?,
        Command::Uninstall(arguments) => project::uninstall(&arguments)?,
        Command::Deploy(arguments) => project::deploy(&arguments)?,
        Command::Program(command) => return project::pass_on(command),
        Command::Completions { shell } => print!("{}", completions::script(shell)),
    }
    Ok(ExitCode::SUCCESS)
}
