//! kube-runtime's reflector.

use std::sync::Arc;

use anyhow::{Context, Result};
use futures_util::{Stream, StreamExt};
use kube::{
    Api, Client,
    runtime::{
        reflector::{ObjectRef, Store, reflector, store::Writer},
        watcher::{self, Event},
    },
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::{
    client,
    course::Contestant,
    follow::{Follower, Followers},
    lookups::Lookups,
    objects::VirtualMachine,
    work::Work,
};

pub(crate) struct Kube {
    store: Store<VirtualMachine>,
    followers: Followers,
    /// Each time that all objects have been read.
    listed: UnboundedReceiver<()>,
}

/// So many objects wait for subscribers before the reflector does.
const BUFFER: usize = 1024;

impl Contestant for Kube {
    async fn sync(work: &Work) -> Result<Self> {
        let client: Client = client(work.port)?;
        let followers = Followers::new(work.subscribers);
        let writer = match work.subscribers {
            1 => Writer::default(),
            _ => Writer::new_shared(BUFFER, ()),
        };
        let store = writer.as_reader();
        let mut each: Vec<_> = followers.each().collect();
        let inline = match work.subscribers {
            1 => each.pop(),
            _ => None,
        };
        for follower in each {
            let objects = writer.subscribe().context("the store is not shared")?;
            tokio::spawn(subscribe(objects, follower));
        }
        let config = match work.streams {
            true => watcher::Config::default().streaming_lists(),
            false => watcher::Config::default(),
        };
        let events = watcher::watcher(Api::<VirtualMachine>::all(client), config);
        let (report, mut listed) = unbounded_channel();
        tokio::spawn(drive(reflector(writer, events), inline, report));
        listed.recv().await.context("the watch ended")?;
        Ok(Self { store, followers, listed })
    }

    fn objects(&self) -> usize {
        self.store.len()
    }

    fn followers(&mut self) -> &mut Followers {
        &mut self.followers
    }

    fn lookups(&self) -> impl Lookups {
        &self.store
    }

    async fn relisted(&mut self, _: u64) -> Result<()> {
        self.listed.recv().await.context("the watch ended")
    }
}

/// Follows the one stream there is.
async fn drive(
    events: impl Stream<Item = watcher::Result<Event<VirtualMachine>>>,
    mut follower: Option<Follower>,
    listed: UnboundedSender<()>,
) {
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        match (event, &mut follower) {
            (Ok(Event::Apply(object)), Some(follower)) => follower.changed(object.metadata.resource_version.as_deref()),
            (Ok(Event::InitDone), _) => {
                // At the end nobody listens any more.
                let _ = listed.send(());
            }
            // The list after it says whether it mattered.
            (Err(watcher::Error::WatchError(_)) | Ok(_), _) => {}
            (Err(error), _) => eprintln!("kube: {error}"),
        }
    }
}

async fn subscribe(objects: impl Stream<Item = Arc<VirtualMachine>>, mut follower: Follower) {
    let mut objects = std::pin::pin!(objects);
    while let Some(object) = objects.next().await {
        follower.changed(object.metadata.resource_version.as_deref());
    }
}

impl Lookups for &Store<VirtualMachine> {
    type Key = ObjectRef<VirtualMachine>;
    type Found = Arc<VirtualMachine>;
    type All = Vec<Arc<VirtualMachine>>;

    fn key(&self, namespace: String, name: String) -> Self::Key {
        ObjectRef::new(&name).within(&namespace)
    }

    fn get(&self, key: &Self::Key) -> Option<Self::Found> {
        Store::get(self, key)
    }

    fn by_namespace(&self, namespace: &str) -> Vec<Self::Found> {
        self.state_filter(|object| object.metadata.namespace.as_deref() == Some(namespace))
    }

    fn by_app(&self, app: &str) -> Vec<Self::Found> {
        let has = |object: &VirtualMachine| object.metadata.labels.as_ref()?.get("app").map(|value| value == app);
        self.state_filter(|object| has(object) == Some(true))
    }

    fn snapshot(&self) -> Self::All {
        self.state()
    }

    fn all(&self) -> Vec<Self::Found> {
        self.state()
    }
}
