//! Streams that add keys: from when on they are read, which keys count, and what their errors and their end do.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

use crdkit::{
    controller::{
        Action, Context, Controller, Error, LeaderElection, Manager, ManagerError, ManagerHandle, ObjectKey,
        TriggeredKeys,
    },
    informer::CacheObject,
};
use crdkit_api_server::Requests;
use futures_util::{Stream, stream};
use k8s_openapi::api::core::v1::Namespace;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::sleep,
};

use crate::cluster::{Cluster, Fleet, fleet, settle};

/// The names of the objects that were reconciled, in their order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        let mut texts = std::mem::take(&mut *self.0.lock().unwrap());
        texts.sort();
        texts
    }
}

async fn reconcile(fleet: Arc<Fleet>, cx: Context<Fleet, Log>) -> Result<Action, Infallible> {
    cx.state().add(fleet.name());
    Ok(Action::Done)
}

async fn reconcile_key(key: ObjectKey, cx: Context<Fleet, Log>) -> Result<Action, Infallible> {
    let exists = if cx.get().is_some() { "exists" } else { "is gone" };
    cx.state().add(format!("{key} {exists}"));
    Ok(Action::Done)
}

/// Returns a stream of what is sent.
fn channel<I>() -> (mpsc::UnboundedSender<I>, impl Stream<Item = I> + use<I>) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    (sender, stream::poll_fn(move |context| receiver.poll_recv(context)))
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::new("default", name)
}

fn warning(handle: &ManagerHandle) -> Option<String> {
    let readiness = handle.readyz();
    assert!(readiness.is_healthy(), "{readiness}");
    readiness.check("triggers").unwrap().warning.clone()
}

/// Returns the value of a metric of the trigger.
fn metric(handle: &ManagerHandle, name: &str) -> String {
    let series = format!("{name}{{controller=\"fleet\",trigger=\"port\"}} ");
    let text = handle.openmetrics();
    let line = text.lines().find_map(|line| line.strip_prefix(&series));
    line.unwrap_or_else(|| panic!("no {series} in {text}")).to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_channel_adds_keys() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    cluster.launch("west", &[]).await;
    let (log, (sender, keys)) = (Log::default(), channel::<ObjectKey>());
    let running =
        cluster.start(Controller::of::<Fleet>().state(log.clone()).trigger("port", keys).reconcile(reconcile));
    settle().await;
    assert_eq!(log.take(), ["north", "west"]);

    sender.send(key("north")).unwrap();
    settle().await;
    assert_eq!(log.take(), ["north"]);
    // There is no such object.
    sender.send(key("east")).unwrap();
    settle().await;
    assert_eq!(log.take(), [""; 0]);
    assert_eq!(warning(&running.handle), None);
    assert_eq!(metric(&running.handle, "crdkit_trigger_keys_total"), "2");
    assert_eq!(metric(&running.handle, "crdkit_trigger_open"), "1.0");
    running.stop().await;
    // The stream is dropped.
    assert!(sender.send(key("north")).is_err());
}

#[tokio::test(start_paused = true)]
async fn functions_of_keys_see_that_an_object_is_gone() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let (log, (sender, keys)) = (Log::default(), channel::<Vec<ObjectKey>>());
    let running =
        cluster.start(Controller::of::<Fleet>().state(log.clone()).trigger("port", keys).reconcile_key(reconcile_key));
    settle().await;
    log.take();
    sender.send(vec![key("north"), key("east"), key("north")]).unwrap();
    settle().await;
    assert_eq!(log.take(), ["default/east is gone", "default/north exists"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_read_after_the_caches_are_complete() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    cluster.server.faults().on(Requests::list().of::<Fleet>()).times(3).fail(503);
    cluster.server.faults().on(Requests::watch().of::<Fleet>()).times(3).fail(503);
    let log = Log::default();
    let polls = {
        let log = log.clone();
        stream::poll_fn(move |_| {
            log.add("poll");
            Poll::<Option<ObjectKey>>::Pending
        })
    };
    let running =
        cluster.start(Controller::of::<Fleet>().state(log.clone()).trigger("port", polls).reconcile(reconcile));
    sleep(Duration::from_millis(50)).await;
    assert_eq!(log.take(), [""; 0]);
    sleep(Duration::from_secs(60)).await;
    let mut log = log.take();
    log.dedup();
    assert_eq!(log, ["north", "poll"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_error_is_reported_until_the_next_key() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let (log, (sender, keys)) = (Log::default(), channel::<Result<ObjectKey, &str>>());
    let running =
        cluster.start(Controller::of::<Fleet>().state(log.clone()).trigger("port", keys).reconcile(reconcile));
    sender.send(Err("no connection")).unwrap();
    settle().await;
    let expected = "the trigger `port` fails: no connection, of the controller `fleet`";
    assert_eq!(warning(&running.handle).unwrap(), expected);
    assert_eq!(metric(&running.handle, "crdkit_trigger_errors_total"), "1");
    assert_eq!(log.take(), ["north"]);

    sender.send(Ok(key("north"))).unwrap();
    settle().await;
    assert_eq!((warning(&running.handle), log.take()), (None, vec!["north".to_owned()]));

    // A key that cannot be one of these objects is an error, too.
    sender.send(Ok(ObjectKey::new(None, "north"))).unwrap();
    settle().await;
    let expected = "the trigger `port` fails: the key `north` names no object: an object of this kind has a namespace, of the \
                    controller `fleet`";
    assert_eq!(warning(&running.handle).unwrap(), expected);
    assert_eq!(metric(&running.handle, "crdkit_trigger_errors_total"), "2");
    assert_eq!(log.take(), [""; 0]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_stream_does_not_stop_the_controller() {
    let ends = || stream::poll_fn(|_| Poll::Ready(None::<ObjectKey>));
    let panics = || stream::poll_fn(|_| -> Poll<Option<ObjectKey>> { panic!("as the test wants") });
    for (is_panic, problem) in [(false, "has ended"), (true, "panicked")] {
        let cluster = Cluster::new();
        cluster.launch("north", &[]).await;
        let log = Log::default();
        let builder = Controller::of::<Fleet>().state(log.clone());
        let builder = if is_panic { builder.trigger("port", panics()) } else { builder.trigger("port", ends()) };
        let running = cluster.start(builder.reconcile(reconcile));
        settle().await;
        let expected = format!("the trigger `port` {problem}, of the controller `fleet`");
        assert_eq!(warning(&running.handle).unwrap(), expected);
        assert_eq!(metric(&running.handle, "crdkit_trigger_open"), "0.0");
        cluster.launch("west", &[]).await;
        settle().await;
        assert_eq!(log.take(), ["north", "west"]);
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_timer_reconciles_all_objects() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    cluster.launch("west", &[]).await;
    let log = Log::default();
    let hourly = stream::unfold((), async |()| {
        sleep(Duration::from_secs(3600)).await;
        Some((TriggeredKeys::All, ()))
    });
    let running =
        cluster.start(Controller::of::<Fleet>().state(log.clone()).trigger("port", hourly).reconcile(reconcile));
    sleep(Duration::from_secs(3590)).await;
    assert_eq!(log.take(), ["north", "west"]);
    sleep(Duration::from_secs(20)).await;
    assert_eq!(log.take(), ["north", "west"]);
    assert_eq!(metric(&running.handle, "crdkit_trigger_keys_total"), "2");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_never_waits_does_not_block_others() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let log = Log::default();
    let endless = stream::repeat(key("east"));
    let running =
        cluster.start(Controller::of::<Fleet>().state(log.clone()).trigger("port", endless).reconcile(reconcile));
    // Paused time does not go on while something runs.
    for _ in 0..2000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(log.take(), ["north"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn only_selected_namespaces_count() {
    let cluster = Cluster::new();
    let sea: Namespace = serde_json::from_value(serde_json::json!({ "metadata": { "name": "sea" } })).unwrap();
    cluster.client.resources::<Namespace>().create(&sea).await.unwrap();
    cluster.launch("north", &[]).await;
    let fleets = cluster.client.resources::<Fleet>().namespace("sea");
    fleets.create(&fleet("north", &[])).await.unwrap();
    let (log, (sender, keys)) = (Log::default(), channel::<ObjectKey>());
    let builder = Controller::of::<Fleet>().state(log.clone()).select(|fleets| fleets.namespaces(["sea"]));
    let running = cluster.start(builder.trigger("port", keys).reconcile_key(reconcile_key));
    settle().await;
    assert_eq!(log.take(), ["sea/north exists"]);
    // A controller of keys would take it for deleted.
    sender.send(key("north")).unwrap();
    sender.send(ObjectKey::new("sea", "north")).unwrap();
    settle().await;
    assert_eq!(log.take(), ["sea/north exists"]);
    assert_eq!(
        (warning(&running.handle), metric(&running.handle, "crdkit_trigger_keys_total")),
        (None, "1".to_owned())
    );
    running.stop().await;
}

struct Replica {
    log: Log,
    handle: ManagerHandle,
    sender: mpsc::UnboundedSender<ObjectKey>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ManagerError>>,
}

impl Replica {
    fn start(cluster: &Cluster, configure: impl FnOnce(Manager) -> Manager) -> Self {
        let (log, (sender, keys)) = (Log::default(), channel());
        let controller = Controller::of::<Fleet>().state(log.clone()).trigger("port", keys).reconcile(reconcile);
        let (stop, stopped) = oneshot::channel();
        let manager = configure(Manager::new(cluster.operator())).add(controller).until(stopped);
        Self { log, handle: manager.handle(), sender, stop, task: tokio::spawn(manager.run()) }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn keys_of_a_standby_wait_until_it_is_the_leader() {
    let cluster = Cluster::new();
    cluster.launch("north", &[]).await;
    let elected = |name: &'static str| {
        move |manager: Manager| {
            manager.leader_election(LeaderElection::new("fleets").namespace("default").identity(name))
        }
    };
    let first = Replica::start(&cluster, elected("first"));
    settle().await;
    let second = Replica::start(&cluster, elected("second"));
    sleep(Duration::from_secs(30)).await;
    assert_eq!((first.log.take(), second.log.take()), (vec!["north".to_owned()], vec![]));

    second.sender.send(key("north")).unwrap();
    settle().await;
    assert_eq!(metric(&second.handle, "crdkit_trigger_keys_total"), "1");
    assert_eq!((first.log.take(), second.log.take()), (vec![], vec![]));
    first.stop().await;
    sleep(Duration::from_secs(20)).await;
    // The key was in its queue already.
    assert_eq!(second.log.take(), ["north"]);
    second.sender.send(key("north")).unwrap();
    settle().await;
    assert_eq!(second.log.take(), ["north"]);
    second.stop().await;

    // Another process reads its own stream.
    let third = Replica::start(&cluster, elected("third"));
    settle().await;
    third.log.take();
    third.sender.send(key("north")).unwrap();
    settle().await;
    assert_eq!(third.log.take(), ["north"]);
    third.stop().await;
}

#[tokio::test(start_paused = true)]
async fn only_the_holder_of_a_shard_reconciles() {
    let cluster = Cluster::new();
    let names: Vec<_> = (0..12).map(|number| format!("f{number:02}")).collect();
    for name in &names {
        cluster.launch(name, &[]).await;
    }
    let shared = |name: &'static str| {
        move |manager: Manager| manager.shards(LeaderElection::new("fleets").namespace("default").identity(name), 4)
    };
    let (first, second) = (Replica::start(&cluster, shared("first")), Replica::start(&cluster, shared("second")));
    sleep(Duration::from_secs(60)).await;
    first.log.take();
    second.log.take();
    for replica in [&first, &second] {
        names.iter().for_each(|name| replica.sender.send(key(name)).unwrap());
    }
    settle().await;
    let (of_first, of_second) = (first.log.take(), second.log.take());
    assert!(!of_first.is_empty() && !of_second.is_empty(), "{of_first:?} {of_second:?}");
    let mut all = [of_first, of_second].concat();
    all.sort();
    assert_eq!(all, names);

    // The other one has all shards now.
    first.stop().await;
    sleep(Duration::from_secs(60)).await;
    second.log.take();
    names.iter().for_each(|name| second.sender.send(key(name)).unwrap());
    settle().await;
    assert_eq!(second.log.take(), names);
    second.stop().await;
}

#[tokio::test(start_paused = true)]
async fn triggers_of_a_controller_have_different_names() {
    let cluster = Cluster::new();
    let idle = async |_: Arc<Fleet>, _: Context<Fleet>| -> Result<Action, Error> { Ok(Action::Done) };
    let keys = || stream::pending::<ObjectKey>();
    let controller = Controller::of::<Fleet>().trigger("port", keys()).trigger("port", keys()).reconcile(idle);
    let error = Manager::new(cluster.operator()).add(controller).run().await.unwrap_err();
    assert!(error.to_string().contains("the controller `fleet` has two triggers with the name `port`"), "{error}");
}
