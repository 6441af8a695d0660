//! This program in the place of rustc: it runs the compiler and writes down what it took.
//!
//! So only the crate that is measured counts, not cargo and not the dependencies.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{ChildStderr, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

use crate::gauges::{Lapse, Meter};

const REPORT: &str = "CRDKIT_BENCH_REPORT";
const CRATE: &str = "CRDKIT_BENCH_CRATE";
const DETAIL: &str = "CRDKIT_BENCH_DETAIL";

/// What the compilation of one crate took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Compilation {
    /// Seconds on the clock.
    pub wall: f64,
    /// Seconds of processors, user and system.
    pub cpu: f64,
    /// The most memory at one time, in MB.
    pub peak: f64,
    /// Wall-clock seconds of macro expansion, if requested.
    pub expand: f64,
    /// The functions that were compiled in the crate, with their type arguments, if requested.
    pub functions: Vec<String>,
}

/// What else the compiler reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    None,
    /// The times of its passes.
    Passes,
    /// The functions that it compiles.
    Functions,
}

impl Detail {
    const ALL: [Self; 3] = [Self::None, Self::Passes, Self::Functions];

    fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Passes => "passes",
            Self::Functions => "functions",
        }
    }

    /// The flag of unstable compilers by which it is printed.
    fn flag(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Passes => Some("-Ztime-passes"),
            Self::Functions => Some("-Zprint-mono-items=yes"),
        }
    }
}

/// The order to compile a crate, given through the environment.
#[derive(Debug)]
pub struct Order {
    report: PathBuf,
    crate_name: OsString,
    detail: Detail,
}

impl Order {
    /// The order to write down what the compilation of one crate takes.
    pub fn new(report: &Path, crate_name: &str, detail: Detail) -> Self {
        Self { report: report.to_owned(), crate_name: crate_name.into(), detail }
    }

    /// Gives the order to a run of cargo.
    pub fn give(&self, cargo: &mut Command) -> Result<()> {
        cargo
            .env("RUSTC_WORKSPACE_WRAPPER", env::current_exe()?)
            .env(REPORT, &self.report)
            .env(CRATE, &self.crate_name)
            .env(DETAIL, self.detail.word());
        Ok(())
    }

    /// The order that this process was given.
    pub fn given() -> Option<Self> {
        let word = env::var(DETAIL).ok()?;
        let detail = Detail::ALL.into_iter().find(|detail| detail.word() == word)?;
        Some(Self { report: env::var_os(REPORT)?.into(), crate_name: env::var_os(CRATE)?, detail })
    }

    /// Compiles as the arguments say, and reports if it is the crate of the order.
    pub fn run(&self) -> Result<()> {
        let mut arguments = env::args_os().skip(1);
        let mut rustc = Command::new(arguments.next().context("no compiler is named")?);
        let arguments: Vec<_> = arguments.collect();
        rustc.args(&arguments);
        let names_crate = |pair: &[OsString]| pair[0] == "--crate-name" && pair[1] == self.crate_name;
        if arguments.windows(2).any(names_crate) {
            let compilation = self.measure(rustc)?;
            fs::write(&self.report, serde_json::to_string(&compilation)?)?;
            return Ok(());
        }
        succeed(rustc.status()?.success())
    }

    fn measure(&self, mut rustc: Command) -> Result<Compilation> {
        if let Some(flag) = self.detail.flag() {
            // The stable compiler has the flags too. Build scripts that ask for this variable do not see it here.
            rustc.env("RUSTC_BOOTSTRAP", "1").arg(flag);
        }
        // At most one of the two is read here, so the compiler never waits for the other.
        match self.detail {
            Detail::None => &mut rustc,
            Detail::Passes => rustc.stderr(Stdio::piped()),
            Detail::Functions => rustc.stdout(Stdio::piped()),
        };
        let meter = Meter::of_children()?;
        let mut child = rustc.spawn()?;
        let expand = child.stderr.take().map_or(0.0, pass_through);
        let functions = child.stdout.take().map_or_else(Vec::new, functions);
        succeed(child.wait()?.success())?;
        let Lapse { wall, cpu } = meter.stop()?;
        let peak = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss() as f64 * 1024.0 / 1e6;
        Ok(Compilation { wall, cpu, peak, expand, functions })
    }
}

/// Forwards the compiler's output, except for the times of its passes; returns the time of macros.
fn pass_through(stderr: ChildStderr) -> f64 {
    let mut expand = 0.0;
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        match pass(&line) {
            Some(("macro_expand_crate", seconds)) => expand += seconds,
            Some(_) => {}
            None => eprintln!("{line}"),
        }
    }
    expand
}

/// The name and the seconds in a line such as `time: 0.012; rss: 50MB -> 60MB ( +10MB)`, a tab, `macro_expand_crate`.
fn pass(line: &str) -> Option<(&str, f64)> {
    let (seconds, rest) = line.trim_start().strip_prefix("time:")?.split_once(';')?;
    Some((rest.split('\t').next_back()?, seconds.trim().parse().ok()?))
}

fn functions(stdout: ChildStdout) -> Vec<String> {
    let lines = BufReader::new(stdout).lines().map_while(Result::ok);
    lines.filter_map(|line| function(&line).map(str::to_owned)).collect()
}

/// The function in a line such as `MONO_ITEM fn std::vec::Vec::<u8>::len @@ cgu.01[External] cgu.02[Internal]`.
fn function(line: &str) -> Option<&str> {
    let item = line.strip_prefix("MONO_ITEM fn ")?;
    Some(item.split_once(" @@ ").map_or(item, |(function, _)| function))
}

fn succeed(success: bool) -> Result<()> {
    if !success {
        bail!("the compiler failed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{function, pass};

    #[test]
    fn times_of_passes() {
        let line = "  time:   0.250; rss:   50MB ->   60MB (  +10MB)\tmacro_expand_crate";
        assert_eq!(pass(line), Some(("macro_expand_crate", 0.25)));
        assert_eq!(pass("{\"message\": \"time: 1; x\"}"), None);
    }

    #[test]
    fn functions_among_items() {
        let line = "MONO_ITEM fn std::vec::Vec::<u8>::len @@ main.1-cgu.01[External] main.1-cgu.02[Internal]";
        assert_eq!(function(line), Some("std::vec::Vec::<u8>::len"));
        assert_eq!(function("MONO_ITEM fn main"), Some("main"));
        assert_eq!(function("MONO_ITEM static main::CALLSITE @@ main.1-cgu.01[Internal]"), None);
    }
}
