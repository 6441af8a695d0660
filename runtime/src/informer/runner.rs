//! Runs the watches of an informer.

use std::{any::Any, future::pending, io, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;
use tokio::{runtime::Handle, task::JoinSet};

use super::{
    PanicMessage, error::WatchError, health::Executor, reflector::Reflector, shared::InformerState, threads::Threads,
};
use crate::client::Client;

/// Starts the watches.
///
/// They use the threads and connections that informers share if the configuration of the client is known, otherwise the
/// runtime of the caller. The returned threads must live as long as the informer.
pub(super) fn start(
    client: &Client,
    shared: &Arc<InformerState>,
    create: impl FnOnce(Client) -> Vec<Reflector>,
) -> Option<Arc<Threads>> {
    // Stops the informer, which wakes all waiters, however the task ends.
    let running = StopOnDrop(shared.clone());
    if client.config().is_none()
        && let Ok(runtime) = Handle::try_current()
    {
        shared.set_executor(Executor::CallersRuntime);
        runtime.spawn(run_reflectors(create(client.max_retries(0)), running));
        return None;
    }
    match Threads::for_client(client) {
        Ok(threads) => {
            shared.set_executor(if threads.has_connections() {
                Executor::SharedThreads
            } else {
                Executor::SharedThreadsOfClient
            });
            let reflectors = create(threads.client(client).max_retries(0));
            threads.handle().spawn(run_reflectors(reflectors, running));
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
    for gauge in &shared.gauges {
        gauge.record_end(Some(error.clone()), None);
    }
    shared.stop();
}

/// Runs the watches concurrently until the informer is stopped.
async fn run_reflectors(reflectors: Vec<Reflector>, running: StopOnDrop) {
    let shared = &running.0;
    let mut watches = JoinSet::new();
    for (watch, reflector) in reflectors.into_iter().enumerate() {
        let run = AssertUnwindSafe(reflector.run()).catch_unwind();
        watches.spawn(async move { (watch, run.await) });
    }
    let panics = async {
        while let Some(Ok((watch, ended))) = watches.join_next().await {
            if let Err(panic) = ended {
                record_panic(shared, watch, &*panic);
            }
        }
        pending::<()>().await;
    };
    tokio::select! {
        () = shared.stopped() => {}
        () = panics => {}
    }
}

/// Records a panic of user code that was not caught where it occurred, such as in a `Drop`.
fn record_panic(shared: &InformerState, watch: usize, panic: &(dyn Any + Send)) {
    let error = WatchError::Panicked(PanicMessage::from_payload(panic));
    let (gauge, error) = (&shared.gauges[watch], Arc::new(error));
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
