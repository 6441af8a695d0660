//! Threads and connections shared by all informers of a client.

use std::{io, num::NonZeroUsize, sync::Arc, thread::available_parallelism};

use tokio::runtime::{Builder, Handle, Runtime};

use super::OneLine;
use crate::client::Client;

/// Minimum and maximum number of threads.
///
/// With two threads, a user closure that never returns does not block all watches. More than four only help with kinds
/// that change all the time.
const THREADS: (usize, usize) = (2, 4);

/// Threads that stop when their last informer is dropped, and the connections opened on them.
pub(super) struct Threads {
    runtime: Option<Runtime>,
    client: Client,
    /// Whether the connections are used by informers only.
    has_connections: bool,
}

impl Threads {
    /// Returns the threads for the informers of a client, and starts them for the first one.
    pub(super) fn for_client(client: &Client) -> io::Result<Arc<Self>> {
        client.connection.shared.get_or_try_init(|| Self::new(client))
    }

    fn new(client: &Client) -> io::Result<Self> {
        let cores = available_parallelism().map_or(THREADS.0, NonZeroUsize::get);
        let runtime = Builder::new_multi_thread()
            .worker_threads(cores.clamp(THREADS.0, THREADS.1))
            .thread_name("informers")
            .enable_all()
            .build()?;
        let separate = {
            // Connections belong to the runtime on which their client was created.
            let _runtime = runtime.enter();
            client.connection.for_watches()
        };
        let own = separate.and_then(|own| {
            own.inspect_err(|error| {
                tracing::warn!("informers use the connections of the client: {}", OneLine(error));
            })
            .ok()
        });
        Ok(Self {
            runtime: Some(runtime),
            has_connections: own.is_some(),
            client: match own {
                Some(own) => Client { connection: Arc::new(own), options: client.options.clone() },
                None => client.clone(),
            },
        })
    }

    /// Returns a client with these options, on the connections for informers if there are any.
    pub(super) fn client(&self, options: &Client) -> Client {
        Client { connection: self.client.connection.clone(), options: options.options.clone() }
    }

    pub(super) fn has_connections(&self) -> bool {
        self.has_connections
    }

    pub(super) fn handle(&self) -> &Handle {
        let runtime = self.runtime.as_ref();
        runtime.expect("the runtime exists until `self` is dropped").handle()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The current thread may belong to the runtime.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use kube::Config;

    use super::*;

    fn client() -> Client {
        let nowhere = "http://127.0.0.1:1".parse().unwrap();
        Client::try_from(Config::new(nowhere)).unwrap()
    }

    #[tokio::test]
    async fn informers_of_a_client_share_threads_and_connections() {
        let client = client();
        let [one, clone] = [&client, &client.dry_run()].map(|client| Threads::for_client(client).unwrap());
        assert!(Arc::ptr_eq(&one, &clone));
        let other = Threads::for_client(&self::client()).unwrap();
        assert!(!Arc::ptr_eq(&one, &other));
    }

    #[tokio::test]
    async fn threads_end_with_the_last_informer() {
        let client = client();
        let threads = Threads::for_client(&client).unwrap();
        let (weak, handle) = (Arc::downgrade(&threads), threads.handle().clone());
        // The last handle may be dropped on one of the threads.
        handle.spawn(async move { drop(threads) }).await.ok();
        assert!(weak.upgrade().is_none());
        assert!(handle.spawn(async {}).await.is_err());
        assert!(Threads::for_client(&client).is_ok());
    }
}
