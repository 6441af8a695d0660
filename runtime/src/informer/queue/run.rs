use std::{
    collections::HashMap,
    fmt::{Debug, Display},
    future::Future,
    hash::Hash,
    panic::AssertUnwindSafe,
    sync::Arc,
    thread,
    time::Duration,
};

use futures_util::FutureExt;
use tokio::{
    task::{Id, JoinSet},
    time::timeout,
};

use super::{Queue, Undrained, WorkItem};

/// What is to be done after an object was reconciled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing, until it changes.
    Done,
    /// It is looked at again after this time, or earlier if it changes.
    Requeue(Duration),
}

/// What came of it, or what it failed with, or its panic.
type Outcome = thread::Result<Result<Action, String>>;

impl<Q> Queue<Q>
where
    Q: Clone + Debug + Eq + Hash + Send + Sync + 'static,
{
    /// Reconciles keys, so many at once but never one twice at a time, until the queue is shut down and those that are
    /// being reconciled are done.
    ///
    /// A key whose reconciliation fails or panics is reported through `tracing` and tried again with back-off; success
    /// lets its back-off begin anew. Each runs in a task of its own. A `concurrency` of 0 counts as 1.
    ///
    /// If the returned future is dropped, the reconciliations that run are cancelled, each where it waits next, and
    /// their keys are [put back](WorkItem::put_back): whoever uses the queue from then on finds them in it.
    ///
    /// # Errors
    ///
    /// If reconciliations still run [30 s](Self::with_drain_timeout) after the queue was shut down: they are cancelled. One that
    /// never waits cannot be cancelled: it is left to itself.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with a timer.
    pub async fn run<F, R, E>(&self, concurrency: usize, reconcile: F) -> Result<(), Undrained<Q>>
    where
        F: Fn(Q) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Display + 'static,
    {
        let reconcile = Arc::new(reconcile);
        let mut running = Running::default();
        loop {
            tokio::select! {
                claim = self.get(), if running.tasks.len() < concurrency.max(1) => match claim {
                    Some(claim) => {
                        let key = claim.key().clone();
                        running.spawn(key, work(claim, self.clone(), reconcile.clone()));
                    }
                    None => break,
                },
                true = running.join_next() => {}
                // Nobody asks for a key while as many run as may.
                () = self.shut() => break,
            }
        }
        self.drain(running).await
    }

    async fn drain(&self, mut running: Running<Q>) -> Result<(), Undrained<Q>> {
        let all = async { while running.join_next().await {} };
        if timeout(self.drain_timeout, all).await.is_ok() {
            return Ok(());
        }
        let undrained = Undrained {
            keys: running.keys.into_values().collect(),
            after: self.drain_timeout,
        };
        tracing::warn!(keys = ?undrained.keys, "{undrained}");
        Err(undrained)
    }

    fn finish(&self, key: &Q, outcome: Outcome) {
        match outcome {
            Ok(Ok(Action::Done)) => self.forget(key),
            Ok(Ok(Action::Requeue(delay))) => {
                self.forget(key);
                self.add_after(key.clone(), delay);
            }
            Ok(Err(error)) => {
                let again_in = self.add_with_backoff(key.clone());
                let retries = self.retries(key);
                tracing::warn!(?key, error, retries, ?again_in, "reconciling failed");
            }
            Err(_) => {
                let again_in = self.add_with_backoff(key.clone());
                let retries = self.retries(key);
                tracing::error!(?key, retries, ?again_in, "reconciling panicked");
            }
        }
    }
}

/// What is being reconciled. Dropping it cancels that.
struct Running<Q> {
    tasks: JoinSet<()>,
    keys: HashMap<Id, Q>,
}

impl<Q> Default for Running<Q> {
    fn default() -> Self {
        Self {
            tasks: JoinSet::new(),
            keys: HashMap::new(),
        }
    }
}

impl<Q> Running<Q> {
    fn spawn(&mut self, key: Q, work: impl Future<Output = ()> + Send + 'static) {
        let task = self.tasks.spawn(work);
        self.keys.insert(task.id(), key);
    }

    /// Waits until one is done; `false` if there is none.
    async fn join_next(&mut self) -> bool {
        let Some(done) = self.tasks.join_next_with_id().await else {
            return false;
        };
        let id = done.map_or_else(|error| error.id(), |(id, ())| id);
        self.keys.remove(&id);
        true
    }
}

async fn work<Q, F, R, E>(claim: WorkItem<Q>, queue: Queue<Q>, reconcile: Arc<F>)
where
    Q: Clone + Debug + Eq + Hash + Send + Sync + 'static,
    F: Fn(Q) -> R,
    R: Future<Output = Result<Action, E>>,
    E: Display,
{
    let key = claim.key().clone();
    let unfinished = Unfinished(Some(claim));
    // Panics are contained, and what a reconciler left half done is its own.
    let reconciled = AssertUnwindSafe(async {
        let outcome = reconcile(key.clone()).await;
        outcome.map_err(|error| error.to_string())
    });
    let outcome = reconciled.catch_unwind().await;
    let claim = unfinished.finished();
    queue.finish(&key, outcome);
    drop(claim);
}

/// Puts a key back unless its work is finished.
struct Unfinished<Q: Clone + Eq + Hash>(Option<WorkItem<Q>>);

impl<Q: Clone + Eq + Hash> Unfinished<Q> {
    fn finished(mut self) -> Option<WorkItem<Q>> {
        self.0.take()
    }
}

impl<Q: Clone + Eq + Hash> Drop for Unfinished<Q> {
    fn drop(&mut self) {
        if let Some(claim) = self.0.take() {
            claim.put_back();
        }
    }
}
