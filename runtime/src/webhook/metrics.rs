//! The metrics of webhooks, under the names of controller-runtime.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};

use http::StatusCode;
use prometheus_client::metrics::histogram::Histogram;
use tokio::time::Instant;

use super::webhooks::CONVERT_PATH;
use crate::metrics::exposition::{Family, encode};

/// The default buckets of Prometheus' library for Go, which controller-runtime uses.
const BUCKETS: [f64; 11] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// The metrics of all paths.
#[derive(Default)]
pub(crate) struct WebhookMetrics {
    routes: Mutex<BTreeMap<String, Arc<RouteMetrics>>>,
    panics: AtomicU64,
    conversion_panics: AtomicU64,
}

/// The metrics of a path.
pub(super) struct RouteMetrics {
    requests: Mutex<BTreeMap<u16, u64>>,
    latencies: Histogram,
    in_flight: AtomicI64,
}

/// A request that is being processed, until this is dropped.
pub(super) struct InFlight {
    metrics: Arc<RouteMetrics>,
    start: Instant,
}

impl InFlight {
    pub(super) fn start(metrics: &Arc<RouteMetrics>) -> Self {
        metrics.in_flight.fetch_add(1, Ordering::Relaxed);
        Self { metrics: metrics.clone(), start: Instant::now() }
    }

    /// Counts the response.
    pub(super) fn end(self, status: StatusCode) {
        self.metrics.latencies.observe(self.start.elapsed().as_secs_f64());
        let mut requests = self.metrics.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry(status.as_u16()).or_default() += 1;
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl WebhookMetrics {
    /// Returns the metrics of a path. Requests to it that succeed and that fail are there from the start, as in controller-runtime.
    pub(super) fn add(&self, path: &str) -> Arc<RouteMetrics> {
        let metrics = Arc::new(RouteMetrics {
            requests: Mutex::new([(200, 0), (500, 0)].into()),
            latencies: Histogram::new(BUCKETS),
            in_flight: AtomicI64::default(),
        });
        self.routes().insert(path.to_owned(), metrics.clone());
        metrics
    }

    fn routes(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Arc<RouteMetrics>>> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn count_panic(&self, path: &str) {
        let counter = if path == CONVERT_PATH { &self.conversion_panics } else { &self.panics };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn families(&self) -> Vec<Family> {
        let routes = self.routes();
        let webhook = |path: &String| vec![("webhook", path.clone())];
        let requests = routes.iter().flat_map(|(path, metrics)| {
            let requests = metrics.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
            requests.into_iter().map(move |(code, count)| {
                let mut labels = webhook(path);
                labels.push(("code", code.to_string()));
                (labels, count)
            })
        });
        let latencies = routes.iter().map(|(path, metrics)| (webhook(path), metrics.latencies.clone()));
        let in_flight =
            routes.iter().map(|(path, metrics)| (webhook(path), metrics.in_flight.load(Ordering::Relaxed) as f64));
        let total = |counter: &AtomicU64| [(Vec::new(), counter.load(Ordering::Relaxed))];
        vec![
            Family::counter(
                "controller_runtime_webhook_requests_total",
                "Total number of admission requests by HTTP status code.",
                requests,
            ),
            Family::histogram(
                "controller_runtime_webhook_latency_seconds",
                "Histogram of the latency of processing admission requests",
                latencies,
            ),
            Family::gauge(
                "controller_runtime_webhook_requests_in_flight",
                "Current number of admission requests being served.",
                in_flight,
            ),
            Family::counter(
                "controller_runtime_webhook_panics_total",
                "Total number of webhook panics",
                total(&self.panics),
            ),
            Family::counter(
                "controller_runtime_conversion_webhook_panics_total",
                "Total number of conversion webhook panics",
                total(&self.conversion_panics),
            ),
        ]
    }

    pub(super) fn openmetrics(&self) -> String {
        // Strings are written without errors.
        encode(self.families()).unwrap_or_default()
    }
}
