//! Work on objects, by their keys.

use std::{
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};

use self::core::Core;
use crate::client::retry::random;

mod backoff;
mod bucket;
mod claim;
mod core;
mod feed;
mod key;
mod metrics;
mod owners;
mod run;
mod undrained;

pub use backoff::Backoff;
pub use claim::WorkItem;
pub(super) use key::KeyRef;
pub use key::ObjectKey;
pub use metrics::{DurationStats, QueueMetrics};
pub use owners::OwnerScope;
pub use run::Action;
pub use undrained::Undrained;

/// How long reconciliations that run may go on after the queue was shut down, unless set: the default of
/// controller-runtime's `GracefulShutdownTimeout`.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);

#[doc(alias("workqueue", "work queue", "RateLimitingInterface", "RateLimiting"))]
#[doc = include_str!("queue/queue.md")]
pub struct Queue<Q> {
    shared: Arc<Shared<Q>>,
    backoff: Backoff,
    drain_timeout: Duration,
}

struct Shared<Q> {
    core: Mutex<Core<Q>>,
    changed: Notify,
    shut: Notify,
    started: Instant,
}

impl<Q: Clone + Eq + Hash> Queue<Q> {
    /// An empty queue.
    pub fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                core: Mutex::new(Core::new()),
                changed: Notify::new(),
                shut: Notify::new(),
                started: Instant::now(),
            }),
            backoff: Backoff::default(),
            drain_timeout: DRAIN_TIMEOUT,
        }
    }

    /// The same queue, with another back-off for keys that are added through this handle.
    #[must_use]
    pub fn with_backoff(self, backoff: Backoff) -> Self {
        Self { backoff, ..self }
    }

    /// The same queue, with another time for [`run`](Self::run) through this handle to finish what runs when the queue is
    /// shut down: 30 s unless set, as controller-runtime's `GracefulShutdownTimeout`. With zero, nothing is waited for; with
    /// [`Duration::MAX`], all of it without end.
    #[must_use]
    pub fn with_drain_timeout(self, drain_timeout: Duration) -> Self {
        Self {
            drain_timeout,
            ..self
        }
    }

    /// Adds a key, unless it waits already. One that is claimed now waits until its claim is dropped.
    pub fn add(&self, key: Q) {
        self.add_all([key]);
    }

    /// Adds a key after a delay. If it waits for its time already, the earlier time counts. A key that is
    /// [added](Self::add) meanwhile is handed out before, and once more when its time has come.
    pub fn add_after(&self, key: Q, delay: Duration) {
        self.change(|core, now| core.add_at(key, now.saturating_add(delay), now));
    }

    /// Adds a key after a delay that grows each time, until it is [forgotten](Self::forget), and longer if very many keys
    /// are tried again: see [`Backoff`]. The delay is returned.
    pub fn add_with_backoff(&self, key: Q) -> Duration {
        self.change(|core, now| {
            let alone = self.backoff.delay(core.retry(&key), random());
            let overall = self.backoff.rate().map(|rate| core.reserve(rate, now));
            let delay = alone.max(overall.unwrap_or_default());
            core.add_at(key, now.saturating_add(delay), now);
            delay
        })
    }

    /// How often a key was added with back-off since it was forgotten.
    pub fn retries(&self, key: &Q) -> u32 {
        self.core().retries(key)
    }

    /// Lets the back-off of a key begin anew. It still waits if it does.
    pub fn forget(&self, key: &Q) {
        self.core().forget(key);
    }

    /// How many keys wait that could be claimed now.
    pub fn len(&self) -> usize {
        self.core().len()
    }

    /// Whether there is no key that could be claimed now.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the queue has done and has to do. It looks at each key.
    pub fn metrics(&self) -> QueueMetrics {
        let now = self.now();
        self.core().metrics(now)
    }

    /// The next key; `None` once the queue was shut down. A key that is claimed is handed out to nobody else.
    ///
    /// No key is lost if this is dropped before it is ready.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with a timer.
    pub async fn get(&self) -> Option<WorkItem<Q>> {
        loop {
            // It hears of all changes from here on, even before it is awaited.
            let changed = self.shared.changed.notified();
            let due = {
                let mut core = self.core();
                if let Some(key) = core.claim(self.now()) {
                    return Some(WorkItem::new(self.clone(), key));
                }
                if core.is_shut() {
                    return None;
                }
                core.next_due()
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

    /// Ends the work: no key is taken or handed out any more, those that wait are dropped, and those that are claimed can
    /// be finished.
    pub fn shut_down(&self) {
        self.change(|core, _| core.shut_down());
        self.shared.shut.notify_waiters();
    }

    fn add_all(&self, keys: impl IntoIterator<Item = Q>) {
        self.change(|core, now| keys.into_iter().for_each(|key| core.add(key, now)));
    }

    fn release(&self, key: &Q) {
        self.change(|core, now| core.release(key, now));
    }

    fn put_back(&self, key: &Q) {
        self.change(|core, now| core.put_back(key, now));
    }

    /// Waits until the queue is shut down.
    pub(super) async fn shut(&self) {
        let shut = self.shared.shut.notified();
        if !self.core().is_shut() {
            shut.await;
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Core<Q>, Duration) -> T) -> T {
        let result = change(&mut self.core(), self.now());
        // All who wait look again: one of them may be about to give up.
        self.shared.changed.notify_waiters();
        result
    }

    fn now(&self) -> Duration {
        self.shared.started.elapsed()
    }
}

impl<Q> Queue<Q> {
    fn core(&self) -> MutexGuard<'_, Core<Q>> {
        let core = self.shared.core.lock();
        core.unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Q: Clone + Eq + Hash> Default for Queue<Q> {
    fn default() -> Self {
        Self::new()
    }
}

/// Another handle to the same queue.
impl<Q> Clone for Queue<Q> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
            backoff: self.backoff,
            drain_timeout: self.drain_timeout,
        }
    }
}

#[cfg(test)]
mod tests;
