use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// What a contestant measured, by name.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Figures(pub BTreeMap<String, f64>);

impl Figures {
    /// Adds a figure.
    pub fn add(&mut self, name: impl Into<String>, figure: f64) {
        self.0.insert(name.into(), figure);
    }
}

/// This program, to be started with other arguments.
pub fn itself() -> Result<Command> {
    Ok(Command::new(std::env::current_exe()?))
}

/// A server in a separate process, which is killed when this is dropped.
#[derive(Debug)]
pub struct ServerProcess {
    port: u16,
    process: Child,
    output: BufReader<ChildStdout>,
}

impl ServerProcess {
    /// Starts this program with arguments. The first line of its output must be its port.
    pub fn start(arguments: &[&str]) -> Result<Self> {
        Self::spawn(itself()?.args(arguments))
    }

    /// Starts a program. The first line of its output must be its port.
    pub fn spawn(command: &mut Command) -> Result<Self> {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let output = process.stdout.take().context("the server has no output")?;
        let mut server = Self { port: 0, process, output: BufReader::new(output) };
        server.port = server.read_line()?.trim().parse().context("the server has no port")?;
        Ok(server)
    }

    /// What the process has used so far: it responds to each line of its input.
    pub fn usage(&mut self) -> Result<Figures> {
        let mut input = self.process.stdin.as_ref().context("the server has no input")?;
        input.write_all(b"usage\n")?;
        serde_json::from_str(&self.read_line()?).context("the usage is not JSON")
    }

    fn read_line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line)
    }

    /// The port on the loopback interface.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends a control request to a server and returns its response.
pub fn control(port: u16, request: &str) -> Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).context("the server is gone")?;
    write!(stream, "POST /control/{request} HTTP/1.1\r\nHost: server\r\n\r\n")?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let (head, body) = response.split_once("\r\n\r\n").context("no response")?;
    ensure!(head.starts_with("HTTP/1.1 200"), "refused: {head}");
    Ok(body.to_owned())
}
