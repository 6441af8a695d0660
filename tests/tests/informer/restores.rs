//! Restores of etcd on a real control plane, and other outages.

mod orders;
mod storms;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use crdkit::{
    Client, CustomResourceExt,
    client::{Resources, scope::InNamespace},
    informer::{Event, Informer, Informers, Subscription, Timeouts},
};
use crdkit_tests::ControlPlane;
use futures_util::future::join_all;
use tokio::time::sleep;

use crate::served::{Machine, Sample};

type Machines = Resources<Machine, InNamespace>;
type Objects = BTreeMap<String, Arc<Machine>>;

/// More versions than an API server makes of its own accord when it starts.
const MARGIN: usize = 300;
/// The limit for an informer to converge.
const LIMIT: Duration = Duration::from_secs(120);

/// Short timeouts, so that a restore is detected soon: the API server sends a bookmark before it ends a watch.
fn short() -> Timeouts {
    Timeouts::default()
        .watch(Duration::from_secs(10))
        .idle(Duration::from_secs(10))
        .response(Duration::from_secs(5))
        .backoff(Duration::from_millis(50), Duration::from_secs(1))
}

fn start(client: Client, namespace: &str) -> Informer<Machine> {
    let informers = Informers::new(client);
    let informer = informers.of::<Machine>().namespace(namespace);
    informer.timeouts(short()).start()
}

async fn plane(flags: &[&str]) -> Option<ControlPlane> {
    let plane = ControlPlane::start_with(flags)?;
    let crd = serde_json::to_value(Machine::crd()).unwrap();
    plane.install(&crd).await.expect_accepted();
    Some(plane)
}

/// Advances the version far enough that versions before and after it cannot be confused.
async fn advance_versions(machines: &Machines) {
    let one = |number: usize| async move {
        let name = format!("spent-{number}");
        for size in 0..10 {
            let machine = Machine::named(&name, size);
            machines.create(&machine).await.unwrap();
            machines.delete(&name).await.unwrap();
        }
    };
    join_all((0..MARGIN / 20).map(one)).await;
}

/// A subscriber that keeps a copy of the objects from its events.
#[derive(Clone, Default)]
struct Follower(Arc<Mutex<(Objects, Vec<String>)>>);

impl Follower {
    fn of(informer: &Informer<Machine>) -> Self {
        let follower = Self::default();
        tokio::spawn(follower.clone().follow(informer.subscribe()));
        follower
    }

    async fn follow(self, mut events: Subscription<Machine>) {
        while let Some(event) = events.next().await {
            let (objects, mistakes) = &mut *self.0.lock().unwrap();
            if !apply(objects, &event) {
                mistakes.push(format!("{event:?}"));
            }
        }
    }

    fn received(&self) -> (Objects, Vec<String>) {
        self.0.lock().unwrap().clone()
    }
}

/// Applies an event. Returns whether it is consistent with earlier events.
fn apply(objects: &mut Objects, event: &Event<Machine>) -> bool {
    let name = |machine: &Machine| machine.metadata.name.clone().unwrap();
    match event {
        Event::Synced => true,
        Event::Added(new) => objects.insert(name(new), new.clone()).is_none(),
        Event::Updated { old, new } => {
            let known = objects.insert(name(new), new.clone());
            known.as_ref() == Some(old) && old.metadata.uid == new.metadata.uid
        }
        Event::Deleted(last) => {
            let known = objects.remove(&name(last));
            known.is_some_and(|known| known.metadata.uid == last.metadata.uid)
        }
    }
}

/// Returns the objects of the API server.
async fn server_objects(machines: &Machines) -> Objects {
    let list = machines.clone().max_retries(100).list().await.unwrap();
    let items = list.items.into_iter().map(|mut machine| {
        machine.metadata.managed_fields = None;
        (machine.metadata.name.clone().unwrap(), Arc::new(machine))
    });
    items.collect()
}

/// Waits until the store and a subscriber have the objects of the API server, which do not change any more.
async fn converge(machines: &Machines, informer: &Informer<Machine>, follower: &Follower) -> Result<Duration, String> {
    let began = Instant::now();
    let expected = server_objects(machines).await;
    loop {
        let store: Objects = informer
            .lister()
            .list()
            .into_iter()
            .map(|machine| (machine.metadata.name.clone().unwrap(), machine))
            .collect();
        let (received, mistakes) = follower.received();
        let health = informer.health();
        if store == expected && received == expected && mistakes.is_empty() && health.is_good() {
            return Ok(began.elapsed());
        }
        if began.elapsed() > LIMIT {
            let (expected, store, received) = (brief(&expected), brief(&store), brief(&received));
            return Err(format!("{mistakes:#?}\nexpected {expected}\nstore {store}\nreceived {received}\n{health:?}"));
        }
        sleep(Duration::from_millis(50)).await;
    }
}

fn brief(objects: &Objects) -> String {
    let one = |(name, machine): (&String, &Arc<Machine>)| {
        let metadata = &machine.metadata;
        let (uid, version) = (&metadata.uid, &metadata.resource_version);
        let [uid, version] = [uid, version].map(|text| text.as_deref().unwrap_or_default());
        format!("{name} {version} (uid {uid}, size {})", machine.spec.size)
    };
    objects.iter().map(one).collect::<Vec<_>>().join(", ")
}
