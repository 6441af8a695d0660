//! The tower service that answers reviews.

use std::{
    collections::HashMap,
    convert::Infallible,
    error::Error as StdError,
    fmt,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt};
use http::{HeaderValue, Method, Request, Response, StatusCode, header, request::Parts};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Body;
use tokio::{sync::Semaphore, time::timeout};
use tower::Service;

use super::{
    Webhooks,
    conversion::ConversionHandler,
    go_duration,
    handler::{Handler, HandlerError},
    metrics::{InFlight, RouteMetrics, WebhookMetrics},
    webhooks::CONVERT_PATH,
};

/// The longest time that the API server waits for an admission webhook, and for a conversion webhook.
const MAX_TIMEOUT: Duration = Duration::from_secs(30);
/// The unit in which the bytes of bodies are counted.
const UNIT: usize = 1024;
const READY_PATH: &str = "/readyz";

/// The limits of a service.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) concurrency: usize,
    pub(super) review_bytes: usize,
    pub(super) conversion_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { concurrency: 256, review_bytes: 7 << 20, conversion_bytes: 128 << 20 }
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
/// It must be polled by a tokio runtime with a timer.
#[derive(Clone)]
pub struct WebhookService {
    shared: Arc<Shared>,
}

struct Shared {
    routes: HashMap<String, Route>,
    concurrency: Semaphore,
    /// Units of bodies that can be read.
    memory: Semaphore,
    max_units: u32,
    metrics: Arc<WebhookMetrics>,
    /// Whether a server of this crate has an open port, and whether it shuts down.
    is_serving: AtomicBool,
    is_draining: AtomicBool,
}

struct Route {
    handler: Arc<dyn Handler>,
    max_bytes: usize,
    metrics: Arc<RouteMetrics>,
}

type ResponseBody = Full<Bytes>;

impl WebhookService {
    pub(super) fn new(webhooks: &Webhooks) -> Self {
        let limits = webhooks.limits;
        let metrics = Arc::new(WebhookMetrics::default());
        let mut routes = HashMap::new();
        for routed in webhooks.validating().into_iter().chain(webhooks.mutating()) {
            let handler = routed.admission.handler.clone();
            let metrics = metrics.add(&routed.path);
            routes.insert(routed.path, Route { handler, max_bytes: limits.review_bytes, metrics });
        }
        if !webhooks.converters.is_empty() {
            let handler = Arc::new(ConversionHandler::new(webhooks.converters.clone()));
            let metrics = metrics.add(CONVERT_PATH);
            routes.insert(CONVERT_PATH.to_owned(), Route { handler, max_bytes: limits.conversion_bytes, metrics });
        }
        let max_bytes = 2 * limits.review_bytes.max(limits.conversion_bytes);
        let max_units = u32::try_from(max_bytes.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let shared = Shared {
            routes,
            concurrency: Semaphore::new(limits.concurrency.min(Semaphore::MAX_PERMITS)),
            memory: Semaphore::new((max_units as usize).min(Semaphore::MAX_PERMITS)),
            max_units,
            metrics,
            is_serving: AtomicBool::new(false),
            is_draining: AtomicBool::new(false),
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

    /// Whether a [`WebhookServer`](super::WebhookServer) serves it, and does not shut down.
    pub fn is_serving(&self) -> bool {
        self.shared.is_serving.load(Ordering::Relaxed) && !self.shared.is_draining.load(Ordering::Relaxed)
    }

    pub(super) fn set_serving(&self, is_serving: bool) {
        self.shared.is_serving.store(is_serving, Ordering::Relaxed);
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
        let Some(route) = self.shared.routes.get(parts.uri.path()) else {
            return match parts.uri.path() {
                READY_PATH => self.ready(),
                _ => text(StatusCode::NOT_FOUND, "404 page not found"),
            };
        };
        let in_flight = InFlight::start(&route.metrics);
        let limit = time_limit(&parts);
        let response = match timeout(limit, self.answer(route, &parts, body)).await {
            Ok(Ok(review)) => json(review),
            Ok(Err(failure)) => failure,
            Err(_) => text(StatusCode::GATEWAY_TIMEOUT, &format!("no result within {limit:?}")),
        };
        in_flight.end(response.status());
        response
    }

    fn ready(&self) -> Response<ResponseBody> {
        match self.shared.is_draining.load(Ordering::Relaxed) {
            true => text(StatusCode::SERVICE_UNAVAILABLE, "shutting down"),
            false => text(StatusCode::OK, "ok"),
        }
    }

    /// Returns the response to a review, or another response.
    async fn answer<B>(&self, route: &Route, parts: &Parts, body: B) -> Result<Vec<u8>, Response<ResponseBody>>
    where
        B: Body<Data: Send, Error: Into<Box<dyn StdError + Send + Sync>>> + Send,
    {
        if let Some(refusal) = head_refusal(parts) {
            return Err(refusal);
        }
        let declared = body.size_hint().exact().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        if declared.is_some_and(|bytes| bytes > route.max_bytes) {
            return Err(too_large(route));
        }
        let max_bytes = declared.unwrap_or(route.max_bytes);
        let units = u32::try_from(max_bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.shared.max_units);
        let permits = async {
            let concurrency = self.shared.concurrency.acquire().await;
            (concurrency, self.shared.memory.acquire_many(units).await)
        };
        // Held until the response is complete. The semaphores are never closed.
        let (Ok(_concurrency), Ok(_memory)) = permits.await else {
            return Err(text(StatusCode::SERVICE_UNAVAILABLE, "shutting down"));
        };
        let body = match Limited::new(body, max_bytes).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => return Err(too_large(route)),
            Err(error) => return Err(text(StatusCode::BAD_REQUEST, &format!("the body cannot be read: {error}"))),
        };
        let reviewed = AssertUnwindSafe(async { route.handler.review(&body).await }).catch_unwind().await;
        match reviewed {
            Ok(Ok(review)) => Ok(review),
            Ok(Err(HandlerError::BadRequest(message))) => Err(text(StatusCode::BAD_REQUEST, &message)),
            Ok(Err(HandlerError::Failed(message))) => Err(text(StatusCode::INTERNAL_SERVER_ERROR, &message)),
            Err(_) => Err(self.panicked(parts.uri.path())),
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

fn too_large(route: &Route) -> Response<ResponseBody> {
    text(StatusCode::PAYLOAD_TOO_LARGE, &format!("the body is larger than {} bytes", route.max_bytes))
}

fn json(body: Vec<u8>) -> Response<ResponseBody> {
    let mut response = Response::new(Full::new(body.into()));
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
