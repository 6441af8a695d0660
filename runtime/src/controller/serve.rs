//! Serves health checks and metrics.

#[cfg_attr(not(feature = "webhook"), allow(dead_code, reason = "only metrics that are encrypted are for some clients"))]
mod authorization;
mod debug;
mod http;
mod listen;
#[cfg(feature = "webhook")]
mod secure;
mod verdicts;

use std::{collections::BTreeMap, env, fmt, net::SocketAddr, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;

#[cfg(feature = "webhook")]
use self::authorization::Authorization;
use self::{
    debug::DebugPage,
    http::Endpoint,
    listen::{Encryption, Listeners, Server},
};
use super::{Access, Error, health::HealthOptions, monitor::Monitor};
use crate::Client;

pub use listen::ServeError;
#[cfg(feature = "webhook")]
pub use secure::SecureMetrics;

/// The environment variable of [`ServeOptions::health_address`].
const HEALTH_ADDRESS: &str = "HEALTH_PROBE_BIND_ADDRESS";
/// The environment variable of [`ServeOptions::metrics_address`].
const METRICS_ADDRESS: &str = "METRICS_BIND_ADDRESS";

/// What a manager serves by HTTP, and where: see [`Manager::serve`](super::Manager::serve).
///
/// | path | contents |
/// |---|---|
/// | `/healthz` | whether the process works: if not, Kubernetes should restart it |
/// | `/readyz` | whether all caches are complete; a standby of an elected leader is ready too |
/// | `/metrics` | [metrics](#metrics) in OpenMetrics, or in Prometheus' text format for scrapers without OpenMetrics |
/// | `/debug/NAME` | [pages of the program](Self::debug_page) for diagnosis, if there are some |
///
/// The paths and responses of health checks are those of controller-runtime: `/healthz/NAME` runs one check and describes
/// its failure or its warning, `?verbose` lists all checks, and `?exclude=NAME` leaves one out.
///
/// | check | fails if |
/// |---|---|
/// | `healthz/watches` | the data of a watch is older than the [limit](Self::max_watch_age), because it is lost or refused |
/// | `healthz/reconciles` | a reconciliation takes longer than the [limit](Self::max_reconcile_time) |
/// | `healthz/ping` | never |
/// | `readyz/informers` | an initial list is not complete |
/// | `readyz/manager` | the manager does not run yet, or shuts down |
/// | `readyz/triggers` | never: it warns of [triggers](super::ControllerBuilder::trigger) that fail or have ended, if there are some |
/// | `readyz/webhooks` | the port of the webhooks, if the manager has some, is not open, or does not answer the process itself within 3 s: functions may block all threads |
///
/// An informer of [several namespaces](crate::informer::InformerBuilder::namespaces) continues if one is deleted or forbidden: the checks
/// `watches` and `informers` fail only if this is so of all, and describe the lost ones as a warning.
///
/// An informer of one namespace waits until it is permitted again. A restart would not help, and would end all other controllers of the
/// process, so both checks describe it as a warning too.
///
/// The requests are processed by threads of their own, one for each port. They are answered while reconcile functions block all threads
/// of the program, and do not delay these functions. Metrics are written by another thread, one request after the other, so that health
/// checks are answered meanwhile.
///
/// ```no_run
/// # async fn example(client: crdkit::Client) -> Result<(), crdkit::controller::Error> {
/// use crdkit::controller::{Manager, ServeOptions};
///
/// let options = ServeOptions::from_env().metrics_address("127.0.0.1:9090");
/// Manager::new(client).serve(options).run().await?;
/// # Ok(())
/// # }
/// ```
///
/// In the container of a Deployment:
///
/// ```yaml
/// livenessProbe:
///   httpGet: { path: /healthz, port: 8081 }
/// readinessProbe:
///   httpGet: { path: /readyz, port: 8081 }
/// ```
///
/// # Security
///
/// With the feature `webhook`, `secure_metrics` encrypts the connections of metrics, and lets only those clients read them whom the API
/// server permits to, as in projects by kubebuilder. Otherwise the connections are neither encrypted nor authenticated: restrict access by
/// addresses of the loopback interface, or by a NetworkPolicy. Clients that do not use their connections cannot keep others away: the
/// deadlines are those of `WebhookServer`, and a port has at most 6000 connections, or a quarter of the files that the process may open (an eighth for metrics alone).
///
/// # Metrics
///
/// Names, labels and buckets are those of controller-runtime, so that its dashboards and alerts apply:
///
/// | metric | labels |
/// |---|---|
/// | `controller_runtime_reconcile_total` | `controller`, `result`: `success`, `error`, `requeue`, `requeue_after` |
/// | `controller_runtime_reconcile_errors_total`, `controller_runtime_terminal_reconcile_errors_total`, `controller_runtime_reconcile_panics_total`, `controller_runtime_reconcile_timeouts_total` | `controller` |
/// | `controller_runtime_reconcile_time_seconds` | `controller` |
/// | `controller_runtime_max_concurrent_reconciles`, `controller_runtime_active_workers` | `controller` |
/// | `workqueue_depth` | `name`, `controller`, `priority`: `0` for objects that changed, `-100` for listed ones |
/// | `workqueue_adds_total`, `workqueue_retries_total` | `name`, `controller` |
/// | `workqueue_queue_duration_seconds`, `workqueue_work_duration_seconds` | `name`, `controller` |
/// | `workqueue_unfinished_work_seconds`, `workqueue_longest_running_processor_seconds` | `name`, `controller` |
/// | `leader_election_master_status` | `name`: the lease |
/// | `rest_client_requests_total` | `code`, `method`, `host`: those of crdkit's client, not those of kube's |
///
/// With webhooks, there are also those of `WebhookService::openmetrics`.
///
/// crdkit adds:
///
/// | metric | labels | |
/// |---|---|---|
/// | `crdkit_informer_age_seconds` | `resource`, `namespace` | maximum age of the data in the cache |
/// | `crdkit_informer_up` | `resource`, `namespace` | 1 if all objects are listed and the last request did not fail; otherwise 0, as for a namespace that is deleted or forbidden |
/// | `crdkit_informer_objects`, `crdkit_informer_unreadable_objects`, `crdkit_informer_undecodable_total` | `resource` | the objects in the cache, and those that cannot be decoded |
/// | `crdkit_informer_lists_total`, `crdkit_informer_resumed_total`, `crdkit_informer_failures_total` | `resource`, `namespace` | lists, resumed watches, and failures |
/// | `crdkit_informer_relists_total` | `resource`, `namespace`, `reason` | lists after a watch could not continue: `expired`, `inconsistent`, `unresumable`, `no_streaming_list` |
/// | `crdkit_shards_held` | `name`: the group | the [shards](super#shards) whose objects the process reconciles |
/// | `crdkit_own_writes_waiting`, `crdkit_own_writes_postponed_total`, `crdkit_own_writes_stale_total` | `controller` | reconciliations that wait for the [controller's own writes](super::ControllerBuilder::own_writes_timeout) |
/// | `crdkit_trigger_keys_total`, `crdkit_trigger_errors_total`, `crdkit_trigger_open` | `controller`, `trigger` | the keys that a [trigger](super::ControllerBuilder::trigger) added, its errors, and whether its stream has not ended |
/// | `crdkit_paused_objects` | `controller` | objects that an [annotation](super::ControllerBuilder::pause_by) pauses |
/// | `crdkit_forced_deletions_total`, `crdkit_reconcile_loops_total`, `crdkit_events_dropped_total` | `controller` | see [`ControllerMetrics`](super::ControllerMetrics) |
#[doc(alias("healthz", "readyz", "livez", "probe", "Prometheus", "OpenMetrics", "BindAddress"))]
#[must_use = "pass it to `Manager::serve`"]
pub struct ServeOptions {
    health_address: String,
    metrics_address: Option<String>,
    health: HealthOptions,
    extra_metrics: Vec<ExtraMetrics>,
    debug_pages: Vec<DebugPage>,
    #[cfg(feature = "webhook")]
    secure_metrics: Option<SecureMetrics>,
}

/// Appends metrics of the program.
type ExtraMetrics = Box<dyn Fn(&mut String) -> fmt::Result + Send + Sync>;

impl ServeOptions {
    /// Creates the options with the default addresses: `:8081` for health checks, and `:8080` for metrics, or `:8443` if they are
    /// encrypted.
    pub fn new() -> Self {
        Self {
            health_address: ":8081".to_owned(),
            metrics_address: None,
            health: HealthOptions::default(),
            extra_metrics: Vec::new(),
            debug_pages: Vec::new(),
            #[cfg(feature = "webhook")]
            secure_metrics: None,
        }
    }

    /// Creates the options with the addresses of the environment variables `HEALTH_PROBE_BIND_ADDRESS` and
    /// `METRICS_BIND_ADDRESS`, or with the [default](Self::new) of one that is not set.
    pub fn from_env() -> Self {
        let default = Self::new();
        Self {
            health_address: env::var(HEALTH_ADDRESS).unwrap_or_else(|_| default.health_address.clone()),
            metrics_address: env::var(METRICS_ADDRESS).ok(),
            ..default
        }
    }

    /// Sets the address of the health checks, such as `:8081` for all interfaces, or `127.0.0.1:8081`. With `0`, as in
    /// controller-runtime, they are not served.
    ///
    /// The port `0`, such as in `127.0.0.1:0`, is any free one:
    /// [`ManagerHandle::addresses`](super::ManagerHandle::addresses) returns it. If the address is that of the metrics,
    /// both are served there.
    pub fn health_address(self, address: &str) -> Self {
        Self { health_address: address.to_owned(), ..self }
    }

    /// Sets the address of the metrics, as [`health_address`](Self::health_address) does.
    pub fn metrics_address(self, address: &str) -> Self {
        Self { metrics_address: Some(address.to_owned()), ..self }
    }

    /// Encrypts the connections of metrics, and lets only those clients read them whom the API server permits to:
    /// [how](SecureMetrics).
    ///
    /// Health checks at the same address are encrypted too, and need no token: set `scheme: HTTPS` in the probes.
    #[cfg(feature = "webhook")]
    pub fn secure_metrics(self, options: SecureMetrics) -> Self {
        Self { secure_metrics: Some(options), ..self }
    }

    /// Sets how old the data of a watch may become until the process is unhealthy: 15 minutes by default.
    ///
    /// Choose at least three minutes, or more for API servers before Kubernetes 1.31: see
    /// [`Health::is_fresh`](crate::informer::Health::is_fresh).
    pub fn max_watch_age(mut self, limit: Duration) -> Self {
        self.health.max_watch_age = limit;
        self
    }

    /// Sets how long a reconciliation may take until the process is unhealthy: 30 minutes by default.
    ///
    /// For a controller whose [time limit](super::ControllerBuilder::timeout) is longer, it is that limit and one minute.
    pub fn max_reconcile_time(mut self, limit: Duration) -> Self {
        self.health.max_reconcile_time = limit;
        self
    }

    /// Adds a health check, which must not block.
    #[doc(alias("AddHealthzCheck"))]
    pub fn healthz_check(mut self, name: &str, check: impl Fn() -> Result<(), Error> + Send + Sync + 'static) -> Self {
        self.health.healthz.push((name.to_owned(), Box::new(check)));
        self
    }

    /// Adds a readiness check, which must not block.
    #[doc(alias("AddReadyzCheck"))]
    pub fn readyz_check(mut self, name: &str, check: impl Fn() -> Result<(), Error> + Send + Sync + 'static) -> Self {
        self.health.readyz.push((name.to_owned(), Box::new(check)));
        self
    }

    /// Adds metrics of the program: a function that appends them in OpenMetrics, without the end marker.
    ///
    /// With the crate prometheus-client, the function is `|text| encoding::text::encode_registry(text, &registry)`.
    pub fn extra_metrics(mut self, append: impl Fn(&mut String) -> fmt::Result + Send + Sync + 'static) -> Self {
        self.extra_metrics.push(Box::new(append));
        self
    }

    /// Serves a page for diagnosis at `/debug/NAME` of the port of metrics, such as a profile: a function that writes it, with the
    /// parameters of the query.
    ///
    /// The function runs on a thread for blocking work, and may block for as long as it measures. It runs once at a time: meanwhile, other
    /// requests for the page have the status 429. An error is the status 500 with its text.
    ///
    /// A profile shows what a program does, and takes time. With `secure_metrics`, a client needs the permission to `get` the path, such as by
    /// a ClusterRole with `nonResourceURLs: ["/debug/*"]`; without, everybody who reaches the port may read it.
    ///
    /// A profiler such as that of the crate pprof writes what `go tool pprof` reads, as in the program
    /// [`telemetry`](https://github.com/crdkit/crdkit/tree/main/examples/telemetry). This is a page with the number of tasks:
    ///
    /// ```no_run
    /// use crdkit::controller::ServeOptions;
    ///
    /// # fn example() -> ServeOptions {
    /// let runtime = tokio::runtime::Handle::current();
    /// ServeOptions::from_env().debug_page("tasks", "text/plain", move |_| {
    ///     Ok(format!("{} tasks\n", runtime.metrics().num_alive_tasks()).into_bytes())
    /// })
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the content type is not one.
    #[doc(alias("pprof", "PprofBindAddress", "ExtraHandlers", "profile"))]
    pub fn debug_page(
        mut self,
        name: &str,
        content_type: &str,
        write: impl Fn(&BTreeMap<String, String>) -> Result<Vec<u8>, Error> + Send + Sync + 'static,
    ) -> Self {
        self.debug_pages.push(DebugPage::new(name, content_type, Arc::new(write)));
        self
    }

    /// Returns the requests that are sent because of metrics.
    pub(super) fn accesses(&self) -> Vec<Access> {
        #[cfg(feature = "webhook")]
        return self.secure_metrics.iter().flat_map(SecureMetrics::accesses).collect();
        #[cfg(not(feature = "webhook"))]
        Vec::new()
    }

    /// Opens the ports, and starts the threads that process requests. The client asks who may read metrics.
    pub(super) fn start(self, monitor: &Arc<Monitor>, client: &Client) -> Result<Served, ServeError> {
        let metrics_address = self.effective_metrics_address().to_owned();
        let listeners = Listeners::bind(&self.health_address, &metrics_address)?;
        let addresses = listeners.addresses;
        let _ = monitor.options.set(self.health);
        #[cfg(feature = "webhook")]
        let (encryption, certificates, authorization) = match self.secure_metrics {
            Some(secure) if addresses.metrics.is_some() => {
                let authorization = secure.authorizes().then(|| Authorization::new(client));
                let (acceptor, certificates) = secure.into_parts().map_err(|source| ServeError {
                    address: metrics_address,
                    purpose: "metrics",
                    variable: METRICS_ADDRESS,
                    source,
                })?;
                (Encryption::Tls(acceptor), certificates, authorization)
            }
            _ => (Encryption::None, None, None),
        };
        #[cfg(not(feature = "webhook"))]
        let ((encryption, certificates, authorization), _) = ((Encryption::None, None, None), client);
        let endpoint = Endpoint::new(monitor.clone(), self.extra_metrics, self.debug_pages, authorization);
        let server = listeners.serve(endpoint, &encryption)?;
        Ok(Served { server, addresses, certificates })
    }

    fn effective_metrics_address(&self) -> &str {
        #[cfg(feature = "webhook")]
        let is_secure = self.secure_metrics.is_some();
        #[cfg(not(feature = "webhook"))]
        let is_secure = false;
        // controller-runtime's, and that of projects by kubebuilder.
        let default = if is_secure { ":8443" } else { ":8080" };
        self.metrics_address.as_deref().unwrap_or(default)
    }
}

/// Open ports.
pub(super) struct Served {
    pub(super) server: Server,
    pub(super) addresses: ServeAddresses,
    /// Keeps the certificates of metrics up to date.
    pub(super) certificates: Option<BoxFuture<'static, ()>>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ServeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ServeOptions");
        debug.field("health_address", &self.health_address).field("metrics_address", &self.effective_metrics_address());
        debug.finish_non_exhaustive()
    }
}

/// The addresses at which a manager listens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServeAddresses {
    /// The address of the health checks, if they are served.
    pub health: Option<SocketAddr>,
    /// The address of the metrics, if they are served.
    pub metrics: Option<SocketAddr>,
    /// The address of the webhooks, if they are served.
    #[cfg(feature = "webhook")]
    pub webhooks: Option<SocketAddr>,
}
