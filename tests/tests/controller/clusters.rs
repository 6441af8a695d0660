//! One program with several clusters.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    client::Error as ClientError,
    controller::{Action, Clusters, Context, Controller, Error, Manager, ManagerError, ManagerHandle},
    informer::CacheObject,
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, sleep},
};

use crate::cluster::{Fleet, fleet, settle, ships};

type Log = Arc<Mutex<Vec<String>>>;

/// A home cluster, and others with a fleet each.
struct World {
    home: ApiServer,
    servers: Vec<(&'static str, ApiServer)>,
    log: Log,
}

struct Running {
    handle: ManagerHandle,
    clusters: Clusters,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ManagerError>>,
}

impl World {
    async fn new(names: &[&'static str]) -> Self {
        let mut servers = Vec::new();
        for name in names {
            let server = ApiServer::new().with::<Fleet>();
            server.client().resources().namespace("default").create(&fleet(name, &["a"])).await.unwrap();
            servers.push((*name, server));
        }
        Self { home: ApiServer::new(), servers, log: Log::default() }
    }

    fn server(&self, name: &str) -> &ApiServer {
        &self.servers.iter().find(|(known, _)| *known == name).unwrap().1
    }

    /// Clusters with a controller of fleets that logs the cluster and the fleet.
    fn clusters(&self) -> Clusters {
        let log = self.log.clone();
        let clusters = Clusters::new(move |cluster, manager: Manager| {
            let builder = Controller::of::<Fleet>().owns::<ConfigMap>().state((cluster.to_owned(), log.clone()));
            manager.add(builder.reconcile(async |fleet: Arc<Fleet>, cx: Context<Fleet, (String, Log)>| {
                let (cluster, log) = cx.state();
                log.lock().unwrap().push(format!("{cluster} {}", fleet.name()));
                cx.apply_owned(&fleet, ships(&fleet)).await?;
                Ok::<_, Error>(Action::Done)
            }))
        });
        for (name, server) in &self.servers {
            clusters.add(name, server.client().field_manager("fleet-operator")).unwrap();
        }
        clusters
    }

    fn run(&self, clusters: &Clusters) -> Running {
        self.run_with(clusters, |manager| manager)
    }

    fn run_with(&self, clusters: &Clusters, configure: impl FnOnce(Manager) -> Manager) -> Running {
        let (stop, stopped) = oneshot::channel();
        let manager = configure(Manager::new(self.home.client())).clusters(clusters).until(stopped);
        Running { handle: manager.handle(), clusters: clusters.clone(), stop, task: tokio::spawn(manager.run()) }
    }

    fn take_log(&self) -> Vec<String> {
        let mut all = std::mem::take(&mut *self.log.lock().unwrap());
        all.sort();
        all.dedup();
        all
    }

    async fn change(&self, name: &str) {
        let fleets = self.server(name).client().resources::<Fleet>().namespace("default");
        fleets.update(name, |fleet| fleet.spec.ships.push(format!("s{}", fleet.spec.ships.len()))).await.unwrap();
    }
}

impl Running {
    fn warning(&self, cluster: &str) -> Option<String> {
        let name = format!("cluster-{cluster}");
        let [ready, healthy] = [self.handle.readyz(), self.handle.healthz()];
        assert_eq!((ready.to_string(), healthy.to_string()), ("ok".to_owned(), "ok".to_owned()));
        let [ready, healthy] = [ready, healthy].map(|report| report.check(&name).unwrap().warning.clone());
        assert_eq!(ready, healthy);
        assert_eq!(healthy, self.clusters.problem(cluster));
        healthy
    }

    /// Returns whether a cluster is up, by its metrics.
    fn is_up(&self, cluster: &str) -> bool {
        let metrics = self.handle.openmetrics();
        let value = |value: &str| metrics.contains(&format!("crdkit_cluster_up{{cluster=\"{cluster}\"}} {value}\n"));
        assert_ne!(value("1.0"), value("0.0"), "{metrics}");
        value("1.0")
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn controllers_run_in_each_cluster() {
    let world = World::new(&["asia", "europe"]).await;
    let running = world.run(&world.clusters());
    settle().await;
    assert_eq!(world.take_log(), ["asia asia", "europe europe"]);
    world.change("europe").await;
    settle().await;
    assert_eq!(world.take_log(), ["europe europe"]);
    for (name, server) in &world.servers {
        let ships = server.client().resources::<ConfigMap>().namespace("default").list().await.unwrap().items;
        assert!(ships.iter().all(|ship| ship.metadata.name.as_ref().unwrap().starts_with(name)), "{ships:?}");
        assert_eq!((running.warning(name), running.is_up(name)), (None, true));
        assert_eq!(running.clusters.handle(name).unwrap().metrics("fleet").unwrap().failures, 0);
    }
    let metrics = running.handle.openmetrics();
    for line in [
        "controller_runtime_reconcile_total{controller=\"fleet\",result=\"success\",cluster=\"asia\"} ",
        "crdkit_informer_objects{resource=\"fleets.sea.example.com\",cluster=\"europe\"} 1.0",
        "workqueue_adds_total{name=\"fleet\",controller=\"fleet\",cluster=\"asia\"} ",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    // Each family is there once.
    assert_eq!(metrics.matches("# TYPE controller_runtime_reconcile ").count(), 1, "{metrics}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn clusters_come_and_go() {
    let world = World::new(&["asia"]).await;
    let running = world.run(&world.clusters());
    settle().await;
    world.take_log();
    let africa = ApiServer::new().with::<Fleet>();
    africa.client().resources().namespace("default").create(&fleet("africa", &[])).await.unwrap();
    running.clusters.add("africa", africa.client().field_manager("fleet-operator")).unwrap();
    let equal = running.clusters.add("asia", africa.client()).unwrap_err().to_string();
    assert!(equal.contains("there is a cluster `asia` already"), "{equal}");
    settle().await;
    assert_eq!(
        (world.take_log(), running.clusters.names()),
        (vec!["africa africa".to_owned()], vec!["africa".into(), "asia".into()])
    );

    assert!(running.clusters.remove("asia").await && !running.clusters.remove("asia").await);
    settle().await;
    assert!(world.server("asia").watches(Requests::watch()).is_empty());
    world.change("asia").await;
    settle().await;
    assert_eq!((world.take_log(), running.clusters.names()), (Vec::new(), vec!["africa".to_owned()]));
    assert!(!running.handle.openmetrics().contains("cluster=\"asia\""));
    // It comes back as another one.
    running.clusters.add("asia", world.server("asia").client().field_manager("fleet-operator")).unwrap();
    settle().await;
    assert_eq!(world.take_log(), ["asia asia"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_failing_cluster_delays_no_other() {
    for code in [401, 500] {
        let world = World::new(&["asia", "europe"]).await;
        drop(world.server("asia").faults().on(Requests::all()).fail(code));
        let running = world.run(&world.clusters());
        let started = Instant::now();
        settle().await;
        assert_eq!((world.take_log(), running.is_up("europe")), (vec!["europe europe".to_owned()], true));
        while started.elapsed() < Duration::from_secs(3600) {
            assert!(running.warning("asia").is_some() && !running.is_up("asia"));
            assert_eq!(running.warning("europe"), None);
            sleep(Duration::from_secs(7)).await;
        }
        let problem = running.warning("asia").unwrap();
        assert!(problem.contains("fleets.sea.example.com") || problem.contains("configmaps"), "{code}: {problem}");
        world.change("europe").await;
        settle().await;
        assert_eq!(world.take_log(), ["europe europe"]);

        world.server("asia").faults().clear();
        sleep(Duration::from_secs(600)).await;
        assert_eq!(
            (world.take_log(), running.warning("asia"), running.is_up("asia")),
            (vec!["asia asia".to_owned()], None, true)
        );
        running.stop().await;
    }
}

/// It has run before.
#[tokio::test(start_paused = true)]
async fn a_cluster_that_becomes_unreachable_or_slow_delays_no_other() {
    let world = World::new(&["asia", "europe"]).await;
    let running = world.run(&world.clusters());
    settle().await;
    world.take_log();
    drop(world.server("asia").faults().on(Requests::all()).delay(Duration::from_secs(600)));
    world.server("asia").watches(Requests::watch()).cut();
    world.change("europe").await;
    settle().await;
    assert_eq!(world.take_log(), ["europe europe"]);
    sleep(Duration::from_secs(3600)).await;
    assert!(running.warning("asia").unwrap().contains("old"));
    world.server("asia").faults().clear();
    world.change("asia").await;
    sleep(Duration::from_secs(1200)).await;
    assert_eq!((world.take_log(), running.warning("asia")), (vec!["asia asia".to_owned()], None));
    running.stop().await;
}

/// A restart ends it.
#[tokio::test(start_paused = true)]
async fn a_reconciliation_that_does_not_end_is_unhealthy() {
    let world = World::new(&["asia"]).await;
    let clusters = Clusters::new(|_, manager: Manager| {
        manager.add(Controller::of::<Fleet>().reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| {
            std::future::pending::<()>().await;
            Ok::<_, Infallible>(Action::Done)
        }))
    });
    clusters.add("asia", world.server("asia").client()).unwrap();
    let options = crdkit::controller::ServeOptions::new().health_address("0").metrics_address("0");
    let options = options.max_reconcile_time(Duration::from_secs(300));
    let running = world.run_with(&clusters, |manager| manager.serve(options));
    sleep(Duration::from_secs(250)).await;
    assert!(running.handle.healthz().is_healthy());
    sleep(Duration::from_secs(100)).await;
    let failure = running.handle.healthz().check("cluster-asia").unwrap().failure.clone().unwrap();
    assert!(failure.contains("`fleet` has been reconciling default/asia for"), "{failure}");
    assert!(running.handle.readyz().is_healthy());
    running.task.abort();
}

#[tokio::test(start_paused = true)]
async fn the_leader_of_the_home_cluster_runs_all_clusters() {
    let world = World::new(&["asia", "europe"]).await;
    let elected = |manager: Manager| manager.leader_election("fleets");
    let first = world.run_with(&world.clusters(), elected);
    settle().await;
    assert_eq!(world.take_log(), ["asia asia", "europe europe"]);
    let second = world.run_with(&world.clusters(), elected);
    settle().await;
    assert_eq!((world.take_log(), second.handle.is_leader()), (Vec::new(), false));
    assert_eq!(second.handle.readyz().to_string(), "ok");
    first.stop().await;
    settle().await;
    assert_eq!(world.take_log(), ["asia asia", "europe europe"]);

    // Without its Lease, it does not write anywhere.
    drop(world.home.faults().on(Requests::all()).fail(500));
    sleep(Duration::from_secs(60)).await;
    let ended = second.task.await.unwrap().unwrap_err();
    assert!(matches!(ended, ManagerError::LeaseLost { .. }), "{ended}");
    world.take_log();
    world.change("asia").await;
    settle().await;
    assert_eq!(world.take_log(), [""; 0]);
}

/// The reconcile functions may go on for some time after the Lease is lost.
#[tokio::test(start_paused = true)]
async fn writes_to_other_clusters_are_fenced() {
    let world = World::new(&["asia"]).await;
    let refused = Arc::new(Mutex::new(0));
    let count = refused.clone();
    let clusters = Clusters::new(move |_, manager: Manager| {
        let builder = Controller::of::<Fleet>().state(count.clone());
        manager.add(builder.reconcile(async |_: Arc<Fleet>, cx: Context<Fleet, Arc<Mutex<usize>>>| {
            loop {
                sleep(Duration::from_secs(1)).await;
                let mut ship = ConfigMap::default();
                ship.metadata.generate_name = Some("ship-".to_owned());
                match cx.client().resources().namespace("default").create(&ship).await {
                    Err(ClientError::NotLeader { .. }) => *cx.state().lock().unwrap() += 1,
                    created => drop(created.unwrap()),
                }
            }
            #[expect(unreachable_code, reason = "it determines the type")]
            Ok::<_, Infallible>(Action::Done)
        }))
    });
    clusters.add("asia", world.server("asia").client()).unwrap();
    let running = world.run_with(&clusters, |manager| manager.leader_election("fleets"));
    sleep(Duration::from_secs(10)).await;
    assert_eq!(*refused.lock().unwrap(), 0);
    drop(world.home.faults().on(Requests::all()).fail(500));
    let ended = running.task.await.unwrap().unwrap_err();
    assert!(matches!(ended, ManagerError::LeaseLost { .. }), "{ended}");
    assert!(*refused.lock().unwrap() > 3);
}

#[tokio::test(start_paused = true)]
async fn a_manager_of_a_cluster_has_nothing_of_the_home_manager() {
    let world = World::new(&["asia"]).await;
    let clusters = Clusters::new(|_, manager: Manager| manager.leader_election("fleets"));
    clusters.add("asia", world.server("asia").client()).unwrap();
    let running = world.run(&clusters);
    settle().await;
    let problem = running.warning("asia").unwrap();
    assert!(problem.contains("the home manager has them"), "{problem}");
    running.stop().await;
}
