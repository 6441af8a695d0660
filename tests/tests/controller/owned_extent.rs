//! Which objects are pruned: what the controller applied, in any namespace and of any kind, and nothing of others.

use std::{sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, KubeSchema,
    client::Patch,
    controller::{APPLIED_BY_ANNOTATION, Action, Context, Controller, Error, Manager},
    informer::CacheObject,
};
use crdkit_api_server::ApiServer;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cluster::{Cluster, Fleet, settle, ships};

/// A cluster-scoped owner.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Sea")]
struct SeaSpec {
    namespaces: Vec<String>,
}

fn config(name: &str, value: &str) -> Value {
    json!({ "metadata": { "name": name }, "data": { "value": value } })
}

/// Applies ships, and a Secret while there are two of them.
async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet>) -> Result<Action, Error> {
    cx.apply_owned(&fleet, ships(&fleet)).await?;
    if fleet.spec.ships.len() == 2 {
        cx.apply_owned::<Secret>(&fleet, [json!({ "metadata": { "name": "signals" } })]).await?;
    }
    match fleet.spec.ships.first().map(String::as_str) {
        Some("waiting") => Ok(Action::requeue(Duration::from_secs(3_600))),
        Some("paused") => {
            cx.keep_owned();
            Ok(Action::Done)
        }
        Some("failing") => Err("it cannot be done".into()),
        _ => Ok(Action::Done),
    }
}

fn controller() -> Controller {
    Controller::of::<Fleet>().owns::<ConfigMap>().owns::<Secret>().reconcile(reconcile)
}

async fn set_ships(cluster: &Cluster, ships: &[&str]) {
    let patch = Patch::merge(json!({ "spec": { "ships": ships } }));
    cluster.fleets.patch("north", &patch).await.unwrap();
    settle().await;
}

async fn secrets(cluster: &Cluster) -> usize {
    cluster.client.resources::<Secret>().namespace("default").list().await.unwrap().items.len()
}

#[tokio::test(start_paused = true)]
async fn objects_are_pruned_by_namespace_and_name() {
    let namespaces = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n\
                      {apiVersion: v1, kind: Namespace, metadata: {name: b}}";
    let server = ApiServer::new().with::<Sea>().with_objects(namespaces);
    let client = server.client();
    let seas = client.resources::<Sea>();
    let spec = |namespaces: &[&str]| SeaSpec { namespaces: namespaces.iter().map(|it| (*it).to_owned()).collect() };
    seas.create(&Sea::new("north", spec(&["a", "b"]))).await.unwrap();
    let reconcile = async |sea: Arc<Sea>, cx: Context<Sea>| -> Result<Action, Error> {
        let objects = sea.spec.namespaces.iter().map(|namespace| {
            let namespace = (!namespace.is_empty()).then_some(namespace);
            json!({ "metadata": { "name": "admin", "namespace": namespace } })
        });
        cx.apply_owned::<ConfigMap>(&sea, objects).await?;
        Ok(Action::Done)
    };
    let manager = Manager::new(client.field_manager("sea-operator"))
        .add(Controller::of::<Sea>().owns::<ConfigMap>().reconcile(reconcile));
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    settle().await;
    let places = async || -> Vec<String> {
        let configs = client.resources::<ConfigMap>().all_namespaces().list().await.unwrap().items;
        // A new cluster has one too.
        let own = configs.iter().filter(|config| config.metadata.name.as_deref() == Some("admin"));
        own.map(|config| config.namespace().unwrap().to_owned()).collect()
    };
    assert_eq!(places().await, ["a", "b"]);
    seas.patch("north", &Patch::merge(json!({ "spec": spec(&["a"]) }))).await.unwrap();
    settle().await;
    assert_eq!(places().await, ["a"]);
    // An object without a namespace is an error, and nothing is lost.
    assert_eq!(handle.metrics("sea").unwrap().failures, 0);
    seas.patch("north", &Patch::merge(json!({ "spec": spec(&[""]) }))).await.unwrap();
    settle().await;
    assert!(handle.metrics("sea").unwrap().failures > 0);
    assert_eq!(places().await, ["a"]);
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_a_run_does_not_apply_is_pruned() {
    for is_restarted in [false, true] {
        let cluster = Cluster::new();
        cluster.launch("north", &["a", "b"]).await;
        let mut running = cluster.start(controller());
        settle().await;
        assert_eq!(secrets(&cluster).await, 1);
        if is_restarted {
            running.stop().await;
            set_ships(&cluster, &["a"]).await;
            running = cluster.start(controller());
        }
        set_ships(&cluster, &["a"]).await;
        assert_eq!((cluster.ship_names().await, secrets(&cluster).await), (vec!["north-a".to_owned()], 0));
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_not_complete_prunes_nothing_else() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a", "b"]).await;
    let running = cluster.start(controller());
    settle().await;
    for unfinished in ["waiting", "paused", "failing"] {
        set_ships(&cluster, &[unfinished]).await;
        assert_eq!(secrets(&cluster).await, 1, "{unfinished}");
    }
    set_ships(&cluster, &[]).await;
    assert_eq!((cluster.ship_names().await.len(), secrets(&cluster).await), (0, 0));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_the_program_no_longer_applies_is_pruned() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a", "b"]).await;
    let running = cluster.start(controller());
    settle().await;
    running.stop().await;
    let next = Controller::of::<Fleet>().formerly_owns::<Secret>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.apply_owned(&fleet, ships(&fleet)).await?;
            Ok(Action::Done)
        },
    );
    let running = cluster.start(next);
    settle().await;
    assert_eq!((cluster.ship_names().await.len(), secrets(&cluster).await), (2, 0));
    running.stop().await;
}

/// Applies one object of its own.
fn applies(name: &'static str, object: &'static str) -> Controller {
    Controller::of::<Fleet>().name(name).state(object).owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet, &'static str>| -> Result<Action, Error> {
            let object = format!("{}-{}", fleet.name(), cx.state());
            cx.apply_owned::<ConfigMap>(&fleet, [config(&object, "1")]).await?;
            Ok(Action::Done)
        },
    )
}

#[tokio::test(start_paused = true)]
async fn controllers_of_one_kind_keep_the_objects_of_each_other() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let one = Manager::new(cluster.operator()).add(applies("sails", "sail")).add(applies("anchors", "anchor"));
    let other = Manager::new(cluster.operator().field_manager("other")).add(applies("sails", "flag"));
    let running = [one, other].map(|manager| tokio::spawn(manager.run()));
    settle().await;
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-anchor", "north-flag", "north-sail"]);
    assert_eq!(cluster.take_writes().len(), 3);
    running.iter().for_each(tokio::task::JoinHandle::abort);

    // A later version prunes what it does not apply, also under another name.
    let running = cluster.start(applies("sails", "jib"));
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-anchor", "north-flag", "north-jib"]);
    running.stop().await;
    let renamed = Controller::of::<Fleet>().name("rigging").formerly_named("anchors").formerly_named("other/sails");
    let running = cluster.start(
        renamed.owns::<ConfigMap>().reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Error>(Action::Done)),
    );
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-jib"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn objects_of_others_are_kept() {
    let cluster = Cluster::new();
    let fleet = cluster.launch("north", &["a"]).await;
    let running = cluster.start(controller());
    settle().await;
    let ship = cluster.ships.get("north-a").await.unwrap();
    let made: ConfigMap = serde_json::from_value(json!({ "metadata": {
        "name": "made", "ownerReferences": ship.metadata.owner_references,
    } }))
    .unwrap();
    cluster.ships.create(&made).await.unwrap();
    let mut copy = ship.clone();
    copy.metadata = made.metadata.clone();
    copy.metadata.name = Some("copy".to_owned());
    copy.metadata.annotations = ship.metadata.annotations.clone();
    assert!(copy.annotations().any(|(key, _)| key == APPLIED_BY_ANNOTATION), "{fleet:?}");
    cluster.ships.create(&copy).await.unwrap();
    set_ships(&cluster, &[]).await;
    assert_eq!(cluster.ship_names().await, ["copy", "made"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn calls_without_pruning_keep_only_their_own_objects() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a", "kept"]).await;
    let running = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            let (kept, others): (Vec<_>, Vec<_>) =
                ships(&fleet).into_iter().partition(|ship| ship.name() == "north-kept");
            cx.apply_owned(&fleet, kept).without_pruning().await?;
            cx.apply_owned(&fleet, others).await?;
            Ok(Action::Done)
        },
    ));
    settle().await;
    set_ships(&cluster, &["b", "kept"]).await;
    assert_eq!(cluster.ship_names().await, ["north-b", "north-kept"]);
    set_ships(&cluster, &[]).await;
    assert_eq!(cluster.ship_names().await, ["north-kept"]);
    running.stop().await;
}

/// Returns the error of a controller whose function applies objects in some way.
async fn error_of<F, R>(cluster: &Cluster, apply: F) -> String
where
    F: Fn(Arc<Fleet>, Context<Fleet>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Action, Error>> + Send + 'static,
{
    let (sender, mut errors) = tokio::sync::mpsc::unbounded_channel();
    let running = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(move |fleet, cx| {
        let (applied, sender) = (apply(fleet, cx), sender.clone());
        async move {
            let outcome = applied.await;
            let _ = sender.send(outcome.as_ref().err().map(ToString::to_string));
            outcome
        }
    }));
    settle().await;
    running.stop().await;
    errors.recv().await.flatten().unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn contradictions_are_errors_that_name_the_object() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let twice = "the ConfigMap `default/flag` is applied twice in one reconciliation: apply it once";
    let in_list = error_of(&cluster, async |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        cx.apply_owned::<ConfigMap>(&fleet, [config("flag", "1"), config("flag", "2")]).await?;
        Ok(Action::Done)
    });
    assert_eq!(in_list.await, twice);
    assert!(cluster.take_writes().is_empty());
    let in_calls = error_of(&cluster, async |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        cx.apply_owned::<ConfigMap>(&fleet, [config("flag", "1")]).await?;
        cx.apply_owned::<ConfigMap>(&fleet, [config("flag", "2")]).await?;
        Ok(Action::Done)
    });
    assert_eq!(in_calls.await, twice);
    assert_eq!(cluster.take_writes().len(), 1);
    let same = error_of(&cluster, async |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        for _ in 0..2 {
            cx.apply_owned::<ConfigMap>(&fleet, [config("flag", "1")]).await?;
        }
        Ok(Action::Done)
    });
    assert_eq!(same.await, "");
    cluster.take_writes();

    let other = cluster.start(applies("other", "x"));
    settle().await;
    other.stop().await;
    cluster.take_writes();
    let applied = error_of(&cluster, async |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        cx.apply_owned::<ConfigMap>(&fleet, [config("north-x", "2")]).await?;
        Ok(Action::Done)
    });
    let expected = "the ConfigMap `default/north-x` is applied by another controller, `fleet-operator/other`: choose another \
                    name, or set `formerly_named` if that is a former name of this controller";
    assert_eq!(applied.await, expected);
}

#[tokio::test(start_paused = true)]
async fn an_object_of_another_owner_is_named() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let other = cluster.start(applies("other", "x"));
    settle().await;
    other.stop().await;
    cluster.fleets.delete("north").await.unwrap();
    cluster.launch("south", &[]).await;
    let error = error_of(&cluster, async |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        cx.apply_owned::<ConfigMap>(&fleet, [config("north-x", "2")]).await?;
        Ok(Action::Done)
    });
    let expected = "the ConfigMap `default/north-x` belongs to the Fleet `north`, which is its controller";
    assert_eq!(error.await, expected);
}

#[tokio::test(start_paused = true)]
async fn an_error_that_is_ignored_deletes_nothing() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let running = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            if fleet.spec.ships.is_empty() {
                let odd = json!({ "metadata": { "name": "x", "annotations": 3 } });
                let refused = cx.apply_owned::<ConfigMap>(&fleet, [odd]).await.unwrap_err().to_string();
                assert!(refused.ends_with("its `metadata.annotations` is not an object"), "{refused}");
            } else {
                cx.apply_owned(&fleet, ships(&fleet)).await?;
            }
            Ok(Action::Done)
        },
    ));
    settle().await;
    set_ships(&cluster, &[]).await;
    assert_eq!(running.handle.metrics("fleet").unwrap().panics, 0);
    assert_eq!(cluster.ship_names().await, ["north-a"]);
    running.stop().await;
}

/// A kind is declared twice, with different selections.
#[tokio::test(start_paused = true)]
async fn each_declaration_of_a_kind_has_its_own_cache() {
    for watches_first in [false, true] {
        let cluster = Cluster::new();
        cluster.launch("north", &["a", "b"]).await;
        let watch = |builder: crdkit::controller::ControllerBuilder<Fleet>| {
            builder.watches_selected::<ConfigMap>(|configs| configs.labels("x=y"), |_| Vec::new())
        };
        let builder = Controller::of::<Fleet>();
        let watching =
            if watches_first { watch(builder).owns::<ConfigMap>() } else { watch(builder.owns::<ConfigMap>()) };
        // The own kind, too.
        let builder = watching.watches_selected::<Fleet>(|fleets| fleets.labels("x=y"), |_| Vec::new());
        let running = cluster.start(builder.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet>| {
            assert_eq!(cx.get().unwrap().name(), fleet.name());
            assert!(cx.lister::<ConfigMap>().list().len() >= cx.owned::<ConfigMap>(&fleet).len());
            cx.apply_owned(&fleet, ships(&fleet)).await?;
            Ok::<_, Error>(Action::Done)
        }));
        settle().await;
        assert_eq!(cluster.ship_names().await.len(), 2);
        cluster.take_writes();
        set_ships(&cluster, &["a"]).await;
        assert_eq!(cluster.ship_names().await, ["north-a"]);
        assert_eq!(cluster.take_writes().len(), 1);
        let metrics = running.handle.metrics("fleet").unwrap();
        assert_eq!((metrics.panics, metrics.stale), (0, 0));
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn selections_of_owned_objects_add_up() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a", "b"]).await;
    let controller = Controller::of::<Fleet>()
        .owns_selected::<ConfigMap>(|ships| ships.labels("side=port"))
        .owns_selected::<ConfigMap>(|ships| ships.labels("side=starboard"));
    let running = cluster.start(controller.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet>| {
        let sides = ["port", "starboard"].into_iter().cycle();
        let with_side = ships(&fleet).into_iter().zip(sides).map(|(mut ship, side)| {
            ship.metadata.labels = Some([("side".to_owned(), side.to_owned())].into());
            ship
        });
        cx.apply_owned(&fleet, with_side).await?;
        Ok::<_, Error>(Action::Done)
    }));
    settle().await;
    set_ships(&cluster, &[]).await;
    assert!(cluster.ship_names().await.is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn owned_kinds_have_the_namespaces_of_their_owners() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let select = Controller::of::<Fleet>().select(|fleets| fleets.namespaces(["default"])).owns::<ConfigMap>();
    let running = cluster.start(select.reconcile(reconcile));
    settle().await;
    assert_eq!(cluster.ship_names().await, ["north-a"]);
    let journal = cluster.server.journal();
    let reads =
        journal.iter().filter(|entry| entry.request().resource() == "configmaps" && !entry.request().verb().is_write());
    let places: Vec<_> = reads.map(|entry| entry.request().namespace().map(str::to_owned)).collect();
    assert!(!places.is_empty() && places.iter().all(|place| place.as_deref() == Some("default")), "{places:?}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn fields_of_earlier_updates_are_removed_by_the_first_apply() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let operator = cluster.operator();
    let ships: crdkit::client::Resources<ConfigMap, _> = operator.resources().namespace("default");
    let made: ConfigMap =
        serde_json::from_value(json!({ "metadata": { "name": "north-a" }, "data": { "flag": "red", "old": "1" } }))
            .unwrap();
    ships.create(&made).await.unwrap();
    let patch = |key: &str| Patch::merge(json!({ "data": { key: "1" } }));
    ships.patch("north-a", &patch("patched")).await.unwrap();
    let client: Client = cluster.client.field_manager("somebody");
    client.resources::<ConfigMap>().namespace("default").patch("north-a", &patch("other")).await.unwrap();
    let running = cluster.start(controller());
    settle().await;
    let data = async || cluster.ships.get("north-a").await.unwrap().data.unwrap().into_keys().collect::<Vec<_>>();
    assert_eq!(data().await, ["flag", "other"]);
    // Later updates of the operator are deliberate.
    ships.patch("north-a", &patch("later")).await.unwrap();
    settle().await;
    assert_eq!(data().await, ["flag", "later", "other"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn fields_of_other_managers_are_taken_over_on_request() {
    let cluster = Cluster::new();
    cluster.launch("north", &["a"]).await;
    let helm = cluster.client.field_manager("helm");
    let made: ConfigMap =
        serde_json::from_value(json!({ "metadata": { "name": "north-a" }, "data": { "flag": "red", "old": "1" } }))
            .unwrap();
    helm.resources().namespace("default").create(&made).await.unwrap();
    let running = cluster.start(Controller::of::<Fleet>().owns::<ConfigMap>().reconcile(
        async |fleet: Arc<Fleet>, cx: Context<Fleet>| -> Result<Action, Error> {
            cx.apply_owned(&fleet, ships(&fleet)).taking_over(["helm"]).await?;
            Ok(Action::Done)
        },
    ));
    settle().await;
    let ship = cluster.ships.get("north-a").await.unwrap();
    assert_eq!(ship.data.unwrap().into_keys().collect::<Vec<_>>(), ["flag"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn fields_that_a_former_field_manager_applied_are_removed() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let applies = |data: Value| {
        Controller::of::<Fleet>().state(data).owns::<ConfigMap>().formerly_named("old/a.io/fleet").reconcile(
            async |fleet: Arc<Fleet>, cx: Context<Fleet, Value>| -> Result<Action, Error> {
                let ship = json!({ "metadata": { "name": "ship" }, "data": cx.state() });
                cx.apply_owned::<ConfigMap>(&fleet, [ship]).await?;
                Ok(Action::Done)
            },
        )
    };
    let run = async |manager: Manager| {
        manager.until(settle()).run().await.unwrap();
        let ship = cluster.ships.get("ship").await.unwrap();
        let managers = ship.metadata.managed_fields.unwrap().into_iter().filter_map(|entry| entry.manager);
        (ship.data.unwrap().into_keys().collect::<Vec<_>>(), managers.collect::<Vec<_>>())
    };
    let both = applies(json!({ "kept": "1", "dropped": "1" }));
    let earlier = Manager::new(cluster.operator().field_manager("old/a.io"));
    assert_eq!(run(earlier.add(both)).await.0, ["dropped", "kept"]);
    let later = Manager::new(cluster.operator()).add(applies(json!({ "kept": "1" })));
    assert_eq!(run(later).await, (vec!["kept".to_owned()], vec!["fleet-operator".to_owned()]));
}
