//! Connections that requests share.

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

/// Sends requests on its connections, and makes some where it has none to spare.
pub(super) type Http = BoxCloneSyncService<Request<Body>, Response<Incoming>, BoxError>;

/// Makes what has no connections yet. It sets the limit when it knows it.
pub(super) type MakeHttp = Arc<dyn Fn(&Arc<StreamLimit>) -> Http + Send + Sync>;

/// Connections of one kind. Clones share them.
///
/// A connection of HTTP/2 takes so many requests at once and lets others wait until one of them is over, which watches are
/// not for minutes. So there are several clients, each with one such connection.
#[derive(Clone)]
pub(super) struct Pool(Arc<Inner>);

struct Inner {
    make: MakeHttp,
    /// How many requests may be under way on a connection, if the server does not allow fewer.
    most: usize,
    state: Mutex<State>,
    /// A client may have room that had none.
    changed: Arc<Notify>,
}

#[derive(Default)]
struct State {
    clients: Vec<PooledClient>,
    generation: u64,
}

struct PooledClient {
    http: Http,
    limit: Arc<StreamLimit>,
    /// Each request that is under way has a clone.
    requests: Arc<()>,
}

impl PooledClient {
    fn has_room(&self, otherwise: usize, most: usize) -> bool {
        let limit = self.limit.get().unwrap_or(otherwise).min(most);
        Arc::strong_count(&self.requests) <= limit
    }
}

/// A request that is under way until this is dropped.
struct UnderWay {
    request: Option<Arc<()>>,
    changed: Arc<Notify>,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.request = None;
        self.changed.notify_waiters();
    }
}

impl Pool {
    pub(super) fn new(make: MakeHttp, most: usize) -> Self {
        Self(Arc::new(Inner {
            make,
            most,
            state: Mutex::default(),
            changed: Arc::default(),
        }))
    }

    /// Changes whenever the connections are replaced.
    pub(super) fn generation(&self) -> u64 {
        self.0.state().generation
    }

    /// Sends no more requests on the connections that there are, unless that was done since `generation`. Those that are
    /// under way go on.
    pub(super) fn replace(&self, generation: u64) {
        let mut state = self.0.state();
        if state.generation == generation {
            state.generation += 1;
            state.clients.clear();
            self.0.changed.notify_waiters();
        }
    }

    /// Sends a request, which goes where its URI says.
    pub(super) async fn send(
        self,
        request: Request<Body>,
    ) -> Result<Response<ResponseBody>, BoxError> {
        let span = span(&request);
        let (mut http, under_way) = self.free().await;
        let response = async {
            tracing::debug!("requesting");
            let response = http.call(request).await;
            report(&response);
            response
        };
        let response = response.instrument(span).await?;
        Ok(response.map(|body| {
            let body = body.map_err(move |error| {
                let _under_way = &under_way;
                error.into()
            });
            body.boxed_unsync()
        }))
    }

    /// A client that has room for a request, which is then under way.
    async fn free(&self) -> (Http, UnderWay) {
        loop {
            let changed = self.0.changed.notified();
            if let Some(free) = self.0.try_free() {
                return free;
            }
            changed.await;
        }
    }
}

impl Inner {
    /// `None` as long as the first connection is being made: it shows how many requests connections take.
    fn try_free(&self) -> Option<(Http, UnderWay)> {
        let mut state = self.state();
        let lowest = state.clients.iter().filter_map(|it| it.limit.get()).min();
        let otherwise = lowest.unwrap_or(1);
        let free = (state.clients.iter()).position(|it| it.has_room(otherwise, self.most));
        let free = match free {
            Some(free) => free,
            None if lowest.is_none() && !state.clients.is_empty() => return None,
            None => {
                state.clients.push(self.make());
                state.clients.len() - 1
            }
        };
        let client = &state.clients[free];
        let under_way = UnderWay {
            request: Some(client.requests.clone()),
            changed: self.changed.clone(),
        };
        Some((client.http.clone(), under_way))
    }

    fn make(&self) -> PooledClient {
        let limit = StreamLimit::unknown(self.changed.clone());
        PooledClient {
            http: (self.make)(&limit),
            limit,
            requests: Arc::new(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As kube's, by the conventions of OpenTelemetry, but without values in the URL.
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

/// At debug level: whoever sent the request gets the error, and logs it if it is one to him.
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
            tracing::debug!("no answer: {}", explain_transport(&**error));
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("generation", &self.generation())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    /// A pool, and the limits of its clients.
    fn observed(most: usize) -> (Pool, Arc<Mutex<Vec<Arc<StreamLimit>>>>) {
        let made = Arc::new(Mutex::new(Vec::new()));
        let limits = made.clone();
        let make: MakeHttp = Arc::new(move |limit| {
            limits.lock().unwrap().push(limit.clone());
            Http::new(tower::service_fn(|_| std::future::pending()))
        });
        (Pool::new(make, most), made)
    }

    fn free(pool: &Pool) -> UnderWay {
        pool.free().now_or_never().expect("there is room").1
    }

    #[test]
    fn requests_share_a_client_until_it_is_full() {
        let (pool, made) = observed(2);
        let first = free(&pool);
        made.lock().unwrap()[0].set(100);
        let second = free(&pool);
        assert_eq!(made.lock().unwrap().len(), 1);
        let _third = free(&pool);
        assert_eq!(made.lock().unwrap().len(), 2);
        drop((first, second));
        let _others: Vec<_> = (0..3).map(|_| free(&pool)).collect();
        assert_eq!(made.lock().unwrap().len(), 2);
    }

    #[test]
    fn the_first_connection_shows_how_many_requests_others_take() {
        let (pool, made) = observed(64);
        let _first = free(&pool);
        let mut second = Box::pin(pool.free());
        assert!(second.as_mut().now_or_never().is_none());
        made.lock().unwrap()[0].set(2);
        let _second = second.as_mut().now_or_never().expect("there is room");
        let _others: Vec<_> = (0..4).map(|_| free(&pool)).collect();
        assert_eq!(made.lock().unwrap().len(), 3);
    }

    #[test]
    fn the_next_request_tries_where_the_first_one_failed() {
        let (pool, made) = observed(64);
        let first = free(&pool);
        let mut second = Box::pin(pool.free());
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        assert!(second.as_mut().now_or_never().is_some());
        assert_eq!(made.lock().unwrap().len(), 1);
    }

    #[test]
    fn nobody_waits_for_a_connection_that_was_given_up() {
        let (pool, made) = observed(64);
        let _hangs = free(&pool);
        let mut next = Box::pin(pool.free());
        assert!(next.as_mut().now_or_never().is_none());
        pool.replace(pool.generation());
        assert!(next.as_mut().now_or_never().is_some());
        assert_eq!(made.lock().unwrap().len(), 2);
    }

    #[test]
    fn those_who_fail_together_replace_the_connections_once() {
        let (pool, made) = observed(2);
        drop(free(&pool));
        let generation = pool.generation();
        pool.replace(generation);
        drop(free(&pool));
        pool.replace(generation);
        drop(free(&pool));
        assert_eq!(made.lock().unwrap().len(), 2);
    }
}
