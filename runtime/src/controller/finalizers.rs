//! Adds finalizers, and cleans up before a deletion.

mod uncached;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use self::uncached::Absent;
use super::{
    Action, Context, Error, ReconciledKind,
    apply_owned::Extent,
    metrics::{Counters, count},
    pause::Pause,
    worker::{Next, Reconcile},
};
use crate::{
    client::{
        endpoint::Endpoint,
        finalizers::{FinalizerEdit, edit_finalizers},
    },
    informer::{CacheObject, ObjectKey},
};

pub(super) use uncached::{CleanUpUndecodable, Uncached};

pub(super) struct Finalizer<K: ReconciledKind, T> {
    pub(super) name: String,
    pub(super) clean_up: Reconcile<K, T>,
}

/// The finalizers of a controller, in the order in which they are processed.
pub(super) struct Finalizers<K: ReconciledKind, T> {
    all: Vec<Finalizer<K, T>>,
    /// What cleans up objects that cannot be decoded, in place of all of them.
    undecodable: Option<CleanUpUndecodable<K, T>>,
    /// `None` if the cache has all objects that can be decoded.
    uncached: Option<Uncached>,
    known: Mutex<HashMap<ObjectKey, Known>>,
    counters: Arc<Counters>,
}

/// Maximum number of finalizers of a controller.
pub(super) const MAX_FINALIZERS: usize = 64;

/// What is known about the finalizers of one object. There is one for each object, so it is small.
struct Known {
    uid: Option<Box<str>>,
    /// The finalizers that the object had: a bit for each.
    held: u64,
    /// The finalizers whose clean-up succeeded.
    cleaned: u64,
    /// Whether it was reported that the cache does not have it any longer.
    has_departed: bool,
}

impl<K: ReconciledKind, T> Finalizers<K, T> {
    pub(super) fn new(
        all: Vec<Finalizer<K, T>>,
        undecodable: Option<CleanUpUndecodable<K, T>>,
        uncached: Option<Uncached>,
        counters: Arc<Counters>,
    ) -> Self {
        Self { all, undecodable, uncached, known: Mutex::default(), counters }
    }

    /// Returns the uid of an object that the cache may not have.
    pub(super) fn uid_of_uncached(&self, key: &ObjectKey) -> Option<String> {
        self.uncached.as_ref()?.uid(key)
    }

    /// Whether an object that the cache does not have is paused.
    pub(super) fn is_uncached_paused(&self, key: &ObjectKey, pause: &Pause) -> bool {
        self.uncached.as_ref().and_then(|uncached| uncached.metadata(key)).is_some_and(|object| pause.pauses(&*object))
    }

    /// Processes the finalizers of an object, as the cache has it; `None` if nothing prevents its reconciliation.
    pub(super) async fn process(
        &self,
        cached: Option<&Arc<K>>,
        context: &Context<K, T>,
    ) -> Result<Option<Next>, Error> {
        if self.all.is_empty() {
            return Ok(None);
        }
        let absent = self.process_uncached(cached, context).await?;
        if let Absent::Cleaned(next) = absent {
            return Ok(Some(next));
        }
        let Some(object) = cached else {
            if matches!(absent, Absent::Gone) {
                self.forget(context.key());
            }
            return Ok(None);
        };
        self.observe(context.key(), &**object);
        if object.is_terminating() {
            let endpoint = context.run.kind.endpoint(context.client(), object.namespace());
            return self.clean_up_with(&endpoint, object, context).await;
        }
        if let Some(known) = self.known().get_mut(context.key()) {
            known.has_departed = false;
        }
        self.add_missing(object, context).await
    }

    /// Forgets an object that is gone.
    fn forget(&self, key: &ObjectKey) {
        let known = self.known().remove(key);
        if let Some(known) = known {
            self.report_if_forced(key, &known);
        }
    }

    /// Forgets all objects but some.
    pub(super) fn retain(&self, is_kept: impl Fn(&ObjectKey) -> bool) {
        self.known().retain(|key, _| is_kept(key));
    }

    async fn add_missing(&self, object: &Arc<K>, context: &Context<K, T>) -> Result<Option<Next>, Error> {
        let names = self.all.iter().map(|finalizer| finalizer.name.as_str());
        let missing: Vec<_> = names.filter(|name| !has(&**object, name)).collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let endpoint = context.run.kind.endpoint(context.client(), object.namespace());
        match edit_finalizers(&endpoint.any_metadata(), object.meta(), false, FinalizerEdit::Add(missing)).await {
            Err(error) if error.is_not_found() => Ok(Some(Next::Act(Action::Done))),
            added => added.map(|_| Some(Next::WhenSeen)).map_err(Error::from),
        }
    }

    /// Cleans up with the first finalizer that the object has, and removes it.
    async fn clean_up_with(
        &self,
        endpoint: &Endpoint<K>,
        object: &Arc<K>,
        context: &Context<K, T>,
    ) -> Result<Option<Next>, Error> {
        let key = context.key();
        let Some(index) = self.all.iter().position(|finalizer| has(&**object, &finalizer.name)) else {
            return Ok(None);
        };
        let (finalizer, bit) = (&self.all[index], 1 << index);
        let is_cleaned = self.known().get(key).is_some_and(|known| known.cleaned & bit != 0);
        if !is_cleaned {
            let outcome = (finalizer.clean_up)(object.clone(), context.clone()).await;
            let action = context.run.finish(outcome, Extent::CleanUp).await?;
            if action != Action::Done {
                return Ok(Some(Next::Act(action)));
            }
            if let Some(known) = self.known().get_mut(key) {
                known.cleaned |= bit;
            }
        }
        let edit = FinalizerEdit::Remove(vec![&finalizer.name]);
        edit_finalizers(&endpoint.any_metadata(), object.meta(), false, edit).await?;
        Ok(Some(Next::WhenSeen))
    }

    /// Records the finalizers of an object.
    fn observe(&self, key: &ObjectKey, object: &impl CacheObject) {
        let uid = object.uid().map(Box::from);
        let mut all = self.known();
        if all.get(key).is_some_and(|known| known.uid != uid)
            && let Some(earlier) = all.remove(key)
        {
            self.report_if_forced(key, &earlier);
        }
        let known = all.entry(key.clone()).or_insert(Known { uid, held: 0, cleaned: 0, has_departed: false });
        let held = self.all.iter().enumerate().filter(|(_, finalizer)| has(object, &finalizer.name));
        known.held |= held.map(|(index, _)| 1 << index).sum::<u64>();
    }

    fn report_if_forced(&self, key: &ObjectKey, known: &Known) {
        let skipped = known.held & !known.cleaned;
        let skipped: Vec<_> = self
            .all
            .iter()
            .enumerate()
            .filter(|(index, _)| skipped & (1 << index) != 0)
            .map(|(_, finalizer)| finalizer.name.as_str())
            .collect();
        if skipped.is_empty() {
            return;
        }
        count(&self.counters.forced_deletions);
        let finalizers = skipped.join(", ");
        tracing::warn!(%key, finalizers, "somebody else removed the finalizers of the object before its clean-up");
    }

    fn known(&self) -> MutexGuard<'_, HashMap<ObjectKey, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has(object: &impl CacheObject, name: &str) -> bool {
    object.finalizers().any(|finalizer| finalizer == name)
}
