//! The part of HTTP/1.1 that servers of objects need: requests, responses with a length or in chunks, and forwarding.

use std::{
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// The size of the output buffer.
const BUFFER_SIZE: usize = 256 * 1024;

/// A connection of a client.
#[derive(Debug)]
pub struct Connection {
    input: BufReader<TcpStream>,
    output: BufWriter<Counted>,
}

/// A request with its body.
#[derive(Debug)]
pub struct Request {
    /// The first line and the headers, without the one of the connection.
    head: String,
    body: Vec<u8>,
    path: String,
    query: Vec<(String, String)>,
}

/// A chunked response; each piece is a chunk, as the API server sends each event.
#[derive(Debug)]
pub struct Chunks<'a>(&'a mut BufWriter<Counted>);

/// How many bytes were sent, on connections that count together.
#[derive(Clone, Debug, Default)]
pub struct SentBytes(Arc<AtomicU64>);

#[derive(Debug)]
struct Counted {
    stream: TcpStream,
    sent: SentBytes,
}

impl SentBytes {
    /// The bytes so far.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes)?;
        self.sent.0.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Connection {
    /// A connection that was accepted.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        Self::counting(stream, SentBytes::default())
    }

    /// A connection whose sent bytes are counted.
    pub fn counting(stream: TcpStream, sent: SentBytes) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let input = BufReader::new(stream.try_clone()?);
        Ok(Self { input, output: BufWriter::with_capacity(BUFFER_SIZE, Counted { stream, sent }) })
    }

    /// The next request; `None` if the client has closed the connection.
    pub fn request(&mut self) -> io::Result<Option<Request>> {
        let (mut head, mut length) = (String::new(), 0);
        if self.input.read_line(&mut head)? == 0 {
            return Ok(None);
        }
        let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut line = String::new();
        while self.input.read_line(&mut line)? > 0 && !line.trim_end().is_empty() {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            if name == "content-length" {
                length = line[name.len() + 1..].trim().parse().map_err(io::Error::other)?;
            }
            if name != "connection" {
                head.push_str(&line);
            }
            line.clear();
        }
        let mut body = vec![0; length];
        self.input.read_exact(&mut body)?;
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let query = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        Ok(Some(Request { path: path.to_owned(), query, head, body }))
    }

    /// Sends a response with a body.
    pub fn answer(&mut self, status: u16, body: &[u8]) -> io::Result<()> {
        let output = self.head(status, format_args!("Content-Length: {}", body.len()))?;
        output.write_all(body)?;
        output.flush()
    }

    /// Starts a response with a length.
    pub fn begin(&mut self, length: usize) -> io::Result<&mut impl Write> {
        self.head(200, format_args!("Content-Length: {length}"))
    }

    /// Starts a chunked response.
    pub fn begin_chunks(&mut self) -> io::Result<Chunks<'_>> {
        self.head(200, format_args!("Transfer-Encoding: chunked")).map(Chunks)
    }

    /// Forwards a request to another server, and its response back. The connection is closed afterwards.
    pub fn pass_on(&mut self, request: &Request, to: SocketAddr) -> io::Result<()> {
        let mut other = TcpStream::connect(to)?;
        other.set_nodelay(true)?;
        other.write_all(request.head.as_bytes())?;
        other.write_all(b"Connection: close\r\n\r\n")?;
        other.write_all(&request.body)?;
        let output = self.output.get_mut();
        io::copy(&mut other, output)?;
        output.stream.shutdown(std::net::Shutdown::Both)
    }

    fn head(&mut self, status: u16, length: std::fmt::Arguments<'_>) -> io::Result<&mut BufWriter<Counted>> {
        write!(self.output, "HTTP/1.1 {status} Sent\r\nContent-Type: application/json\r\n{length}\r\n\r\n")?;
        Ok(&mut self.output)
    }
}

impl Chunks<'_> {
    /// Sends pieces as one chunk.
    pub fn write(&mut self, pieces: &[&[u8]]) -> io::Result<()> {
        let length: usize = pieces.iter().map(|piece| piece.len()).sum();
        write!(self.0, "{length:x}\r\n")?;
        for piece in pieces {
            self.0.write_all(piece)?;
        }
        self.0.write_all(b"\r\n")
    }

    /// Sends the buffered pieces.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    /// Ends the response.
    pub fn end(self) -> io::Result<()> {
        self.0.write_all(b"0\r\n\r\n")?;
        self.0.flush()
    }
}

impl Request {
    /// The path, without the query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether a parameter is true.
    pub fn flag(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| matches!(value, "true" | "1"))
    }

    /// A parameter that is a number.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.value(name)?.parse().ok()
    }

    /// A parameter.
    pub fn value(&self, name: &str) -> Option<&str> {
        let mut pairs = self.query.iter();
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}
