//! Runs the reconcile function of a controller for one key.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::time::timeout;

use super::{
    Action, Context, Error, ObjectKey, StaticKind,
    apply_owned::AppliedSet,
    caches::Caches,
    context::Run,
    error::{describe, is_terminal},
    events::EventSender,
    fence::Fence,
    finalizers::Finalizers,
    metrics::{Counters, count},
    own_writes::{OwnWrites, Recorder},
};
use crate::{
    Client,
    informer::{CacheObject, Outcome},
};

pub(super) type Reconcile<K, T> =
    Arc<dyn Fn(Arc<K>, Context<K, T>) -> BoxFuture<'static, Result<Action, Error>> + Send + Sync>;
pub(super) type ReconcileKey<K, T> =
    Arc<dyn Fn(ObjectKey, Context<K, T>) -> BoxFuture<'static, Result<Action, Error>> + Send + Sync>;

/// A reconcile function.
pub(super) enum Function<K: StaticKind, T> {
    /// Receives objects that exist and are not terminating.
    OfObjects(Reconcile<K, T>),
    /// Receives the keys of all objects, also of deleted ones.
    OfKeys(ReconcileKey<K, T>),
}

/// What follows a step of a reconciliation.
pub(super) enum Next {
    Act(Action),
    /// The key is reconciled again once the caches contain what was written.
    WhenSeen,
}

pub(super) struct Worker<K: StaticKind, T> {
    pub(super) client: Client,
    pub(super) caches: Arc<Caches>,
    pub(super) state: Arc<T>,
    pub(super) function: Function<K, T>,
    pub(super) finalizers: Finalizers<K, T>,
    pub(super) timeout: Duration,
    pub(super) own_writes: Arc<OwnWrites>,
    pub(super) fence: Arc<Fence>,
    pub(super) applied: Arc<AppliedSet>,
    pub(super) events: EventSender,
    pub(super) counters: Arc<Counters>,
}

impl<K: StaticKind, T: Send + Sync + 'static> Worker<K, T> {
    pub(super) async fn reconcile(self: Arc<Self>, key: ObjectKey) -> Outcome {
        if !self.own_writes.are_seen(&key) {
            return Outcome::Postponed;
        }
        let context = Context::new(Arc::new(self.run(&key)), self.state.clone());
        // Unwind safe: the state that this crate shares with the function is consistent between calls.
        let step = AssertUnwindSafe(self.step(&context)).catch_unwind();
        let counters = &self.counters;
        match timeout(self.timeout, step).await {
            Ok(Ok(Ok(Next::Act(action)))) => {
                count(&counters.successes);
                Outcome::Success(action)
            }
            Ok(Ok(Ok(Next::WhenSeen))) => match self.own_writes.are_seen(&key) {
                true => Outcome::Success(Action::Requeue(Duration::ZERO)),
                false => Outcome::Postponed,
            },
            Ok(Ok(Err(error))) if is_terminal(&error) => {
                count(&counters.terminal_failures);
                Outcome::TerminalFailure(describe(&error))
            }
            Ok(Ok(Err(error))) => {
                count(&counters.failures);
                Outcome::Failure(describe(&error))
            }
            Ok(Err(_)) => {
                count(&counters.panics);
                Outcome::Panic
            }
            Err(_) => {
                count(&counters.failures);
                count(&counters.timeouts);
                Outcome::Failure(format!("it did not complete within {:?}", self.timeout))
            }
        }
    }

    fn run(&self, key: &ObjectKey) -> Run<K> {
        let recorder = Recorder { own_writes: self.own_writes.clone(), fence: self.fence.clone(), key: key.clone() };
        Run {
            key: key.clone(),
            client: self.client.with_write_hook(Arc::new(recorder)),
            caches: self.caches.clone(),
            statuses: Default::default(),
            wanted: Default::default(),
            applied: self.applied.clone(),
            events: self.events.clone(),
        }
    }

    async fn step(&self, context: &Context<K, T>) -> Result<Next, Error> {
        let object = context.get();
        match &object {
            None => {
                self.finalizers.forget(context.key());
                self.applied.remove(context.key());
            }
            Some(object) => {
                if let Some(next) = self.finalizers.process(object, context).await? {
                    return Ok(next);
                }
            }
        }
        let reconciled = match (&self.function, object) {
            (Function::OfKeys(reconcile), _) => reconcile(context.key().clone(), context.clone()),
            (Function::OfObjects(reconcile), Some(object)) if !object.is_terminating() => {
                reconcile(object, context.clone())
            }
            (Function::OfObjects(_), _) => return Ok(Next::Act(Action::Done)),
        };
        let outcome = reconciled.await;
        let written = context.run.finish(outcome.is_ok()).await;
        let action = outcome?;
        written?;
        Ok(Next::Act(action))
    }
}

impl<K: StaticKind> Run<K> {
    /// Writes what the function left to the end of the run.
    pub(super) async fn finish(self: &Arc<Self>, is_success: bool) -> Result<(), Error> {
        self.write_statuses().await?;
        if is_success {
            self.prune_owned().await?;
        }
        Ok(())
    }
}
