use std::{future::Future, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream},
    net::TcpStream,
    time::sleep,
};

use super::{Fault, Faults, Kind, Plan};

const BETWEEN_BYTES: Duration = Duration::from_millis(1);
const LONGEST_HEAD: usize = 64 * 1024;

/// What a connection is made of.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Makes the end of the connection one with RST, where there is such a thing.
    fn end_with_reset(&self) {}
}

impl Stream for TcpStream {
    fn end_with_reset(&self) {
        // Fails if the connection is gone, which is what is wanted.
        let _ = self.set_zero_linger();
    }
}

impl Stream for DuplexStream {}

/// The connection is of no use any more.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The client closed it.
    ByClient,
    /// A fault closed it.
    ByFault,
}

/// A connection, seen from the API server, on which the fault of the answer strikes at its byte.
pub(crate) struct Wire<S> {
    stream: S,
    faults: Arc<Faults>,
    /// Read, but not yet used.
    read: Vec<u8>,
    plan: Plan,
    /// Bytes of this answer that were sent.
    sent: usize,
    /// What has struck this answer.
    struck: Option<Kind>,
}

impl<S: Stream> Wire<S> {
    pub(crate) fn new(stream: S, faults: Arc<Faults>) -> Self {
        let plan = faults.calm();
        Self { stream, faults, read: Vec::new(), plan, sent: 0, struck: None }
    }

    /// Reads the head of a request, without its last empty line.
    pub(crate) async fn head(&mut self) -> Result<String, Broken> {
        loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                let rest = self.read.split_off(end + 4);
                let head = std::mem::replace(&mut self.read, rest);
                return String::from_utf8(head).map_err(|_| Broken::ByClient);
            }
            self.receive().await?;
        }
    }

    /// Begins an answer.
    pub(crate) fn begin(&mut self, plan: Plan) {
        (self.plan, self.sent, self.struck) = (plan, 0, None);
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(crate) fn struck(&self) -> Option<Kind> {
        self.struck
    }

    /// Whether faults may strike now.
    pub(crate) fn rages(&self) -> bool {
        self.faults.rage()
    }

    /// Notes that the fault of this answer strikes. It does so only once.
    pub(crate) fn strike(&mut self, kind: Kind) {
        self.plan.fault = Fault::None;
        self.struck = Some(kind);
        self.faults.count(kind);
    }

    /// Sends bytes up to where the fault strikes, then does what the fault does.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let at = match self.plan.fault {
            Fault::Cut { at, .. } | Fault::Stall { at } | Fault::Pause { at, .. } | Fault::Slow { at, .. } => at,
            _ => usize::MAX,
        };
        let before = at.saturating_sub(self.sent).min(bytes.len());
        self.put(&bytes[..before]).await?;
        let rest = &bytes[before..];
        if rest.is_empty() {
            return Ok(());
        }
        let sent = if self.rages() { self.suffer(rest).await? } else { 0 };
        self.plan.fault = Fault::None;
        self.put(&rest[sent..]).await
    }

    /// Sends a part of a chunked body, in chunks as large as the plan has them.
    pub(crate) async fn chunks(&mut self, body: &[u8]) -> Result<(), Broken> {
        for chunk in body.chunks(self.plan.chunk) {
            let mut framed = format!("{:x}\r\n", chunk.len()).into_bytes();
            framed.extend_from_slice(chunk);
            framed.extend_from_slice(b"\r\n");
            self.send(&framed).await?;
        }
        Ok(())
    }

    /// Ends a chunked body.
    pub(crate) async fn end_chunks(&mut self) -> Result<(), Broken> {
        self.send(b"0\r\n\r\n").await
    }

    /// Returns when the client has closed the connection. May be dropped before.
    pub(crate) async fn closed(&mut self) -> Broken {
        loop {
            if let Err(broken) = self.receive().await {
                return broken;
            }
        }
    }

    /// Waits for something while the client stays.
    pub(crate) async fn unless_closed<T>(&mut self, what: impl Future<Output = T>) -> Result<T, Broken> {
        tokio::select! {
            result = what => Ok(result),
            broken = self.closed() => Err(broken),
        }
    }

    /// Suffers the fault just before `rest`, and says how many bytes of it were sent.
    async fn suffer(&mut self, rest: &[u8]) -> Result<usize, Broken> {
        match self.plan.fault.clone() {
            Fault::Cut { reset: true, .. } => {
                self.strike(Kind::CutReset);
                self.stream.end_with_reset();
                Err(Broken::ByFault)
            }
            Fault::Cut { .. } => {
                self.strike(Kind::CutEnd);
                let _ = self.stream.shutdown().await;
                Err(Broken::ByFault)
            }
            Fault::Stall { .. } => {
                self.strike(Kind::Stall);
                Err(self.closed().await)
            }
            Fault::Pause { milliseconds, .. } => {
                self.strike(Kind::Pause);
                let time = Duration::from_millis(milliseconds as u64);
                self.unless_closed(sleep(time)).await.map(|()| 0)
            }
            Fault::Slow { bytes, .. } => {
                self.strike(Kind::Slow);
                let bytes = bytes.min(rest.len());
                for byte in &rest[..bytes] {
                    self.put(&[*byte]).await?;
                    self.unless_closed(sleep(BETWEEN_BYTES)).await?;
                }
                Ok(bytes)
            }
            _ => Ok(0),
        }
    }

    async fn put(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        self.sent += bytes.len();
        let written = self.stream.write_all(bytes).await;
        written.map_err(|_| Broken::ByClient)?;
        let flushed = self.stream.flush().await;
        flushed.map_err(|_| Broken::ByClient)
    }

    async fn receive(&mut self) -> Result<(), Broken> {
        let mut bytes = [0; 4096];
        match self.stream.read(&mut bytes).await {
            Ok(1..) if self.read.len() > LONGEST_HEAD => Err(Broken::ByClient),
            Ok(length @ 1..) => {
                self.read.extend_from_slice(&bytes[..length]);
                Ok(())
            }
            _ => Err(Broken::ByClient),
        }
    }
}
