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
    course::Contestant,
    follow::{Follower, Followers},
    lookups::Lookups,
    objects::{FastVirtualMachine, VirtualMachine, Volume},
    work::Work,
};

pub(crate) struct Crdkit<T: CacheObject> {
    informer: Informer<T>,
    followers: Followers,
}

/// What is needed of a kind of objects in namespaces.
pub(crate) trait Kept:
    CacheObject<Kind: Resource<DynamicType = (), Scope = NamespaceResourceScope>> + DeserializeOwned
{
    /// Reads all of an object that is not there from the beginning.
    fn read(&self) -> Result<()> {
        Ok(())
    }
}

impl Kept for VirtualMachine {}
impl Kept for FastVirtualMachine {}
impl Kept for Volume {}

impl Kept for Compact<VirtualMachine> {
    fn read(&self) -> Result<()> {
        self.spec()?;
        self.status()?;
        Ok(())
    }
}

impl<T: Kept> Contestant for Crdkit<T> {
    async fn sync(work: &Work) -> Result<Self> {
        let client: Client = client(work.port)?;
        let threads = NonZeroUsize::new(work.decode_threads).context("nobody decodes")?;
        let informers = Informers::new(client);
        let informer = informers.of::<T>().decode_threads(threads).start();
        let followers = Followers::new(work.subscribers);
        for follower in followers.each() {
            tokio::spawn(follow(informer.subscribe(), follower));
        }
        informer.synced().await?;
        ensure!(informer.health().executor == Executor::SharedThreads, "the informer has no thread of its own");
        Ok(Self { informer, followers })
    }

    fn objects(&self) -> usize {
        self.informer.lister().len()
    }

    fn followers(&mut self) -> &mut Followers {
        &mut self.followers
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

async fn follow<T: CacheObject>(mut events: Subscription<T>, mut follower: Follower) {
    while let Some(event) = events.next().await {
        if let Event::Updated { new, .. } = event {
            follower.changed(new.resource_version());
        }
    }
}

impl<T: Kept> Lookups for Lister<T> {
    type Key = (String, String);
    type Found = Arc<T>;
    type All = Snapshot<T>;

    fn key(&self, namespace: String, name: String) -> Self::Key {
        (namespace, name)
    }

    fn get(&self, (namespace, name): &Self::Key) -> Option<Self::Found> {
        self.namespace(namespace).get(name)
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
        self.all()
    }
}
