//! An operator during the life of an object: it is killed at each of its requests, the API server is unavailable, and permissions
//! are lost.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crdkit::{
    Client,
    client::{Resources, scope::InNamespace},
    controller::{Action, Context, Controller, Error, Manager, ManagerError},
};
use crdkit_api_server::ApiServer;
use http::Request;
use k8s_openapi::api::{
    core::v1::ConfigMap,
    rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding},
};
use kube::client::Body;
use serde_json::json;
use tokio::{
    sync::Notify,
    task::{JoinHandle, JoinSet},
    time::{Instant, sleep},
};
use tower::{ServiceExt, service_fn};

use crate::cluster::{Fleet, fleet, ships};

const FINALIZER: &str = "sea.example.com/harbour";

/// The times of the clean-ups that succeeded.
type CleanUps = Arc<Mutex<Vec<Instant>>>;

async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet, CleanUps>) -> Result<Action, Error> {
    cx.apply_owned(&fleet, ships(&fleet)).await?;
    cx.status(&fleet).update(|status| status.afloat = fleet.spec.ships.len()).await?;
    Ok(Action::Done)
}

async fn clean_up(_: Arc<Fleet>, cx: Context<Fleet, CleanUps>) -> Result<Action, Error> {
    cx.state().lock().unwrap().push(Instant::now());
    Ok(Action::Done)
}

fn manager(client: Client, clean_ups: &CleanUps) -> Manager {
    let controller = Controller::of::<Fleet>()
        .state(clean_ups.clone())
        .owns::<ConfigMap>()
        .finalizer(FINALIZER, clean_up)
        .reconcile(reconcile);
    Manager::new(client.field_manager("fleet-operator")).add(controller).until(std::future::pending::<()>())
}

/// The request at which the operator is killed, before or after the API server processes it.
#[derive(Clone, Copy, Debug)]
struct Kill {
    at: usize,
    is_processed: bool,
}

/// Returns a client that does not get the response to one of its requests, which is announced.
fn mortal(server: &ApiServer, kill: Kill, killed: &Arc<Notify>) -> Client {
    let (service, requests, killed) = (server.service(), Arc::new(AtomicUsize::new(0)), killed.clone());
    let mortal = service_fn(move |request: Request<Body>| {
        let is_watch = request.uri().query().is_some_and(|query| query.contains("watch="));
        let is_last = !is_watch && requests.fetch_add(1, Ordering::SeqCst) == kill.at;
        let (service, killed) = (service.clone(), killed.clone());
        async move {
            if is_last && !kill.is_processed {
                killed.notify_one();
                std::future::pending::<()>().await;
            }
            let response = service.oneshot(request).await;
            if is_last {
                killed.notify_one();
                std::future::pending::<()>().await;
            }
            response
        }
    });
    Client::from(kube::Client::new(mortal, "default"))
}

/// Runs the operator, and starts it again once it was killed.
async fn run(server: ApiServer, kill: Kill, clean_ups: CleanUps, was_killed: Arc<Mutex<bool>>) {
    let killed = Arc::new(Notify::new());
    let mut first = JoinSet::new();
    first.spawn(manager(mortal(&server, kill, &killed), &clean_ups).run());
    killed.notified().await;
    first.shutdown().await;
    *was_killed.lock().unwrap() = true;
    manager(server.client(), &clean_ups).run().await.unwrap();
}

struct Sea {
    fleets: Resources<Fleet, InNamespace>,
    ships: Resources<ConfigMap, InNamespace>,
}

impl Sea {
    fn new(server: &ApiServer) -> Self {
        let client = server.client();
        Self { fleets: client.resources().namespace("default"), ships: client.resources().namespace("default") }
    }

    async fn names(&self) -> Vec<String> {
        let ships = self.ships.list().await.unwrap().items.into_iter();
        let mut names: Vec<_> = ships.filter_map(|ship| ship.metadata.name).collect();
        names.sort_unstable();
        names
    }

    async fn afloat(&self) -> Option<usize> {
        Some(self.fleets.get("north").await.unwrap().status?.afloat)
    }
}

async fn settle() {
    sleep(Duration::from_secs(10)).await;
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_at_any_request_completes_its_work() {
    let mut kills = 0;
    for number in 0.. {
        let kill = Kill { at: number / 2, is_processed: number % 2 == 1 };
        let server = ApiServer::new().with::<Fleet>().with_garbage_collection();
        let (sea, clean_ups, was_killed) = (Sea::new(&server), CleanUps::default(), Arc::default());
        let operator = tokio::spawn(run(server, kill, clean_ups.clone(), Arc::clone(&was_killed)));
        sea.fleets.create(&fleet("north", &["a", "b"])).await.unwrap();
        settle().await;
        assert_eq!(
            (sea.names().await, sea.afloat().await),
            (vec!["north-a".into(), "north-b".into()], Some(2)),
            "{kill:?}"
        );

        sea.fleets.update("north", |north| north.spec.ships = ["b", "c"].map(str::to_owned).into()).await.unwrap();
        settle().await;
        assert_eq!(
            (sea.names().await, sea.afloat().await),
            (vec!["north-b".into(), "north-c".into()], Some(2)),
            "{kill:?}"
        );

        sea.ships.delete("north-b").await.unwrap();
        let black = |ship: &mut ConfigMap| ship.data = Some([("flag".to_owned(), "black".to_owned())].into());
        sea.ships.update("north-c", black).await.unwrap();
        settle().await;
        assert_eq!(sea.names().await, ["north-b", "north-c"], "{kill:?}");
        let repaired = sea.ships.get("north-c").await.unwrap().data.unwrap();
        assert_eq!(repaired["flag"], "white", "{kill:?}");

        sea.fleets.delete("north").await.unwrap();
        settle().await;
        assert!(sea.fleets.get_opt("north").await.unwrap().is_none(), "{kill:?}");
        assert_eq!(sea.names().await, [""; 0], "{kill:?}");
        let clean_ups = clean_ups.lock().unwrap().len();
        let was_killed = *was_killed.lock().unwrap();
        assert!(clean_ups == 1 || was_killed && clean_ups == 2, "{kill:?}: {clean_ups} clean-ups");
        operator.abort();
        if !was_killed {
            break;
        }
        kills += 1;
    }
    // The checks, lists, the finalizer, two ships, the status and so on.
    assert!(kills > 30, "{kills}");
}

#[tokio::test(start_paused = true)]
async fn what_changes_while_the_api_server_is_away_is_done_afterwards() {
    let server = ApiServer::new().with::<Fleet>();
    let sea = Sea::new(&server);
    let operator = tokio::spawn(manager(server.client(), &CleanUps::default()).run());
    sea.fleets.create(&fleet("north", &["a"])).await.unwrap();
    settle().await;
    for minutes in [0, 1, 30] {
        server.stop();
        sleep(Duration::from_secs(minutes * 60 + 5)).await;
        server.start();
        // Before the operator is connected again.
        sea.ships.delete("north-a").await.unwrap();
        sleep(Duration::from_secs(120)).await;
        assert_eq!(sea.names().await, ["north-a"], "after {minutes} minutes");
    }
    assert!(!operator.is_finished());
    operator.abort();
}

/// Returns the operator with shards, which require permissions too.
fn sharded(client: Client) -> Manager {
    manager(client, &CleanUps::default()).shards("fleets", 2)
}

/// Grants everything that the operator requires.
async fn grant(client: &Client) {
    let rbac = sharded(client.clone()).rbac().service_account("default", "operator");
    client.resources::<ClusterRole>().create(&rbac.cluster_role().unwrap()).await.unwrap();
    for (role, binding) in rbac.roles().iter().zip(&rbac.role_bindings()) {
        client.resources::<Role>().namespace("default").create(role).await.unwrap();
        client.resources::<RoleBinding>().namespace("default").create(binding).await.unwrap();
    }
    bind(client).await;
}

async fn bind(client: &Client) {
    let binding = json!({
        "metadata": { "name": "operator" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "operator" },
        "subjects": [{ "kind": "ServiceAccount", "namespace": "default", "name": "operator" }],
    });
    let binding: ClusterRoleBinding = serde_json::from_value(binding).unwrap();
    client.resources::<ClusterRoleBinding>().create(&binding).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_operator_whose_permissions_are_lost_continues_when_they_are_back() {
    let server = ApiServer::new().with::<Fleet>().with_rbac();
    let (sea, admin) = (Sea::new(&server), server.client());
    grant(&admin).await;
    let running = sharded(server.as_service_account("default", "operator").client());
    let handle = running.handle();
    let operator: JoinHandle<Result<(), ManagerError>> = tokio::spawn(running.run());
    sea.fleets.create(&fleet("north", &["a"])).await.unwrap();
    settle().await;
    assert_eq!(sea.names().await, ["north-a"]);

    admin.resources::<ClusterRoleBinding>().delete("operator").await.unwrap();
    sea.fleets.update("north", |north| north.spec.ships.push("b".to_owned())).await.unwrap();
    settle().await;
    assert_eq!(sea.names().await, ["north-a"]);
    assert!(handle.metrics("fleet").unwrap().failures > 0);
    // The watches end, and are refused.
    sleep(Duration::from_secs(20 * 60)).await;
    assert!(!handle.healthz().is_healthy() && !operator.is_finished());

    bind(&admin).await;
    sleep(Duration::from_secs(6 * 60)).await;
    assert_eq!(sea.names().await, ["north-a", "north-b"]);
    assert!(handle.healthz().is_healthy(), "{}", handle.healthz());
    operator.abort();
}
