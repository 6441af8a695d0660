//! One of several clusters.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};
use tracing::{Instrument, info_span};

use super::Shared;
use crate::{
    Client,
    client::backoff_formula::{exponential, jittered, random},
    controller::{HealthCheck, Manager, ManagerHandle, health::HealthOptions, monitor::Monitor, write_fence::Fence},
    informer::OneLine,
};

/// The first and the longest delay until a cluster that failed is tried again.
const RETRY: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(300));
/// A manager that ran so long before it failed is tried again after the first delay.
const STABLE: Duration = Duration::from_secs(600);

/// A cluster.
pub(super) struct Member {
    name: String,
    client: Client,
    is_started: AtomicBool,
    removal: watch::Sender<bool>,
    ended: watch::Sender<bool>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// That of the current manager.
    handle: Option<ManagerHandle>,
    /// Why the last manager ended.
    failure: Option<String>,
}

impl Member {
    pub(super) fn new(name: &str, client: Client) -> Self {
        Self {
            name: name.to_owned(),
            client,
            is_started: AtomicBool::new(false),
            removal: watch::Sender::new(false),
            ended: watch::Sender::new(false),
            state: Mutex::default(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn handle(&self) -> Option<ManagerHandle> {
        self.state().handle.clone()
    }

    pub(super) fn monitor(&self) -> Option<Arc<Monitor>> {
        Some(self.handle()?.monitor.clone())
    }

    /// Whether it was not started yet. It is from now on.
    pub(super) fn may_start(&self) -> bool {
        !*self.removal.borrow() && !self.is_started.swap(true, Ordering::Relaxed)
    }

    /// Ends it, and waits until its reconciliations have ended.
    pub(super) async fn end(&self) {
        self.removal.send_replace(true);
        if self.is_started.load(Ordering::Relaxed) {
            // The sender lives as long as this.
            let _ = self.ended.subscribe().wait_for(|ended| *ended).await;
        }
    }

    /// Returns why the cluster is not reconciled, or not completely.
    pub(super) fn problem(&self) -> Option<String> {
        let (handle, failure) = {
            let state = self.state();
            (state.handle.clone(), state.failure.clone())
        };
        let Some(handle) = handle else {
            return failure;
        };
        let [ready, healthy] = [handle.readyz(), handle.healthz()];
        let failed = [&ready, &healthy].into_iter().find(|report| !report.is_healthy());
        let report = failed?.to_string();
        // The last failure says more than that the lists are not complete again.
        Some(failure.filter(|_| !ready.is_healthy()).unwrap_or(report))
    }

    pub(super) fn check(&self) -> HealthCheck {
        let stuck = self.handle().and_then(|handle| handle.healthz().check("reconciles")?.failure.clone());
        let warning = self.problem().filter(|_| stuck.is_none());
        HealthCheck { name: format!("cluster-{}", self.name), failure: stuck, warning }
    }

    /// Runs a manager until it is removed or all clusters stop, and another one after each failure.
    pub(super) fn run(
        self: Arc<Self>,
        shared: Arc<Shared>,
        fence: Arc<Fence>,
        limits: HealthOptions,
        stop: watch::Receiver<bool>,
    ) -> BoxFuture<'static, ()> {
        let span = info_span!("cluster", cluster = self.name);
        async move {
            // However it ends.
            let _ended = EndOnDrop(self.clone());
            self.run_managers(&shared, &fence, &limits, stop).await;
        }
        .instrument(span)
        .boxed()
    }

    async fn run_managers(
        &self,
        shared: &Shared,
        fence: &Arc<Fence>,
        limits: &HealthOptions,
        stop: watch::Receiver<bool>,
    ) {
        let mut failures = 0;
        loop {
            let started = Instant::now();
            let manager = (shared.configure)(&self.name, Manager::new(self.client.clone()));
            let manager = manager.of_cluster(fence.clone()).until(self.stopped(stop.clone()));
            let _ = manager.monitor.options.set(limits.limits());
            self.state().handle = Some(manager.handle());
            let ended = manager.run().await;
            if *self.removal.borrow() || *stop.borrow() {
                return;
            }
            let failure = match ended {
                Ok(()) => "its manager has ended".to_owned(),
                Err(error) => error.to_string(),
            };
            tracing::warn!(cluster = self.name, "the manager of a cluster failed: {}", OneLine(&failure));
            self.state().failure = Some(failure);
            if started.elapsed() > STABLE {
                failures = 0;
            }
            let delay = jittered(exponential(RETRY.0, RETRY.1, failures), random());
            failures += 1;
            tokio::select! {
                () = sleep(delay) => {}
                () = self.stopped(stop.clone()) => return,
            }
        }
    }

    fn stopped(&self, mut stop: watch::Receiver<bool>) -> impl Future<Output = ()> + Send + 'static {
        let mut removal = self.removal.subscribe();
        async move {
            // An error means that nobody else can end it.
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => {}
                _ = removal.wait_for(|removed| *removed) => {}
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct EndOnDrop(Arc<Member>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        self.0.ended.send_replace(true);
    }
}
