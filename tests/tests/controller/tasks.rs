//! Tasks beside controllers: where they run, from when on, and until when.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    client::Error as ClientError,
    controller::{Action, Context, Controller, Error, LeaderElection, Manager, ManagerError, Task},
};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, sleep},
};

use crate::cluster::{Cluster, Fleet, settle};

/// What happened, with the seconds since the start.
#[derive(Clone)]
struct Log(Instant, Arc<Mutex<Vec<(u64, String)>>>);

impl Log {
    fn new() -> Self {
        Self(Instant::now(), Arc::default())
    }

    fn add(&self, text: impl Into<String>) {
        self.1.lock().unwrap().push((self.0.elapsed().as_secs(), text.into()));
    }

    fn texts(&self) -> Vec<String> {
        self.1.lock().unwrap().iter().map(|(_, text)| text.clone()).collect()
    }
}

fn controller() -> Controller {
    Controller::of::<Fleet>()
        .owns::<ConfigMap>()
        .reconcile(async |_: Arc<Fleet>, _: Context<Fleet>| -> Result<Action, Error> { Ok(Action::Done) })
}

/// Runs a manager until the sender is used.
fn run(manager: Manager) -> (oneshot::Sender<()>, JoinHandle<Result<(), ManagerError>>) {
    let (stop, stopped) = oneshot::channel();
    (stop, tokio::spawn(manager.until(stopped).run()))
}

fn logging(log: &Log, name: &'static str) -> Task {
    let log = log.clone();
    Task::on_leader(name, async move |cx| {
        log.add(format!("{name} starts"));
        cx.stopped().await;
        log.add(format!("{name} ends"));
        Ok::<_, Error>(())
    })
}

#[tokio::test(start_paused = true)]
async fn a_task_starts_after_the_caches_and_ends_with_the_manager() {
    let cluster = Cluster::with_watch_delay("configmaps", Duration::from_secs(7));
    let log = Log::new();
    let ends_early = Task::on_every_replica("short", async |_| Ok::<_, Error>(()));
    let (stop, running) =
        run(Manager::new(cluster.operator()).add(controller()).task(logging(&log, "a")).task(ends_early));
    sleep(Duration::from_secs(3)).await;
    // The cache has not caught up with what the server had stored.
    assert_eq!(log.texts(), [""; 0]);
    sleep(Duration::from_secs(30)).await;
    assert_eq!(log.texts(), ["a starts"]);
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(log.texts(), ["a starts", "a ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_manager_may_have_only_tasks() {
    let cluster = Cluster::new();
    let log = Log::new();
    let (stop, running) = run(Manager::new(cluster.operator()).task(logging(&log, "a")));
    settle().await;
    assert!(!running.is_finished());
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(log.texts(), ["a starts", "a ends"]);
}

#[tokio::test(start_paused = true)]
async fn only_the_leader_runs_some_tasks() {
    let cluster = Cluster::new();
    let log = Log::new();
    let replica = |name: &'static str| {
        let log = log.clone();
        let on_every = {
            let log = log.clone();
            Task::on_every_replica("every", async move |cx| {
                log.add(format!("every on {name}"));
                // It may write, whoever is the leader.
                let mut config = ConfigMap::default();
                config.metadata.name = Some(name.to_owned());
                cx.client().resources::<ConfigMap>().namespace("default").create(&config).await?;
                cx.stopped().await;
                Ok::<_, Error>(())
            })
        };
        let on_leader = Task::on_leader("leader", async move |cx| {
            log.add(format!("leader on {name}"));
            cx.stopped().await;
            let mut late = ConfigMap::default();
            late.metadata.name = Some(format!("late-{name}"));
            let refused = cx.client().resources::<ConfigMap>().namespace("default").create(&late).await;
            // The lease is released after the task has ended.
            assert!(refused.is_ok() || matches!(refused, Err(ClientError::NotLeader { .. })), "{refused:?}");
            Ok::<_, Error>(())
        });
        let election = LeaderElection::new("fleets").namespace("default").identity(name);
        run(Manager::new(cluster.operator()).leader_election(election).add(controller()).task(on_every).task(on_leader))
    };
    let (stop_first, first) = replica("first");
    settle().await;
    let (stop_second, second) = replica("second");
    sleep(Duration::from_secs(60)).await;
    let mut texts = log.texts();
    texts.sort();
    assert_eq!(texts, ["every on first", "every on second", "leader on first"]);
    stop_first.send(()).unwrap();
    first.await.unwrap().unwrap();
    sleep(Duration::from_secs(10)).await;
    assert_eq!(log.texts().last().unwrap(), "leader on second");
    stop_second.send(()).unwrap();
    second.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_task_that_fails_stops_the_manager() {
    for (panics, expected) in [(false, "the task `a`: no luck"), (true, "the task `a`: it panicked")] {
        let cluster = Cluster::new();
        let task = Task::on_leader("a", async move |_| -> Result<(), Error> {
            sleep(Duration::from_secs(1)).await;
            assert!(!panics, "as the test wants");
            Err("no luck".into())
        });
        let (_stop, running) = run(Manager::new(cluster.operator()).add(controller()).task(task));
        let error = running.await.unwrap().unwrap_err();
        assert_eq!((error.to_string().as_str(), error.exit_code()), (expected, 18));
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_does_not_end_is_cut() {
    let cluster = Cluster::new();
    let task = Task::on_leader("a", async |_| std::future::pending::<Result<(), Error>>().await);
    let (stop, running) = run(Manager::new(cluster.operator()).add(controller()).task(task));
    settle().await;
    stop.send(()).unwrap();
    let error = running.await.unwrap().unwrap_err().to_string();
    assert_eq!(error, "the task `a`: it did not end within 20s after shutdown");
}

#[tokio::test(start_paused = true)]
async fn a_task_of_a_standby_never_starts() {
    let cluster = Cluster::new();
    let log = Log::new();
    let elected = |name: &str| LeaderElection::new("fleets").namespace("default").identity(name);
    let leader = Manager::new(cluster.operator()).leader_election(elected("leader")).add(controller());
    let (stop_leader, leading) = run(leader);
    settle().await;
    let standby = Manager::new(cluster.operator()).leader_election(elected("standby")).add(controller());
    let (stop_standby, waiting) = run(standby.task(logging(&log, "a")));
    sleep(Duration::from_secs(60)).await;
    stop_standby.send(()).unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(log.texts(), [""; 0]);
    stop_leader.send(()).unwrap();
    leading.await.unwrap().unwrap();
}
