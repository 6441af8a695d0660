//! This program in the place of rustc: it runs the compiler and writes down what it used.
//!
//! So only the crate that is measured counts, not cargo and not the dependencies.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{ChildStderr, Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};

use crate::measurement::Usage;

const REPORT: &str = "CRDKIT_BENCH_REPORT";
const CRATE: &str = "CRDKIT_BENCH_CRATE";
const PASSES: &str = "CRDKIT_BENCH_PASSES";

/// The order to compile a crate, given through the environment.
#[derive(Debug)]
pub(crate) struct Order {
    report: PathBuf,
    crate_name: OsString,
    passes: bool,
}

impl Order {
    /// The order to write down what the compilation of one crate uses; `passes` splits the time by passes.
    pub(crate) fn new(report: &Path, crate_name: &str, passes: bool) -> Self {
        Self { report: report.to_owned(), crate_name: crate_name.into(), passes }
    }

    /// Gives the order to a run of cargo.
    pub(crate) fn give(&self, cargo: &mut Command) -> Result<()> {
        cargo
            .env("RUSTC_WORKSPACE_WRAPPER", env::current_exe()?)
            .env(REPORT, &self.report)
            .env(CRATE, &self.crate_name);
        if self.passes {
            cargo.env(PASSES, "1");
        }
        Ok(())
    }

    /// The order that this process was given.
    pub(crate) fn given() -> Option<Self> {
        Some(Self {
            report: env::var_os(REPORT)?.into(),
            crate_name: env::var_os(CRATE)?,
            passes: env::var_os(PASSES).is_some(),
        })
    }

    /// Compiles as the arguments say, and reports if it is the crate of the order.
    pub(crate) fn run(&self) -> Result<()> {
        let mut arguments = env::args_os().skip(1);
        let mut rustc = Command::new(arguments.next().context("no compiler is named")?);
        let arguments: Vec<_> = arguments.collect();
        rustc.args(&arguments);
        let names_crate = |pair: &[OsString]| pair[0] == "--crate-name" && pair[1] == self.crate_name;
        if arguments.windows(2).any(names_crate) {
            let usage = self.measure(rustc)?;
            fs::write(&self.report, usage.to_json().to_string())?;
            return Ok(());
        }
        succeed(rustc.status()?.success())
    }

    fn measure(&self, mut rustc: Command) -> Result<Usage> {
        if self.passes {
            // A flag of unstable compilers, which the stable one has too.
            rustc.env("RUSTC_BOOTSTRAP", "1").arg("-Ztime-passes");
        }
        let start = Instant::now();
        let mut child = rustc.stderr(Stdio::piped()).spawn()?;
        let expand = child.stderr.take().map_or(0.0, pass_through);
        succeed(child.wait()?.success())?;
        let wall = start.elapsed().as_secs_f64();
        let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1_000_000.0;
        Ok(Usage {
            wall,
            cpu: seconds(usage.user_time()) + seconds(usage.system_time()),
            peak: usage.max_rss() as f64 / 1024.0,
            expand,
        })
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

fn succeed(success: bool) -> Result<()> {
    if !success {
        bail!("the compiler failed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::pass;

    #[test]
    fn times_of_passes() {
        let line = "  time:   0.250; rss:   50MB ->   60MB (  +10MB)\tmacro_expand_crate";
        assert_eq!(pass(line), Some(("macro_expand_crate", 0.25)));
        assert_eq!(pass("{\"message\": \"time: 1; x\"}"), None);
    }
}
