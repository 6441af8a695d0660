use std::{
    error::Error as StdError,
    fmt,
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared, WeakShared},
};
use serde::de::Error as _;
use tokio::time::Instant;

use super::{ApiResources, fetch::fetch};
use crate::client::{
    Client, Error,
    call::Attempts,
    deadline::Deadline,
    error::{ClientOperation, TimeoutPhase, Undecodable},
    limits::Limits,
};

/// The cache of discovered resources. A cache hit never waits for a request.
#[derive(Default)]
pub(crate) struct Cache {
    known: Arc<Slot>,
    /// The request in flight, while at least one caller waits for it.
    in_flight: Mutex<Option<InFlight>>,
}

type Slot = RwLock<Option<Arc<Snapshot>>>;
type FetchResult = Result<Arc<Snapshot>, Arc<Error>>;
type Fetch = Shared<BoxFuture<'static, FetchResult>>;

/// Discovered resources, and when they were requested.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) api_resources: Arc<ApiResources>,
    at: Instant,
}

struct InFlight {
    fetch: WeakShared<BoxFuture<'static, FetchResult>>,
    options: FetchOptions,
}

/// The options of a fetch. Only callers with the same options share a fetch.
#[derive(Clone, Copy, PartialEq)]
struct FetchOptions {
    timeout: Duration,
    stall_timeout: Duration,
    limits: Limits,
    max_retries: u32,
    deadline: Deadline,
}

impl FetchOptions {
    fn from_client(client: &Client) -> Self {
        let options = &client.options;
        Self {
            timeout: options.timeout,
            stall_timeout: options.stall_timeout,
            limits: options.limits,
            max_retries: options.max_retries,
            deadline: options.deadline,
        }
    }
}

impl Cache {
    /// Returns the cached resources, or requests them if the cache is empty.
    pub(super) async fn current(&self, client: &Client) -> Result<Arc<Snapshot>, Error> {
        match self.known() {
            Some(known) => Ok(known),
            None => finish(client, self.join(client)).await,
        }
    }

    /// Requests the resources. A fetch that another caller started may return older ones.
    pub(super) async fn refresh(&self, client: &Client) -> Result<Arc<Snapshot>, Error> {
        finish(client, self.start(client)).await
    }

    /// Returns the resources that another caller has fetched since, or requests them; `None` if the last request was
    /// too recent.
    pub(super) async fn newer_than(
        &self,
        known: &Arc<Snapshot>,
        interval: Duration,
        client: &Client,
    ) -> Result<Option<Arc<Snapshot>>, Error> {
        match self.known().filter(|now| !Arc::ptr_eq(now, known)) {
            Some(newer) => Ok(Some(newer)),
            None if known.at.elapsed() < interval => Ok(None),
            None => finish(client, self.join(client)).await.map(Some),
        }
    }

    /// Joins the fetch in flight, or starts one.
    fn join(&self, client: &Client) -> Fetch {
        let mut in_flight = self.in_flight();
        let joined = in_flight.as_ref().and_then(|in_flight| {
            let fetch = in_flight.fetch.upgrade()?;
            let is_pending = fetch.peek().is_none();
            (is_pending && in_flight.options == FetchOptions::from_client(client)).then_some(fetch)
        });
        joined.unwrap_or_else(|| self.start_fetch(&mut in_flight, client))
    }

    fn start(&self, client: &Client) -> Fetch {
        self.start_fetch(&mut self.in_flight(), client)
    }

    fn start_fetch(&self, in_flight: &mut Option<InFlight>, client: &Client) -> Fetch {
        let fetch = fetch_into(self.known.clone(), client.clone()).boxed().shared();
        *in_flight = fetch.downgrade().map(|fetch| InFlight { fetch, options: FetchOptions::from_client(client) });
        fetch
    }

    fn in_flight(&self) -> std::sync::MutexGuard<'_, Option<InFlight>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> Option<Arc<Snapshot>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }
}

async fn fetch_into(slot: Arc<Slot>, mut client: Client) -> FetchResult {
    let options = &mut client.options;
    options.deadline = Deadline::after(options.timeout.min(options.deadline.remaining()));
    // A resource that is added during the fetch may be in none of the responses.
    let at = Instant::now();
    let api_resources = Arc::new(fetch(&client).await?);
    let known = Arc::new(Snapshot { api_resources, at });
    let mut slot = slot.write().unwrap_or_else(PoisonError::into_inner);
    if slot.as_ref().is_none_or(|newest| newest.at <= at) {
        *slot = Some(known.clone());
    }
    Ok(known)
}

/// Waits for a fetch within the client's time limit: several callers may share the fetch.
async fn finish(client: &Client, fetch: Fetch) -> Result<Arc<Snapshot>, Error> {
    let call = Attempts::begin(&client.options, true);
    match call.within(fetch).await {
        Ok(Ok(known)) => Ok(known),
        Ok(Err(error)) => Err(Arc::try_unwrap(error).unwrap_or_else(|error| shared(&error))),
        Err(_) => Err(Error::DeadlineExceeded {
            operation: Box::new(ClientOperation::discovery("/apis")),
            phase: TimeoutPhase::Response,
            limit: call.limit(),
        }),
    }
}

/// Copies an error for each caller of a shared fetch.
fn shared(error: &Arc<Error>) -> Error {
    let operation = Box::new(error.operation().clone());
    match &**error {
        Error::DeadlineExceeded { phase, limit, .. } => {
            Error::DeadlineExceeded { operation, phase: *phase, limit: *limit }
        }
        Error::TooLarge { limit, allowed, .. } => Error::TooLarge { operation, limit: *limit, allowed: *allowed },
        Error::Unexpected { mismatch, .. } => Error::Unexpected { operation, mismatch: mismatch.clone() },
        Error::Decode(undecodable) => Error::Decode(Box::new(Undecodable {
            operation: undecodable.operation.clone(),
            namespace: undecodable.namespace.clone(),
            name: undecodable.name.clone(),
            path: undecodable.path.clone(),
            source: serde_json::Error::custom(undecodable.source.unredacted()).into(),
        })),
        refused if refused.status_error().is_some() => {
            let status_error = refused.status_error().expect("it is one").clone();
            status_error.into_error()
        }
        _ => Error::Transport { operation, source: kube::Error::Service(Box::new(SharedError(error.clone()))).into() },
    }
}

/// The error of another caller's request.
struct SharedError(Arc<Error>);

impl fmt::Debug for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for SharedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.source() {
            Some(source) => write!(f, "{source}"),
            None => write!(f, "{}", self.0),
        }
    }
}

impl StdError for SharedError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &*self.0 {
            Error::Transport { source, .. } => Some(source.unredacted()),
            other => other.source(),
        }
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("known", &self.known()).finish_non_exhaustive()
    }
}
