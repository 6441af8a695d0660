//! A connection pool.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use kube::client::Body;
use tokio::sync::Notify;
use tower::{BoxError, Service, util::BoxCloneSyncService};
use tracing::{Instrument, Span, field::Empty};

use super::{stream_limit::StreamLimit, url::LoggedUrl};
use crate::client::{body::ResponseBody, error::explain_transport};

/// Sends requests on its connections, and opens another connection if none is free.
pub(super) type Http = BoxCloneSyncService<Request<Body>, Response<Incoming>, BoxError>;

/// Creates an HTTP client without connections. It sets the limit when the server sends it.
pub(super) type MakeHttp = Arc<dyn Fn(&Arc<StreamLimit>) -> Http + Send + Sync>;

/// A pool of connections with the same settings. Clones share them.
///
/// An HTTP/2 connection supports a limited number of concurrent requests and queues the others until one of them ends,
/// which for watches takes minutes. So the pool has several clients, each with one such connection.
#[derive(Clone)]
pub(super) struct Pool(Arc<Inner>);

struct Inner {
    make: MakeHttp,
    /// Maximum number of concurrent requests per connection, unless the server allows fewer.
    max_requests: usize,
    state: Mutex<PoolState>,
    /// Notified when a client may have free capacity again.
    changed: Arc<Notify>,
}

#[derive(Default)]
struct PoolState {
    clients: Vec<PooledClient>,
    generation: u64,
}

struct PooledClient {
    http: Http,
    limit: Arc<StreamLimit>,
    /// Each request in flight holds a clone.
    requests: Arc<()>,
}

impl PooledClient {
    fn has_capacity(&self, otherwise: usize, max_requests: usize) -> bool {
        let limit = self.limit.get().unwrap_or(otherwise).min(max_requests);
        Arc::strong_count(&self.requests) <= limit
    }
}

/// A request that is in flight until this is dropped.
struct InFlight {
    request: Option<Arc<()>>,
    changed: Arc<Notify>,
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.request = None;
        self.changed.notify_waiters();
    }
}

impl Pool {
    pub(super) fn new(make: MakeHttp, max_requests: usize) -> Self {
        Self(Arc::new(Inner { make, max_requests, state: Mutex::default(), changed: Arc::default() }))
    }

    /// Returns a number that changes whenever the connections are replaced.
    pub(super) fn generation(&self) -> u64 {
        self.0.state().generation
    }

    /// Sends no further requests on the current connections, unless they were replaced since `generation`. Requests in
    /// flight continue.
    pub(super) fn replace(&self, generation: u64) {
        let mut state = self.0.state();
        if state.generation == generation {
            state.generation += 1;
            state.clients.clear();
            self.0.changed.notify_waiters();
        }
    }

    /// Sends a request to the server in its URI.
    pub(super) async fn send(self, request: Request<Body>) -> Result<Response<ResponseBody>, BoxError> {
        let span = span(&request);
        let (mut http, in_flight) = self.acquire().await;
        let exchange = async {
            tracing::debug!("requesting");
            let response = http.call(request).await;
            report(&response);
            response
        };
        let response = exchange.instrument(span).await?;
        Ok(response.map(|body| {
            let body = body.map_err(move |error| {
                let _in_flight = &in_flight;
                error.into()
            });
            body.boxed_unsync()
        }))
    }

    /// Waits for a client with free capacity and reserves it for a request.
    async fn acquire(&self) -> (Http, InFlight) {
        loop {
            let changed = self.0.changed.notified();
            if let Some(acquire) = self.0.try_acquire() {
                return acquire;
            }
            changed.await;
        }
    }
}

impl Inner {
    /// Returns `None` while the first connection is being established: it determines how many requests a connection
    /// supports.
    fn try_acquire(&self) -> Option<(Http, InFlight)> {
        let mut state = self.state();
        let lowest = state.clients.iter().filter_map(|it| it.limit.get()).min();
        let otherwise = lowest.unwrap_or(1);
        let acquire = (state.clients.iter()).position(|it| it.has_capacity(otherwise, self.max_requests));
        let acquire = match acquire {
            Some(acquire) => acquire,
            None if lowest.is_none() && !state.clients.is_empty() => return None,
            None => {
                state.clients.push(self.make());
                state.clients.len() - 1
            }
        };
        let client = &state.clients[acquire];
        let in_flight = InFlight { request: Some(client.requests.clone()), changed: self.changed.clone() };
        Some((client.http.clone(), in_flight))
    }

    fn make(&self) -> PooledClient {
        let limit = StreamLimit::unknown(self.changed.clone());
        PooledClient { http: (self.make)(&limit), limit, requests: Arc::new(()) }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Creates the same span as kube, with the conventions of OpenTelemetry, but without values in the URL.
fn span(request: &Request<Body>) -> Span {
    let name = request.extensions().get::<&'static str>();
    tracing::debug_span!(
        "HTTP",
        http.method = %request.method(),
        http.url = %LoggedUrl(request.uri()),
        http.status_code = Empty,
        otel.name = name.unwrap_or(&"HTTP"),
        otel.kind = "client",
        otel.status_code = Empty,
    )
}

/// At debug level: the caller receives the error and decides whether to log it.
fn report(response: &Result<Response<Incoming>, BoxError>) {
    let span = Span::current();
    match response {
        Ok(response) => {
            let status = response.status();
            span.record("http.status_code", status.as_u16());
            if status.is_client_error() || status.is_server_error() {
                span.record("otel.status_code", "ERROR");
            }
        }
        Err(error) => {
            span.record("otel.status_code", "ERROR");
            tracing::debug!("no response: {}", explain_transport(&**error));
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("generation", &self.generation()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// A pool, and the limits of its clients.
    fn observed(max_requests: usize) -> (Pool, Arc<Mutex<Vec<Arc<StreamLimit>>>>) {
        let made = Arc::new(Mutex::new(Vec::new()));
        let limits = made.clone();
        let make: MakeHttp = Arc::new(move |limit| {
            limits.lock().unwrap().push(limit.clone());
            Http::new(tower::service_fn(|_| std::future::pending()))
        });
        (Pool::new(make, max_requests), made)
    }

    fn acquire(pool: &Pool) -> InFlight {
        pool.acquire().now_or_never().expect("there is capacity").1
    }

    #[test]
    fn requests_share_a_client_up_to_its_limit() {
        let (pool, made) = observed(2);
        let first = acquire(&pool);
        made.lock().unwrap()[0].set(100);
        let second = acquire(&pool);
        assert_eq!(made.lock().unwrap().len(), 1);
        let _third = acquire(&pool);
        assert_eq!(made.lock().unwrap().len(), 2);
        drop((first, second));
        let _others: Vec<_> = (0..3).map(|_| acquire(&pool)).collect();
        assert_eq!(made.lock().unwrap().len(), 2);
    }

    #[test]
    fn first_connection_determines_the_stream_limit() {
        let (pool, made) = observed(64);
        let _first = acquire(&pool);
        let mut second = Box::pin(pool.acquire());
        assert!(second.as_mut().now_or_never().is_none());
        made.lock().unwrap()[0].set(2);
        let _second = second.as_mut().now_or_never().expect("there is capacity");
        let _others: Vec<_> = (0..4).map(|_| acquire(&pool)).collect();
        assert_eq!(made.lock().unwrap().len(), 3);
    }

    #[test]
    fn next_request_uses_the_client_whose_first_request_failed() {
        let (pool, made) = observed(64);
        let first = acquire(&pool);
        let mut second = Box::pin(pool.acquire());
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert!(second.as_mut().now_or_never().is_some());
        assert_eq!(made.lock().unwrap().len(), 1);
    }

    #[test]
    fn abandoned_connection_attempts_do_not_block() {
        let (pool, made) = observed(64);
        let _hangs = acquire(&pool);
        let mut next = Box::pin(pool.acquire());
        assert!(next.as_mut().now_or_never().is_none());
        pool.replace(pool.generation());
        assert!(next.as_mut().now_or_never().is_some());
        assert_eq!(made.lock().unwrap().len(), 2);
    }

    #[test]
    fn concurrent_failures_replace_the_connections_once() {
        let (pool, made) = observed(2);
        drop(acquire(&pool));
        let generation = pool.generation();
        pool.replace(generation);
        drop(acquire(&pool));
        pool.replace(generation);
        drop(acquire(&pool));
        assert_eq!(made.lock().unwrap().len(), 2);
    }
}
