//! The paths of health checks and metrics.

use std::{convert::Infallible, fmt::Write as _, sync::Arc};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use tokio::{sync::Semaphore, task::spawn_blocking};
use tower::service_fn;

use super::{ExtraMetrics, authorization::Authorization, debug::DebugPage};
use crate::{
    controller::{health::HealthReport, monitor::Monitor},
    metrics::text_format::from_openmetrics,
    serve::{ConnectionHandle, HttpService, Limits, body::RequestBody, budget::Budget},
};

const METRICS_PATH: &str = "/metrics";
const OPENMETRICS: &str = "application/openmetrics-text";
/// The memory of metrics that clients did not read yet.
const METRICS_MEMORY: usize = 8 << 20;

/// What is served at a port.
#[derive(Clone, Copy)]
pub(super) struct Paths {
    health: bool,
    metrics: bool,
}

impl Paths {
    pub(super) const ALL: Self = Self { health: true, metrics: true };
    pub(super) const HEALTH: Self = Self { health: true, metrics: false };
    pub(super) const METRICS: Self = Self { health: false, metrics: true };
}

impl Paths {
    pub(super) fn has_metrics(self) -> bool {
        self.metrics
    }

    /// Returns the limits of the port. kubelet and scrapers have few connections, by HTTP/1.
    pub(super) fn limits(self) -> Limits {
        // Health checks keep their port open where few files may be open.
        let share_of_files = if self.health { 4 } else { 8 };
        Limits { connections: 6000, share_of_files, header_bytes: 8 << 10, streams: None, upgrades: false }
    }
}

/// What responds to requests.
pub(in crate::controller) struct Endpoint {
    monitor: Arc<Monitor>,
    extra_metrics: Vec<ExtraMetrics>,
    debug_pages: Vec<DebugPage>,
    /// Who may read metrics and pages for diagnosis; everybody without it.
    authorization: Option<Authorization>,
    /// Metrics are written once at a time, on another thread than health checks.
    writing: Semaphore,
    memory: Arc<Budget>,
}

impl Endpoint {
    pub(super) fn new(
        monitor: Arc<Monitor>,
        extra_metrics: Vec<ExtraMetrics>,
        debug_pages: Vec<DebugPage>,
        authorization: Option<Authorization>,
    ) -> Self {
        let (writing, memory) = (Semaphore::new(1), Budget::new(METRICS_MEMORY));
        Self { monitor, extra_metrics, debug_pages, authorization, writing, memory }
    }

    pub(super) fn service(self: Arc<Self>, paths: Paths) -> impl HttpService {
        service_fn(move |request: Request<RequestBody>| {
            let endpoint = self.clone();
            async move { Ok::<_, Infallible>(endpoint.respond(&request.map(drop), paths).await) }
        })
    }

    async fn respond(self: Arc<Self>, request: &Request<()>, paths: Paths) -> Response<Full<Bytes>> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are allowed\n");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        let path = request.uri().path().trim_matches('/');
        let (first, check) = path.split_once('/').map_or((path, None), |(first, check)| (first, Some(check)));
        let query = request.uri().query().unwrap_or_default();
        match first {
            "healthz" if paths.health => health("healthz", &self.monitor.healthz(), check, query),
            "readyz" if paths.health => health("readyz", &self.monitor.readyz(), check, query),
            "metrics" if paths.metrics && check.is_none() => match self.refusal(request, METRICS_PATH).await {
                Some(refusal) => refusal,
                None => self.metrics(request).await,
            },
            _ => match self.debug_page(request.uri().path(), paths) {
                Some(page) => match self.refusal(request, page.path()).await {
                    Some(refusal) => refusal,
                    None => page.respond(query).await,
                },
                None => text(StatusCode::NOT_FOUND, "404 page not found\n"),
            },
        }
    }

    fn debug_page(&self, path: &str, paths: Paths) -> Option<&DebugPage> {
        self.debug_pages.iter().find(|page| paths.metrics && page.path() == path)
    }

    /// Returns the response to a client that may not read the path.
    async fn refusal(&self, request: &Request<()>, path: &str) -> Option<Response<Full<Bytes>>> {
        match &self.authorization {
            Some(authorization) => authorization.refusal(request, path).await,
            None => None,
        }
    }

    async fn metrics(self: Arc<Self>, request: &Request<()>) -> Response<Full<Bytes>> {
        let mut accepted = request.headers().get_all(header::ACCEPT).iter();
        let is_openmetrics = accepted.any(|value| value.to_str().is_ok_and(|value| value.contains(OPENMETRICS)));
        let memory = Arc::new(self.memory.open().await);
        // Until what is written has its memory: others would be written meanwhile.
        let Ok(_writing) = memory.unless_evicted(self.writing.acquire()).await else {
            return text(StatusCode::TOO_MANY_REQUESTS, "too many requests\n");
        };
        let endpoint = self.clone();
        let written = spawn_blocking(move || endpoint.write_metrics(is_openmetrics)).await;
        let Ok(Some(body)) = written else {
            return text(StatusCode::INTERNAL_SERVER_ERROR, "the metrics cannot be encoded\n");
        };
        // Metrics that are larger alone are sent all the same.
        if memory.add(body.len().min(METRICS_MEMORY / 2)).await.is_err() {
            return text(StatusCode::TOO_MANY_REQUESTS, "too many requests\n");
        }
        let content_type = if is_openmetrics {
            "application/openmetrics-text; version=1.0.0; charset=utf-8"
        } else {
            "text/plain; version=0.0.4; charset=utf-8"
        };
        let connection = request.extensions().get::<ConnectionHandle>().cloned();
        let mut response = text(StatusCode::OK, memory.response(body.into_bytes(), connection));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        response
    }

    fn write_metrics(&self, is_openmetrics: bool) -> Option<String> {
        let mut metrics = self.monitor.openmetrics().ok()?;
        for append in &self.extra_metrics {
            let end = metrics.len();
            if append(&mut metrics).is_err() {
                tracing::error!("metrics of the program cannot be encoded");
                metrics.truncate(end);
            }
        }
        Some(if is_openmetrics { metrics + "# EOF\n" } else { from_openmetrics(&metrics) })
    }
}

/// Responds as the handlers of controller-runtime: reasons of failures, and warnings, are only in the response to a single check.
fn health(path: &str, report: &HealthReport, check: Option<&str>, query: &str) -> Response<Full<Bytes>> {
    let Some(name) = check else {
        return aggregated(path, report, query);
    };
    let Some(check) = report.check(name) else {
        return text(StatusCode::NOT_FOUND, "404 page not found\n");
    };
    match (&check.failure, &check.warning) {
        (Some(failure), _) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("internal server error: {failure}\n")),
        (None, Some(warning)) => text(StatusCode::OK, format!("ok, but {warning}\n")),
        (None, None) => text(StatusCode::OK, "ok"),
    }
}

fn aggregated(path: &str, report: &HealthReport, query: &str) -> Response<Full<Bytes>> {
    let mut excluded: Vec<String> = Vec::new();
    let mut is_verbose = false;
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*key {
            "exclude" => excluded.push(value.into_owned()),
            "verbose" => is_verbose = true,
            _ => {}
        }
    }
    let is_healthy = report.without(&excluded).is_healthy();
    let status = if is_healthy { StatusCode::OK } else { StatusCode::INTERNAL_SERVER_ERROR };
    if is_healthy && !is_verbose {
        return text(status, "ok");
    }
    let mut body = String::new();
    for check in report.checks() {
        let (mark, result) = match &check.failure {
            _ if excluded.contains(&check.name) => ('+', "excluded: ok"),
            None if check.warning.is_some() => ('+', "ok, with a warning"),
            None => ('+', "ok"),
            Some(_) => ('-', "failed: reason withheld"),
        };
        let _ = writeln!(body, "[{mark}]{} {result}", check.name);
    }
    excluded.retain(|name| report.check(name).is_none());
    if !excluded.is_empty() {
        let names: Vec<_> = excluded.iter().map(|name| format!("{name:?}")).collect();
        let _ = writeln!(body, "warn: some health checks cannot be excluded: no matches for {}", names.join(","));
    }
    let _ = writeln!(body, "{path} check {}", if is_healthy { "passed" } else { "failed" });
    text(status, body)
}

pub(super) fn text(status: StatusCode, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
