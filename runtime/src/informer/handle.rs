//! A running informer.

use std::{fmt, sync::Arc};

use super::{
    CacheObject, UnreadableObject,
    error::{Problem, Problems, WatchError},
    events::Subscription,
    health::{Gauge, Health},
    shared::{Outcome, Shared},
    store::Lister,
    threads::Threads,
};

/// A copy of objects in this process, which watches keep up to date.
///
/// Clones are handles to the same informer, and so are [listers](Self::lister) and [subscriptions](Self::subscribe): when
/// the last of them is dropped, the informer ends.
#[doc(alias("SharedIndexInformer", "SharedInformer", "reflector"))]
pub struct Informer<T: CacheObject> {
    running: Arc<Running<T>>,
}

/// Ends the watches when it is dropped.
pub(super) struct Running<T: CacheObject> {
    pub(super) shared: Arc<Shared<T>>,
    /// Where the watches run, if that is not the caller's.
    _threads: Option<Arc<Threads>>,
}

impl<T: CacheObject> Running<T> {
    pub(super) fn new(shared: Arc<Shared<T>>, threads: Option<Arc<Threads>>) -> Self {
        Self {
            shared,
            _threads: threads,
        }
    }
}

/// Not all objects can be read. The informer tries again, so it may be better to wait once more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SyncError {
    /// The API server refuses some of the watches; what the others told is in the store.
    #[error("{}", explain(.0))]
    Refused(Vec<RefusedWatch>),
    /// The informer was stopped before all objects were read.
    #[error("the informer was stopped")]
    Stopped,
}

/// A watch that the API server refuses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RefusedWatch {
    /// The namespace; `None` for all, and for kinds of the cluster.
    pub namespace: Option<Arc<str>>,
    /// What the API server said.
    pub error: Arc<WatchError>,
}

/// Why it cannot be said when a write is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// The object has no `metadata.resourceVersion`: it is not as the API server sent it.
    #[error("the object has no `metadata.resourceVersion`: wait for what the API server answered")]
    NoVersion,
    /// The informer does not watch the namespace of the object.
    #[error("the namespace of the object is not watched")]
    NotWatched,
    /// The informer was stopped.
    #[error("the informer was stopped")]
    Stopped,
}

impl<T: CacheObject> Informer<T> {
    pub(super) fn new(running: Arc<Running<T>>) -> Self {
        Self { running }
    }

    pub(super) fn running(&self) -> &Arc<Running<T>> {
        &self.running
    }

    /// The objects, for reading.
    pub fn lister(&self) -> Lister<T> {
        let lister = self.shared().cache.store.lister();
        lister.keeping(self.running.clone())
    }

    /// What happens to the objects, from now on: first all that there are as added, then each change.
    pub fn subscribe(&self) -> Subscription<T> {
        let running = self.running.clone();
        let snapshots = Arc::new(move || running.shared.cache.snapshot());
        self.shared().cache.subscribe().with_snapshots(snapshots)
    }

    /// Waits until all objects that there are have been read once.
    ///
    /// # Errors
    ///
    /// If the API server refuses a watch, such as that of a namespace to which the user has no right, as soon as all
    /// others have told what there is. The informer asks again all the same.
    pub async fn synced(&self) -> Result<(), SyncError> {
        let shared = self.shared();
        let mut progress = shared.progress();
        loop {
            if let Some(outcomes) = shared.outcomes() {
                return self.judge(outcomes);
            }
            if shared.is_stopped() {
                return Err(SyncError::Stopped);
            }
            // It cannot be closed: the sender lives as long as this handle does.
            let _ = progress.changed().await;
        }
    }

    /// Waits until the store shows what was written, or something newer: reads that come after see it.
    ///
    /// If resourceVersions are no numbers, it waits for exactly this state. A state that does not fit the type counts as seen,
    /// and an object that the informer's selectors leave out does once the
    /// watch has gone past it, which may take until the next bookmark, about a minute.
    ///
    /// # Errors
    ///
    /// If it cannot be said when that is.
    pub async fn wait_for(
        &self,
        written: &impl CacheObject<Kind = T::Kind>,
    ) -> Result<(), WaitError> {
        let shared = self.shared();
        let version = written.resource_version().ok_or(WaitError::NoVersion)?;
        let gauge = self.gauge_of(written).ok_or(WaitError::NotWatched)?;
        let mut progress = shared.progress();
        loop {
            if self.shows(written, version, gauge) {
                return Ok(());
            }
            if shared.is_stopped() {
                return Err(WaitError::Stopped);
            }
            let _ = progress.changed().await;
        }
    }

    /// How well the informer works.
    pub fn health(&self) -> Health {
        let shared = self.shared();
        Health {
            watches: shared.gauges.iter().map(Gauge::read).collect(),
            executor: shared.executor(),
            objects: shared.cache.store.len(),
            undecodable: shared.reports.undecodable_objects(),
            unreadable: shared.cache.unreadable_objects(),
            panics: shared.reports.panics(),
        }
    }

    /// The objects that do not fit the type now, sorted by namespace and name: the store does not have them, or shows an
    /// earlier state.
    ///
    /// An object is among them from when such a state of it is read until one that fits is, it is deleted, or it is no longer
    /// among those that are watched.
    pub fn unreadable(&self) -> Vec<UnreadableObject> {
        self.shared().cache.unreadable()
    }

    /// What goes wrong: first what stands now, then what comes. One that comes while this is called may be told twice.
    ///
    /// What stands are [objects that do not fit](Self::unreadable); panics of a transform and of closures of indexes on
    /// objects, each until the object changes or is gone; and watches that ended with an error and have not gone on since.
    ///
    /// The last 256 problems wait for whoever is slow to hear of them; all are counted in the [health](Self::health) and
    /// told through `tracing`. Each state of an object that does not fit is one problem, however often it is read.
    pub fn problems(&self) -> Problems {
        let shared = self.shared();
        let problems = shared.reports.listen();
        let unreadable = shared.cache.unreadable().into_iter();
        let unreadable = unreadable.map(|object| object.problem);
        let panics = shared.cache.panics();
        let failed = shared.gauges.iter().filter_map(|gauge| {
            let (namespace, error) = (gauge.namespace(), gauge.failed()?);
            Some(Problem::Watch { namespace, error })
        });
        problems.after(unreadable.chain(panics).chain(failed))
    }

    /// Ends the informer, whoever still has a handle. The store stays as it is.
    pub fn stop(&self) {
        self.shared().stop();
    }

    fn shared(&self) -> &Shared<T> {
        &self.running.shared
    }

    fn judge(&self, outcomes: Vec<Outcome>) -> Result<(), SyncError> {
        let refused: Vec<_> = outcomes
            .into_iter()
            .zip(&self.shared().gauges)
            .filter_map(|(outcome, gauge)| {
                let namespace = gauge.namespace();
                Some(RefusedWatch {
                    error: outcome.err()?,
                    namespace,
                })
            })
            .collect();
        match refused.is_empty() {
            true => Ok(()),
            false => Err(SyncError::Refused(refused)),
        }
    }

    /// The watch that tells of an object.
    fn gauge_of(&self, object: &impl CacheObject) -> Option<&Gauge> {
        let gauges = &mut self.shared().gauges.iter();
        gauges.find(|gauge| {
            let namespace = gauge.namespace();
            namespace.is_none() || namespace.as_deref() == object.namespace()
        })
    }

    fn shows(&self, written: &impl CacheObject, version: &str, gauge: &Gauge) -> bool {
        let lister = self.lister();
        let object = lister.find(written.namespace(), written.name());
        let shown = object.as_ref().and_then(|object| object.resource_version());
        if shown == Some(version) {
            return true;
        }
        let Ok(version) = version.parse::<u64>() else {
            return false;
        };
        let shown = shown.and_then(|shown| shown.parse::<u64>().ok());
        shown
            .max(gauge.position())
            .is_some_and(|newest| newest >= version)
    }
}

impl<T: CacheObject> Clone for Informer<T> {
    fn clone(&self) -> Self {
        Self::new(self.running.clone())
    }
}

impl<T: CacheObject> fmt::Debug for Informer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Informer")
            .field("health", &self.health())
            .finish_non_exhaustive()
    }
}

impl<T: CacheObject> Drop for Running<T> {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

fn explain(refused: &[RefusedWatch]) -> String {
    let watches = refused.iter().map(|watch| match &watch.namespace {
        Some(namespace) => format!("`{namespace}`: {}", watch.error),
        None => watch.error.to_string(),
    });
    watches.collect::<Vec<_>>().join("; ")
}
