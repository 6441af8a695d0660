//! Runs the reconcile function of a controller for one key.

use std::{
    future::{pending, poll_fn},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, Mutex, OnceLock},
    time::Duration,
};

use futures_util::future::{BoxFuture, FutureExt};
use tokio::time::{Instant, timeout};

use super::{
    Action, Context, Error, ObjectKey, ReconciledKind,
    apply_owned::{AppliedSet, Applier, Extent},
    caches::Caches,
    context::Run,
    error::{Retry, describe, retry_of},
    events::EventSender,
    failures::{FailureCondition, FailureTexts},
    finalizers::Finalizers,
    inventory::Inventories,
    kind::KindData,
    metrics::{Counters, count},
    namespace_end::{self, NamespaceEnds},
    own_writes::{OwnWrites, Recorder},
    pause::Pause,
    reconcile_loops::Loops,
    reconcile_requests::ReconcileRequests,
    shards::ShardKeys,
    span::Spans,
    write_fence::{Fence, WritePermit},
};
use crate::{
    Client,
    informer::{Attempt, CacheObject, PanicMessage, Queue, queue::ReconcileOutcome},
};

pub(super) type Reconcile<K, T> = CleanUp<K, K, T>;
/// A function of an object in some form.
pub(super) type CleanUp<O, K, T> =
    Arc<dyn Fn(Arc<O>, Context<K, T>) -> BoxFuture<'static, Result<Action, Error>> + Send + Sync>;
pub(super) type ReconcileKey<K, T> =
    Arc<dyn Fn(ObjectKey, Context<K, T>) -> BoxFuture<'static, Result<Action, Error>> + Send + Sync>;

/// A reconcile function.
pub(super) enum Function<K: ReconciledKind, T> {
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

/// How a step ended.
pub(super) enum Ended {
    Next(Next),
    Failed(Error),
    Panicked(PanicMessage),
    TimedOut(TimedOut),
}

/// The time limit of a reconciliation.
#[derive(Debug, thiserror::Error)]
#[error("it did not complete within {0:?}")]
pub(super) struct TimedOut(Duration);

pub(super) struct Worker<K: ReconciledKind, T> {
    pub(super) kind: KindData<K>,
    pub(super) client: Client,
    pub(super) caches: Arc<Caches>,
    pub(super) state: Arc<T>,
    pub(super) function: Function<K, T>,
    pub(super) finalizers: Finalizers<K, T>,
    pub(super) timeout: Duration,
    pub(super) pause: Option<Pause>,
    pub(super) requests: Option<ReconcileRequests>,
    pub(super) own_writes: Arc<OwnWrites>,
    pub(super) loops: Arc<Loops>,
    pub(super) fence: Arc<Fence>,
    /// `None` if the objects are not divided between replicas.
    pub(super) shards: Option<Arc<ShardKeys>>,
    pub(super) applied: Arc<AppliedSet>,
    pub(super) applier: Arc<Applier>,
    pub(super) inventories: Option<Arc<Inventories<K>>>,
    pub(super) events: EventSender,
    pub(super) failure_texts: FailureTexts,
    pub(super) reports_failures: bool,
    pub(super) failure_condition: Option<FailureCondition<K>>,
    pub(super) counters: Arc<Counters>,
}

impl<K: ReconciledKind, T: Send + Sync + 'static> Worker<K, T> {
    pub(super) async fn reconcile(self: Arc<Self>, key: ObjectKey, attempt: Attempt) -> ReconcileOutcome {
        let outcome = self.reconcile_if_permitted(key, attempt).await;
        Spans::record(&outcome);
        outcome
    }

    async fn reconcile_if_permitted(&self, key: ObjectKey, attempt: Attempt) -> ReconcileOutcome {
        let Some(permit) = self.permit(&key) else {
            return ReconcileOutcome::Success(Action::Done);
        };
        if !self.own_writes.are_seen(&key, &attempt) {
            return ReconcileOutcome::Postponed;
        }
        let started = Instant::now();
        self.loops.begin(&key, &attempt.trigger);
        let outcome = self.run_once(key.clone(), attempt, permit).await;
        self.loops.end(&key, matches!(outcome, ReconcileOutcome::Success(Action::Requeue(Duration::ZERO))));
        if let (Some(shards), ReconcileOutcome::Success(_)) = (&self.shards, &outcome) {
            shards.complete(&key);
        }
        self.counters.durations.observe(started.elapsed().as_secs_f64());
        outcome
    }

    /// Returns what the run may write; `None` if the object is not in a shard that is held.
    fn permit(&self, key: &ObjectKey) -> Option<WritePermit> {
        let Some(shards) = &self.shards else {
            return Some(WritePermit::Manager(self.fence.clone()));
        };
        let object = self.caches.reconciled::<K>()?.find(key.namespace(), key.name());
        let uid =
            object.and_then(|object| object.uid().map(str::to_owned)).or_else(|| self.finalizers.uid_of_uncached(key));
        shards.permit(key, uid.as_deref()).map(WritePermit::Shard)
    }

    async fn run_once(&self, key: ObjectKey, attempt: Attempt, permit: WritePermit) -> ReconcileOutcome {
        let permit = Arc::new(permit);
        let context = Context::new(Arc::new(self.run(&key, permit.clone())), self.state.clone());
        let number = attempt.number;
        let ended = self.step(&context, &permit, number).await;
        let counters = &self.counters;
        let outcome = match ended {
            Ended::Next(Next::Act(action)) => {
                counters.count_success(action);
                ReconcileOutcome::Success(action)
            }
            Ended::Next(Next::WhenSeen) => {
                counters.count_success(Action::Done);
                if self.own_writes.are_seen(&key, &attempt) {
                    ReconcileOutcome::Success(Action::Requeue(Duration::ZERO))
                } else {
                    ReconcileOutcome::Postponed
                }
            }
            Ended::Failed(error) => self.on_error(&context, &error),
            Ended::Panicked(message) => {
                count(&counters.panics);
                ReconcileOutcome::Panic(message)
            }
            Ended::TimedOut(timed_out) => {
                count(&counters.failures);
                count(&counters.timeouts);
                ReconcileOutcome::Failure { error: timed_out.to_string(), retry_in: None }
            }
        };
        if self.reports_failures
            && let Some(event) = self.failure_texts.event(number, &outcome)
            && let Some(object) = context.get()
        {
            context.event(&object, event);
        }
        outcome
    }

    /// Adds the keys of shards that are acquired. Runs until it is dropped.
    pub(super) async fn follow_shards(self: Arc<Self>, queue: Queue<ObjectKey>) {
        if let Some(shards) = &self.shards
            && let Some(lister) = self.caches.reconciled::<K>()
        {
            let objects = || {
                let objects = lister.snapshot().into_iter();
                objects.filter_map(|object| Some((ObjectKey::of(&*object), object.uid()?.to_owned()))).collect()
            };
            let forget = |is_kept: &dyn Fn(&ObjectKey) -> bool| {
                self.finalizers.retain(is_kept);
                self.own_writes.retain(is_kept);
                self.applied.retain(is_kept);
                self.pause.iter().for_each(|pause| pause.retain(is_kept));
                self.requests.iter().for_each(|requests| requests.retain(is_kept));
                if let Some(inventories) = &self.inventories {
                    inventories.retain(is_kept);
                }
            };
            shards.follow(&self.caches, &queue, objects, forget).await;
        }
        pending::<()>().await;
    }

    fn on_error(&self, context: &Context<K, T>, error: &Error) -> ReconcileOutcome {
        let retry = retry_of(error);
        let cleans_up = || match context.get() {
            Some(object) => object.is_terminating(),
            None => self.finalizers.uid_of_uncached(context.key()).is_some(),
        };
        if retry == Retry::Backoff
            && let Some(ends) = NamespaceEnds::find(&**error)
            // Another namespace may never have existed, such as one with a mistake in its name.
            && (!ends.is_gone || context.key().namespace() == Some(&*ends.namespace))
            // A clean-up that cannot complete delays the end of the namespace, so it remains a failure.
            && !cleans_up()
        {
            return self.on_namespace_end(context.key(), &ends);
        }
        self.failure(retry, describe(error))
    }

    /// An object is deleted with its namespace, which reconciles it again. It is no failure that nothing is created any more.
    fn on_namespace_end(&self, key: &ObjectKey, ends: &NamespaceEnds) -> ReconcileOutcome {
        tracing::debug!(%key, "the object is not reconciled: {ends}");
        let is_own = key.namespace() == Some(&*ends.namespace);
        let action = if is_own { Action::Done } else { Action::Requeue(namespace_end::RETRY) };
        self.counters.count_success(action);
        ReconcileOutcome::Success(action)
    }

    fn failure(&self, retry: Retry, error: String) -> ReconcileOutcome {
        if retry == Retry::Never {
            count(&self.counters.terminal_failures);
            return ReconcileOutcome::TerminalFailure(error);
        }
        count(&self.counters.failures);
        let retry_in = if let Retry::After(delay) = retry { Some(delay) } else { None };
        ReconcileOutcome::Failure { error, retry_in }
    }

    pub(super) fn run(&self, key: &ObjectKey, permit: Arc<WritePermit>) -> Run<K> {
        let recorder = Recorder {
            own_writes: self.own_writes.clone(),
            loops: self.loops.clone(),
            permit: permit.clone(),
            key: key.clone(),
            before: Mutex::default(),
        };
        Run {
            kind: self.kind.clone(),
            key: key.clone(),
            client: self.client.with_write_hook(Arc::new(recorder)),
            caches: self.caches.clone(),
            statuses: Mutex::default(),
            wanted: Mutex::default(),
            applied: self.applied.clone(),
            applier: self.applier.clone(),
            permit,
            request: OnceLock::new(),
            events: self.events.clone(),
            inventories: self.inventories.clone(),
            planned: None,
        }
    }

    /// Does one step under the clock of the client, until the time limit.
    pub(super) async fn step(&self, context: &Context<K, T>, permit: &WritePermit, attempt: u32) -> Ended {
        let mut step = pin!(self.next(context, permit, attempt));
        let clock = &self.client.options.clock;
        let driven = poll_fn(|waker| clock.run(|| step.as_mut().poll(waker)));
        // Unwind safe: the state that this crate shares with the function is consistent between calls.
        match timeout(self.timeout, AssertUnwindSafe(driven).catch_unwind()).await {
            Ok(Ok(Ok(next))) => Ended::Next(next),
            Ok(Ok(Err(error))) => Ended::Failed(error),
            Ok(Err(panic)) => Ended::Panicked(PanicMessage::from_payload(&*panic)),
            Err(_) => Ended::TimedOut(TimedOut(self.timeout)),
        }
    }

    async fn next(&self, context: &Context<K, T>, permit: &WritePermit, attempt: u32) -> Result<Next, Error> {
        let object = context.get();
        if object.as_ref().and_then(|object| object.uid()).is_some_and(|uid| !permit.covers(uid)) {
            // It was replaced meanwhile.
            return Ok(Next::Act(Action::Requeue(Duration::ZERO)));
        }
        // The caches never have what a plan writes, so a planned run goes on with it.
        let ends = |next: &Next| context.run.planned.is_none() || matches!(next, Next::Act(_));
        if let Some(next) = self.pause(object.as_deref(), context).await?.filter(ends) {
            return Ok(next);
        }
        if let Some(next) = self.finalizers.process(object.as_ref(), context).await?.filter(ends) {
            return Ok(next);
        }
        if object.is_none() {
            self.applied.remove(context.key());
            if let Some(inventories) = &self.inventories {
                inventories.forget(context.key());
            }
            self.requests.iter().for_each(|requests| requests.forget(context.key()));
        }
        let requested = self.requests.as_ref().zip(object.clone()).and_then(|(requests, object)| {
            let request = requests.pending(context.key(), &*object)?;
            Some((requests, object, context.run.request.get_or_init(|| request)))
        });
        let called = self.call(context, object, attempt).await;
        if let Some((requests, object, request)) = requested {
            let recorded = requests.end(&*object, request, called.is_err(), &context.run).await;
            return Ok(Next::Act(called.and_then(|action| recorded.map(|()| action))?));
        }
        Ok(Next::Act(called?))
    }

    /// Calls the function, and writes what it left to the end of the run.
    async fn call(&self, context: &Context<K, T>, object: Option<Arc<K>>, attempt: u32) -> Result<Action, Error> {
        let is_terminating = object.as_ref().is_some_and(|object| object.is_terminating());
        let reported = object.clone().filter(|_| self.failure_condition.is_some());
        let reconciled = match (&self.function, object) {
            (Function::OfKeys(reconcile), _) => reconcile(context.key().clone(), context.clone()),
            (Function::OfObjects(reconcile), Some(object)) if !is_terminating => reconcile(object, context.clone()),
            (Function::OfObjects(_), _) => return Ok(Action::Done),
        };
        let outcome = reconciled.await;
        if let (Some(set), Some(object)) = (&self.failure_condition, &reported) {
            self.set_failure_condition(context, set, object, attempt, &outcome);
        }
        let extent = if is_terminating {
            Extent::CleanUp
        } else if matches!(outcome, Ok(Action::Requeue(_))) {
            Extent::Requeued
        } else {
            Extent::All
        };
        context.run.finish(outcome, extent).await
    }

    /// Returns what follows if an annotation pauses the object, or has paused it before.
    async fn pause(&self, object: Option<&K>, context: &Context<K, T>) -> Result<Option<Next>, Error> {
        let Some(pause) = &self.pause else {
            return Ok(None);
        };
        let is_paused = match object {
            Some(object) => pause.pauses(object),
            None => self.finalizers.is_uncached_paused(context.key(), pause),
        };
        pause.process(object, is_paused, &context.run).await
    }

    fn set_failure_condition(
        &self,
        context: &Context<K, T>,
        set: &FailureCondition<K>,
        object: &K,
        attempt: u32,
        outcome: &Result<Action, Error>,
    ) {
        match outcome {
            Ok(_) => set(&context.run, object, None),
            Err(error) => {
                if let Some(message) = self.failure_texts.message(attempt, error) {
                    set(&context.run, object, Some(&message));
                }
            }
        }
    }
}

impl<K: ReconciledKind> Run<K> {
    /// Writes what a function left to the end of the run, and returns what it returned.
    pub(super) async fn finish(&self, outcome: Result<Action, Error>, extent: Extent) -> Result<Action, Error> {
        let written = self.write_statuses().await;
        let action = outcome?;
        written?;
        self.prune_owned(extent).await?;
        Ok(action)
    }
}
