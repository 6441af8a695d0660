//! client-go's informer, which is a program of its own.

use std::{
    fs,
    io::ErrorKind,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Result, ensure};
use crdkit_benches::{bench_dir, workspace};

use crate::work::Work;

/// The program, compiled.
#[derive(Debug)]
pub(crate) struct ClientGo {
    program: PathBuf,
}

impl ClientGo {
    /// Compiles the program, if Go is there.
    pub(crate) fn build() -> Result<Option<Self>> {
        let program = bench_dir().join("informer/client-go");
        fs::create_dir_all(bench_dir().join("informer"))?;
        let sources = workspace().join("benches/informer/client-go");
        let mut go = Command::new("go");
        go.args(["build", "-o"]).arg(&program).arg(".").current_dir(sources);
        match go.stdout(Stdio::inherit()).status() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                eprintln!("client-go is left out: there is no `go` in PATH");
                Ok(None)
            }
            status => {
                ensure!(status?.success(), "client-go's program cannot be compiled");
                Ok(Some(Self { program }))
            }
        }
    }

    /// The program, before it is told what to do.
    pub(crate) fn command(&self, work: &Work) -> Command {
        let mut command = Command::new(&self.program);
        command.env("KUBE_FEATURE_WatchListClient", work.streams.to_string());
        command
    }
}
