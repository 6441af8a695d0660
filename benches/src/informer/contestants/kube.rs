//! kube-runtime's reflector.

use std::{fmt::Debug, sync::Arc};

use anyhow::{Context, Result};
use futures_util::{Stream, StreamExt};
use kube::{
    Api, Client,
    core::{NamespaceResourceScope, Resource},
    runtime::{
        reflector::{ObjectRef, Store, reflector, store::Writer},
        watcher::{self, Event},
    },
};
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{
    client,
    lookups::Lookups,
    objects::{VirtualMachine, Volume},
    scenario::Contestant,
    subscribers::{Subscriber, Subscribers},
    work::Work,
};

pub(crate) struct Kube<K: Object> {
    store: Store<K>,
    subscribers: Subscribers,
    /// Each time that all objects have been read.
    listed: UnboundedReceiver<()>,
}

/// The number of buffered objects for subscribers before the reflector waits.
const BUFFER: usize = 1024;

/// The requirements for objects.
pub(crate) trait Object:
    Resource<DynamicType = (), Scope = NamespaceResourceScope> + DeserializeOwned + Clone + Debug + Send + Sync + 'static
{
}

impl Object for VirtualMachine {}
impl Object for Volume {}

impl<K: Object> Contestant for Kube<K> {
    async fn sync(work: &Work) -> Result<Self> {
        let client: Client = client(work.port)?;
        let subscribers = Subscribers::new(work.subscribers);
        let writer = match work.subscribers {
            1 => Writer::default(),
            _ => Writer::new_shared(BUFFER, ()),
        };
        let store = writer.as_reader();
        let mut each: Vec<_> = subscribers.each().collect();
        let inline = match work.subscribers {
            1 => each.pop(),
            _ => None,
        };
        for subscriber in each {
            let objects = writer.subscribe().context("the store is not shared")?;
            tokio::spawn(subscribe(objects, subscriber));
        }
        let config =
            if work.streams { watcher::Config::default().streaming_lists() } else { watcher::Config::default() };
        let events = watcher::watcher(Api::<K>::all(client), config);
        let (report, mut listed) = unbounded_channel();
        tokio::spawn(drive(reflector(writer, events), inline, report));
        listed.recv().await.context("the watch ended")?;
        Ok(Self { store, subscribers, listed })
    }

    fn objects(&self) -> usize {
        self.store.len()
    }

    fn subscribers(&mut self) -> &mut Subscribers {
        &mut self.subscribers
    }

    fn lookups(&self) -> impl Lookups {
        self.store.clone()
    }

    async fn relisted(&mut self, _: u64) -> Result<()> {
        self.listed.recv().await.context("the watch ended")
    }
}

/// Drives the only stream.
async fn drive<K: Object>(
    events: impl Stream<Item = watcher::Result<Event<K>>>,
    mut subscriber: Option<Subscriber>,
    listed: UnboundedSender<()>,
) {
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        match (event, &mut subscriber) {
            (Ok(Event::Apply(object)), Some(subscriber)) => {
                subscriber.changed(object.meta().resource_version.as_deref());
            }
            (Ok(Event::InitDone), _) => {
                // At the end the receiver may be closed.
                let _ = listed.send(());
            }
            // The list after it shows whether it was an error.
            (Err(watcher::Error::WatchError(_)) | Ok(_), _) => {}
            (Err(error), _) => eprintln!("kube: {error}"),
        }
    }
}

async fn subscribe<K: Object>(objects: impl Stream<Item = Arc<K>>, mut subscriber: Subscriber) {
    let mut objects = std::pin::pin!(objects);
    while let Some(object) = objects.next().await {
        subscriber.changed(object.meta().resource_version.as_deref());
    }
}

impl<K: Object> Lookups for Store<K> {
    type Key = ObjectRef<K>;
    type Found = Arc<K>;
    type All = Vec<Arc<K>>;

    fn key(&self, namespace: String, name: String) -> Self::Key {
        ObjectRef::new(&name).within(&namespace)
    }

    fn get(&self, key: &Self::Key) -> Option<Self::Found> {
        Store::get(self, key)
    }

    fn by_namespace(&self, namespace: &str) -> Vec<Self::Found> {
        self.state_filter(|object| object.meta().namespace.as_deref() == Some(namespace))
    }

    fn by_app(&self, app: &str) -> Vec<Self::Found> {
        let has = |object: &K| object.meta().labels.as_ref()?.get("app").map(|value| value == app);
        self.state_filter(|object| has(object) == Some(true))
    }

    fn snapshot(&self) -> Self::All {
        self.state()
    }

    fn all(&self) -> Vec<Self::Found> {
        self.state()
    }
}
