//! Runs the watches of an informer.

use std::{any::Any, future::pending, io, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use tokio::{
    runtime::Handle,
    sync::watch,
    task::{AbortHandle, JoinSet},
};

use super::{
    PanicMessage,
    error::WatchError,
    health::{Executor, Gauge},
    places::NumberedNamespaces,
    reflector::Reflector,
    shared::InformerState,
    threads::Threads,
};
use crate::client::Client;

/// Creates a watch, whose requests a client sends.
pub(super) type CreateWatch = Box<dyn Fn(&Client, Arc<Gauge>) -> Reflector + Send + Sync>;

/// Starts the watches.
///
/// They use the threads and connections that informers share if the configuration of the client is known, otherwise the
/// runtime of the caller. The returned threads must live as long as the informer.
pub(super) fn start(client: &Client, shared: &Arc<InformerState>, create: CreateWatch) -> Option<Arc<Threads>> {
    // Stops the informer, which wakes all waiters, however the task ends.
    let stop = StopOnDrop(shared.clone());
    if client.config().is_none()
        && let Ok(runtime) = Handle::try_current()
    {
        shared.set_executor(Executor::CallersRuntime);
        runtime.spawn(Watches::new(client.max_retries(0), create, shared).run_until_stopped(stop));
        return None;
    }
    match Threads::for_client(client) {
        Ok(threads) => {
            shared.set_executor(if threads.has_connections() {
                Executor::SharedThreads
            } else {
                Executor::SharedThreadsOfClient
            });
            let watches = Watches::new(threads.client(client).max_retries(0), create, shared);
            threads.handle().spawn(watches.run_until_stopped(stop));
            Some(threads)
        }
        Err(error) => {
            fail_all(shared, error);
            None
        }
    }
}

fn fail_all(shared: &InformerState, error: io::Error) {
    let error = Arc::new(WatchError::Thread(error));
    for gauge in &*shared.gauges() {
        gauge.record_end(Some(error.clone()), None);
    }
    shared.stop();
}

/// The watches of an informer.
struct Watches {
    client: Client,
    create: CreateWatch,
    shared: Arc<InformerState>,
    /// The namespaces, if they may change.
    followed: Option<watch::Receiver<NumberedNamespaces>>,
    tasks: JoinSet<()>,
    running: Vec<(Arc<Gauge>, AbortHandle)>,
}

impl Watches {
    fn new(client: Client, create: CreateWatch, shared: &Arc<InformerState>) -> Self {
        let followed = shared.followed.as_ref().map(|followed| {
            let mut watched = followed.watched();
            // They may have changed since the gauges were created.
            watched.mark_changed();
            watched
        });
        Self { client, create, shared: shared.clone(), followed, tasks: JoinSet::new(), running: Vec::new() }
    }

    async fn run_until_stopped(mut self, stop: StopOnDrop) {
        tokio::select! {
            () = stop.0.stopped() => {}
            () = self.run() => unreachable!("it runs until it is dropped"),
        }
    }

    async fn run(&mut self) {
        self.shared.gauges().iter().for_each(|gauge| self.start(gauge));
        loop {
            changed(self.followed.as_mut()).await;
            self.follow().await;
        }
    }

    fn start(&mut self, gauge: &Arc<Gauge>) {
        let reflector = (self.create)(&self.client, gauge.clone());
        let (shared, watched) = (self.shared.clone(), gauge.clone());
        let run = async move {
            if let Err(panic) = AssertUnwindSafe(reflector.run()).catch_unwind().await {
                record_panic(&shared, &watched, &*panic);
            }
        };
        let task = self.tasks.spawn(run);
        self.running.push((gauge.clone(), task));
    }

    /// Stops the watches of namespaces that are not selected any longer, and starts those of others.
    async fn follow(&mut self) {
        let Some(followed) = &mut self.followed else {
            return;
        };
        let selected = followed.borrow_and_update().clone();
        let is_selected = |gauge: &Gauge| {
            let namespace = gauge.namespace();
            namespace.is_some_and(|name| selected.get(&name).copied() == gauge.number())
        };
        let removed = self.running.extract_if(.., |(gauge, _)| !is_selected(gauge)).collect();
        let kept: Vec<_> = self.running.iter().map(|(gauge, _)| gauge.clone()).collect();
        self.shared.set_gauges(kept.iter().cloned().collect());
        self.remove(removed).await;
        let is_watched = |name: &Arc<str>| kept.iter().any(|gauge| gauge.namespace().as_ref() == Some(name));
        let missing = selected.iter().filter(|(name, _)| !is_watched(name));
        let added: Vec<_> = missing.map(|(name, number)| Arc::new(Gauge::numbered(name, *number).added())).collect();
        added.iter().for_each(|gauge| self.start(gauge));
        self.shared.set_gauges(kept.into_iter().chain(added).collect());
        self.shared.notify_waiters();
    }

    /// Ends watches, and then forgets their objects.
    async fn remove(&mut self, removed: Vec<(Arc<Gauge>, AbortHandle)>) {
        removed.iter().for_each(|(_, task)| task.abort());
        while removed.iter().any(|(_, task)| !task.is_finished()) && self.tasks.join_next().await.is_some() {}
        for (gauge, _) in removed {
            if let Some(namespace) = gauge.namespace() {
                self.shared.cache.remove_namespace(&namespace);
            }
        }
    }
}

/// Waits until the namespaces change.
async fn changed(followed: Option<&mut watch::Receiver<NumberedNamespaces>>) {
    if let Some(followed) = followed
        && followed.changed().await.is_ok()
    {
        return;
    }
    pending::<()>().await;
}

/// Records a panic of user code that was not caught where it occurred, such as in a `Drop`.
fn record_panic(shared: &InformerState, gauge: &Gauge, panic: &(dyn Any + Send)) {
    let error = Arc::new(WatchError::Panicked(PanicMessage::from_payload(panic)));
    shared.reporter.report_watch_error(gauge.namespace().as_deref(), error.clone());
    gauge.record_end(Some(error), None);
    shared.notify_waiters();
}

struct StopOnDrop(Arc<InformerState>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}
