//! The allocations of calls, each counted in a process of its own.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use crdkit_benches::workspace;
use serde::Deserialize;

use crate::{cases::Case, clients::Client};

const PROGRAM: &str = "client-allocations";

/// What a call allocates.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Count {
    /// The number of allocations and reallocations.
    pub(crate) count: f64,
    /// The allocated bytes.
    pub(crate) bytes: f64,
    /// `None` if it is below the earlier peak.
    peak: Option<f64>,
}

impl Count {
    /// How much at one time, above what was held before.
    pub(crate) fn peak(self) -> f64 {
        self.peak.unwrap_or(f64::NAN)
    }
}

/// What all calls allocate.
#[derive(Debug)]
pub(crate) struct Counts(BTreeMap<(Case, Client), Count>);

impl Counts {
    pub(crate) fn take() -> Result<Self> {
        let calls = Case::ALL.into_iter().flat_map(|case| Client::ALL.map(|client| (case, client)));
        let program = build()?;
        let counts = calls.map(|call @ (case, client)| Ok((call, count(&program, case, client)?)));
        counts.collect::<Result<_>>().map(Self)
    }

    pub(crate) fn of(&self, case: Case, client: Client) -> Count {
        self.0[&(case, client)]
    }
}

/// Builds the program that counts, and returns its path.
fn build() -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--release", "--quiet"]);
    cargo.args(["--package", "crdkit-benches", "--bin", PROGRAM]);
    let status = cargo.current_dir(workspace()).status()?;
    ensure!(status.success(), "`{PROGRAM}` was not built");
    Ok(std::env::current_exe()?.with_file_name(PROGRAM))
}

fn count(program: &Path, case: Case, client: Client) -> Result<Count> {
    let mut command = Command::new(program);
    command.args([client.key(), case.key()]);
    let output = command.stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "allocations were not counted");
    serde_json::from_slice(&output.stdout).context("unexpected output")
}
