use std::{
    any::Any,
    fmt::{Debug, Display},
    future::Future,
    hash::Hash,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::Duration,
};

use futures_util::FutureExt;
use tokio::task::JoinSet;

use super::{Claim, Queue};
use crate::informer::events::panic_message;

/// What is to be done after an object was reconciled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing, until it changes.
    Done,
    /// It is looked at again after this time, or earlier if it changes.
    Requeue(Duration),
}

/// What came of it, or what it failed with, or its panic.
type Outcome = Result<Result<Action, String>, Box<dyn Any + Send>>;

impl<Q> Queue<Q>
where
    Q: Clone + Debug + Eq + Hash + Send + Sync + 'static,
{
    /// Reconciles keys, so many at once but never one twice at a time, until the queue is shut down and those that are
    /// being reconciled are done.
    ///
    /// A key whose reconciliation fails or panics is reported through `tracing` and tried again with back-off; success
    /// lets its back-off begin anew. Each runs in a task of its own. If the returned future is dropped, all of them are
    /// cancelled. A `concurrency` of 0 counts as 1.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with a timer.
    pub async fn run<F, R, E>(&self, concurrency: usize, reconcile: F)
    where
        F: Fn(Q) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Display + 'static,
    {
        let reconcile = Arc::new(reconcile);
        let mut running = JoinSet::new();
        loop {
            tokio::select! {
                claim = self.get(), if running.len() < concurrency.max(1) => match claim {
                    Some(claim) => {
                        running.spawn(work(claim, self.clone(), reconcile.clone()));
                    }
                    None => break,
                },
                Some(_) = running.join_next() => {}
            }
        }
        while running.join_next().await.is_some() {}
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
            Err(panic) => {
                let again_in = self.add_with_backoff(key.clone());
                let (retries, message) = (self.retries(key), panic_message(&*panic));
                tracing::error!(?key, message, retries, ?again_in, "reconciling panicked");
            }
        }
    }
}

async fn work<Q, F, R, E>(claim: Claim<Q>, queue: Queue<Q>, reconcile: Arc<F>)
where
    Q: Clone + Debug + Eq + Hash + Send + Sync + 'static,
    F: Fn(Q) -> R,
    R: Future<Output = Result<Action, E>>,
    E: Display,
{
    // Panics are contained, and what a reconciler left half done is its own.
    let reconciled = AssertUnwindSafe(async {
        let outcome = reconcile(claim.key().clone()).await;
        outcome.map_err(|error| error.to_string())
    });
    queue.finish(claim.key(), reconciled.catch_unwind().await);
}
