//! Connections that requests share.

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use kube::client::Body;
use tower::{BoxError, Service, util::BoxCloneSyncService};
use tracing::{Instrument, Span, field::Empty};

use super::url::LoggedUrl;
use crate::client::{body::ResponseBody, error::explain_transport};

/// Sends requests on its connections, and makes some where it has none to spare.
pub(super) type Http = BoxCloneSyncService<Request<Body>, Response<Incoming>, BoxError>;

/// Makes what has no connections yet.
pub(super) type MakeHttp = Arc<dyn Fn() -> Http + Send + Sync>;

/// Connections of one kind. Clones share them.
///
/// It has several parts, because a connection of HTTP/2 takes so many requests at once and lets others wait until one of
/// them is over, which watches are not for minutes.
#[derive(Clone)]
pub(super) struct Pool(Arc<Inner>);

struct Inner {
    make: MakeHttp,
    /// How many requests may be under way in a part.
    capacity: usize,
    state: RwLock<State>,
}

#[derive(Default)]
struct State {
    parts: Vec<Part>,
    generation: u64,
}

struct Part {
    http: Http,
    /// Each request that is under way has a clone.
    requests: Arc<()>,
}

impl Part {
    fn is_full(&self, capacity: usize) -> bool {
        Arc::strong_count(&self.requests) > capacity
    }
}

impl Pool {
    pub(super) fn new(make: MakeHttp, capacity: usize) -> Self {
        Self(Arc::new(Inner {
            make,
            capacity,
            state: RwLock::default(),
        }))
    }

    /// Changes whenever the connections are replaced.
    pub(super) fn generation(&self) -> u64 {
        let state = self.0.state.read().unwrap_or_else(PoisonError::into_inner);
        state.generation
    }

    /// Sends no more requests on the connections that there are, unless that was done since `generation`. Those that are
    /// under way go on.
    pub(super) fn replace(&self, generation: u64) {
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.generation == generation {
            state.generation += 1;
            state.parts.clear();
        }
    }

    /// Sends a request, which goes where its URI says.
    pub(super) async fn send(
        self,
        request: Request<Body>,
    ) -> Result<Response<ResponseBody>, BoxError> {
        let span = span(&request);
        let (mut http, under_way) = self.free();
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

    /// A part that has room for a request, which is under way until what comes with the part is dropped.
    fn free(&self) -> (Http, Arc<()>) {
        let capacity = self.0.capacity;
        let has_room = |part: &&Part| !part.is_full(capacity);
        let state = self.0.state.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = state.parts.iter().find(has_room) {
            return (part.http.clone(), part.requests.clone());
        }
        drop(state);
        let mut state = self.0.state.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = state.parts.iter().find(has_room) {
            return (part.http.clone(), part.requests.clone());
        }
        let (http, requests) = ((self.0.make)(), Arc::new(()));
        state.parts.push(Part {
            http: http.clone(),
            requests: requests.clone(),
        });
        (http, requests)
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn counted(capacity: usize) -> (Pool, Arc<AtomicUsize>) {
        let made = Arc::new(AtomicUsize::new(0));
        let count = made.clone();
        let make: MakeHttp = Arc::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
            Http::new(tower::service_fn(|_| std::future::pending()))
        });
        (Pool::new(make, capacity), made)
    }

    #[test]
    fn requests_share_a_part_until_it_is_full() {
        let (pool, made) = counted(2);
        let first = pool.free();
        let second = pool.free();
        assert_eq!(made.load(Ordering::Relaxed), 1);
        let _third = pool.free();
        assert_eq!(made.load(Ordering::Relaxed), 2);
        drop((first, second));
        let _others: Vec<_> = (0..3).map(|_| pool.free()).collect();
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn those_who_fail_together_replace_the_connections_once() {
        let (pool, made) = counted(2);
        drop(pool.free());
        let generation = pool.generation();
        pool.replace(generation);
        drop(pool.free());
        pool.replace(generation);
        drop(pool.free());
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }
}
