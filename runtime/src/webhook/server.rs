//! Serves webhooks over TLS.

mod probe;

use std::{fmt, future::Future, io, net::SocketAddr, sync::Arc, thread::available_parallelism, time::Duration};

use rustls::server::ResolvesServerCert;
use tokio::{
    runtime::{self, Handle},
    sync::watch,
    task::JoinHandle,
    time::{sleep, timeout},
};

use super::{WebhookService, Webhooks, crypto::provider, tls};
use crate::serve::{self, BackgroundRuntime, Limits, listen};

/// The port of controller-runtime's webhook server.
const DEFAULT_ADDRESS: &str = ":9443";
/// The limits of connections. API servers have a few, and 100 requests at the same time in one.
///
/// The limit is high, because it costs more to end connections and to encrypt those that clients open instead.
const LIMITS: Limits =
    Limits { connections: 6000, share_of_files: 3, header_bytes: 16 << 10, streams: Some(100), upgrades: false };
/// The maximum number of threads for connections, which read, encrypt and write.
const MAX_THREADS: usize = 4;
/// Default of [`WebhookServer::drain_timeout`]. It is the longest time that the API server waits.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);

/// Serves [`Webhooks`] over TLS, by HTTP/1.1 and HTTP/2.
///
/// The certificates come from a resolver of rustls, which is called for each connection, so that they can change at any time.
///
/// Connections have threads of their own: functions that compute or block delay no connection. The functions run in tasks of the runtime
/// in which [`start`](Self::start) is called, and those of [`mutate`](super::WebhookBuilder::mutate) and of conversions on its threads
/// for blocking work. An asynchronous function that blocks a thread delays other tasks of that runtime; if it does so for longer than the
/// API server waits, an error with its path is logged.
///
/// # Limits
///
/// A client that does not use its connection loses it:
///
/// | | |
/// |---|---|
/// | the handshake of TLS, and the header of the first request | 10 s |
/// | the header of a later request | 10 s |
/// | a body | 64 KiB a second, after 5 s |
/// | a response that is not read | 15 s, or when others need the memory |
/// | an idle connection | 120 s, by HTTP/1 and HTTP/2 |
/// | connections | 6000, or a third of the files that the process may open. At the limit, the one that was idle for the longest time ends |
/// | requests in a connection by HTTP/2 | 100 at the same time |
/// | a header | 16 KiB |
///
/// [`Webhooks`] has the limits of reviews.
///
/// ```no_run
/// # fn example(resolver: std::sync::Arc<dyn rustls::server::ResolvesServerCert>) -> Result<(), Box<dyn std::error::Error>> {
/// use crdkit::webhook::{Webhook, WebhookServer, Webhooks};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let webhooks = Webhooks::new("pod-policy").add(Webhook::of::<Pod>().mutate(|pod, _| {
///     pod.metadata.labels.get_or_insert_default().entry("team".into()).or_insert("none".into());
/// }));
/// let server = WebhookServer::new(&webhooks, resolver).address(":9443").start()?;
/// // ... later:
/// # let stopped = async move {
/// server.stop().await; // after the running requests
/// # };
/// # Ok(())
/// # }
/// ```
#[must_use = "`start` opens the port"]
pub struct WebhookServer {
    service: WebhookService,
    certificates: Arc<dyn ResolvesServerCert>,
    address: String,
    drain_timeout: Duration,
    shutdown_delay: Duration,
}

/// Why a webhook server cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebhookServerError {
    /// The port cannot be opened.
    #[error("cannot listen at `{address}` for webhooks: {source}")]
    Listen {
        /// The address.
        address: String,
        /// The error.
        source: io::Error,
    },
    /// TLS cannot be configured.
    #[error("cannot serve webhooks over TLS: {0}")]
    Tls(#[from] rustls::Error),
}

impl WebhookServer {
    /// Creates a server for the port 9443 of all interfaces, as in controller-runtime.
    pub fn new(webhooks: &Webhooks, certificates: Arc<dyn ResolvesServerCert>) -> Self {
        Self {
            service: webhooks.service(),
            certificates,
            address: DEFAULT_ADDRESS.to_owned(),
            drain_timeout: DRAIN_TIMEOUT,
            shutdown_delay: Duration::ZERO,
        }
    }

    /// Sets the address, such as `:9443` for all interfaces, or `127.0.0.1:0` for any free port.
    pub fn address(self, address: &str) -> Self {
        Self { address: address.to_owned(), ..self }
    }

    /// Sets how long running requests may continue after [`stop`](WebhookServerHandle::stop): 30 s by default.
    pub fn drain_timeout(self, timeout: Duration) -> Self {
        Self { drain_timeout: timeout, ..self }
    }

    /// Sets how long new requests are accepted after a shutdown began: not at all by default.
    ///
    /// During that time, `/readyz` fails. If the delay is longer than the period of the readiness probe, the API server finds another
    /// replica before this one closes its port.
    pub fn shutdown_delay(self, delay: Duration) -> Self {
        Self { shutdown_delay: delay, ..self }
    }

    /// Returns the service that answers the requests.
    pub fn service(&self) -> &WebhookService {
        &self.service
    }

    /// Opens the port, and serves until the handle is dropped or [stopped](WebhookServerHandle::stop).
    ///
    /// # Errors
    ///
    /// If the port cannot be opened, or if rustls has no cryptography: enable the feature `ring` or `aws-lc-rs`, or install a
    /// provider of rustls.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub fn start(self) -> Result<WebhookServerHandle, WebhookServerError> {
        let acceptor = tls::acceptor(self.certificates, &[b"h2", b"http/1.1"])?;
        let error = |source| WebhookServerError::Listen { address: self.address.clone(), source };
        self.service.run_functions_in(Handle::current());
        let connections = connections_runtime().map_err(error)?;
        let listener = {
            let _entered = connections.enter();
            listen::bind(&self.address).map_err(error)?
        };
        let address = listener.local_addr().map_err(error)?;
        let (stop, stopped) = watch::channel(false);
        self.service.set_serving(true);
        let task = connections.spawn(serve::serve(listener, acceptor, self.service.clone(), LIMITS, stopped));
        connections.spawn(probe::repeat(address, provider()?, self.service.clone()));
        Ok(WebhookServerHandle {
            address,
            service: self.service,
            stop,
            task,
            _connections: connections,
            drain_timeout: self.drain_timeout,
            shutdown_delay: self.shutdown_delay,
        })
    }

    /// Serves until a future completes, and until the running requests are complete.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub async fn run_until<O>(self, shutdown: impl Future<Output = O>) -> Result<(), WebhookServerError> {
        let handle = self.start()?;
        shutdown.await;
        handle.stop().await;
        Ok(())
    }
}

impl fmt::Debug for WebhookServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("WebhookServer");
        debug.field("address", &self.address).field("service", &self.service).finish_non_exhaustive()
    }
}

/// A running [`WebhookServer`]. The port closes when it is dropped.
#[derive(Debug)]
pub struct WebhookServerHandle {
    address: SocketAddr,
    service: WebhookService,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
    _connections: BackgroundRuntime,
    drain_timeout: Duration,
    shutdown_delay: Duration,
}

impl WebhookServerHandle {
    /// Returns the address, with the port that was chosen.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the service that answers the requests.
    pub fn service(&self) -> &WebhookService {
        &self.service
    }

    /// Stops to accept connections, and waits for the running requests, at most for the [drain
    /// timeout](WebhookServer::drain_timeout). What clients left unfinished, such as half a body, ends after a second.
    pub async fn stop(mut self) {
        self.service.start_draining();
        sleep(self.shutdown_delay).await;
        self.stop.send_replace(true);
        if timeout(self.drain_timeout, &mut self.task).await.is_err() {
            tracing::warn!("not all requests to webhooks were answered before the end");
        }
    }
}

impl Drop for WebhookServerHandle {
    fn drop(&mut self) {
        self.service.set_serving(false);
    }
}

fn connections_runtime() -> io::Result<BackgroundRuntime> {
    let threads = available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let mut builder = runtime::Builder::new_multi_thread();
    builder.worker_threads(threads).thread_name("crdkit-webhooks");
    BackgroundRuntime::new(builder)
}
