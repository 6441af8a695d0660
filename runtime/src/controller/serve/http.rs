//! The paths of health checks and metrics.

use std::{convert::Infallible, fmt::Write as _, net::TcpListener, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpStream, task::JoinSet, time::sleep};

use super::ExtraMetrics;
use crate::{
    controller::{health::HealthReport, monitor::Monitor},
    metrics::text_format::from_openmetrics,
};

const OPENMETRICS: &str = "application/openmetrics-text";
/// Maximum number of open connections to a port. Further ones wait.
const MAX_CONNECTIONS: usize = 64;
/// How long a client may take to send the header of a request, or stay idle.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// The delay after a connection that could not be accepted.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

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

/// What responds to requests.
pub(in crate::controller) struct Endpoint {
    pub(in crate::controller) monitor: Arc<Monitor>,
    pub(in crate::controller) extra_metrics: Vec<ExtraMetrics>,
}

pub(super) async fn accept(listener: TcpListener, paths: Paths, endpoint: Arc<Endpoint>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "health checks and metrics cannot be served"),
    };
    let mut connections = JoinSet::new();
    loop {
        while connections.len() >= MAX_CONNECTIONS {
            connections.join_next().await;
        }
        match listener.accept().await {
            Ok((stream, _)) => drop(connections.spawn(serve(stream, paths, endpoint.clone()))),
            // Too many files are open, for example; a later connection may succeed.
            Err(_) => sleep(RETRY_INTERVAL).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(stream: TcpStream, paths: Paths, endpoint: Arc<Endpoint>) {
    let respond = service_fn(move |request: Request<Incoming>| {
        let response = endpoint.respond(&request, paths);
        async { Ok::<_, Infallible>(response) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    // An error means that the client closed the connection or does not speak HTTP.
    let _: Result<(), hyper::Error> = builder.serve_connection(TokioIo::new(stream), respond).await;
}

impl Endpoint {
    fn respond<B>(&self, request: &Request<B>, paths: Paths) -> Response<Full<Bytes>> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are allowed\n".to_owned());
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        let path = request.uri().path().trim_matches('/');
        let (first, check) = path.split_once('/').map_or((path, None), |(first, check)| (first, Some(check)));
        let query = request.uri().query().unwrap_or_default();
        match first {
            "healthz" if paths.health => health("healthz", &self.monitor.healthz(), check, query),
            "readyz" if paths.health => health("readyz", &self.monitor.readyz(), check, query),
            "metrics" if paths.metrics && check.is_none() => self.metrics(request),
            _ => text(StatusCode::NOT_FOUND, "404 page not found\n".to_owned()),
        }
    }

    fn metrics<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        let mut accepted = request.headers().get_all(header::ACCEPT).iter();
        let is_openmetrics = accepted.any(|value| value.to_str().is_ok_and(|value| value.contains(OPENMETRICS)));
        let Ok(mut metrics) = self.monitor.openmetrics() else {
            return text(StatusCode::INTERNAL_SERVER_ERROR, "the metrics cannot be encoded\n".to_owned());
        };
        for append in &self.extra_metrics {
            let end = metrics.len();
            if append(&mut metrics).is_err() {
                tracing::error!("metrics of the program cannot be encoded");
                metrics.truncate(end);
            }
        }
        let (body, content_type) = match is_openmetrics {
            true => (metrics + "# EOF\n", "application/openmetrics-text; version=1.0.0; charset=utf-8"),
            false => (from_openmetrics(&metrics), "text/plain; version=0.0.4; charset=utf-8"),
        };
        let mut response = text(StatusCode::OK, body);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        response
    }
}

/// Responds as the handlers of controller-runtime: reasons of failures, and warnings, are only in the response to a single check.
fn health(path: &str, report: &HealthReport, check: Option<&str>, query: &str) -> Response<Full<Bytes>> {
    let Some(name) = check else {
        return aggregated(path, report, query);
    };
    let Some(check) = report.check(name) else {
        return text(StatusCode::NOT_FOUND, "404 page not found\n".to_owned());
    };
    match (&check.failure, &check.warning) {
        (Some(failure), _) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("internal server error: {failure}\n")),
        (None, Some(warning)) => text(StatusCode::OK, format!("ok, but {warning}\n")),
        (None, None) => text(StatusCode::OK, "ok".to_owned()),
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
        return text(status, "ok".to_owned());
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

fn text(status: StatusCode, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
