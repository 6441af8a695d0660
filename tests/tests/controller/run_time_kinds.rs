//! Kinds that are known at run time, and controllers that are added to and removed from a manager that runs.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    Client, CustomResource, CustomResourceExt, KubeSchema,
    client::{discovery::ServedResource, dynamic::Unstructured},
    controller::{Action, AddControllerError, Context, Controller, Error, Manager, ObjectEvent},
    informer::{CacheObject, RunError},
    kube::core::DynamicObject,
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::{
    api::{
        core::v1::{ConfigMap, Node},
        events::v1::Event,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep};

use crate::cluster::{Fleet, Running, fleet, settle};

const FINALIZER: &str = "sea.example.com/anchor";

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "sea.example.com", version = "v1", kind = "Harbour", namespaced)]
struct HarbourSpec {
    berths: i32,
}

/// What the reconcile functions were called for.
type Log = Arc<Mutex<Vec<String>>>;

/// A manager that runs without controllers.
fn running(client: Client) -> Running {
    Running::of(Manager::new(client.field_manager("fleet-operator")))
}

fn fleets() -> ServedResource {
    ServedResource::of_definition(&Fleet::crd())
}

fn take(log: &Log) -> Vec<String> {
    let mut all = std::mem::take(&mut *log.lock().unwrap());
    all.sort();
    all.dedup();
    all
}

/// Applies a ship for each name in the spec.
async fn reconcile(object: Arc<Unstructured>, cx: Context<Unstructured, Log>) -> Result<Action, Error> {
    cx.state().lock().unwrap().push(object.name().to_owned());
    let names = object.fields["spec"]["ships"].as_array().cloned().unwrap_or_default();
    let ship = |name: &serde_json::Value| {
        let mut ship = ConfigMap::default();
        ship.metadata.name = Some(format!("{}-{}", object.name(), name.as_str().unwrap()));
        ship
    };
    cx.apply_owned(&object, names.iter().map(ship)).await?;
    let afloat = cx.owned::<ConfigMap>(&object).len();
    cx.status(&object).update(|status| status["afloat"] = afloat.into());
    cx.event(&object, ObjectEvent::normal("Afloat", "all ships are afloat"));
    Ok(Action::Done)
}

async fn clean_up(object: Arc<Unstructured>, cx: Context<Unstructured, Log>) -> Result<Action, Error> {
    cx.state().lock().unwrap().push(format!("clean up {}", object.name()));
    Ok(Action::Done)
}

fn fleet_controller(log: &Log) -> Controller {
    let builder = Controller::of_kind::<Unstructured>(&fleets()).owns::<ConfigMap>().state(log.clone());
    builder.finalizer(FINALIZER, clean_up).reconcile(reconcile)
}

/// Only logs the names of the objects.
fn observer(name: &str, kind: &ServedResource, log: &Log) -> Controller {
    let builder = Controller::of_kind::<DynamicObject>(kind).name(name).state((name.to_owned(), log.clone()));
    builder.reconcile(async |object: Arc<DynamicObject>, cx: Context<DynamicObject, (String, Log)>| {
        let (name, log) = cx.state();
        log.lock().unwrap().push(format!("{name} {} {}", object.types.as_ref().unwrap().kind, object.name()));
        Ok::<_, Infallible>(Action::Done)
    })
}

#[tokio::test(start_paused = true)]
async fn a_kind_of_run_time_is_reconciled_as_one_of_a_type() {
    let server = ApiServer::new().with::<Fleet>().with_rbac();
    let (admin, log) = (server.client(), Log::default());
    let captain = server.as_service_account("default", "captain").client().field_manager("fleet-operator");
    // The permissions are those of the same controller before the manager runs.
    let roles = Manager::new(captain.clone()).add(fleet_controller(&log)).rbac().service_account("default", "captain");
    let typed = Controller::of::<Fleet>()
        .owns::<ConfigMap>()
        .finalizer(FINALIZER, async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done));
    let typed = typed.reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done));
    let typed = Manager::new(captain.clone()).add(typed).rbac().service_account("default", "captain");
    assert_eq!(roles.to_yaml(), typed.to_yaml());
    drop(server.clone().with_objects(&roles.to_yaml()));

    let fleets = admin.resources::<Fleet>().namespace("default");
    fleets.create(&fleet("armada", &["a", "b"])).await.unwrap();
    let running = running(captain);
    running.handle.add(fleet_controller(&log)).await.unwrap();
    settle().await;
    let ships = admin.resources::<ConfigMap>().namespace("default");
    let ship = ships.get("armada-a").await.unwrap();
    let owner = &ship.metadata.owner_references.as_ref().unwrap()[0];
    assert_eq!((&*owner.api_version, &*owner.kind, &*owner.name), ("sea.example.com/v1", "Fleet", "armada"));
    assert_eq!((owner.controller, owner.block_owner_deletion), (Some(true), Some(true)));
    let stored = fleets.get("armada").await.unwrap();
    assert_eq!(stored.metadata.finalizers, Some(vec![FINALIZER.to_owned()]));
    assert_eq!(stored.status.unwrap().afloat, 2);
    let events = admin.resources::<Event>().namespace("default").list().await.unwrap().items;
    assert_eq!(events[0].regarding.as_ref().unwrap().kind.as_deref(), Some("Fleet"));

    // What it owns comes back, and what it does not want any longer goes.
    take(&log);
    ships.delete("armada-b").await.unwrap();
    settle().await;
    assert_eq!(take(&log), ["armada"]);
    ships.get("armada-b").await.unwrap();
    fleets.update("armada", |fleet| fleet.spec.ships.truncate(1)).await.unwrap();
    settle().await;
    assert_eq!(ships.list().await.unwrap().items.len(), 1);
    fleets.delete("armada").await.unwrap();
    settle().await;
    assert!(take(&log).contains(&"clean up armada".to_owned()));
    assert!(fleets.get_opt("armada").await.unwrap().is_none());
    assert!(running.handle.metrics("fleet").unwrap().successes > 3);
    assert!(running.handle.openmetrics().contains("controller_runtime_active_workers{controller=\"fleet\"}"));
    running.stop().await;
    assert!(server.journal().iter().all(|entry| entry.code() != Some(403)));
}

/// Nothing is left to write when nothing changes.
#[tokio::test(start_paused = true)]
async fn an_unchanged_object_is_not_written_again() {
    let server = ApiServer::new().with::<Fleet>();
    let log = Log::default();
    server.client().resources().namespace("default").create(&fleet("armada", &["a"])).await.unwrap();
    let running = running(server.client());
    running.handle.add(fleet_controller(&log)).await.unwrap();
    settle().await;
    let before = server.journal().only(Requests::patch()).iter().count();
    running.handle.remove("fleet").await.unwrap();
    running.handle.add(fleet_controller(&log)).await.unwrap();
    settle().await;
    let objects = server.journal().only(Requests::patch().of::<Fleet>()).iter().count();
    assert!(before > 0 && take(&log) == ["armada"]);
    running.handle.remove("fleet").await.unwrap();
    running.handle.add(fleet_controller(&log)).await.unwrap();
    settle().await;
    assert_eq!(server.journal().only(Requests::patch().of::<Fleet>()).iter().count(), objects);
    running.stop().await;
}

/// Their objects have one type.
#[tokio::test(start_paused = true)]
async fn several_kinds_of_run_time_are_kept_apart() {
    let server = ApiServer::new().with::<Fleet>().with::<Harbour>();
    let (client, log) = (server.client(), Log::default());
    client.resources().namespace("default").create(&fleet("armada", &[])).await.unwrap();
    client.resources().namespace("default").create(&Harbour::new("port", HarbourSpec { berths: 3 })).await.unwrap();
    let running = running(client.clone());
    let harbours = client.discovery().find("harbours").await.unwrap();
    running.handle.add(observer("fleets", &fleets(), &log)).await.unwrap();
    running.handle.add(observer("harbours", &harbours, &log)).await.unwrap();
    running.handle.add(observer("more-fleets", &fleets(), &log)).await.unwrap();
    settle().await;
    assert_eq!(take(&log), ["fleets Fleet armada", "harbours Harbour port", "more-fleets Fleet armada"]);
    // Those of equal kinds share an informer.
    assert_eq!(server.watches(Requests::watch().of::<Fleet>()).len(), 1);
    assert!(running.handle.remove("fleets").await.unwrap());
    settle().await;
    assert_eq!(server.watches(Requests::watch().of::<Fleet>()).len(), 1);
    assert!(running.handle.remove("more-fleets").await.unwrap());
    settle().await;
    assert_eq!(server.watches(Requests::watch().of::<Fleet>()).len(), 0);
    assert!(!running.handle.remove("more-fleets").await.unwrap());
    client.resources::<Harbour>().namespace("default").update("port", |port| port.spec.berths = 4).await.unwrap();
    settle().await;
    assert_eq!(take(&log), ["harbours Harbour port"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_removed_controller_ends_after_its_reconciliations() {
    let server = ApiServer::new().with::<Fleet>();
    let (client, log) = (server.client(), Log::default());
    let fleets = client.resources::<Fleet>().namespace("default");
    fleets.create(&fleet("armada", &[])).await.unwrap();
    let slow = |log: &Log, limit| {
        let builder = Controller::of::<Fleet>().drain_timeout(limit).state(log.clone());
        builder.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet, Log>| {
            sleep(Duration::from_secs(10)).await;
            cx.state().lock().unwrap().push(fleet.name().to_owned());
            Ok::<_, Infallible>(Action::requeue(Duration::from_millis(1)))
        })
    };
    let running = running(client.clone());
    running.handle.add(slow(&log, Duration::from_secs(20))).await.unwrap();
    sleep(Duration::from_secs(25)).await;
    assert_eq!(log.lock().unwrap().len(), 2);
    let started = Instant::now();
    assert!(running.handle.remove("fleet").await.unwrap());
    assert!((4..=6).contains(&started.elapsed().as_secs()), "{:?}", started.elapsed());
    assert_eq!(log.lock().unwrap().len(), 3);
    sleep(Duration::from_secs(60)).await;
    assert_eq!((log.lock().unwrap().len(), running.handle.metrics("fleet").is_none()), (3, true));

    // The manager goes on if one does not end in time.
    running.handle.add(slow(&log, Duration::from_secs(1))).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    let cut = running.handle.remove("fleet").await.unwrap_err();
    assert!(matches!(cut, RunError::DrainTimedOut(_)), "{cut}");
    take(&log);
    running.handle.add(fleet_controller(&log)).await.unwrap();
    settle().await;
    assert_eq!(take(&log), ["armada"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_added_leaves_the_others_alone() {
    let server = ApiServer::new().with::<Fleet>();
    let (client, log) = (server.client(), Log::default());
    let running = running(client.clone());
    running.handle.add(observer("first", &fleets(), &log)).await.unwrap();
    let equal = running.handle.add(observer("first", &fleets(), &log)).await.unwrap_err();
    assert!(matches!(&equal, AddControllerError::Settings(error) if error.problems.len() == 1), "{equal}");
    let nodes = Controller::of_kind::<Unstructured>(&fleets()).owns::<Node>();
    let nodes =
        nodes.reconcile(async |_: Arc<Unstructured>, _: Context<Unstructured>| Ok::<_, Infallible>(Action::Done));
    let nodes = running.handle.add(nodes).await.unwrap_err().to_string();
    assert!(
        nodes.contains("the controller `fleet` of the namespaced kind `Fleet` owns `Node`, which is cluster-scoped"),
        "{nodes}"
    );
    let harbours = ServedResource::of_definition(&Harbour::crd());
    let missing = running.handle.add(observer("harbours", &harbours, &log)).await.unwrap_err();
    assert!(matches!(missing, AddControllerError::Preflight(_)), "{missing}");
    let unlisted = server.faults().on(Requests::watch().of::<ConfigMap>()).fail(500);
    let other = server.faults().on(Requests::list().of::<ConfigMap>()).fail(500);
    let configs = client.discovery().find("configmaps").await.unwrap();
    let stuck = Controller::of_kind::<Unstructured>(&configs).sync_timeout(Duration::from_secs(30));
    let stuck =
        stuck.reconcile(async |_: Arc<Unstructured>, _: Context<Unstructured>| Ok::<_, Infallible>(Action::Done));
    let stuck = running.handle.add(stuck).await.unwrap_err();
    assert!(matches!(stuck, AddControllerError::Run(RunError::NotSynced { .. })), "{stuck}");
    assert!(unlisted.count() > 0);
    other.remove();

    client.resources().namespace("default").create(&fleet("armada", &[])).await.unwrap();
    settle().await;
    assert_eq!(take(&log), ["first Fleet armada"]);
    assert_eq!(running.handle.readyz().to_string(), "ok");
    let handle = running.handle.clone();
    running.stop().await;
    let late = handle.add(observer("late", &fleets(), &log)).await.unwrap_err();
    assert!(matches!(late, AddControllerError::NotRunning), "{late}");
    assert!(!handle.remove("first").await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_controller_outlives_the_definition_of_its_kind() {
    let server = ApiServer::new().with::<Fleet>();
    let (client, log) = (server.client(), Log::default());
    let running = running(client.clone());
    running.handle.add(observer("fleets", &fleets(), &log)).await.unwrap();
    client.resources::<CustomResourceDefinition>().delete("fleets.sea.example.com").await.unwrap();
    server.watches(Requests::watch().of::<Fleet>()).end();
    sleep(Duration::from_secs(600)).await;
    client.resources().create(&Fleet::crd()).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    client.resources().namespace("default").create(&fleet("armada", &[])).await.unwrap();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(take(&log), ["fleets Fleet armada"]);
    running.stop().await;
}

/// As before, unless somebody may add some.
#[tokio::test(start_paused = true)]
async fn a_manager_without_controllers_ends_at_once_without_a_handle() {
    let server = ApiServer::new();
    Manager::new(server.client()).until(std::future::pending::<()>()).run().await.unwrap();
    let running = running(server.client());
    sleep(Duration::from_secs(60)).await;
    assert!(!running.task.is_finished());
    running.stop().await;
}

/// A standby has complete caches, and begins when it is the leader.
#[tokio::test(start_paused = true)]
async fn a_controller_is_added_to_a_standby() {
    let server = ApiServer::new().with::<Fleet>();
    let (client, log) = (server.client(), Log::default());
    client.resources().namespace("default").create(&fleet("armada", &[])).await.unwrap();
    let manager = || Manager::new(client.clone().field_manager("fleet-operator")).leader_election("fleets");
    let leader = Running::of(manager());
    settle().await;
    let standby = Running::of(manager());
    settle().await;
    standby.handle.add(observer("fleets", &fleets(), &log)).await.unwrap();
    settle().await;
    assert_eq!(take(&log), [""; 0]);
    leader.stop().await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(take(&log), ["fleets Fleet armada"]);
    standby.stop().await;
}
