//! The only server of HTTP in this crate.
//!
//! A client can hold no resource for long without using it:
//!
//! | what a client leaves unfinished | its connection or request ends |
//! |---|---|
//! | the handshake of TLS, or its first request | [`FIRST_REQUEST`](limits::FIRST_REQUEST) after it connected |
//! | the header of a later request, by HTTP/1 | [`HEADER`](limits::HEADER) after its first byte |
//! | the body of a request | when it is slower than [`BODY_RATE`](limits::BODY_RATE), see [`body::deadline`] |
//! | reading a response | [`WRITE`](limits::WRITE) after the response, or a frame of a stream, was complete |
//! | nothing: it is idle | after [`IDLE`](limits::IDLE), by both versions of HTTP |
//!
//! A new connection is always accepted: at the limit, another one ends ([`table`]). After the stop, only requests that
//! are being processed delay its end ([`UNFINISHED`](limits::UNFINISHED)).

mod activity;
pub(crate) mod body;
#[cfg(any(feature = "controller", feature = "webhook"))]
pub(crate) mod budget;
#[cfg(any(feature = "controller", feature = "webhook"))]
pub(crate) mod buffer;
mod connection;
pub(crate) mod limits;
pub(crate) mod listen;
mod stream;
mod table;

use std::{future::Future, io, net::IpAddr, ops::Deref, pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::future::{Either, select};
use http::{Request, Response};
use hyper::body::Body;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    runtime::{self, Runtime},
    sync::watch,
    task::JoinSet,
    time::sleep,
};
use tower::{BoxError, Service};

pub use self::limits::Limits;
pub(crate) use self::{activity::ConnectionHandle, stream::WatchedStream};
use self::{body::RequestBody, table::Table};

/// The delay after a connection that could not be accepted because too many files are open.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);
/// `ENFILE` and `EMFILE`: too many open files in the system, and in the process.
const TOO_MANY_FILES: [i32; 2] = [23, 24];

/// What a connection is wrapped in, such as TLS.
pub trait Transport: Clone + Send + 'static {
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    fn accept(&self, stream: WatchedStream) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// No encryption.
#[derive(Clone, Copy)]
pub struct Plain;

impl Transport for Plain {
    type Stream = WatchedStream;

    async fn accept(&self, stream: WatchedStream) -> io::Result<WatchedStream> {
        Ok(stream)
    }
}

/// A service that can be served.
pub trait HttpService:
    Service<Request<RequestBody>, Response = Response<Self::Body>, Error: Into<BoxError>, Future: Send + 'static>
    + Clone
    + Send
    + Sync
    + 'static
{
    /// The body of responses.
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Unpin + Send + 'static;
}

impl<S, B> HttpService for S
where
    S: Service<Request<RequestBody>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
    S: Clone + Send + Sync + 'static,
    B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin + Send + 'static,
{
    type Body = B;
}

/// Accepts connections and serves their requests, until the server stops and its last request is answered. All connections end when
/// the future is dropped.
pub async fn serve<T: Transport, S: HttpService>(
    listener: TcpListener,
    transport: T,
    service: S,
    limits: Limits,
    stopped: watch::Receiver<bool>,
) {
    let table = Arc::new(Table::new(limits.connections()));
    let mut connections = JoinSet::new();
    let mut stop = pin!(stopping(stopped));
    loop {
        match select(&mut stop, pin!(listener.accept())).await {
            Either::Left(_) => break,
            Either::Right((Ok((stream, peer)), _)) => {
                let run = accepted(stream, peer.ip(), &table, transport.clone(), service.clone(), limits);
                connections.spawn(run);
            }
            Either::Right((Err(error), _)) if error.raw_os_error().is_some_and(|it| TOO_MANY_FILES.contains(&it)) => {
                table.end_one();
                sleep(RETRY_INTERVAL).await;
            }
            // The client was gone before its connection was accepted.
            Either::Right((Err(_), _)) => {}
        }
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    table.close_all();
    while connections.join_next().await.is_some() {}
}

/// Returns what serves a connection, which has a place in the table from now on.
fn accepted<T: Transport, S: HttpService>(
    stream: TcpStream,
    peer: IpAddr,
    table: &Arc<Table>,
    transport: T,
    service: S,
    limits: Limits,
) -> impl Future<Output = ()> + Send + use<T, S> {
    // Only delays small responses if it fails.
    let _ = stream.set_nodelay(true);
    let entry = Table::add(table, peer);
    async move {
        connection::run(stream, transport, service, limits, entry.connection()).await;
    }
}

/// A runtime whose end waits for nothing, so that it can be dropped in another one.
#[derive(Debug)]
pub(crate) struct BackgroundRuntime(Option<Runtime>);

impl BackgroundRuntime {
    pub(crate) fn new(mut builder: runtime::Builder) -> io::Result<Self> {
        builder.enable_io().enable_time().build().map(|runtime| Self(Some(runtime)))
    }
}

impl Deref for BackgroundRuntime {
    type Target = Runtime;

    fn deref(&self) -> &Runtime {
        self.0.as_ref().expect("only its drop takes it")
    }
}

impl Drop for BackgroundRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Completes when the server stops. Without a handle, it stops too.
pub async fn stopping(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|is_stopped| *is_stopped).await;
}
