//! Accepts connections, and serves their requests.

use std::{pin::pin, sync::Arc, time::Duration};

use hyper::service::service_fn;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{
        conn::auto::Builder,
        graceful::{GracefulShutdown, Watcher},
    },
};
use rustls::ServerConfig;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tower::Service as _;

use crate::webhook::WebhookService;

/// Maximum number of open connections. Further ones wait.
const MAX_CONNECTIONS: usize = 512;
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a client may take to send the header of a request, or stay idle. API servers close idle connections after 90 s: if this
/// server closed them first, a request that is just being sent would fail.
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);
const MAX_STREAMS: u32 = 250;
const MAX_HEADER_BYTES: u32 = 64 << 10;
/// The interval of pings of HTTP/2, and how long to wait for the response.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(15);
/// The delay after a connection that could not be accepted.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Accepts connections until the server stops, and then waits for their requests.
pub(super) async fn accept(
    listener: TcpListener,
    tls: Arc<ServerConfig>,
    service: WebhookService,
    stopped: watch::Receiver<bool>,
) {
    let acceptor = TlsAcceptor::from(tls);
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let mut stop = pin!(stopping(stopped));
    loop {
        let next = async {
            while connections.len() >= MAX_CONNECTIONS {
                connections.join_next().await;
            }
            listener.accept().await
        };
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = next => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                connections.spawn(connection(stream, acceptor.clone(), service.clone(), graceful.watcher()));
            }
            // Too many files are open, for example; a later connection may succeed.
            Err(_) => sleep(RETRY_INTERVAL).await,
        }
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    graceful.shutdown().await;
}

async fn connection(stream: TcpStream, acceptor: TlsAcceptor, service: WebhookService, watcher: Watcher) {
    // Only delays small responses if it fails.
    let _ = stream.set_nodelay(true);
    let Ok(Ok(stream)) = timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await else {
        // The client does not trust the certificate, does not speak TLS, or is gone.
        return tracing::debug!("a connection to the webhooks ended before it was encrypted");
    };
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(IDLE_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEADER_BYTES)
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_TIMEOUT);
    let respond = service_fn(move |request| service.clone().call(request));
    let connection = builder.serve_connection(TokioIo::new(stream), respond);
    // An error means that the client closed the connection or does not speak HTTP.
    let _ = watcher.watch(connection).await;
}

async fn stopping(mut stopped: watch::Receiver<bool>) {
    // Without a handle, the server stops too.
    let _ = stopped.wait_for(|is_stopped| *is_stopped).await;
}
