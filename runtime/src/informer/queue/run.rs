use std::{
    collections::HashMap,
    fmt::{Debug, Display},
    future::Future,
    hash::Hash,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use tokio::{
    task::{Id, JoinSet, coop::consume_budget},
    time::timeout,
};
use tracing::{Instrument, Span};

use super::{DrainTimedOut, Queue, WorkItem, trigger::Attempt};
use crate::informer::PanicMessage;

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
pub(crate) enum ReconcileOutcome {
    Success(Action),
    /// The key is retried after a delay, or with back-off.
    Failure {
        error: String,
        retry_in: Option<Duration>,
    },
    /// The key is not retried.
    TerminalFailure(String),
    /// The key is retried with back-off. It is logged with the message, which the panic hook has written to stderr already.
    Panic(PanicMessage),
    /// The key was not reconciled, and somebody else adds it again.
    Postponed,
}

/// Converts the result of a reconcile function. An error is retried with back-off.
pub(crate) fn into_outcome<E: Display>(reconciled: Result<Action, E>) -> ReconcileOutcome {
    match reconciled {
        Ok(action) => ReconcileOutcome::Success(action),
        Err(error) => ReconcileOutcome::Failure { error: error.to_string(), retry_in: None },
    }
}

impl<Q> Queue<Q>
where
    Q: Clone + Debug + Eq + Hash + Send + Sync + 'static,
{
    /// Reconciles keys until the queue is shut down and running reconciliations are complete.
    ///
    /// At most `concurrency` reconciliations run at the same time, and never two of the same key. A `concurrency` of 0
    /// counts as 1. They run in as many tasks, each of which ends when no key can be claimed.
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
    pub async fn run<F, R, E>(&self, concurrency: usize, reconcile: F) -> Result<(), DrainTimedOut<Q>>
    where
        F: Fn(Q) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Display + 'static,
    {
        let reconcile = Arc::new(reconcile);
        let reconcile = move |key, _| {
            let reconcile = reconcile.clone();
            async move { into_outcome(reconcile(key).await) }
        };
        self.run_outcomes(concurrency, |_, _| Span::none(), reconcile).await
    }

    /// Like [`run`](Self::run), for a function that decides what happens to the key, in a span.
    pub(crate) async fn run_outcomes<F, R>(
        &self,
        concurrency: usize,
        span: impl Fn(&Q, &Attempt) -> Span + Send + Sync + 'static,
        reconcile: F,
    ) -> Result<(), DrainTimedOut<Q>>
    where
        F: Fn(Q, Attempt) -> R + Send + Sync + 'static,
        R: Future<Output = ReconcileOutcome> + Send + 'static,
    {
        let worker = Arc::new(Worker { queue: self.clone(), span, reconcile });
        let mut workers = Workers::default();
        loop {
            tokio::select! {
                item = self.get(), if workers.tasks.len() < concurrency.max(1) => match item {
                    Some(item) => {
                        let key = item.key().clone();
                        workers.spawn(key, |current| worker.clone().run(item, current));
                    }
                    None => break,
                },
                true = workers.join_next() => {}
                // `get` is not polled while the concurrency limit is reached.
                () = self.wait_for_shutdown() => break,
            }
        }
        self.drain(workers).await
    }

    async fn drain(&self, mut workers: Workers<Q>) -> Result<(), DrainTimedOut<Q>> {
        let all = async { while workers.join_next().await {} };
        if timeout(self.drain_timeout, all).await.is_ok() {
            return Ok(());
        }
        let keys = workers.current_keys.into_values().filter_map(|key| key.take()).collect();
        let drain_timed_out = DrainTimedOut { keys, after: self.drain_timeout };
        tracing::warn!(keys = ?drain_timed_out.keys, "{drain_timed_out}");
        Err(drain_timed_out)
    }

    fn finish(&self, item: WorkItem<Q>, outcome: ReconcileOutcome) {
        let key = item.key();
        match outcome {
            ReconcileOutcome::Success(Action::Done) => item.complete(None),
            ReconcileOutcome::Success(Action::Requeue(delay)) => item.complete(Some(delay)),
            ReconcileOutcome::Postponed => {}
            ReconcileOutcome::TerminalFailure(error) => {
                self.give_up(key);
                tracing::error!(?key, error, "reconciliation failed, and is not retried until the object changes");
            }
            ReconcileOutcome::Failure { error, retry_in } => {
                let retry_in = match retry_in {
                    Some(delay) => self.add_retry(key.clone(), delay),
                    None => self.add_with_backoff(key.clone()),
                };
                let retries = self.retries(key);
                tracing::warn!(?key, error, retries, ?retry_in, "reconciliation failed");
            }
            ReconcileOutcome::Panic(message) => {
                let retry_in = self.add_with_backoff(key.clone());
                let retries = self.retries(key);
                tracing::error!(?key, panic = message.unredacted(), retries, ?retry_in, "reconciliation panicked");
            }
        }
    }
}

/// The tasks that reconcile. Dropping them cancels them.
struct Workers<Q> {
    tasks: JoinSet<()>,
    current_keys: HashMap<Id, Arc<CurrentKey<Q>>>,
}

/// The key that a task reconciles.
struct CurrentKey<Q>(Mutex<Option<Q>>);

impl<Q> CurrentKey<Q> {
    fn set(&self, key: Option<Q>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = key;
    }

    fn take(&self) -> Option<Q> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<Q> Default for Workers<Q> {
    fn default() -> Self {
        Self { tasks: JoinSet::new(), current_keys: HashMap::new() }
    }
}

impl<Q> Workers<Q> {
    /// Spawns a task that begins with a key.
    fn spawn<R>(&mut self, key: Q, run: impl FnOnce(Arc<CurrentKey<Q>>) -> R)
    where
        R: Future<Output = ()> + Send + 'static,
    {
        let current = Arc::new(CurrentKey(Mutex::new(Some(key))));
        let task = self.tasks.spawn(run(current.clone()));
        self.current_keys.insert(task.id(), current);
    }

    /// Waits until one has ended; `false` if there is none.
    async fn join_next(&mut self) -> bool {
        let Some(done) = self.tasks.join_next_with_id().await else {
            return false;
        };
        let id = done.map_or_else(|error| error.id(), |(id, ())| id);
        self.current_keys.remove(&id);
        true
    }
}

struct Worker<Q, S, F> {
    queue: Queue<Q>,
    span: S,
    reconcile: F,
}

impl<Q, S, F, R> Worker<Q, S, F>
where
    Q: Clone + Debug + Eq + Hash + Send + Sync + 'static,
    S: Fn(&Q, &Attempt) -> Span,
    F: Fn(Q, Attempt) -> R,
    R: Future<Output = ReconcileOutcome>,
{
    /// Reconciles a key, and further ones as long as some can be claimed. That costs less than a task for each.
    async fn run(self: Arc<Self>, mut item: WorkItem<Q>, current: Arc<CurrentKey<Q>>) {
        loop {
            current.set(Some(item.key().clone()));
            let span = (self.span)(item.key(), item.attempt());
            self.reconcile_one(item).instrument(span).await;
            current.set(None);
            // Lets other tasks run, even if no reconciliation waits for anything.
            consume_budget().await;
            match self.queue.try_get() {
                Some(next) => item = next,
                None => return,
            }
        }
    }

    async fn reconcile_one(&self, item: WorkItem<Q>) {
        let (key, attempt) = (item.key().clone(), item.attempt().clone());
        let guard = PutBackGuard(Some(item));
        // Unwind safe, because the reconciler shares no state with this crate.
        let reconciled = AssertUnwindSafe(async { (self.reconcile)(key, attempt).await });
        let outcome = reconciled.catch_unwind().await;
        if let Some(item) = guard.into_item() {
            let outcome = outcome.unwrap_or_else(|panic| ReconcileOutcome::Panic(PanicMessage::from_payload(&*panic)));
            self.queue.finish(item, outcome);
        }
    }
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
