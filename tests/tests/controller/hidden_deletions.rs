//! Objects with finalizers that the cache of a controller does not have, or whose changes a filter drops, are cleaned up too.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crdkit::{
    CustomResource, KubeSchema,
    client::Patch,
    controller::{Action, Context, Controller, ControllerBuilder, Error, Manager},
    informer::{CacheObject, Filter, Informers},
};
use crdkit_api_server::ApiServer;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::sleep;

use crate::cluster::{Cluster, Fleet, fleet, settle};

const ANCHOR: &str = "sea.example.com/anchor";
const FLAG: &str = "sea.example.com/flag";

type CleanUps = Arc<AtomicUsize>;

fn with_finalizers(builder: ControllerBuilder<Fleet>, cleaned: &CleanUps) -> ControllerBuilder<Fleet> {
    [ANCHOR, FLAG].into_iter().fold(builder, |builder, name| {
        let cleaned = cleaned.clone();
        builder.finalizer(name, move |_: Arc<Fleet>, _: Context<Fleet>| {
            cleaned.fetch_add(1, Ordering::Relaxed);
            async { Ok::<_, Error>(Action::Done) }
        })
    })
}

fn complete(builder: ControllerBuilder<Fleet>) -> Controller {
    builder.reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Error>(Action::Done))
}

fn selecting(cleaned: &CleanUps) -> Controller {
    complete(with_finalizers(Controller::of::<Fleet>(), cleaned).select(|fleets| fleets.labels("side=port")))
}

async fn launch_selected(cluster: &Cluster, name: &str) {
    let mut selected = fleet(name, &[]);
    selected.metadata.labels = Some([("side".to_owned(), "port".to_owned())].into());
    cluster.fleets.create(&selected).await.unwrap();
}

async fn deselect(cluster: &Cluster, name: &str) {
    let patch = Patch::merge(json!({ "metadata": { "labels": { "side": null } } }));
    cluster.fleets.patch(name, &patch).await.unwrap();
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_that_left_the_selection_is_cleaned_up() {
    let cluster = Cluster::new();
    let cleaned = CleanUps::default();
    for name in ["north", "south"] {
        launch_selected(&cluster, name).await;
    }
    // One that was never selected.
    cluster.launch("west", &[]).await;
    let running = cluster.start(selecting(&cleaned));
    settle().await;
    deselect(&cluster, "north").await;
    let left = cluster.fleets.get("north").await.unwrap();
    assert_eq!(left.finalizers().collect::<Vec<_>>(), [ANCHOR, FLAG]);
    assert_eq!(cluster.fleets.get("west").await.unwrap().finalizers().count(), 0);
    let metrics = running.handle.metrics("fleet").unwrap();
    assert_eq!((metrics.forced_deletions, cleaned.load(Ordering::Relaxed)), (0, 0));

    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    assert!(cluster.fleets.get_opt("north").await.unwrap().is_none());
    assert_eq!(cleaned.load(Ordering::Relaxed), 2);

    // It leaves, and is deleted, while no process runs.
    running.stop().await;
    deselect(&cluster, "south").await;
    cluster.fleets.delete("south").await.unwrap();
    let running = cluster.start(selecting(&cleaned));
    settle().await;
    assert!(cluster.fleets.get_opt("south").await.unwrap().is_none());
    let metrics = running.handle.metrics("fleet").unwrap();
    assert_eq!((metrics.forced_deletions, metrics.stale, metrics.failures), (0, 0, 0));
    assert_eq!(cleaned.load(Ordering::Relaxed), 4);

    // Finalizers that somebody removes are still reported.
    launch_selected(&cluster, "east").await;
    settle().await;
    deselect(&cluster, "east").await;
    let patch = Patch::merge(json!({ "metadata": { "finalizers": null } }));
    cluster.fleets.patch("east", &patch).await.unwrap();
    cluster.fleets.delete("east").await.unwrap();
    settle().await;
    assert_eq!(running.handle.metrics("fleet").unwrap().forced_deletions, 1);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_clean_up_is_not_the_cause_of_its_next_call() {
    let cluster = Cluster::new();
    let cleaned = CleanUps::default();
    let state = cleaned.clone();
    launch_selected(&cluster, "north").await;
    let selecting = Controller::of::<Fleet>().select(|fleets| fleets.labels("side=port"));
    let cleaning = selecting.finalizer(ANCHOR, move |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        let count = state.fetch_add(1, Ordering::Relaxed);
        async move {
            cx.status(&fleet).update(|status| status.afloat = count + 1).await?;
            Ok::<_, Error>(if count < 5 { Action::requeue(Duration::from_secs(60)) } else { Action::Done })
        }
    });
    let running = cluster.start(complete(cleaning));
    settle().await;
    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    assert_eq!(cleaned.load(Ordering::Relaxed), 1);
    // Its next call is one of an object that the cache does not have.
    deselect(&cluster, "north").await;
    let after_it_left = cleaned.load(Ordering::Relaxed);
    assert_eq!(after_it_left, 2);
    sleep(Duration::from_secs(120)).await;
    assert_eq!(cleaned.load(Ordering::Relaxed), after_it_left + 2);
    sleep(Duration::from_secs(300)).await;
    assert!(cluster.fleets.get_opt("north").await.unwrap().is_none());
    assert_eq!(cleaned.load(Ordering::Relaxed), 6);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_that_returns_is_reconciled_again() {
    let cluster = Cluster::new();
    let cleaned = CleanUps::default();
    launch_selected(&cluster, "north").await;
    let running = cluster.start(selecting(&cleaned));
    settle().await;
    deselect(&cluster, "north").await;
    let before = running.handle.metrics("fleet").unwrap().successes;
    let patch = Patch::merge(json!({ "metadata": { "labels": { "side": "port" } } }));
    cluster.fleets.patch("north", &patch).await.unwrap();
    settle().await;
    assert!(running.handle.metrics("fleet").unwrap().successes > before);
    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    assert!(cluster.fleets.get_opt("north").await.unwrap().is_none());
    assert_eq!(cleaned.load(Ordering::Relaxed), 2);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn filters_do_not_hide_deletions() {
    let cluster = Cluster::new();
    let cleaned = CleanUps::default();
    cluster.launch("north", &[]).await;
    let builder = with_finalizers(Controller::of::<Fleet>(), &cleaned).filter(Filter::new(|_, _| false));
    let running = cluster.start(complete(builder));
    settle().await;
    cluster.fleets.delete("north").await.unwrap();
    settle().await;
    assert!(cluster.fleets.get_opt("north").await.unwrap().is_none());
    assert_eq!(cleaned.load(Ordering::Relaxed), 2);
    running.stop().await;
}

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Light", namespaced)]
struct LightSpec {
    color: String,
}

/// The same kind, in a program that does not have all colors.
mod strict {
    use super::{CustomResource, Deserialize, KubeSchema, Serialize};

    #[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
    #[crd(group = "sea.example.com", version = "v1", kind = "Light", namespaced)]
    pub(super) struct LightSpec {
        pub(super) color: Color,
    }

    #[derive(KubeSchema, Serialize, Deserialize, Clone, Debug)]
    pub(super) enum Color {
        Red,
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_cannot_be_decoded_is_cleaned_up_by_its_metadata() {
    for (is_red, is_early) in [(false, false), (true, false), (false, true), (true, true)] {
        let server = ApiServer::new().with::<Light>();
        let client = server.client();
        let lights = client.resources::<Light>().namespace("default");
        let mut light = Light::new("pier", LightSpec { color: if is_red { "Red" } else { "Blue" }.to_owned() });
        light.metadata.finalizers = Some(vec![ANCHOR.to_owned(), "example.com/other".to_owned()]);
        lights.create(&light).await.unwrap();
        let cleaned = CleanUps::default();
        let log = cleaned.clone();
        let builder = Controller::of::<strict::Light>()
            .finalizer(ANCHOR, async |_: Arc<strict::Light>, _: Context<strict::Light>| Ok::<_, Error>(Action::Done))
            .clean_up_undecodable(move |light, _| {
                assert_eq!(light.name(), "pier");
                log.fetch_add(1, Ordering::Relaxed);
                async { Ok::<_, Error>(Action::Done) }
            });
        let controller =
            builder.reconcile(async |_: Arc<strict::Light>, _: Context<strict::Light>| Ok::<_, Error>(Action::Done));
        let manager = Manager::new(client.field_manager("lights")).add(controller);
        let handle = manager.handle();
        let start = || tokio::spawn(manager.run());
        let blue = Patch::merge(json!({ "spec": { "color": "Blue" } }));
        let running = if is_early {
            let running = start();
            settle().await;
            lights.patch("pier", &blue).await.unwrap();
            settle().await;
            lights.delete("pier").await.unwrap();
            running
        } else {
            lights.patch("pier", &blue).await.unwrap();
            lights.delete("pier").await.unwrap();
            start()
        };
        settle().await;
        let left = lights.get("pier").await.unwrap();
        assert_eq!(left.finalizers().collect::<Vec<_>>(), ["example.com/other"]);
        assert_eq!(cleaned.load(Ordering::Relaxed), 1, "{is_red} {is_early}");
        lights.patch("pier", &Patch::merge(json!({ "metadata": { "finalizers": null } }))).await.unwrap();
        settle().await;
        let metrics = handle.metrics("light").unwrap();
        assert_eq!((metrics.forced_deletions, metrics.failures), (0, 0));
        running.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn the_finalizers_that_a_deletion_waits_for_are_reported() {
    let server = ApiServer::new().with::<Light>();
    let lights = server.client().resources::<Light>().namespace("default");
    let mut light = Light::new("pier", LightSpec { color: "Blue".to_owned() });
    light.metadata.finalizers = Some(vec![ANCHOR.to_owned()]);
    lights.create(&light).await.unwrap();
    let informer = Informers::new(server.client()).of::<strict::Light>().start();
    informer.synced().await.unwrap();
    assert!(informer.undecodable_objects()[0].finalizers.is_empty());
    lights.delete("pier").await.unwrap();
    sleep(Duration::from_secs(1)).await;
    assert_eq!(informer.undecodable_objects()[0].finalizers, [ANCHOR]);
}
