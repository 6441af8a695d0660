//! Holds the keys of namespaces whose objects are not all listed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::future::select_all;
use tokio::sync::Notify;

use super::dependencies::Dependencies;
use crate::informer::{Attempt, ObjectKey, Queue};

/// Delays the keys of a namespace until each informer of several namespaces has listed it: a reconciler that creates objects that it
/// does not find in a cache would create them again.
pub(super) struct Gate {
    dependencies: Dependencies,
    held: Mutex<HashMap<ObjectKey, Attempt>>,
    holds_more: Notify,
}

impl Gate {
    pub(super) fn new(dependencies: Dependencies) -> Arc<Self> {
        Arc::new(Self { dependencies, held: Mutex::default(), holds_more: Notify::new() })
    }

    pub(super) fn dependencies(&self) -> &Dependencies {
        &self.dependencies
    }

    /// Whether a key waits for its namespace. It is added to the queue again later.
    pub(super) fn holds(&self, key: &ObjectKey, attempt: &Attempt) -> bool {
        if self.dependencies.have_listed(key.namespace()) {
            return false;
        }
        self.held().insert(key.clone(), attempt.clone());
        self.holds_more.notify_one();
        true
    }

    /// Adds the keys of namespaces that were listed. Runs until it is dropped.
    pub(super) async fn follow(&self, queue: &Queue<ObjectKey>) {
        loop {
            // These receive what changes from here on.
            let mut progress = self.dependencies.progress();
            self.release(queue);
            if self.held().is_empty() {
                self.holds_more.notified().await;
                continue;
            }
            // An error means that the informer is gone, and then the queue is shut down.
            let changes = progress.iter_mut().map(|progress| Box::pin(progress.changed()));
            let _ = select_all(changes).await;
        }
    }

    fn release(&self, queue: &Queue<ObjectKey>) {
        let mut held = self.held();
        let listed: Vec<_> = held.extract_if(|key, _| self.dependencies.have_listed(key.namespace())).collect();
        drop(held);
        listed.into_iter().for_each(|(key, attempt)| queue.add_again(key, &attempt));
    }

    fn held(&self) -> MutexGuard<'_, HashMap<ObjectKey, Attempt>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
