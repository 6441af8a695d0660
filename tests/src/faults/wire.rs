use std::{future::Future, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream},
    net::TcpStream,
    time::sleep,
};

use super::{Fault, FaultKind, Faults, Plan};

const BYTE_INTERVAL: Duration = Duration::from_millis(1);
const MAX_HEAD: usize = 64 * 1024;

/// The transport of a connection.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Makes the connection end with RST, if the transport has it.
    fn end_with_reset(&self) {}
}

impl Stream for TcpStream {
    fn end_with_reset(&self) {
        // Fails if the connection is closed already.
        let _ = self.set_zero_linger();
    }
}

impl Stream for DuplexStream {}

/// The connection is closed.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The client closed it.
    ByClient,
    /// A fault closed it.
    ByFault,
}

/// The API server's side of a connection, which injects the fault of each response at its byte.
pub(crate) struct Wire<S> {
    stream: S,
    faults: Arc<Faults>,
    /// Bytes that were read but not yet parsed.
    read: Vec<u8>,
    plan: Plan,
    /// The number of bytes of this response that were sent.
    sent: usize,
    /// The fault that was injected into this response.
    injected_fault: Option<FaultKind>,
}

impl<S: Stream> Wire<S> {
    pub(crate) fn new(stream: S, faults: Arc<Faults>) -> Self {
        let plan = faults.fault_free_plan();
        Self { stream, faults, read: Vec::new(), plan, sent: 0, injected_fault: None }
    }

    /// Reads the head of a request.
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

    /// Starts a response.
    pub(crate) fn begin(&mut self, plan: Plan) {
        (self.plan, self.sent, self.injected_fault) = (plan, 0, None);
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    pub(crate) fn injected_fault(&self) -> Option<FaultKind> {
        self.injected_fault
    }

    /// Whether faults may be injected now.
    pub(crate) fn faults_are_active(&self) -> bool {
        self.faults.are_active()
    }

    /// Records that the fault of this response was injected. Each response has at most one.
    pub(crate) fn record_fault(&mut self, kind: FaultKind) {
        self.plan.fault = Fault::None;
        self.injected_fault = Some(kind);
        self.faults.count(kind);
    }

    /// Sends bytes up to the position of the fault, then injects the fault.
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
        let sent = if self.faults_are_active() { self.inject(rest).await? } else { 0 };
        self.plan.fault = Fault::None;
        self.put(&rest[sent..]).await
    }

    /// Sends a part of a chunked body, in chunks of the size in the plan.
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

    /// Waits until the client closes the connection. Can be cancelled.
    pub(crate) async fn closed(&mut self) -> Broken {
        loop {
            if let Err(broken) = self.receive().await {
                return broken;
            }
        }
    }

    /// Waits for a future while the client keeps the connection open.
    pub(crate) async fn unless_closed<T>(&mut self, future: impl Future<Output = T>) -> Result<T, Broken> {
        tokio::select! {
            result = future => Ok(result),
            broken = self.closed() => Err(broken),
        }
    }

    /// Injects the fault just before `rest`. Returns how many bytes of it were sent.
    async fn inject(&mut self, rest: &[u8]) -> Result<usize, Broken> {
        match self.plan.fault.clone() {
            Fault::Cut { reset: true, .. } => {
                self.record_fault(FaultKind::CutReset);
                self.stream.end_with_reset();
                Err(Broken::ByFault)
            }
            Fault::Cut { .. } => {
                self.record_fault(FaultKind::CutEnd);
                let _ = self.stream.shutdown().await;
                Err(Broken::ByFault)
            }
            Fault::Stall { .. } => {
                self.record_fault(FaultKind::Stall);
                Err(self.closed().await)
            }
            Fault::Pause { milliseconds, .. } => {
                self.record_fault(FaultKind::Pause);
                let time = Duration::from_millis(milliseconds as u64);
                self.unless_closed(sleep(time)).await.map(|()| 0)
            }
            Fault::Slow { bytes, .. } => {
                self.record_fault(FaultKind::Slow);
                let bytes = bytes.min(rest.len());
                for byte in &rest[..bytes] {
                    self.put(&[*byte]).await?;
                    self.unless_closed(sleep(BYTE_INTERVAL)).await?;
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
            Ok(1..) if self.read.len() > MAX_HEAD => Err(Broken::ByClient),
            Ok(length @ 1..) => {
                self.read.extend_from_slice(&bytes[..length]);
                Ok(())
            }
            _ => Err(Broken::ByClient),
        }
    }
}
