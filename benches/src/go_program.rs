use std::{
    fs,
    io::ErrorKind,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Result, ensure};

use crate::{bench_dir, workspace};

/// A program in Go, compiled.
#[derive(Debug)]
pub struct GoProgram {
    program: PathBuf,
}

impl GoProgram {
    /// Compiles the module in a folder of `benches`, such as `informer/client-go`; `None` if there is no Go.
    pub fn build(folder: &str) -> Result<Option<Self>> {
        let program = bench_dir().join(folder);
        fs::create_dir_all(program.parent().unwrap_or(&program))?;
        let sources = workspace().join("benches").join(folder);
        let mut go = Command::new("go");
        // With the flags of the control plane and kubectl, so that each compiles what the others need.
        go.args(["build", "-trimpath", "-buildvcs=false", "-o"]).arg(&program).arg(".").current_dir(sources);
        go.env("CGO_ENABLED", "0");
        match go.stdout(Stdio::inherit()).status() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                eprintln!("{folder} is left out: there is no `go` in PATH");
                Ok(None)
            }
            status => {
                ensure!(status?.success(), "{folder} cannot be compiled");
                Ok(Some(Self { program }))
            }
        }
    }

    /// The program, to be started.
    pub fn command(&self) -> Command {
        Command::new(&self.program)
    }
}
