//! Where the watches of an informer run.

use std::{
    any::Any,
    future::{Future, pending},
    io,
    panic::AssertUnwindSafe,
    sync::Arc,
    thread,
};

use futures_util::FutureExt;
use serde::de::DeserializeOwned;
use tokio::{
    runtime::{Builder, Handle},
    task::JoinSet,
};

use super::{
    Cached, events::panic_message, health::RunsOn, reflector::Reflector, shared::Shared,
    trouble::WatchError,
};
use crate::client::Client;

/// Makes the watches of an informer, with the client that is to be used.
pub(super) type MakeReflectors<T> = Box<dyn FnOnce(Client) -> Vec<Reflector<T>> + Send>;

/// Starts the watches under a name where it is best: on a thread of their own, whose connection nobody else uses, if the client's
/// configuration is known, or else on the runtime of the caller.
pub(super) fn start<T: Cached + DeserializeOwned>(
    client: Client,
    name: &str,
    shared: &Arc<Shared<T>>,
    make: MakeReflectors<T>,
) {
    let work = {
        // Whatever ends the work, even before it begins: those who wait for it hear of it.
        let running = StopOnDrop(shared.clone());
        move |client| work(make(client), running)
    };
    match (client.config().is_some(), Handle::try_current()) {
        (false, Ok(runtime)) => {
            shared.runs(RunsOn::CallersRuntime);
            runtime.spawn(work(client));
        }
        _ => {
            let started = on_thread(name, {
                let shared = shared.clone();
                move || work(own_client(client, &shared))
            });
            if let Err(error) = started {
                fail(shared, error);
            }
        }
    }
}

/// The client on a connection of its own, if that can be had.
fn own_client<T: Cached>(client: Client, shared: &Shared<T>) -> Client {
    match client.for_watches() {
        Some(Ok(own)) => {
            shared.runs(RunsOn::OwnThread);
            return own;
        }
        Some(Err(error)) => tracing::warn!("an informer shares a connection: {error}"),
        None => {}
    }
    shared.runs(RunsOn::OwnThreadSharedConnection);
    client
}

fn on_thread<F: Future<Output = ()>>(
    name: &str,
    work: impl FnOnce() -> F + Send + 'static,
) -> Result<(), io::Error> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(move || {
        // Connections are made on the runtime.
        runtime.block_on(async { work().await });
        runtime.shutdown_background();
    })?;
    Ok(())
}

fn fail<T: Cached>(shared: &Shared<T>, error: io::Error) {
    let error = Arc::new(WatchError::Thread(error));
    for gauge in &shared.gauges {
        gauge.ended(Some(error.clone()));
    }
    shared.stop();
}

/// Runs watches, none of which waits for another, until the informer is stopped.
async fn work<T: Cached + DeserializeOwned>(reflectors: Vec<Reflector<T>>, running: StopOnDrop<T>) {
    let shared = &running.0;
    let mut watches = JoinSet::new();
    for (watch, reflector) in reflectors.into_iter().enumerate() {
        let run = AssertUnwindSafe(reflector.run()).catch_unwind();
        watches.spawn(async move { (watch, run.await) });
    }
    let panics = async {
        while let Some(Ok((watch, ended))) = watches.join_next().await {
            if let Err(panic) = ended {
                panicked(shared, watch, &*panic);
            }
        }
        pending::<()>().await;
    };
    tokio::select! {
        () = shared.stopped() => {}
        () = panics => {}
    }
}

/// Something of the program panicked that could not be contained, such as a `Drop`.
fn panicked<T: Cached>(shared: &Shared<T>, watch: usize, panic: &(dyn Any + Send)) {
    let error = WatchError::Panicked(panic_message(panic).to_owned());
    let (gauge, error) = (&shared.gauges[watch], Arc::new(error));
    shared
        .reports
        .watch_failed(gauge.namespace().as_deref(), error.clone());
    gauge.ended(Some(error));
    shared.progressed();
}

struct StopOnDrop<T: Cached>(Arc<Shared<T>>);

impl<T: Cached> Drop for StopOnDrop<T> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
