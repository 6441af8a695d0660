//! Tasks of a program beside its controllers.

use std::{future::Future, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt, join_all};
use k8s_openapi::jiff::Timestamp;
use tokio::time::{Instant, sleep};

use super::{Error, manager::ManagerContext, monitor::Monitor};
use crate::Client;

/// How long a task may continue after shutdown, as [reconciliations](super::ControllerBuilder::drain_timeout) may by default.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(20);

/// A task that runs beside the controllers of a [manager](super::Manager::task), such as one that polls another system or cleans up once
/// an hour.
///
/// It starts after the caches of all controllers have what the API server had stored, and should end when the manager
/// [stops](TaskContext::stopped). If it has not ended 20 s later, it is dropped at its next await. A task that ends before that leaves the
/// controllers running; one that fails or panics stops the manager with
/// [`ManagerError::Task`](super::ManagerError::Task).
///
/// ```no_run
/// use std::time::Duration;
///
/// use crdkit::controller::{Error, Manager, Task};
///
/// # fn example(manager: Manager) -> Manager {
/// manager.task(Task::on_leader("clean-up", async |cx| {
///     let mut hourly = tokio::time::interval(Duration::from_secs(3600));
///     loop {
///         tokio::select! {
///             _ = hourly.tick() => { /* clean up with `cx.client()` */ }
///             () = cx.stopped() => return Ok::<_, Error>(()),
///         }
///     }
/// }))
/// # }
/// ```
#[doc(alias("Runnable", "LeaderElectionRunnable"))]
#[must_use = "a manager runs it"]
pub struct Task {
    name: String,
    place: Place,
    start: Box<dyn FnOnce(TaskContext) -> BoxFuture<'static, Result<(), Error>> + Send>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Leader,
    EveryReplica,
}

impl Task {
    /// Runs a function while this process is the [leader](super::Manager::leader_election), or without leader election.
    pub fn on_leader<F, R, E>(name: &str, function: F) -> Self
    where
        F: FnOnce(TaskContext) -> R + Send + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Error>,
    {
        Self::new(name, Place::Leader, function)
    }

    /// Runs a function in each replica, also while another process is the leader.
    pub fn on_every_replica<F, R, E>(name: &str, function: F) -> Self
    where
        F: FnOnce(TaskContext) -> R + Send + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Error>,
    {
        Self::new(name, Place::EveryReplica, function)
    }

    fn new<F, R, E>(name: &str, place: Place, function: F) -> Self
    where
        F: FnOnce(TaskContext) -> R + Send + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Error>,
    {
        let start = |context| function(context).map(|ended| ended.map_err(Into::into)).boxed();
        Self { name: name.to_owned(), place, start: Box::new(start) }
    }

    /// Runs the task from the time at which it may start. `fenced` is the client of leaders.
    pub(super) fn run(
        self,
        shared: &Arc<ManagerContext>,
        fenced: Client,
    ) -> (String, BoxFuture<'static, Result<(), Error>>) {
        let Self { name, place, start } = self;
        let shared = shared.clone();
        let client = if place == Place::Leader { fenced } else { shared.client.clone() };
        let run = async move {
            tokio::select! {
                () = shared.stopped() => return Ok(()),
                () = may_start(&shared, place) => {}
            }
            let task = AssertUnwindSafe(start(TaskContext { client, shared: shared.clone() })).catch_unwind();
            let cut = async {
                shared.stopped().await;
                sleep(DRAIN_TIMEOUT).await;
            };
            tokio::select! {
                // The hook of the process has reported the message.
                ended = task => ended.unwrap_or_else(|_| Err("it panicked".into())),
                () = cut => Err(format!("it did not end within {DRAIN_TIMEOUT:?} after shutdown").into()),
            }
        };
        (name, run.boxed())
    }
}

async fn may_start(shared: &ManagerContext, place: Place) {
    if place == Place::Leader {
        shared.elected().await;
    }
    let caches: Vec<_> =
        shared.monitor.controllers().iter().filter_map(|controller| controller.caches.upgrade()).collect();
    join_all(caches.iter().map(|caches| caches.catch_up(Instant::now()))).await;
}

/// What a [task](Task) works with.
#[derive(Clone)]
pub struct TaskContext {
    client: Client,
    shared: Arc<ManagerContext>,
}

impl TaskContext {
    /// Returns the client: of a task on the leader, [that of the manager](super::Manager::client), which refuses to write once another
    /// process may be the leader.
    pub fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn monitor(&self) -> &Monitor {
        &self.shared.monitor
    }

    /// Returns the time, as [`Context::now`](super::Context::now) does.
    pub fn now(&self) -> Timestamp {
        self.client.now()
    }

    /// Completes when the manager stops: by a signal, because it is no longer the leader, or because a controller or a task has failed.
    pub fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        self.shared.stopped()
    }
}
