//! As much of HTTP/1.1 as is needed: requests without a body, answers of known length or in chunks.

use std::{
    io::{self, BufRead, BufReader, BufWriter, Write},
    net::TcpStream,
};

/// So much is sent at once.
const SENT_AT_ONCE: usize = 256 * 1024;

pub(super) struct Connection {
    input: BufReader<TcpStream>,
    output: BufWriter<TcpStream>,
}

pub(super) struct Request {
    path: String,
    query: Vec<(String, String)>,
}

/// An answer without an end known beforehand; each piece is a chunk, as the API server sends each event.
pub(super) struct Chunks<'a>(&'a mut BufWriter<TcpStream>);

impl Connection {
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self { input: BufReader::new(stream.try_clone()?), output: BufWriter::with_capacity(SENT_AT_ONCE, stream) })
    }

    /// The next request; `None` when the client has gone.
    pub(super) fn request(&mut self) -> io::Result<Option<Request>> {
        let mut head = String::new();
        if self.input.read_line(&mut head)? == 0 {
            return Ok(None);
        }
        let mut line = String::new();
        while self.input.read_line(&mut line)? > 0 && !line.trim_end().is_empty() {
            line.clear();
        }
        let target = head.split(' ').nth(1).unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Ok(Some(Request {
            path: path.to_owned(),
            query: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        }))
    }

    pub(super) fn answer(&mut self, status: u16, body: &[u8]) -> io::Result<()> {
        let output = self.head(status, format_args!("Content-Length: {}", body.len()))?;
        output.write_all(body)?;
        output.flush()
    }

    /// Begins an answer of so many bytes.
    pub(super) fn begin(&mut self, length: usize) -> io::Result<&mut BufWriter<TcpStream>> {
        self.head(200, format_args!("Content-Length: {length}"))
    }

    pub(super) fn begin_chunks(&mut self) -> io::Result<Chunks<'_>> {
        self.head(200, format_args!("Transfer-Encoding: chunked")).map(Chunks)
    }

    fn head(&mut self, status: u16, length: std::fmt::Arguments<'_>) -> io::Result<&mut BufWriter<TcpStream>> {
        write!(self.output, "HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\n{length}\r\n\r\n")?;
        Ok(&mut self.output)
    }
}

impl Chunks<'_> {
    /// Sends pieces as one chunk.
    pub(super) fn write(&mut self, pieces: &[&[u8]]) -> io::Result<()> {
        let length: usize = pieces.iter().map(|piece| piece.len()).sum();
        write!(self.0, "{length:x}\r\n")?;
        for piece in pieces {
            self.0.write_all(piece)?;
        }
        self.0.write_all(b"\r\n")
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    pub(super) fn end(self) -> io::Result<()> {
        self.0.write_all(b"0\r\n\r\n")?;
        self.0.flush()
    }
}

impl Request {
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| matches!(value, "true" | "1"))
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.value(name)?.parse().ok()
    }

    fn value(&self, name: &str) -> Option<&str> {
        let mut pairs = self.query.iter();
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}
