//! A session of `cargo crdkit dev`, as a program sees it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use crate::{Projects, lint};

/// How long a step may take, with a build that waits for another one in the same target folder.
const TIMEOUT: Duration = Duration::from_secs(900);
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) struct Session {
    child: Child,
    lines: Receiver<String>,
    kubeconfig: PathBuf,
    /// What was printed, without what the operator printed.
    printed: String,
    /// What the operator printed.
    output: String,
}

impl Session {
    /// Starts a session in a project.
    pub(crate) fn start(projects: &Projects, project: &str) -> Self {
        let directory = projects.directory.join(project);
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-crdkit"));
        command.args(["crdkit", "dev"]).current_dir(&directory);
        projects.set_environment(&mut command);
        lint(&mut command);
        // Other programs may have the usual ports.
        command.env("HEALTH_PROBE_BIND_ADDRESS", "0").env("METRICS_BIND_ADDRESS", "0").env("CARGO", env!("CARGO"));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        let stdout = child.stdout.take().unwrap();
        thread::spawn(move || {
            let _ = BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|line| sender.send(line));
        });
        let kubeconfig = directory.join("target/dev/kubeconfig.yaml");
        Self { child, lines, kubeconfig, printed: String::new(), output: String::new() }
    }

    /// Waits for a line.
    pub(crate) fn wait_for(&mut self, expected: &str) {
        let start = Instant::now();
        loop {
            match self.lines.recv_timeout(TIMEOUT.saturating_sub(start.elapsed())) {
                Ok(line) if line.starts_with("operator: ") => self.output += &(line + "\n"),
                Ok(line) => {
                    self.printed += &format!("{line}\n");
                    if line == expected {
                        return;
                    }
                }
                Err(error) => panic!(
                    "`{expected}` {}:\n{}\n{}",
                    if error == RecvTimeoutError::Timeout { "was not printed in time" } else { "was not printed" },
                    self.printed,
                    self.output
                ),
            }
        }
    }

    /// Creates an object, once the webhooks of the operator respond.
    pub(crate) fn create(&self, path: &str, object: &str) {
        let start = Instant::now();
        loop {
            let response = self.post(path, object);
            if response.starts_with("HTTP/1.1 201") {
                return;
            }
            assert!(start.elapsed() < TIMEOUT, "{response}\n{}", self.output);
            thread::sleep(RETRY_INTERVAL);
        }
    }

    fn post(&self, path: &str, body: &str) -> String {
        let kubeconfig = fs::read_to_string(&self.kubeconfig).unwrap();
        let address = kubeconfig.lines().find_map(|line| line.trim().strip_prefix("server: http://")).unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n"
        );
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// Ends the session as a closed terminal does, and returns what was printed.
    pub(crate) fn stop(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::take(&mut self.printed)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It has ended, unless the test fails.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
