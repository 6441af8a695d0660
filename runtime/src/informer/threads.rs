//! The threads and connections that all informers of a client share.

use std::{io, num::NonZeroUsize, sync::Arc, thread::available_parallelism};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::client::{Client, error::OneLine};

/// One thread that a closure of the program never leaves is not the last; more than a few only pay for kinds that change all
/// the time.
const THREADS: (usize, usize) = (2, 4);

/// Threads that end when no informer uses them any more, and the connections that are made on them.
pub(super) struct Threads {
    runtime: Option<Runtime>,
    client: Client,
    /// Whether the connections are those of informers alone.
    has_connections: bool,
}

impl Threads {
    /// The threads of a client's informers, which begin with the first of them.
    pub(super) fn of(client: &Client) -> io::Result<Arc<Self>> {
        client.shared().get_or_try_init(|| Self::new(client))
    }

    fn new(client: &Client) -> io::Result<Self> {
        let cores = available_parallelism().map_or(THREADS.0, NonZeroUsize::get);
        let runtime = Builder::new_multi_thread()
            .worker_threads(cores.clamp(THREADS.0, THREADS.1))
            .thread_name("informers")
            .enable_all()
            .build()?;
        let own = {
            // Connections belong to the runtime on which their client was made.
            let _runtime = runtime.enter();
            client.for_watches()
        };
        let own = own.and_then(|own| {
            own.inspect_err(|error| {
                tracing::warn!("informers share a connection: {}", OneLine(error));
            })
            .ok()
        });
        Ok(Self {
            runtime: Some(runtime),
            has_connections: own.is_some(),
            client: own.unwrap_or_else(|| client.clone()),
        })
    }

    /// A client with the options of another, on the connections of informers if there are any.
    pub(super) fn client(&self, options: &Client) -> Client {
        self.client.with_options_of(options)
    }

    pub(super) fn has_connections(&self) -> bool {
        self.has_connections
    }

    pub(super) fn handle(&self) -> &Handle {
        let runtime = self.runtime.as_ref();
        runtime.expect("it is there until this is dropped").handle()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // This may be one of its own threads.
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
        let [one, clone] = [&client, &client.dry_run()].map(|client| Threads::of(client).unwrap());
        assert!(Arc::ptr_eq(&one, &clone));
        let other = Threads::of(&self::client()).unwrap();
        assert!(!Arc::ptr_eq(&one, &other));
    }

    #[tokio::test]
    async fn threads_end_with_the_last_informer() {
        let client = client();
        let threads = Threads::of(&client).unwrap();
        let (weak, handle) = (Arc::downgrade(&threads), threads.handle().clone());
        // It may be dropped on one of the threads.
        handle.spawn(async move { drop(threads) }).await.ok();
        assert!(weak.upgrade().is_none());
        assert!(handle.spawn(async {}).await.is_err());
        assert!(Threads::of(&client).is_ok());
    }
}
