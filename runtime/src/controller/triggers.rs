//! Streams of a program that add keys to the queue of a controller.

use std::{
    collections::HashSet,
    fmt,
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use futures_util::{FutureExt, StreamExt, future::BoxFuture, stream::BoxStream};
use tokio::{
    sync::oneshot,
    task::{JoinSet, coop::consume_budget},
};

use super::{Error, error::describe, metrics::count};
use crate::{
    clock::Clock,
    informer::{ObjectKey, PanicMessage, Queue, places::Places},
};

/// An item of a [trigger](super::ControllerBuilder::trigger): a key, several keys, or a `Result` of them.
pub trait TriggerItem {
    /// Returns the objects that are reconciled.
    ///
    /// # Errors
    ///
    /// The error of the stream, if the item is one.
    fn into_keys(self) -> Result<TriggeredKeys, Error>;
}

/// The objects that an item of a [trigger](super::ControllerBuilder::trigger) reconciles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TriggeredKeys {
    /// The objects with these keys.
    Keys(Vec<ObjectKey>),
    /// All objects of the controller, behind those that changed, as after a resync.
    All,
}

impl TriggerItem for TriggeredKeys {
    fn into_keys(self) -> Result<Self, Error> {
        Ok(self)
    }
}

impl TriggerItem for ObjectKey {
    fn into_keys(self) -> Result<TriggeredKeys, Error> {
        vec![self].into_keys()
    }
}

impl TriggerItem for Vec<ObjectKey> {
    fn into_keys(self) -> Result<TriggeredKeys, Error> {
        Ok(TriggeredKeys::Keys(self))
    }
}

impl<I: TriggerItem, E: Into<Error>> TriggerItem for Result<I, E> {
    fn into_keys(self) -> Result<TriggeredKeys, Error> {
        self.map_err(Into::into)?.into_keys()
    }
}

/// A stream with a name.
pub(super) struct TriggerStream {
    pub(super) name: String,
    pub(super) items: BoxStream<'static, Result<TriggeredKeys, Error>>,
}

/// What health checks and metrics show of a trigger.
#[derive(Default)]
pub(super) struct TriggerMonitor {
    pub(super) name: String,
    /// The keys that were added.
    pub(super) keys: AtomicU64,
    pub(super) errors: AtomicU64,
    progress: Mutex<Progress>,
}

/// How far a trigger is.
#[derive(Default)]
enum Progress {
    /// It runs, or has not started.
    #[default]
    Works,
    /// The last item was this error.
    Fails(String),
    Ended,
    Panicked,
}

impl TriggerMonitor {
    /// Whether the stream has not ended.
    pub(super) fn is_open(&self) -> bool {
        matches!(*self.progress(), Progress::Works | Progress::Fails(_))
    }

    /// Describes what is wrong, if anything is.
    pub(super) fn problem(&self) -> Option<String> {
        match &*self.progress() {
            Progress::Works => None,
            Progress::Fails(error) => Some(format!("`{}` fails: {error}", self.name)),
            Progress::Ended => Some(format!("`{}` has ended", self.name)),
            Progress::Panicked => Some(format!("`{}` panicked", self.name)),
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The keys that objects of a controller can have.
pub(super) struct KeySpace {
    is_namespaced: bool,
    /// `None` for all.
    namespaces: Option<HashSet<String>>,
}

impl KeySpace {
    pub(super) fn of(is_namespaced: bool, places: &Places) -> Self {
        let namespaces = match places {
            Places::Namespaces(names) => Some(names.iter().cloned().collect()),
            // Those of the manager may change, and its reconciliations begin only there.
            Places::All | Places::OfFactory => None,
        };
        Self { is_namespaced, namespaces }
    }

    /// Whether the key is one of the selected namespaces.
    fn selects(&self, key: &ObjectKey) -> bool {
        match (&self.namespaces, key.namespace()) {
            (Some(namespaces), Some(namespace)) => namespaces.contains(namespace),
            _ => true,
        }
    }

    /// A key of another scope is a mistake of the program.
    fn check(&self, key: &ObjectKey) -> Result<(), WrongScope> {
        if key.namespace().is_some() == self.is_namespaced { Ok(()) } else { Err(WrongScope(key.clone())) }
    }
}

/// A key with a namespace of an object without one, or the other way round.
struct WrongScope(ObjectKey);

impl fmt::Display for WrongScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, has) = (&self.0, if self.0.namespace().is_some() { "no namespace" } else { "a namespace" });
        write!(f, "the key `{key}` names no object: an object of this kind has {has}")
    }
}

/// Where the keys of a controller's triggers go.
pub(super) struct TriggerTarget {
    pub(super) controller: String,
    pub(super) queue: Queue<ObjectKey>,
    pub(super) keys: KeySpace,
    /// Returns the keys of all objects in the cache.
    pub(super) all: Box<dyn Fn() -> Vec<ObjectKey> + Send + Sync>,
    pub(super) clock: Clock,
}

/// The tasks that read the streams. Dropping them stops them.
pub(super) struct RunningTriggers {
    pub(super) monitors: Vec<Arc<TriggerMonitor>>,
    _tasks: JoinSet<()>,
}

impl RunningTriggers {
    /// Reads each stream in a task of its own, from when the caches are synced, until `stopped` completes.
    pub(super) fn start(
        triggers: Vec<TriggerStream>,
        target: TriggerTarget,
        synced: oneshot::Receiver<()>,
        stopped: impl Fn() -> BoxFuture<'static, ()>,
    ) -> Self {
        let (target, synced) = (Arc::new(target), synced.map(|synced| synced.is_ok()).shared());
        let mut tasks = JoinSet::new();
        let monitors = triggers.into_iter().map(|TriggerStream { name, items }| {
            let monitor = Arc::new(TriggerMonitor { name, ..TriggerMonitor::default() });
            let reader = Reader { target: target.clone(), monitor: monitor.clone() };
            let (synced, stopped) = (synced.clone(), stopped());
            let read = async move {
                tokio::select! {
                    biased;
                    () = stopped => {}
                    () = async {
                        if synced.await {
                            reader.read(items).await;
                        }
                    } => {}
                }
            };
            tasks.spawn(target.clock.drive(read.boxed()));
            monitor
        });
        Self { monitors: monitors.collect(), _tasks: tasks }
    }
}

/// Reads one stream.
struct Reader {
    target: Arc<TriggerTarget>,
    monitor: Arc<TriggerMonitor>,
}

impl Reader {
    async fn read(&self, mut items: BoxStream<'static, Result<TriggeredKeys, Error>>) {
        let (controller, trigger) = (&self.target.controller, &self.monitor.name);
        loop {
            // Unwind safe, because the stream shares no state with this crate, and is not polled again.
            let item = match AssertUnwindSafe(items.next()).catch_unwind().await {
                Ok(Some(item)) => item,
                Ok(None) => {
                    *self.monitor.progress() = Progress::Ended;
                    tracing::warn!(controller, trigger, "a trigger has ended, and adds no keys any longer");
                    return;
                }
                Err(panic) => {
                    let message = PanicMessage::from_payload(&*panic);
                    tracing::error!(controller, trigger, panic = message.unredacted(), "a trigger panicked");
                    *self.monitor.progress() = Progress::Panicked;
                    return;
                }
            };
            match item {
                Ok(keys) => self.add(keys),
                Err(error) => self.fail(describe(&error)),
            }
            // Lets others run if the stream never waits.
            consume_budget().await;
        }
    }

    fn add(&self, keys: TriggeredKeys) {
        let TriggeredKeys::Keys(keys) = keys else {
            let all = (self.target.all)();
            self.succeed(all.len());
            return self.target.queue.add_behind(all);
        };
        let mut added = 0;
        let mut wrong = None;
        for key in keys {
            if let Err(problem) = self.target.keys.check(&key) {
                wrong = Some(problem);
            } else if self.target.keys.selects(&key) {
                self.target.queue.add(key);
                added += 1;
            } else {
                tracing::debug!(%key, trigger = self.monitor.name, "the key is in a namespace that is not selected");
            }
        }
        self.succeed(added);
        if let Some(wrong) = wrong {
            self.fail(wrong.to_string());
        }
    }

    fn succeed(&self, added: usize) {
        self.monitor.keys.fetch_add(added as u64, Ordering::Relaxed);
        *self.monitor.progress() = Progress::Works;
    }

    fn fail(&self, error: String) {
        count(&self.monitor.errors);
        tracing::warn!(controller = self.target.controller, trigger = self.monitor.name, error, "a trigger failed");
        *self.monitor.progress() = Progress::Fails(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_keys_or_errors() {
        let key = ObjectKey::new("a", "b");
        let keys = |item: Result<TriggeredKeys, Error>| item.map_err(|error| error.to_string());
        let one = Ok(TriggeredKeys::Keys(vec![key.clone()]));
        assert_eq!(keys(key.clone().into_keys()), one);
        assert_eq!(keys(Ok::<_, Error>(vec![key]).into_keys()), one);
        assert_eq!(keys(Err::<TriggeredKeys, _>("no connection").into_keys()), Err("no connection".to_owned()));
    }

    #[test]
    fn keys_have_the_scope_of_the_kind() {
        let namespaced = KeySpace { is_namespaced: true, namespaces: Some(HashSet::from(["a".to_owned()])) };
        let in_a = ObjectKey::new("a", "x");
        assert!(namespaced.check(&in_a).is_ok() && namespaced.selects(&in_a));
        assert!(!namespaced.selects(&ObjectKey::new("b", "x")));
        let problem = namespaced.check(&ObjectKey::new(None, "x")).err().map(|problem| problem.to_string());
        assert_eq!(problem.unwrap(), "the key `x` names no object: an object of this kind has a namespace");
        let cluster = KeySpace { is_namespaced: false, namespaces: None };
        assert!(cluster.check(&in_a).is_err() && cluster.check(&ObjectKey::new(None, "x")).is_ok());
    }
}
