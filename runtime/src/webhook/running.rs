//! Functions of webhooks while they run.
//!
//! They run in tasks of the program's runtime, and the connections in another one: a function that blocks its thread delays no
//! connection, and its caller has an answer at the time limit. Until the function returns, it keeps its permits and its memory.

use std::{
    panic::resume_unwind,
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    runtime::Handle,
    task::{JoinSet, spawn_blocking},
    time::{Instant, sleep, timeout_at},
};

use super::review_limits::Permits;
use crate::serve::budget::Charge;

/// How long a function may take until it observes that it was cancelled. It ends at its next `await`.
const CANCELLATION: Duration = Duration::from_secs(1);

/// What a function holds while it runs.
struct Running {
    _permits: Permits,
    _charge: Arc<Charge>,
}

tokio::task_local! {
    static RUNNING: Arc<Running>;
}

/// A review that runs. It is cancelled when this is dropped.
pub(super) struct Review<T> {
    path: String,
    task: JoinSet<T>,
    running: Weak<Running>,
}

/// How a review ended.
pub(super) enum Ended<T> {
    Completed(T),
    Panicked,
    Late,
    /// The runtime of the functions shuts down.
    ShutDown,
}

impl<T: Send + 'static> Review<T> {
    pub(super) fn start(
        functions: &Handle,
        path: &str,
        permits: Permits,
        charge: Arc<Charge>,
        review: impl Future<Output = T> + Send + 'static,
    ) -> Self {
        let running = Arc::new(Running { _permits: permits, _charge: charge });
        let weak = Arc::downgrade(&running);
        let mut task = JoinSet::new();
        task.spawn_on(RUNNING.scope(running, review), functions);
        Self { path: path.to_owned(), task, running: weak }
    }

    pub(super) async fn end(mut self, deadline: Instant) -> Ended<T> {
        match timeout_at(deadline, self.task.join_next()).await {
            Ok(Some(Ok(output))) => Ended::Completed(output),
            Ok(Some(Err(error))) if error.is_panic() => Ended::Panicked,
            Ok(_) => Ended::ShutDown,
            Err(_) => {
                tokio::spawn(self.cancel());
                Ended::Late
            }
        }
    }

    /// Cancels the review, and reports a function that goes on.
    async fn cancel(mut self) {
        self.task.abort_all();
        sleep(CANCELLATION).await;
        if self.running.strong_count() > 0 {
            tracing::error!(
                webhook = self.path,
                "the function of a webhook blocks a thread: it neither returned nor awaited within its time limit"
            );
        }
    }
}

/// Runs a function that may block on a thread for such functions, which keeps the permits of the review until it returns.
pub(super) async fn run_blocking<T: Send + 'static>(function: impl FnOnce() -> T + Send + 'static) -> T {
    let running = RUNNING.try_with(Arc::clone).ok();
    let task = spawn_blocking(move || {
        let output = function();
        drop(running);
        output
    });
    match task.await.map_err(|error| error.try_into_panic()) {
        Ok(output) => output,
        Err(Ok(panic)) => resume_unwind(panic),
        // The runtime shuts down, and polls this no more.
        Err(Err(_)) => std::future::pending().await,
    }
}
