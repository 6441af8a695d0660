//! Programs that work with a control plane.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use crate::{ControlPlane, announce};

const LIMIT: Duration = Duration::from_secs(60);

/// A running program and its output. It is killed when it is dropped.
pub struct Program {
    child: Child,
    lines: Receiver<String>,
}

impl Program {
    /// Starts a program, whose `KUBECONFIG` is that of the control plane.
    ///
    /// # Panics
    ///
    /// If there is no such program.
    pub fn start(plane: &ControlPlane, program: &str, arguments: &[&str]) -> Self {
        let mut command = command(plane, program, arguments);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut lines = output.lines().map_while(Result::ok);
            lines.all(|line| sender.send(line).is_ok())
        });
        Self { child, lines }
    }

    /// Runs a program until it ends, and returns what it has printed.
    ///
    /// # Panics
    ///
    /// If it fails.
    pub fn run(plane: &ControlPlane, program: &str, arguments: &[&str]) -> String {
        let output = command(plane, program, arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the next line with a prefix, and skips others.
    ///
    /// # Panics
    ///
    /// If none comes within a minute.
    pub fn line(&self, beginning: &str) -> String {
        let deadline = Instant::now() + LIMIT;
        let mut others = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.starts_with(beginning) => return line,
                Ok(line) => others.push(line),
                Err(error) => panic!("no line begins with {beginning:?} ({error}): {others:#?}"),
            }
        }
    }

    /// Sends SIGINT, waits until the program has ended successfully, and returns the rest of its output.
    ///
    /// # Panics
    ///
    /// If it fails, or does not end within a minute.
    pub fn interrupt(self) -> String {
        self.stop("INT")
    }

    /// Sends SIGTERM, as Kubernetes does, waits until the program has ended successfully, and returns the rest of its
    /// output.
    ///
    /// # Panics
    ///
    /// If it fails, or does not end within a minute.
    pub fn terminate(self) -> String {
        self.stop("TERM")
    }

    /// Returns whether the program has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }

    /// Sends a signal, such as `STOP`.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        let mut kill = Command::new("kill");
        let killed = kill.args(["-s", signal, &pid]).status().unwrap();
        assert!(killed.success());
    }

    fn stop(mut self, signal: &str) -> String {
        self.signal(signal);
        let deadline = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not stop");
            thread::sleep(Duration::from_millis(20));
        };
        assert!(status.success(), "{status}");
        let rest = std::iter::from_fn(|| self.lines.recv_timeout(LIMIT).ok());
        rest.map(|line| line + "\n").collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(plane: &ControlPlane, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).env("KUBECONFIG", plane.kubeconfig());
    command
}

/// Returns kubectl, from the folder of the binaries of the control plane or from the path.
pub fn find_kubectl() -> Option<PathBuf> {
    let assets = std::env::var_os("KUBEBUILDER_ASSETS").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = assets.into_iter().chain(std::env::split_paths(&path));
    let found = folders.map(|folder| folder.join("kubectl")).find(|path| path.is_file());
    if found.is_none() {
        announce("NO KUBECTL, so tests that need it are skipped");
    }
    found
}
