//! The threads and connections that all informers of a client share.

use std::{
    io,
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    thread::available_parallelism,
};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::client::{Client, ConnectError, error::OneLine};

/// One thread whose closure never returns leaves the other to all other informers; more than this only pays for kinds that
/// change all the time.
const THREADS: (usize, usize) = (2, 4);

/// So many watches share a connection where the API server speaks HTTP/2, with room for the lists and checks of each: Go's
/// servers take 250 requests at a time, and keep more waiting.
const WATCHES: usize = 100;

/// Threads that end when no informer uses them any more.
pub(super) struct Threads {
    runtime: Option<Runtime>,
    client: Client,
    pools: Mutex<Vec<Pool>>,
}

/// Connections of their own.
struct Pool {
    client: Client,
    watches: Arc<()>,
}

/// The threads that run, if any do, to be kept beside a client's connections.
#[derive(Default)]
pub(crate) struct Running(Mutex<Weak<Threads>>);

/// What an informer uses as long as it runs.
pub(super) struct Lease {
    threads: Arc<Threads>,
    pub(super) client: Client,
    /// Whether the connections are those of informers alone.
    pub(super) has_connections: bool,
    /// One for each watch.
    _watches: Vec<Arc<()>>,
}

impl Lease {
    /// Room for the watches of one informer.
    pub(super) fn new(client: &Client, watches: usize) -> io::Result<Self> {
        let threads = Threads::of(client)?;
        let pool = threads.connect(watches);
        let (has_connections, (client, watches)) = match pool {
            Some(Ok(pool)) => (true, pool),
            Some(Err(error)) => {
                tracing::warn!("an informer shares a connection: {}", OneLine(error));
                (false, (threads.client.clone(), Vec::new()))
            }
            None => (false, (threads.client.clone(), Vec::new())),
        };
        Ok(Self {
            threads,
            client,
            has_connections,
            _watches: watches,
        })
    }

    pub(super) fn handle(&self) -> &Handle {
        self.threads.handle()
    }
}

impl Threads {
    /// The threads of a client's informers, which begin with the first of them.
    fn of(client: &Client) -> io::Result<Arc<Self>> {
        let mut running = lock(&client.informer_threads().0);
        if let Some(threads) = running.upgrade() {
            return Ok(threads);
        }
        let threads = Arc::new(Self::new(client.clone())?);
        *running = Arc::downgrade(&threads);
        Ok(threads)
    }

    fn new(client: Client) -> io::Result<Self> {
        let cores = available_parallelism().map_or(THREADS.0, NonZeroUsize::get);
        let runtime = Builder::new_multi_thread()
            .worker_threads(cores.clamp(THREADS.0, THREADS.1))
            .thread_name("informers")
            .enable_all()
            .build()?;
        Ok(Self {
            runtime: Some(runtime),
            client,
            pools: Mutex::default(),
        })
    }

    fn handle(&self) -> &Handle {
        let runtime = self.runtime.as_ref();
        runtime.expect("it is there until this is dropped").handle()
    }

    /// A client on connections with room for so many watches; `None` if their configuration is not known.
    fn connect(&self, watches: usize) -> Option<Result<(Client, Vec<Arc<()>>), ConnectError>> {
        let mut pools = lock(&self.pools);
        pools.retain(|pool| pool.len() > 0);
        if let Some(pool) = pools.iter().find(|pool| pool.len() + watches <= WATCHES) {
            return Some(Ok(pool.lease(watches)));
        }
        // Connections belong to the runtime on which their client was made.
        let _runtime = self.handle().enter();
        let client = match self.client.for_watches()? {
            Ok(client) => client,
            Err(error) => return Some(Err(error)),
        };
        let pool = Pool {
            client,
            watches: Arc::default(),
        };
        let lease = pool.lease(watches);
        pools.push(pool);
        Some(Ok(lease))
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

impl Pool {
    fn len(&self) -> usize {
        Arc::strong_count(&self.watches) - 1
    }

    fn lease(&self, watches: usize) -> (Client, Vec<Arc<()>>) {
        let watches = vec![self.watches.clone(); watches.max(1)];
        (self.client.clone(), watches)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use kube::Config;

    use super::*;

    fn client() -> Client {
        let nowhere = "http://127.0.0.1:1".parse().unwrap();
        Client::try_from(Config::new(nowhere)).unwrap()
    }

    fn pools(lease: &Lease) -> usize {
        lock(&lease.threads.pools).len()
    }

    #[tokio::test]
    async fn informers_of_a_client_share_threads_and_connections() {
        let client = client();
        let leases: Vec<_> = (0..20).map(|_| Lease::new(&client, 5).unwrap()).collect();
        let clone = Lease::new(&client.dry_run(), 1).unwrap();
        for lease in &leases {
            assert!(Arc::ptr_eq(&lease.threads, &clone.threads));
            assert!(lease.has_connections);
        }
        assert_eq!(pools(&clone), 2, "101 watches");
        drop(leases);
        let next = Lease::new(&client, 99).unwrap();
        assert_eq!(pools(&next), 1, "what is not used goes");
    }

    #[tokio::test]
    async fn threads_end_with_the_last_informer() {
        let client = client();
        let lease = Lease::new(&client, 1).unwrap();
        let (threads, handle) = (Arc::downgrade(&lease.threads), lease.handle().clone());
        // It may be dropped on one of the threads.
        handle.spawn(async move { drop(lease) }).await.ok();
        assert!(threads.upgrade().is_none());
        assert!(handle.spawn(async {}).await.is_err());
        assert!(Lease::new(&client, 1).is_ok());
    }

    #[tokio::test]
    async fn clients_of_other_connections_share_nothing() {
        let [one, other] = [client(), client()].map(|client| Lease::new(&client, 1).unwrap());
        assert!(!Arc::ptr_eq(&one.threads, &other.threads));
    }
}
