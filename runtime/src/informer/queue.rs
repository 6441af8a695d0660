//! A work queue of object keys.

use std::{
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};

use self::{
    ready::{GroupOf, Priority},
    state::QueueState,
};
use crate::client::backoff_formula::random;

mod backoff;
mod drain_timed_out;
mod fairness;
mod feed;
mod key;
pub(crate) mod metrics;
pub(crate) mod owners;
mod rate_limit;
mod ready;
mod retries;
mod run;
pub(crate) mod source;
mod state;
mod trigger;
mod work_item;

pub use backoff::Backoff;
pub use drain_timed_out::DrainTimedOut;
pub(super) use key::KeyRef;
pub use key::ObjectKey;
pub use metrics::QueueMetrics;
pub use owners::StaticScope;
pub(super) use owners::owner_keys;
pub use run::Action;
pub(crate) use run::{ReconcileOutcome, into_outcome};
pub(crate) use source::EventObserver;
pub(super) use source::QueueSource;
pub(crate) use trigger::{Attempt, Trigger};
pub use work_item::WorkItem;

/// Default drain timeout: the default of controller-runtime's `GracefulShutdownTimeout`.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);

#[doc(alias("workqueue", "work queue", "RateLimitingInterface", "RateLimiting"))]
#[doc = include_str!("queue/queue.md")]
pub struct Queue<Q> {
    shared: Arc<QueueShared<Q>>,
    backoff: Backoff,
    drain_timeout: Duration,
}

struct QueueShared<Q> {
    state: Mutex<QueueState<Q>>,
    changed: Notify,
    shutdown: Notify,
    started: Instant,
}

impl<Q: Clone + Eq + Hash> Queue<Q> {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self::with_groups(|_| 0)
    }

    /// Creates an empty queue whose groups of keys take turns.
    pub(super) fn with_groups(group_of: GroupOf<Q>) -> Self {
        Self {
            shared: Arc::new(QueueShared {
                state: Mutex::new(QueueState::new(group_of)),
                changed: Notify::new(),
                shutdown: Notify::new(),
                started: Instant::now(),
            }),
            backoff: Backoff::default(),
            drain_timeout: DRAIN_TIMEOUT,
        }
    }

    /// Sets the back-off for keys that are added through this handle.
    #[must_use]
    pub fn with_backoff(self, backoff: Backoff) -> Self {
        Self { backoff, ..self }
    }

    /// Sets how long [`run`](Self::run) through this handle waits for running reconciliations after shutdown: 30 s by
    /// default, as controller-runtime's `GracefulShutdownTimeout`.
    ///
    /// With zero, they are cancelled immediately. With [`Duration::MAX`], there is no limit.
    #[must_use]
    pub fn with_drain_timeout(self, drain_timeout: Duration) -> Self {
        Self { drain_timeout, ..self }
    }

    /// Adds a key, unless it is already queued.
    ///
    /// A key that is currently claimed is handed out again after its [`WorkItem`] is dropped.
    pub fn add(&self, key: Q) {
        self.add_all([(key, Priority::Changed, Trigger::Added)]);
    }

    /// Adds the key of a run that did not take place, with the priority and the trigger of that run.
    pub(crate) fn add_again(&self, key: Q, run: &Attempt) {
        self.add_all([(key, run.priority, run.trigger.clone())]);
    }

    /// Adds keys as those of an initial list.
    pub(crate) fn add_listed(&self, keys: impl IntoIterator<Item = Q>) {
        self.add_all(keys.into_iter().map(|key| (key, Priority::Listed, Trigger::FirstList)));
    }

    /// Adds keys behind those of objects that changed.
    pub(crate) fn add_behind(&self, keys: impl IntoIterator<Item = Q>) {
        self.add_all(keys.into_iter().map(|key| (key, Priority::Listed, Trigger::Added)));
    }

    /// Adds a key after a delay.
    ///
    /// If the key is already delayed, the earlier time applies. If the key is [added](Self::add) before that time, it
    /// is handed out immediately, and once more when the delay has passed. A key that is claimed keeps the
    /// [priority](Self#order) of its claim.
    pub fn add_after(&self, key: Q, delay: Duration) {
        self.change(|state, now| state.add_at(key, now.saturating_add(delay), Trigger::Requeue, now));
    }

    /// Adds a key after its back-off delay, and returns the delay.
    ///
    /// The delay grows with each call until the key is [forgotten](Self::forget), and replaces an earlier one. Afterwards the key
    /// may wait for the limit over all keys: see [`Backoff`]. If the key is [added](Self::add) and claimed before, it is
    /// not handed out once more. A key that is claimed keeps the [priority](Self#order) of its claim.
    pub fn add_with_backoff(&self, key: Q) -> Duration {
        let delay = |failures| self.backoff.delay(failures, random());
        self.change(|state, now| state.add_retry(key, self.backoff.limit(), now, delay))
    }

    /// Adds a key after a delay, and counts a retry as [`add_with_backoff`](Self::add_with_backoff) does. Returns the delay.
    fn add_retry(&self, key: Q, delay: Duration) -> Duration {
        self.change(|state, now| state.add_retry(key, None, now, |_| delay))
    }

    /// Returns how often the key was added with back-off since it was last forgotten.
    pub fn retries(&self, key: &Q) -> u32 {
        self.state().failures(key)
    }

    /// Resets the back-off of a key after a success, and removes its retry. If the key is queued, it stays queued.
    ///
    /// If the key is claimed as a retry, two other keys that wait for the [limit](Backoff#the-limit-over-all-keys) are added.
    pub fn forget(&self, key: &Q) {
        let can_be_claimed = self.state().succeed(key, self.now());
        self.wake_if(can_be_claimed);
    }

    /// Resets the back-off of a key that is not retried although it failed.
    fn give_up(&self, key: &Q) {
        self.state().forget(key);
    }

    /// Returns the number of keys that can be claimed now.
    pub fn len(&self) -> usize {
        self.state().len()
    }

    /// Whether no key can be claimed now.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the metrics of the queue. The cost is proportional to the number of keys.
    pub fn metrics(&self) -> QueueMetrics {
        let now = self.now();
        self.state().metrics(now)
    }

    /// Returns what client-go exposes of a queue.
    pub(crate) fn sample(&self) -> metrics::QueueSample {
        let now = self.now();
        self.state().sample(now)
    }

    /// Returns the key that was claimed first, and how long ago.
    pub(crate) fn oldest_claim(&self) -> Option<(Q, Duration)> {
        let now = self.now();
        self.state().oldest_claim(now).map(|(key, age)| (key.clone(), age))
    }

    /// Waits for the next key and claims it; `None` once the queue is shut down.
    ///
    /// A claimed key is not handed out to other callers.
    ///
    /// This method is cancel safe.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime with a timer.
    pub async fn get(&self) -> Option<WorkItem<Q>> {
        loop {
            // Receives notifications from here on, even before it is polled.
            let changed = self.shared.changed.notified();
            let due = {
                let mut state = self.state();
                if let Some((key, attempt)) = state.claim_next(self.now()) {
                    return Some(WorkItem::new(self.clone(), key, attempt));
                }
                if state.is_shut_down() {
                    return None;
                }
                state.next_due()
            };
            match due {
                None => changed.await,
                Some(due) => tokio::select! {
                    () = changed => {}
                    () = sleep(due.saturating_sub(self.now())) => {}
                },
            }
        }
    }

    /// Shuts the queue down.
    ///
    /// It accepts and hands out no more keys, and drops the queued ones. Claimed keys can be completed.
    pub fn shut_down(&self) {
        self.change(|state, _| state.shut_down());
        self.shared.shutdown.notify_waiters();
    }

    fn add_all(&self, keys: impl IntoIterator<Item = (Q, Priority, Trigger)>) {
        self.change(|state, now| {
            keys.into_iter().for_each(|(key, priority, trigger)| state.add(key, priority, trigger, now));
        });
    }

    /// Claims the next key if there is one.
    fn try_get(&self) -> Option<WorkItem<Q>> {
        let (key, attempt) = self.state().claim_next(self.now())?;
        Some(WorkItem::new(self.clone(), key, attempt))
    }

    fn release(&self, key: &Q) {
        let can_be_claimed = self.state().release(key, self.now());
        self.wake_if(can_be_claimed);
    }

    /// Marks a claimed key as done after a success, and adds it again after a delay.
    fn complete(&self, key: &Q, requeue_after: Option<Duration>) {
        let now = self.now();
        let mut state = self.state();
        let admits_others = state.succeed(key, now);
        if let Some(delay) = requeue_after {
            state.add_at(key.clone(), now.saturating_add(delay), Trigger::Requeue, now);
        }
        let can_be_claimed = state.release(key, now);
        drop(state);
        self.wake_if(can_be_claimed || admits_others || requeue_after.is_some());
    }

    fn put_back(&self, key: &Q) {
        self.change(|state, now| state.put_back(key, now));
    }

    /// Waits until the queue is shut down.
    pub(crate) async fn wait_for_shutdown(&self) {
        let shutdown = self.shared.shutdown.notified();
        if !self.state().is_shut_down() {
            shutdown.await;
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut QueueState<Q>, Duration) -> T) -> T {
        let result = change(&mut self.state(), self.now());
        self.wake_if(true);
        result
    }

    /// Wakes all waiters, because a single one may be about to be cancelled.
    fn wake_if(&self, is_changed: bool) {
        if is_changed {
            self.shared.changed.notify_waiters();
        }
    }

    fn now(&self) -> Duration {
        self.shared.started.elapsed()
    }
}

impl<Q> Queue<Q> {
    fn state(&self) -> MutexGuard<'_, QueueState<Q>> {
        let state = self.shared.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Q: Clone + Eq + Hash> Default for Queue<Q> {
    fn default() -> Self {
        Self::new()
    }
}

/// Creates another handle to the same queue.
impl<Q> Clone for Queue<Q> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone(), backoff: self.backoff, drain_timeout: self.drain_timeout }
    }
}

#[cfg(test)]
mod tests;
