//! What a contestant is to do, and what it found: the words between its process and the benchmark's.

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::TcpStream,
};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// What a contestant is to do. Whatever it is, it reads all objects first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Work {
    /// The port of the server.
    pub(crate) port: u16,
    pub(crate) objects: usize,
    /// Whether objects are to be listed as events.
    pub(crate) streams: bool,
    /// How many threads decode.
    pub(crate) decode_threads: usize,
    /// How many follow what happens.
    pub(crate) subscribers: usize,
    /// How many changes to follow.
    pub(crate) events: usize,
    /// Whether to look objects up.
    pub(crate) lookups: bool,
    /// Whether to list again, when nothing has changed and when some objects have.
    pub(crate) relists: bool,
    /// Whether to read all of every object.
    pub(crate) reads: bool,
    /// Whether to see how long readers keep the writer waiting.
    pub(crate) blocking: bool,
}

/// What a contestant found: seconds, megabytes, counts, and microseconds of look-ups.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Figures(pub(crate) BTreeMap<String, f64>);

impl Figures {
    pub(crate) fn add(&mut self, name: impl Into<String>, figure: f64) {
        self.0.insert(name.into(), figure);
    }
}

/// Asks the server to do something and returns its answer.
pub(crate) fn control(port: u16, request: &str) -> Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).context("the server is gone")?;
    write!(stream, "POST /control/{request} HTTP/1.1\r\nHost: server\r\n\r\n")?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no answer")?;
    ensure!(head.starts_with("HTTP/1.1 200"), "refused: {head}");
    Ok(body.to_owned())
}

/// The newest resourceVersion.
pub(crate) fn newest(port: u16) -> Result<u64> {
    Ok(control(port, "newest")?.parse()?)
}
