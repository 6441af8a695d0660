//! Controllers of namespaces of which one is deleted, forbidden or terminating.

mod limited;
mod shards;

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    Client,
    controller::{Action, Context, Controller, Error, Manager, ManagerError, ManagerHandle},
    informer::CacheObject,
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::api::{
    core::v1::{ConfigMap, Namespace},
    rbac::v1::RoleBinding,
};
use tokio::time::{Instant, sleep, timeout};

use crate::cluster::{Cluster, Fleet, Running, fleet, settle};

/// The keys of reconciled objects, with the number of owned objects in the cache.
type Log = Arc<Mutex<Vec<(String, usize)>>>;

/// A server with two namespaces, whose operator has a role in each of those that it serves.
struct Sea {
    admin: Client,
    server: ApiServer,
    namespaces: &'static [&'static str],
    log: Log,
}

async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet, Log>) -> Result<Action, Error> {
    let owned = cx.owned::<ConfigMap>(&fleet).len();
    let key = format!("{}/{}", fleet.namespace().unwrap_or_default(), fleet.name());
    cx.state().lock().unwrap().push((key, owned));
    let data = fleet.spec.ships.iter().map(|ship| (ship.clone(), String::new())).collect();
    let mut ship = ConfigMap { data: Some(data), ..ConfigMap::default() };
    ship.metadata.name = Some(fleet.name().to_owned());
    cx.apply_owned(&fleet, [ship]).await?;
    Ok(Action::Done)
}

impl Sea {
    async fn new() -> Self {
        let sea = Self::with_namespaces(&["north", "south"]).await;
        sea.grant();
        sea
    }

    /// The operator has no roles yet.
    async fn with_namespaces(namespaces: &'static [&'static str]) -> Self {
        let server = ApiServer::new().with::<Fleet>().with_rbac();
        let admin = server.client();
        for name in ["north", "south"] {
            let mut namespace = Namespace::default();
            namespace.metadata.name = Some(name.to_owned());
            admin.resources().create(&namespace).await.unwrap();
        }
        Self { admin, server, namespaces, log: Log::default() }
    }

    fn captain(&self) -> ApiServer {
        self.server.as_service_account("default", "captain")
    }

    fn manager(&self) -> Manager {
        let controller = Controller::of::<Fleet>()
            .select(|fleets| fleets.namespaces(self.namespaces.iter().copied()))
            .owns_selected::<ConfigMap>(|ships| ships.namespaces(self.namespaces.iter().copied()))
            .state(self.log.clone())
            .reconcile(reconcile);
        Manager::new(self.captain().client().field_manager("fleet-operator")).add(controller)
    }

    fn run(&self) -> Running {
        Running::of(self.manager())
    }

    fn grant(&self) {
        self.grant_to(&self.manager());
    }

    fn grant_to(&self, manager: &Manager) {
        let roles = manager.rbac().service_account("default", "captain").to_yaml();
        drop(self.server.clone().with_objects(&roles));
    }

    /// Removes the role of the operator in a namespace, and ends its watches.
    async fn forbid(&self, namespace: &str) {
        let bindings = self.admin.resources::<RoleBinding>().namespace(namespace);
        for binding in bindings.list().await.unwrap().items {
            bindings.delete(binding.metadata.name.as_deref().unwrap()).await.unwrap();
        }
        self.server.watches(Requests::watch()).end();
    }

    async fn launch(&self, namespace: &str, name: &str) {
        self.admin.resources().namespace(namespace).create(&fleet(name, &["a"])).await.unwrap();
    }

    /// Permits all namespaces again: the object of the lost one is reconciled, and nothing is reported any more.
    async fn returns_to_south(&self, running: &Running) {
        self.grant();
        sleep(minutes(10)).await;
        assert_eq!(self.take_log(), ["south/second"]);
        assert_eq!((warning(&running.handle, "watches"), warning(&running.handle, "informers")), (None, None));
    }

    fn take_log(&self) -> Vec<String> {
        let mut keys: Vec<_> = std::mem::take(&mut *self.log.lock().unwrap()).into_iter().map(|(key, _)| key).collect();
        keys.sort();
        keys.dedup();
        keys
    }
}

fn warning(handle: &ManagerHandle, check: &str) -> Option<String> {
    let report = if check == "watches" { handle.healthz() } else { handle.readyz() };
    report.check(check).unwrap().warning.clone()
}

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(60 * minutes)
}

#[tokio::test(start_paused = true)]
async fn the_others_survive_the_loss_of_a_namespace() {
    let sea = Sea::new().await;
    sea.launch("north", "first").await;
    sea.launch("south", "first").await;
    let running = sea.run();
    settle().await;
    assert_eq!(sea.take_log(), ["north/first", "south/first"]);

    sea.forbid("south").await;
    sleep(minutes(60)).await;
    assert_eq!(running.handle.healthz().to_string(), "ok");
    assert_eq!(running.handle.readyz().to_string(), "ok");
    let old = warning(&running.handle, "watches").unwrap();
    assert!(old.starts_with("the data of `") && old.contains(" in `south` is ") && !old.contains("north"), "{old}");
    let lost = warning(&running.handle, "informers").unwrap();
    assert!(lost.contains("`fleets.sea.example.com` in `south` is not watched: ") && !lost.contains("north"), "{lost}");
    let metrics = running.handle.openmetrics();
    for (resource, namespace, up) in
        [("configmaps", "south", 0), ("fleets.sea.example.com", "south", 0), ("configmaps", "north", 1)]
    {
        let sample = format!("crdkit_informer_up{{resource=\"{resource}\",namespace=\"{namespace}\"}} {up}.0");
        assert!(metrics.contains(&sample), "{sample}: {metrics}");
    }
    sea.launch("north", "second").await;
    sea.launch("south", "second").await;
    settle().await;
    assert_eq!(sea.take_log(), ["north/second"]);
    sea.returns_to_south(&running).await;
    running.stop().await;
}

/// A restart would not bring it back.
#[tokio::test(start_paused = true)]
async fn the_only_namespace_is_waited_for() {
    let sea = Sea::with_namespaces(&["south"]).await;
    sea.grant();
    sea.launch("south", "first").await;
    let running = sea.run();
    settle().await;
    assert_eq!(sea.take_log(), ["south/first"]);

    sea.forbid("south").await;
    let end = Instant::now() + minutes(60);
    while Instant::now() < end {
        // Also while a request is on its way.
        assert_eq!(running.handle.healthz().to_string(), "ok");
        assert_eq!(running.handle.readyz().to_string(), "ok");
        sleep(Duration::from_millis(990)).await;
    }
    let old = warning(&running.handle, "watches").unwrap();
    assert!(old.contains("`fleets.sea.example.com` in `south` is ") && old.contains("is forbidden"), "{old}");
    let lost = warning(&running.handle, "informers").unwrap();
    assert!(lost.contains("`configmaps` in `south` is not watched: "), "{lost}");
    sea.launch("south", "second").await;
    settle().await;
    assert_eq!(sea.take_log(), [""; 0]);
    sea.returns_to_south(&running).await;
    running.stop().await;
}

/// A connection that is lost may come back in another process.
#[tokio::test(start_paused = true)]
async fn the_only_namespace_is_unhealthy_if_its_data_is_old_for_another_reason() {
    let sea = Sea::with_namespaces(&["south"]).await;
    sea.grant();
    let running = sea.run();
    settle().await;
    sea.server.faults().on(Requests::watch()).fail(500);
    sea.server.faults().on(Requests::list()).fail(500);
    sea.server.watches(Requests::watch()).end();
    sleep(minutes(60)).await;
    let failure = running.handle.healthz().check("watches").unwrap().failure.clone().unwrap();
    assert!(failure.contains("in `south`"), "{failure}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_continues_without_a_lost_namespace() {
    let sea = Sea::new().await;
    sea.launch("north", "first").await;
    sea.launch("south", "first").await;
    sea.forbid("south").await;
    let running = sea.run();
    sleep(minutes(60)).await;
    assert_eq!(sea.take_log(), ["north/first"]);
    assert_eq!(running.handle.healthz().to_string(), "ok");
    assert_eq!(running.handle.readyz().to_string(), "ok");
    assert!(warning(&running.handle, "informers").unwrap().contains("in `south` is not listed yet: "));

    sea.grant();
    sleep(minutes(10)).await;
    assert_eq!(sea.take_log(), ["south/first"]);
    running.stop().await;
}

/// Otherwise objects would be created that exist.
#[tokio::test(start_paused = true)]
async fn objects_wait_until_what_they_own_is_listed() {
    let sea = Sea::new().await;
    sea.launch("south", "first").await;
    let running = sea.run();
    settle().await;
    running.stop().await;
    sea.take_log();

    sea.server.faults().on(Requests::watch().of::<ConfigMap>().namespace("south")).fail(403);
    sea.server.faults().on(Requests::list().of::<ConfigMap>().namespace("south")).fail(403);
    let running = sea.run();
    sleep(minutes(10)).await;
    assert_eq!(sea.take_log(), [""; 0]);
    sea.launch("north", "first").await;
    settle().await;
    assert_eq!(sea.take_log(), ["north/first"]);
    sea.server.faults().clear();
    sleep(minutes(10)).await;
    // Once it was held, and once for what it owns.
    let log = std::mem::take(&mut *sea.log.lock().unwrap());
    assert!(!log.is_empty() && log.iter().all(|run| *run == ("south/first".to_owned(), 1)), "{log:?}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_loss_of_all_namespaces_is_one_error() {
    let sea = Sea::new().await;
    sea.forbid("north").await;
    sea.forbid("south").await;
    let error = timeout(minutes(1), sea.manager().run()).await.unwrap().unwrap_err();
    assert!(matches!(error, ManagerError::Preflight(_)), "{error}");
    let message = error.to_string();
    assert!(message.contains("namespace: north") && message.contains("namespace: south"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_running_program_without_any_namespace_is_unhealthy() {
    let sea = Sea::new().await;
    let running = sea.run();
    settle().await;
    sea.forbid("north").await;
    sea.forbid("south").await;
    sleep(minutes(60)).await;
    let failure = running.handle.healthz().check("watches").unwrap().failure.clone().unwrap();
    assert!(failure.contains("in `north`") && failure.contains("in `south`"), "{failure}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn creating_in_a_namespace_that_terminates_is_no_failure() {
    let cluster = Cluster::new();
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some("shop".to_owned());
    cluster.client.resources().create(&namespace).await.unwrap();
    let fleets = cluster.client.resources::<Fleet>().namespace("shop");
    fleets.create(&fleet("first", &[])).await.unwrap();
    cluster.launch("elsewhere", &[]).await;
    let calls = Arc::new(Mutex::new(Vec::new()));
    let state = calls.clone();
    // Errors of client calls, as they are and wrapped, and by the key's own and another namespace.
    let builder = Controller::of::<Fleet>().state(state);
    let controller = builder.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet, Arc<Mutex<Vec<String>>>>| {
        cx.state().lock().unwrap().push(fleet.name().to_owned());
        let mut ship = ConfigMap::default();
        ship.metadata.generate_name = Some("ship-".to_owned());
        let created = cx.client().resources().namespace("shop").create(&ship).await;
        created.map_err(|error| Error::from(format!("no ship: {error}")))?;
        Ok::<_, Error>(Action::Done)
    });
    let running = cluster.start(controller);
    settle().await;
    assert_eq!(calls.lock().unwrap().len(), 2);
    calls.lock().unwrap().clear();

    cluster.client.resources::<Namespace>().delete("shop").await.unwrap();
    fleets.update("first", |fleet| fleet.spec.ships.push("a".into())).await.unwrap();
    sleep(minutes(10)).await;
    assert_eq!(*calls.lock().unwrap(), ["first"]);
    cluster.fleets.update("elsewhere", |fleet| fleet.spec.ships.push("a".into())).await.unwrap();
    sleep(minutes(10)).await;
    // It needs another namespace than its own, so it is reconciled until that exists again.
    let of_elsewhere = calls.lock().unwrap().iter().filter(|name| *name == "elsewhere").count();
    assert!((19..=22).contains(&of_elsewhere), "{of_elsewhere}");
    let metrics = running.handle.metrics("fleet").unwrap();
    assert_eq!((metrics.failures, metrics.terminal_failures), (0, 0));
    running.stop().await;
}

/// Its name may be a mistake, which no one would see.
#[tokio::test(start_paused = true)]
async fn creating_in_a_namespace_that_never_existed_is_a_failure() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(async |_: Arc<Fleet>, cx: Context<Fleet>| {
        let mut ship = ConfigMap::default();
        ship.metadata.name = Some("ship".to_owned());
        cx.client().resources().namespace("shpo").create(&ship).await?;
        Ok::<_, Error>(Action::Done)
    }));
    sleep(minutes(1)).await;
    assert!(running.handle.metrics("fleet").unwrap().failures > 3);
    // As is one that is only read.
    running.stop().await;
    let running = cluster.start(Controller::of::<Fleet>().reconcile(async |_: Arc<Fleet>, cx: Context<Fleet>| {
        cx.client().resources::<Namespace>().get("shpo").await?;
        Ok::<_, Error>(Action::Done)
    }));
    sleep(minutes(1)).await;
    assert!(running.handle.metrics("fleet").unwrap().failures > 3);
    running.stop().await;
}

/// A clean-up that cannot complete keeps the namespace, so it must be seen.
#[tokio::test(start_paused = true)]
async fn a_clean_up_that_creates_in_a_terminating_namespace_fails() {
    let cluster = Cluster::new();
    let mut namespace = Namespace::default();
    namespace.metadata.name = Some("shop".to_owned());
    cluster.client.resources().create(&namespace).await.unwrap();
    let fleets = cluster.client.resources::<Fleet>().namespace("shop");
    fleets.create(&fleet("first", &[])).await.unwrap();
    let controller = Controller::of::<Fleet>()
        .finalizer("sea.example.com/anchor", async |_: Arc<Fleet>, cx: Context<Fleet>| {
            let mut ship = ConfigMap::default();
            ship.metadata.generate_name = Some("ship-".to_owned());
            cx.client().resources().namespace("shop").create(&ship).await?;
            Ok::<_, Error>(Action::Done)
        })
        .reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| Ok::<_, Infallible>(Action::Done));
    let running = cluster.start(controller);
    settle().await;
    cluster.client.resources::<Namespace>().delete("shop").await.unwrap();
    fleets.delete("first").await.unwrap();
    sleep(minutes(10)).await;
    assert!(running.handle.metrics("fleet").unwrap().failures > 3);
    running.stop().await;
}
