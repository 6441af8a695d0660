//! crdkit's informer.

use std::{num::NonZeroUsize, sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use crdkit::{
    Client,
    informer::{CacheObject, Compact, Event, Executor, Informer, Informers, Lister, Snapshot, Subscription},
};
use kube::core::{NamespaceResourceScope, Resource};
use serde::de::DeserializeOwned;

use crate::{
    client,
    lookups::Lookups,
    objects::{FastVirtualMachine, VirtualMachine, Volume},
    scenario::Contestant,
    subscribers::{Subscriber, Subscribers},
    work::Work,
};

pub(crate) struct Crdkit<T: CacheObject> {
    informer: Informer<T>,
    subscribers: Subscribers,
}

/// The requirements for namespaced objects.
pub(crate) trait StoredObject:
    CacheObject<Kind: Resource<DynamicType = (), Scope = NamespaceResourceScope>> + DeserializeOwned
{
    /// Reads all of an object that is not there from the beginning.
    fn read(&self) -> Result<()> {
        Ok(())
    }
}

impl StoredObject for VirtualMachine {}
impl StoredObject for FastVirtualMachine {}
impl StoredObject for Volume {}

impl StoredObject for Compact<VirtualMachine> {
    fn read(&self) -> Result<()> {
        self.spec()?;
        self.status()?;
        Ok(())
    }
}

impl<T: StoredObject> Contestant for Crdkit<T> {
    async fn sync(work: &Work) -> Result<Self> {
        let client: Client = client(work.port)?;
        let threads = NonZeroUsize::new(work.decode_threads).context("there are no decoding threads")?;
        let informers = Informers::new(client);
        let informer = informers.of::<T>().decode_threads(threads).start();
        let subscribers = Subscribers::new(work.subscribers);
        for subscriber in subscribers.each() {
            tokio::spawn(receive(informer.subscribe(), subscriber));
        }
        informer.synced().await?;
        ensure!(informer.health().executor == Executor::SharedThreads, "the informer has no thread of its own");
        Ok(Self { informer, subscribers })
    }

    fn objects(&self) -> usize {
        self.informer.lister().len()
    }

    fn subscribers(&mut self) -> &mut Subscribers {
        &mut self.subscribers
    }

    fn lookups(&self) -> impl Lookups {
        self.informer.lister()
    }

    async fn relisted(&mut self, newest: u64) -> Result<()> {
        let newest = Some(newest.to_string());
        while self.informer.health().watches[0].resource_version != newest {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    fn read(&self) -> Result<()> {
        self.informer.lister().snapshot().iter().try_for_each(|object| object.read())
    }
}

async fn receive<T: CacheObject>(mut events: Subscription<T>, mut subscriber: Subscriber) {
    while let Some(event) = events.next().await {
        if let Event::Updated { new, .. } = event {
            subscriber.changed(new.resource_version());
        }
    }
}

impl<T: StoredObject> Lookups for Lister<T> {
    type Key = (String, String);
    type Found = Arc<T>;
    type All = Snapshot<T>;

    fn key(&self, namespace: String, name: String) -> Self::Key {
        (namespace, name)
    }

    fn get(&self, (namespace, name): &Self::Key) -> Option<Self::Found> {
        self.find(&**namespace, name)
    }

    fn by_namespace(&self, namespace: &str) -> Vec<Self::Found> {
        self.namespace(namespace).list()
    }

    fn by_app(&self, app: &str) -> Vec<Self::Found> {
        self.labels(format!("app={app}").as_str()).expect("a selector")
    }

    fn snapshot(&self) -> Self::All {
        self.snapshot()
    }

    fn all(&self) -> Vec<Self::Found> {
        self.list()
    }
}
