//! A program of this crate that runs, and what it prints.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use crdkit_tests::ControlPlane;

const LIMIT: Duration = Duration::from_secs(60);

/// It is killed when it is dropped.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
}

impl Program {
    pub(crate) fn start(plane: &ControlPlane, program: &str, arguments: &[&str]) -> Self {
        let mut child = Command::new(program)
            .args(arguments)
            .env("KUBECONFIG", plane.kubeconfig())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            let mut lines = output.lines().map_while(Result::ok);
            lines.all(|line| sender.send(line).is_ok())
        });
        Self { child, lines }
    }

    /// The next line that begins like this, after others.
    pub(crate) fn line(&self, beginning: &str) -> String {
        let deadline = Instant::now() + LIMIT;
        let mut others = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.starts_with(beginning) => return line,
                Ok(line) => others.push(line),
                Err(_) => panic!("no line begins with {beginning:?}: {others:#?}"),
            }
        }
    }

    /// Presses ctrl-c, waits until the program has ended well, and says what it printed last.
    pub(crate) fn interrupt(mut self) -> String {
        let pid = self.child.id().to_string();
        let killed = Command::new("kill").args(["-INT", &pid]).status().unwrap();
        assert!(killed.success());
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
