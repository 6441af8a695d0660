//! Many objects, read page by page while others write.

mod expired;

use std::{
    collections::BTreeSet,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicI32, Ordering},
    },
};

use crdkit::{
    Client, CustomResource, CustomResourceExt, KubeSchema,
    client::{List, Patch, Resources, scope::InNamespace},
};
use crdkit_tests::case_count;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::{sync::watch, task::JoinHandle};

use crate::{
    served::{client, namespace},
    server::server,
};

/// The number of pages of all objects, and their number.
static PAGES: LazyLock<usize> = LazyLock::new(|| case_count("CRDKIT_PAGES", 20));
static GRAINS: LazyLock<i32> = LazyLock::new(|| (*PAGES * PAGE) as i32);
const PAGE: usize = 500;
const IN_FLIGHT: usize = 64;

/// Small, so that there can be many.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[crd(group = "pages.example.com", version = "v1", kind = "Grain", namespaced, derive = "PartialEq")]
struct GrainSpec {
    size: i32,
}

type Grains = Resources<Grain, InNamespace>;

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_of_one_version_while_others_write() {
    let Some(client) = client().await else { return };
    let grains = many_grains(&client).await;
    let others = Others::write(grains.clone());

    let mut pages = Vec::new();
    let mut stream = Box::pin(grains.list().pages());
    while let Some(page) = stream.try_next().await.unwrap() {
        pages.push(page);
        others.wait_for_a_round().await;
    }
    let versions: BTreeSet<_> = pages.iter().map(version_of).collect();
    assert_eq!(versions.len(), 1, "{versions:?}");
    let lengths: Vec<_> = pages.iter().map(|page| page.items.len()).collect();
    let (last, full) = lengths.split_last().unwrap();
    assert_eq!(full, vec![PAGE; *PAGES - 1]);
    // During a round there is one object less.
    assert!((PAGE - 1..=PAGE).contains(last), "{last}");
    check(&joined(pages), &others);

    let list = grains.list().await.unwrap();
    check(&list, &others);
    let version = list.metadata.resource_version.as_deref().unwrap();
    let streamed: Vec<Grain> = grains.list().at(version).stream().try_collect().await.unwrap();
    assert_eq!(streamed, list.items);
}

async fn many_grains(client: &Client) -> Grains {
    let server = server().expect("there is a client");
    let crd = serde_json::to_value(Grain::crd()).unwrap();
    server.install(&crd).await.expect_accepted();
    let grains = client.resources::<Grain>().namespace(&namespace(client, "pages").await);
    stream::iter(0..*GRAINS)
        .map(|number| {
            let grains = grains.clone();
            async move { grains.create(&grain(number)).await.unwrap() }
        })
        .buffer_unordered(IN_FLIGHT)
        .for_each(async |_| ())
        .await;
    grains
}

fn joined(pages: Vec<List<Grain>>) -> List<Grain> {
    let mut pages = pages.into_iter();
    let mut list = pages.next().unwrap();
    list.items.extend(pages.flatten());
    list
}

/// Checks that no object is listed twice, none that always existed is missing, and none is newer than the list.
fn check(list: &List<Grain>, others: &Others) {
    let names: BTreeSet<_> = list.items.iter().map(name_of).collect();
    assert_eq!(names.len(), list.items.len(), "some are there twice");
    let deleted = others.deleted.load(Ordering::SeqCst);
    let missing = (deleted..*GRAINS).map(name).find(|name| !names.contains(name));
    assert_eq!(missing, None);
    let version = version_of(list);
    let newer = |grain: &&Grain| {
        let of_grain = grain.metadata.resource_version.as_deref();
        of_grain.unwrap().parse::<u64>().unwrap() > version
    };
    assert_eq!(list.items.iter().find(newer), None);
}

/// A task that deletes the first objects, creates others after the last and changes those between, until it is dropped.
struct Others {
    /// The number of objects that may be deleted.
    deleted: Arc<AtomicI32>,
    rounds: watch::Receiver<i32>,
    task: JoinHandle<()>,
}

impl Others {
    fn write(grains: Grains) -> Self {
        let deleted = Arc::new(AtomicI32::new(0));
        let (finished, rounds) = watch::channel(0);
        let deleting = deleted.clone();
        let task = tokio::spawn(async move {
            for round in 0..*GRAINS / 2 {
                deleting.store(round + 1, Ordering::SeqCst);
                write_each_way(&grains, round).await;
                finished.send_replace(round + 1);
            }
        });
        Self { deleted, rounds, task }
    }

    async fn wait_for_a_round(&self) {
        let mut rounds = self.rounds.clone();
        // A round that started before may have ended just now.
        let expected = *rounds.borrow_and_update() + 2;
        let enough = rounds.wait_for(|done| *done >= expected);
        enough.await.expect("the rounds do not end");
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn write_each_way(grains: &Grains, round: i32) {
    let changed = name(*GRAINS - 1 - round);
    let change = Patch::merge(json!({ "spec": { "size": -1 } }));
    let created = grain(*GRAINS + round);
    grains.delete(&name(round)).await.unwrap();
    grains.patch(&changed, &change).await.unwrap();
    grains.create(&created).await.unwrap();
}

fn name(number: i32) -> String {
    format!("grain-{number:05}")
}

fn grain(number: i32) -> Grain {
    Grain::new(&name(number), GrainSpec { size: number })
}

fn name_of(grain: &Grain) -> String {
    grain.metadata.name.clone().unwrap()
}

fn version_of(page: &List<Grain>) -> u64 {
    let version = page.metadata.resource_version.as_deref();
    version.unwrap().parse().unwrap()
}
