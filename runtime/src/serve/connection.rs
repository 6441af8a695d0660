//! One connection.

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use http::{Request, Version};
use hyper::{
    body::{Body as _, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use tokio::{
    net::TcpStream,
    time::{Instant, sleep_until},
};

use super::{
    ConnectionHandle, HttpService, Limits, Transport, WatchedStream,
    activity::{Connection, Expiry},
    body::{RequestBody, ResponseBody},
};

/// The interval of pings of HTTP/2, and how long to wait for the response: clients that are gone end before they are idle for long.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(15);
/// How many bytes of bodies by HTTP/2 a client may send before they are read, in a stream and in a connection: a fast network in a
/// cluster has 100 MB/s with them, and many connections take little memory.
const STREAM_WINDOW: u32 = 128 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;
/// The least buffer of hyper for HTTP/1.
const MIN_BUFFER: usize = 8 << 10;

/// Serves a connection until it ends.
pub(super) async fn run<T: Transport, S: HttpService>(
    stream: TcpStream,
    transport: T,
    service: S,
    limits: Limits,
    connection: &Arc<Connection>,
) {
    let stream = WatchedStream::new(stream, connection.clone());
    // Pinned in this statement only: the task would keep its memory otherwise.
    let Some(Ok(stream)) = while_allowed(connection, pin!(transport.accept(stream)), |_| {}).await else {
        // The client does not trust the certificate, does not speak TLS, is too slow, or is gone.
        return tracing::debug!(peer = %connection.peer, "a connection ended before it was encrypted");
    };
    let respond = service_fn(|request| respond(service.clone(), request, connection.clone()));
    let builder = builder(limits);
    let stream = TokioIo::new(stream);
    // An error means that the client closed the connection or does not speak HTTP.
    let is_ended = if limits.upgrades {
        let served = pin!(builder.serve_connection_with_upgrades(stream, respond));
        while_allowed(connection, served, |served| served.graceful_shutdown()).await.is_none()
    } else {
        let served = pin!(builder.serve_connection(stream, respond));
        while_allowed(connection, served, |served| served.graceful_shutdown()).await.is_none()
    };
    if is_ended {
        tracing::debug!(peer = %connection.peer, "a connection was ended: it was idle, too slow, or not read");
    }
}

fn builder(limits: Limits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(limits.header_bytes.max(MIN_BUFFER));
    let Some(streams) = limits.streams else {
        return builder.http1_only();
    };
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(streams)
        .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT);
    builder
}

async fn respond<S: HttpService>(
    mut service: S,
    request: Request<Incoming>,
    connection: Arc<Connection>,
) -> Result<http::Response<ResponseBody<S::Body>>, tower::BoxError> {
    let is_multiplexed = request.version() == Version::HTTP_2;
    let exchange = connection.start(is_multiplexed, request.body().is_end_stream());
    let mut request = request.map(|body| RequestBody::new(body, exchange.clone()));
    request.extensions_mut().insert(ConnectionHandle(connection));
    poll_fn(|cx| service.poll_ready(cx)).await.map_err(Into::into)?;
    let response = service.call(request).await.map_err(Into::into)?;
    Ok(response.map(|body| ResponseBody::new(body, exchange)))
}

/// Runs a future until the connection has to end; `None` then. Closes it once if it should take no more requests.
async fn while_allowed<F: Future>(
    connection: &Connection,
    mut future: Pin<&mut F>,
    close: impl Fn(Pin<&mut F>),
) -> Option<F::Output> {
    let mut timer = pin!(sleep_until(Instant::now()));
    let mut changed = pin!(connection.changed.notified());
    let mut is_closed = false;
    poll_fn(|cx| {
        loop {
            if connection.is_ended() {
                return Poll::Ready(None);
            }
            if !is_closed && connection.is_closing() {
                is_closed = true;
                close(future.as_mut());
            }
            if let Poll::Ready(output) = future.as_mut().poll(cx) {
                return Poll::Ready(Some(output));
            }
            if changed.as_mut().poll(cx).is_ready() {
                changed.set(connection.changed.notified());
                continue;
            }
            let Some(deadline) = connection.activity().deadline() else {
                return Poll::Pending;
            };
            if timer.deadline() != deadline {
                timer.as_mut().reset(deadline);
            }
            if timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            if connection.activity().expire(Instant::now()) == Expiry::End {
                return Poll::Ready(None);
            }
        }
    })
    .await
}
