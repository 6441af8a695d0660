//! What reconciles the objects of a controller on the real API server, and what they own.

use std::{
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

use crdkit::{
    Client, CustomResource, CustomResourceExt, KubeSchema,
    client::{Patch, Resources, Verb, dynamic::Unstructured, scope::InNamespace},
    conditions::{is_false, is_true},
    controller::{
        Action, ApplyOwnedError, Context, Controller, ControllerBuilder, Error, Manager, ManagerError, ManagerHandle,
        ObjectKey,
    },
    cron::Schedule,
    informer::CacheObject,
};
use crdkit_tests::{ControlPlane, observed};
use futures_util::stream;
use k8s_openapi::{
    api::core::v1::{ConfigMap, Secret},
    apimachinery::pkg::apis::meta::v1::Condition,
    jiff::{SignedDuration, Timestamp},
};
use kube::core::PartialObjectMeta;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

const LIMIT: Duration = Duration::from_secs(30);
const PAUSED: &str = "press.example.com/paused";
const REQUESTED: &str = "press.example.com/requestedAt";

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "press.example.com", version = "v1", kind = "Paper", namespaced, status = "PaperStatus")]
struct PaperSpec {
    /// The names of Secrets.
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    pages: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
struct PaperStatus {
    observed_generation: Option<i64>,
    last_handled_reconcile_at: Option<String>,
    #[serde(default)]
    conditions: Vec<Condition>,
}

/// What the reconcile functions were called for.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn count(&self, text: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|entry| *entry == text).count()
    }

    /// Waits until a text was added more often than this.
    async fn exceeds(&self, text: &str, count: usize) -> usize {
        observed(LIMIT, async || self.count(text), |now| *now > count).await
    }
}

struct Running {
    handle: ManagerHandle,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ManagerError>>,
}

impl Running {
    fn of(manager: Manager) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let manager = manager.until(stopped);
        Self { handle: manager.handle(), stop, task: tokio::spawn(manager.run()) }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }
}

/// The server, and a namespace of its own for a test.
struct Desk {
    client: Client,
    papers: Resources<Paper, InNamespace>,
    namespace: &'static str,
}

impl Desk {
    async fn new(namespace: &'static str) -> Option<Self> {
        let client = Client::try_from(ControlPlane::shared()?.config()).unwrap().field_manager("press");
        client.install([Paper::crd()]).await.unwrap();
        let object = json!({ "metadata": { "name": namespace } });
        let object: k8s_openapi::api::core::v1::Namespace = serde_json::from_value(object).unwrap();
        client.resources().create(&object).await.unwrap();
        Some(Self { papers: client.resources().namespace(namespace), client, namespace })
    }

    fn manager(&self) -> Manager {
        Manager::new(self.client.clone()).namespaces([self.namespace])
    }

    fn start(&self, controller: Controller) -> Running {
        Running::of(self.manager().add(controller))
    }

    async fn publish(&self, name: &str, keys: &[&str], pages: &[&str]) {
        let [keys, pages] = [keys, pages].map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        self.papers.create(&Paper::new(name, PaperSpec { keys, pages })).await.unwrap();
    }

    async fn annotate(&self, name: &str, annotation: &str, value: Option<&str>) {
        let patch = Patch::merge(json!({ "metadata": { "annotations": { annotation: value } } }));
        self.papers.patch(name, &patch).await.unwrap();
    }

    async fn status(&self, name: &str) -> PaperStatus {
        self.papers.get(name).await.unwrap().status.unwrap_or_default()
    }

    fn configs(&self) -> Resources<ConfigMap, InNamespace> {
        self.client.resources().namespace(self.namespace)
    }
}

async fn log_name(paper: Arc<Paper>, cx: Context<Paper, Log>) -> Result<Action, Error> {
    let request = cx.reconcile_request().map(|request| format!(" for {request}")).unwrap_or_default();
    cx.state().add(format!("{}{request}", paper.name()));
    Ok(Action::Done)
}

fn page(name: &str) -> ConfigMap {
    serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap()
}

#[tokio::test]
async fn those_that_refer_to_an_object_are_reconciled() {
    let Some(desk) = Desk::new("press-references").await else { return };
    let names = |paper: &Paper| paper.spec.keys.clone();
    let builder = || Controller::of::<Paper>();
    let full = builder().refers::<Secret>(names).reconcile(async |paper: Arc<Paper>, cx: Context<Paper>| {
        cx.status(&paper).set_condition(cx.referred::<Secret>(&paper).condition("Keys")).await?;
        Ok::<_, Error>(Action::Done)
    });
    let metadata =
        builder().refers_metadata::<Secret>(names).reconcile(async |paper: Arc<Paper>, cx: Context<Paper>| {
            let keys = cx.referred::<PartialObjectMeta<Secret>>(&paper);
            cx.status(&paper).set_condition(keys.condition("Keys")).await?;
            Ok::<_, Error>(Action::Done)
        });
    let across = |paper: &Paper| {
        let namespace = paper.namespace().unwrap_or_default();
        paper.spec.keys.iter().map(|name| ObjectKey::new(namespace, name)).collect()
    };
    let across = builder().refers_across::<Secret>(across).reconcile(async |paper: Arc<Paper>, cx: Context<Paper>| {
        cx.status(&paper).set_condition(cx.referred::<Secret>(&paper).condition("Keys")).await?;
        Ok::<_, Error>(Action::Done)
    });
    let secrets = desk.client.resources::<Secret>().namespace(desk.namespace);
    desk.publish("daily", &["ink"], &[]).await;
    let wait_for =
        async |is_met: fn(&Paper) -> bool| desk.papers.wait_until("daily", is_met).within(LIMIT).await.unwrap();
    for controller in [full, metadata, across] {
        let running = desk.start(controller);
        let paper = wait_for(|paper| is_false("Keys")(paper)).await;
        let expected = "Secret `press-references/ink` not found";
        assert_eq!(paper.status.unwrap().conditions[0].message, expected);
        secrets.create(&serde_json::from_value(json!({ "metadata": { "name": "ink" } })).unwrap()).await.unwrap();
        wait_for(|paper| is_true("Keys")(paper)).await;
        secrets.delete("ink").await.unwrap();
        wait_for(|paper| is_false("Keys")(paper)).await;
        running.stop().await;
    }
}

#[tokio::test]
async fn a_stream_adds_keys() {
    let Some(desk) = Desk::new("press-triggers").await else { return };
    let (sender, mut receiver) = mpsc::unbounded_channel::<ObjectKey>();
    let keys = stream::poll_fn(move |context| -> Poll<Option<ObjectKey>> { receiver.poll_recv(context) });
    let log = Log::default();
    desk.publish("daily", &[], &[]).await;
    let running = desk.start(Controller::of::<Paper>().state(log.clone()).trigger("wire", keys).reconcile(log_name));
    let mut calls = log.exceeds("daily", 0).await;
    for _ in 0..3 {
        sender.send(ObjectKey::new(desk.namespace, "daily")).unwrap();
        calls = log.exceeds("daily", calls).await;
    }
    drop(sender);
    let ended = async || running.handle.readyz().check("triggers").unwrap().warning.clone();
    let warning = observed(LIMIT, ended, Option::is_some).await.unwrap();
    assert!(warning.contains("`wire`") && running.handle.readyz().is_healthy(), "{warning}");
    running.stop().await;
}

/// The clock of the client is two seconds before a full minute, and the schedule has each minute.
#[tokio::test]
async fn a_schedule_follows_the_clock_of_the_client() {
    let Some(desk) = Desk::new("press-schedules").await else { return };
    let now = Timestamp::now();
    let minute = Timestamp::from_second(now.as_second() / 60 * 60 + 6000 * 60).unwrap();
    let ahead = minute.duration_since(now) - SignedDuration::from_secs(2);
    let client = desk.client.clock(move || Timestamp::now() + ahead);
    let controller =
        Controller::of::<Paper>().owns::<ConfigMap>().reconcile(async |paper: Arc<Paper>, cx: Context<Paper>| {
            let schedule = Schedule::parse("* * * * *")?;
            let last = paper.metadata.creation_timestamp.as_ref().map_or(cx.now(), |time| time.0);
            // The API server has its own time: what was missed before the clock of the client began does not count.
            let missed = schedule.missed_between(last.max(cx.now() - Duration::from_secs(50)), cx.now());
            if let Some(time) = missed.latest {
                cx.create_owned(&paper, page(&format!("{}-{}", paper.name(), time.as_second()))).await?;
            }
            Ok::<_, Error>(schedule.next_after(cx.now()).map_or(Action::Done, |next| cx.requeue_at(next)))
        });
    let running = Running::of(Manager::new(client).namespaces([desk.namespace]).add(controller));
    desk.publish("minutes", &[], &[]).await;
    let name = format!("minutes-{}", minute.as_second());
    observed(LIMIT, async || desk.configs().get_opt(&name).await.unwrap(), Option::is_some).await;
    running.stop().await;
}

#[tokio::test]
async fn kinds_of_run_time_are_added_and_removed() {
    let Some(desk) = Desk::new("press-kinds").await else { return };
    let kind = desk.client.discovery().find("papers.press.example.com").await.unwrap();
    let log = Log::default();
    let controller = || {
        let builder = Controller::of_kind::<Unstructured>(&kind).owns::<ConfigMap>().state(log.clone());
        builder
            .finalizer("press.example.com/archive", async |paper: Arc<Unstructured>, cx: Context<Unstructured, Log>| {
                cx.state().add(format!("archive {}", paper.name()));
                Ok::<_, Error>(Action::Done)
            })
            .reconcile(async |paper: Arc<Unstructured>, cx: Context<Unstructured, Log>| {
                cx.state().add(paper.name());
                let names = paper.fields["spec"]["pages"].as_array().cloned().unwrap_or_default();
                cx.apply_owned(&paper, names.iter().filter_map(|name| name.as_str()).map(page)).await?;
                cx.status(&paper).update(|status| status["lastHandledReconcileAt"] = "printed".into());
                Ok::<_, Error>(Action::Done)
            })
    };
    let running = Running::of(desk.manager());
    desk.publish("daily", &[], &["front", "back"]).await;
    running.handle.add(controller()).await.unwrap();
    observed(LIMIT, async || desk.status("daily").await.last_handled_reconcile_at, Option::is_some).await;
    let has = async |name: &str| desk.configs().get_opt(name).await.unwrap().is_some();
    assert!(has("front").await && has("back").await);
    desk.papers.update("daily", |paper| paper.spec.pages.truncate(1)).await.unwrap();
    observed(LIMIT, async || has("back").await, |is_there| !is_there).await;
    assert!(running.handle.remove("paper").await.unwrap());

    // Nobody looks while it is removed, and nothing is lost.
    let calls = log.count("daily");
    desk.papers.update("daily", |paper| paper.spec.pages.push("sports".into())).await.unwrap();
    desk.papers.delete("daily").await.unwrap();
    assert_eq!((log.count("daily"), log.count("archive daily")), (calls, 0));
    running.handle.add(controller()).await.unwrap();
    desk.papers.wait_until_deleted("daily").within(LIMIT).await.unwrap();
    assert_eq!(log.count("archive daily"), 1);
    running.stop().await;
}

fn steered(log: &Log) -> ControllerBuilder<Paper, Log> {
    Controller::of::<Paper>().state(log.clone()).pause_by(PAUSED).reconcile_requested_by(REQUESTED)
}

#[tokio::test]
async fn annotations_pause_an_object_and_request_a_reconciliation() {
    let Some(desk) = Desk::new("press-annotations").await else { return };
    let log = Log::default();
    desk.publish("daily", &[], &[]).await;
    let running = desk.start(steered(&log).reconcile(log_name));
    log.exceeds("daily", 0).await;
    desk.annotate("daily", REQUESTED, Some("1")).await;
    log.exceeds("daily for 1", 0).await;
    let handled = async || desk.status("daily").await.last_handled_reconcile_at;
    observed(LIMIT, &handled, |at| at.as_deref() == Some("1")).await;

    desk.annotate("daily", PAUSED, Some("true")).await;
    desk.papers.wait_until("daily", is_true("Paused")).within(LIMIT).await.unwrap();
    let calls = log.count("daily");
    desk.annotate("daily", REQUESTED, Some("2")).await;
    desk.papers.update("daily", |paper| paper.spec.pages.push("front".into())).await.unwrap();
    // The condition is that of the new generation, so the change was seen.
    desk.papers
        .wait_until("daily", |paper: &Paper| paper.metadata.generation == Some(2) && is_true("Paused")(paper))
        .within(LIMIT)
        .await
        .unwrap();
    assert_eq!((log.count("daily"), log.count("daily for 2")), (calls, 0));
    running.stop().await;

    // The pause, and the request, are there for the next process.
    let running = desk.start(steered(&log).reconcile(log_name));
    observed(LIMIT, async || running.handle.metrics("paper").unwrap().paused, |paused| *paused == 1).await;
    assert_eq!(log.count("daily for 2"), 0);
    desk.annotate("daily", PAUSED, None).await;
    log.exceeds("daily for 2", 0).await;
    desk.papers.wait_until("daily", is_false("Paused")).within(LIMIT).await.unwrap();
    observed(LIMIT, &handled, |at| at.as_deref() == Some("2")).await;
    assert_eq!(log.count("daily for 1"), 1);
    running.stop().await;
}

/// Creates an object whose name the owner determines, and one with a name that somebody else has.
async fn print(paper: Arc<Paper>, cx: Context<Paper, Log>) -> Result<Action, Error> {
    let mut unnamed = page("");
    unnamed.metadata.name = None;
    let created = cx.create_owned(&paper, unnamed).await?;
    let again = cx.create_owned(&paper, page("edition")).await?;
    let taken = cx.create_owned(&paper, page("taken")).await;
    assert!(matches!(taken, Err(ApplyOwnedError::Orphan { .. })), "{taken:?}");
    // Beside the owner, without its namespace.
    let beside = cx.client().resources::<ConfigMap>().beside(&*paper);
    assert_eq!(beside.get("edition").await?.metadata.uid, again.metadata.uid);
    cx.state().add(created.metadata.name.clone().unwrap_or_default());
    cx.status(&paper).update(|status| status.observed_generation = paper.metadata.generation);
    Ok(Action::Done)
}

#[tokio::test]
async fn objects_are_created_once_for_their_owner() {
    let Some(desk) = Desk::new("press-creations").await else { return };
    let log = Log::default();
    desk.configs().create(&page("taken")).await.unwrap();
    desk.publish("daily", &[], &[]).await;
    let controllers = || {
        let builder = || Controller::of::<Paper>().state(log.clone());
        // With a cache of the objects, and without: then the API server says that they exist.
        [
            builder().owns::<ConfigMap>().reconcile(print),
            builder().writes::<ConfigMap>([Verb::Get, Verb::Create]).reconcile(print),
        ]
    };
    let uids = async || {
        let all = desk.configs().list().await.unwrap().items;
        all.into_iter().map(|config| config.metadata.uid.unwrap()).collect::<Vec<_>>()
    };
    let mut first = None;
    for controller in controllers() {
        let running = desk.start(controller);
        for generation in 0..2 {
            let paper =
                desk.papers.update("daily", |paper| paper.spec.pages.push(format!("page {generation}"))).await.unwrap();
            let is_seen = |seen: &Paper| {
                seen.status.as_ref().and_then(|status| status.observed_generation) == paper.metadata.generation
            };
            desk.papers.wait_until("daily", is_seen).within(LIMIT).await.unwrap();
        }
        running.stop().await;
        let created = uids().await;
        // `kube-root-ca.crt` is made by a controller that does not run here.
        assert_eq!(created.len(), 3);
        assert_eq!(first.get_or_insert_with(|| created.clone()), &created);
    }
    let edition = desk.configs().get("edition").await.unwrap();
    let owners: Vec<_> = edition.owners().map(|owner| owner.name.to_owned()).collect();
    assert_eq!(owners, ["daily"]);
    let names = std::mem::take(&mut *log.0.lock().unwrap());
    assert!(names.len() >= 4 && names.iter().all(|name| *name == names[0] && name.starts_with("daily-")), "{names:?}");
}
