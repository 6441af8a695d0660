//! The tower service that answers reviews.

use std::{
    collections::HashMap,
    convert::Infallible,
    error::Error as StdError,
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use http::{HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::Full;
use hyper::body::Body;
use tokio::{
    runtime::Handle,
    time::{Instant, timeout, timeout_at},
};
use tower::Service;

use super::{
    Webhooks,
    conversion::ConversionHandler,
    go_duration,
    handler::{Handler, HandlerError},
    metrics::{InFlight, RouteMetrics, WebhookMetrics},
    review_limits::{Received, Refused, ReviewLimits},
    running::{Ended, Review},
    webhooks::CONVERT_PATH,
};
use crate::serve::ConnectionHandle;

/// The longest time that the API server waits for an admission webhook, and for a conversion webhook.
const MAX_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the threads of the functions may take until they run something.
const MAX_DELAY: Duration = Duration::from_secs(2);
pub(super) const READY_PATH: &str = "/readyz";

/// The limits of a service.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) concurrency: usize,
    pub(super) review_bytes: usize,
    pub(super) conversion_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { concurrency: 256, review_bytes: 7 << 20, conversion_bytes: 32 << 20 }
    }
}

/// Answers the requests of the API server to [`Webhooks`], as a tower service: [`Webhooks::service`] creates it.
///
/// Mount it in a server of the program at the root, because the paths are those of the configurations. With axum:
/// `Router::new().fallback_service(service)`.
///
/// - A body that is too large, no review, or of another content type is answered with a status of HTTP from 400 on.
/// - A panic or a [failure](super::failed) is answered with the status 500, and one that takes longer than the API server waits is
///   cancelled: the API server applies the [failure policy](super::WebhookBuilder::failure_policy).
///
/// - While too many reviews run, or their memory is used up, further ones wait for half of their time, and are answered with the status
///   429 then. Reviews of admission and of conversion have limits of their own.
///
/// It must be polled by a tokio runtime with a timer. The functions of the webhooks run in tasks of their own.
#[derive(Clone)]
pub struct WebhookService {
    shared: Arc<Shared>,
}

struct Shared {
    routes: HashMap<String, Route>,
    metrics: Arc<WebhookMetrics>,
    /// Where functions run, if that is not the runtime of the connections.
    functions: OnceLock<Handle>,
    /// Whether a server of this crate has an open port, and whether it shuts down.
    is_serving: AtomicBool,
    is_draining: AtomicBool,
    /// Why the server does not answer its own requests.
    unanswered: Mutex<Option<String>>,
}

struct Route {
    handler: Arc<dyn Handler>,
    lane: Arc<ReviewLimits>,
    metrics: Arc<RouteMetrics>,
}

type ResponseBody = Full<Bytes>;

impl WebhookService {
    pub(super) fn new(webhooks: &Webhooks) -> Self {
        let limits = webhooks.limits;
        let metrics = Arc::new(WebhookMetrics::default());
        let mut routes = HashMap::new();
        let lane = Arc::new(ReviewLimits::of_admission(limits.concurrency, limits.review_bytes));
        for routed in webhooks.validating().into_iter().chain(webhooks.mutating()) {
            let handler = routed.admission.handler.clone();
            let metrics = metrics.add(&routed.path);
            routes.insert(routed.path, Route { handler, lane: lane.clone(), metrics });
        }
        if !webhooks.converters.is_empty() {
            let handler = Arc::new(ConversionHandler::new(webhooks.converters.clone()));
            let lane = Arc::new(ReviewLimits::of_conversion(limits.concurrency, limits.conversion_bytes));
            let metrics = metrics.add(CONVERT_PATH);
            routes.insert(CONVERT_PATH.to_owned(), Route { handler, lane, metrics });
        }
        let shared = Shared {
            routes,
            metrics,
            functions: OnceLock::new(),
            is_serving: AtomicBool::new(false),
            is_draining: AtomicBool::new(false),
            unanswered: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Returns the metrics in OpenMetrics, without the end marker, under the names of controller-runtime. The manager of controllers
    /// serves them with its own.
    ///
    /// | metric | labels |
    /// |---|---|
    /// | `controller_runtime_webhook_requests_total` | `webhook`: the path, `code`: the status of HTTP |
    /// | `controller_runtime_webhook_latency_seconds`, `controller_runtime_webhook_requests_in_flight` | `webhook` |
    /// | `controller_runtime_webhook_panics_total`, `controller_runtime_conversion_webhook_panics_total` | |
    pub fn openmetrics(&self) -> String {
        self.shared.metrics.openmetrics()
    }

    #[cfg(feature = "controller")]
    pub(crate) fn metrics(&self) -> Arc<WebhookMetrics> {
        self.shared.metrics.clone()
    }

    /// Whether a [`WebhookServer`](super::WebhookServer) serves it, answers its own requests, and does not shut down.
    pub fn is_serving(&self) -> bool {
        self.not_serving().is_none()
    }

    /// Describes why [`is_serving`](Self::is_serving) is false.
    pub(crate) fn not_serving(&self) -> Option<String> {
        let is_open = self.shared.is_serving.load(Ordering::Relaxed);
        if !is_open || self.shared.is_draining.load(Ordering::Relaxed) {
            return Some("their port is not open".to_owned());
        }
        self.shared.unanswered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets why the server does not answer its own requests.
    pub(super) fn set_unanswered(&self, reason: Option<String>) {
        *self.shared.unanswered.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }

    pub(super) fn set_serving(&self, is_serving: bool) {
        self.shared.is_serving.store(is_serving, Ordering::Relaxed);
    }

    /// Runs the functions of the webhooks in a runtime from now on. Only the first call has an effect.
    pub(super) fn run_functions_in(&self, runtime: Handle) {
        let _ = self.shared.functions.set(runtime);
    }

    /// From now on, `/readyz` fails.
    pub(super) fn start_draining(&self) {
        self.shared.is_draining.store(true, Ordering::Relaxed);
    }

    async fn respond<B>(self, request: Request<B>) -> Response<ResponseBody>
    where
        B: Body<Data: Send, Error: Into<Box<dyn StdError + Send + Sync>>> + Send,
    {
        let (parts, body) = request.into_parts();
        let Some((path, route)) = self.shared.routes.get_key_value(parts.uri.path()) else {
            return match parts.uri.path() {
                READY_PATH => self.ready().await,
                _ => text(StatusCode::NOT_FOUND, "404 page not found"),
            };
        };
        let in_flight = InFlight::start(&route.metrics);
        let response = self.answer(path, route, parts, body).await.unwrap_or_else(|refusal| refusal);
        in_flight.end(response.status());
        response
    }

    async fn ready(&self) -> Response<ResponseBody> {
        if self.shared.is_draining.load(Ordering::Relaxed) {
            return text(StatusCode::SERVICE_UNAVAILABLE, "shutting down");
        }
        if timeout(MAX_DELAY, self.functions().spawn(async {})).await.is_err() {
            return text(StatusCode::SERVICE_UNAVAILABLE, "functions block all threads of the program");
        }
        text(StatusCode::OK, "ok")
    }

    fn functions(&self) -> Handle {
        self.shared.functions.get().cloned().unwrap_or_else(Handle::current)
    }

    /// Returns the response to a review. An error is another response.
    async fn answer<B>(
        &self,
        path: &str,
        route: &Route,
        parts: Parts,
        body: B,
    ) -> Result<Response<ResponseBody>, Response<ResponseBody>>
    where
        B: Body<Data: Send, Error: Into<Box<dyn StdError + Send + Sync>>> + Send,
    {
        if let Some(refusal) = head_refusal(&parts) {
            return Err(refusal);
        }
        let limit = time_limit(&parts);
        let connection = parts.extensions.get::<ConnectionHandle>().cloned();
        // A header takes 8 KiB, and a slow body half a minute.
        drop(parts);
        let deadline = Instant::now() + limit;
        let late = |_| text(StatusCode::GATEWAY_TIMEOUT, &format!("no result within {limit:?}"));
        let refused = |refused: Refused| text(refused.status(), &refused.to_string());
        let received = timeout_at(deadline, route.lane.receive(body)).await.map_err(late)?.map_err(refused)?;
        let Received { body, charge } = received;
        // The rest of the time is for the function: the API server would not wait for its result otherwise.
        let admitted = timeout(limit / 2, route.lane.admit(&body, &charge)).await;
        let permits = admitted.map_err(|_| refused(Refused::Busy))?.map_err(refused)?;

        let handler = route.handler.clone();
        let review = async move { handler.review(&body).await };
        let review = Review::start(&self.functions(), path, permits, charge.clone(), review);
        match review.end(deadline).await {
            Ended::Completed(Ok(review)) => Ok(json(charge.response(review, connection))),
            Ended::Completed(Err(HandlerError::BadRequest(message))) => Err(text(StatusCode::BAD_REQUEST, &message)),
            Ended::Completed(Err(HandlerError::Failed(message))) => {
                Err(text(StatusCode::INTERNAL_SERVER_ERROR, &message))
            }
            Ended::Panicked => Err(self.panicked(path)),
            Ended::Late => Err(text(StatusCode::GATEWAY_TIMEOUT, &format!("no result within {limit:?}"))),
            Ended::ShutDown => Err(text(StatusCode::SERVICE_UNAVAILABLE, "shutting down")),
        }
    }

    /// The panic hook has written the message, which may contain values of the object.
    fn panicked(&self, path: &str) -> Response<ResponseBody> {
        self.shared.metrics.count_panic(path);
        tracing::error!(webhook = path, "a webhook panicked");
        text(StatusCode::INTERNAL_SERVER_ERROR, "the webhook panicked")
    }
}

impl fmt::Debug for WebhookService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut paths: Vec<_> = self.shared.routes.keys().collect();
        paths.sort();
        f.debug_struct("WebhookService").field("paths", &paths).finish_non_exhaustive()
    }
}

impl<B> Service<Request<B>> for WebhookService
where
    B: Body<Data: Send, Error: Into<Box<dyn StdError + Send + Sync>>> + Send + 'static,
{
    type Response = Response<ResponseBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        self.clone().respond(request).map(Ok).boxed()
    }
}

/// Returns the response to a request that cannot be a review.
fn head_refusal(parts: &Parts) -> Option<Response<ResponseBody>> {
    if parts.method != Method::POST {
        let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only POST is allowed");
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return Some(response);
    }
    let content_type = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let is_json = media_type.eq_ignore_ascii_case("application/json");
    (!is_json).then(|| text(StatusCode::UNSUPPORTED_MEDIA_TYPE, "expected the content type application/json"))
}

/// Returns how long the API server waits for the response, from the parameter `timeout`.
fn time_limit(parts: &Parts) -> Duration {
    let query = parts.uri.query().unwrap_or_default();
    let mut parameters = form_urlencoded::parse(query.as_bytes());
    let limit = parameters.find(|(name, _)| name == "timeout").and_then(|(_, value)| go_duration::parse(&value));
    limit.unwrap_or(MAX_TIMEOUT).min(MAX_TIMEOUT)
}

fn json(body: Bytes) -> Response<ResponseBody> {
    let mut response = Response::new(Full::new(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Returns a response whose text the API server quotes.
fn text(status: StatusCode, body: &str) -> Response<ResponseBody> {
    let mut response = Response::new(Full::new(Bytes::copy_from_slice(body.as_bytes())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests;
