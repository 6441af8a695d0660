use std::{
    collections::HashMap,
    fmt::{Debug, Display},
    future::Future,
    hash::Hash,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};

use futures_util::FutureExt;
use tokio::{
    task::{Id, JoinSet},
    time::timeout,
};
use tracing::{Instrument, Span};

use super::{Queue, Undrained, WorkItem, trigger::Attempt};

/// The result of a successful reconciliation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The object is reconciled again when it changes.
    Done,
    /// The object is reconciled again after this time, or earlier if it changes.
    Requeue(Duration),
}

impl Action {
    /// The object is reconciled again after this time, or earlier if it changes: [`Action::Requeue`].
    pub const fn requeue(after: Duration) -> Self {
        Self::Requeue(after)
    }
}

/// How a reconciliation ended, and so what happens to its key.
#[derive(Debug)]
pub(crate) enum Outcome {
    Success(Action),
    /// The key is retried after a delay, or with back-off.
    Failure {
        error: String,
        retry_in: Option<Duration>,
    },
    /// The key is not retried.
    #[cfg_attr(not(feature = "controller"), expect(dead_code))]
    TerminalFailure(String),
    /// The key is retried with back-off. The message is not logged, because it may contain values.
    Panic,
    /// The key was not reconciled, and somebody else adds it again.
    #[cfg_attr(not(feature = "controller"), expect(dead_code))]
    Postponed,
}

impl<Q> Queue<Q>
where
    Q: Clone + Debug + Eq + Hash + Send + Sync + 'static,
{
    /// Reconciles keys until the queue is shut down and running reconciliations are complete.
    ///
    /// At most `concurrency` reconciliations run at the same time, and never two of the same key. A `concurrency` of 0
    /// counts as 1. Each reconciliation runs in its own task.
    ///
    /// Errors and panics are logged through `tracing`, and the key is retried with back-off. A success resets its
    /// back-off.
    ///
    /// If the returned future is dropped, running reconciliations are cancelled at their next await, and their keys are
    /// [put back](WorkItem::put_back) into the queue.
    ///
    /// # Errors
    ///
    /// Fails if reconciliations still run [30 s](Self::with_drain_timeout) after the queue was shut down. They are
    /// cancelled. A reconciliation that never awaits cannot be cancelled, and continues in the background.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime with a timer.
    pub async fn run<F, R, E>(&self, concurrency: usize, reconcile: F) -> Result<(), Undrained<Q>>
    where
        F: Fn(Q) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Display + 'static,
    {
        let reconcile = Arc::new(reconcile);
        let reconcile = move |key, _| {
            let reconcile = reconcile.clone();
            async move {
                match reconcile(key).await {
                    Ok(action) => Outcome::Success(action),
                    Err(error) => Outcome::Failure { error: error.to_string(), retry_in: None },
                }
            }
        };
        self.run_outcomes(concurrency, |_, _| Span::none(), reconcile).await
    }

    /// Like [`run`](Self::run), for a function that decides what happens to the key, in a span.
    pub(crate) async fn run_outcomes<F, R>(
        &self,
        concurrency: usize,
        span: impl Fn(&Q, &Attempt) -> Span,
        reconcile: F,
    ) -> Result<(), Undrained<Q>>
    where
        F: Fn(Q, Attempt) -> R + Send + Sync + 'static,
        R: Future<Output = Outcome> + Send + 'static,
    {
        let reconcile = Arc::new(reconcile);
        let mut running = Running::default();
        loop {
            tokio::select! {
                item = self.get(), if running.tasks.len() < concurrency.max(1) => match item {
                    Some(item) => {
                        let (key, span) = (item.key().clone(), span(item.key(), item.attempt()));
                        running.spawn(key, run_one(item, self.clone(), reconcile.clone()).instrument(span));
                    }
                    None => break,
                },
                true = running.join_next() => {}
                // `get` is not polled while the concurrency limit is reached.
                () = self.wait_for_shutdown() => break,
            }
        }
        self.drain(running).await
    }

    async fn drain(&self, mut running: Running<Q>) -> Result<(), Undrained<Q>> {
        let all = async { while running.join_next().await {} };
        if timeout(self.drain_timeout, all).await.is_ok() {
            return Ok(());
        }
        let undrained = Undrained { keys: running.keys.into_values().collect(), after: self.drain_timeout };
        tracing::warn!(keys = ?undrained.keys, "{undrained}");
        Err(undrained)
    }

    fn finish(&self, key: &Q, outcome: Outcome) {
        match outcome {
            Outcome::Success(Action::Done) => self.forget(key),
            Outcome::Success(Action::Requeue(delay)) => {
                self.forget(key);
                self.add_after(key.clone(), delay);
            }
            Outcome::Postponed => {}
            Outcome::TerminalFailure(error) => {
                self.forget(key);
                tracing::error!(?key, error, "reconciliation failed, and is not retried until the object changes");
            }
            Outcome::Failure { error, retry_in } => {
                let retry_in = match retry_in {
                    Some(delay) => self.add_retry(key.clone(), delay),
                    None => self.add_with_backoff(key.clone()),
                };
                let retries = self.retries(key);
                tracing::warn!(?key, error, retries, ?retry_in, "reconciliation failed");
            }
            Outcome::Panic => {
                let retry_in = self.add_with_backoff(key.clone());
                let retries = self.retries(key);
                tracing::error!(?key, retries, ?retry_in, "reconciliation panicked");
            }
        }
    }
}

/// The running reconciliations. Dropping them cancels them.
struct Running<Q> {
    tasks: JoinSet<()>,
    keys: HashMap<Id, Q>,
}

impl<Q> Default for Running<Q> {
    fn default() -> Self {
        Self { tasks: JoinSet::new(), keys: HashMap::new() }
    }
}

impl<Q> Running<Q> {
    fn spawn(&mut self, key: Q, run_one: impl Future<Output = ()> + Send + 'static) {
        let task = self.tasks.spawn(run_one);
        self.keys.insert(task.id(), key);
    }

    /// Waits until one is complete; `false` if none is running.
    async fn join_next(&mut self) -> bool {
        let Some(done) = self.tasks.join_next_with_id().await else {
            return false;
        };
        let id = done.map_or_else(|error| error.id(), |(id, ())| id);
        self.keys.remove(&id);
        true
    }
}

async fn run_one<Q, F, R>(item: WorkItem<Q>, queue: Queue<Q>, reconcile: Arc<F>)
where
    Q: Clone + Debug + Eq + Hash + Send + Sync + 'static,
    F: Fn(Q, Attempt) -> R,
    R: Future<Output = Outcome>,
{
    let (key, attempt) = (item.key().clone(), item.attempt().clone());
    let guard = PutBackGuard(Some(item));
    // Unwind safe, because the reconciler shares no state with this crate.
    let reconciled = AssertUnwindSafe(async { reconcile(key.clone(), attempt).await });
    let outcome = reconciled.catch_unwind().await;
    let item = guard.into_item();
    queue.finish(&key, outcome.unwrap_or(Outcome::Panic));
    drop(item);
}

/// Puts a key back unless its reconciliation completed.
///
struct PutBackGuard<Q: Clone + Eq + Hash>(Option<WorkItem<Q>>);

impl<Q: Clone + Eq + Hash> PutBackGuard<Q> {
    fn into_item(mut self) -> Option<WorkItem<Q>> {
        self.0.take()
    }
}

impl<Q: Clone + Eq + Hash> Drop for PutBackGuard<Q> {
    fn drop(&mut self) {
        if let Some(item) = self.0.take() {
            item.put_back();
        }
    }
}
