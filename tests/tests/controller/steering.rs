//! Annotations by which users pause objects and request reconciliations.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    CustomResource, KubeSchema,
    client::{Patch, Resources, scope::InNamespace},
    controller::{Action, Context, Controller, ControllerBuilder, Error, Manager, ObjectKey},
    informer::CacheObject,
};
use crdkit_api_server::ApiServer;
use k8s_openapi::{
    api::core::v1::{ConfigMap, Secret},
    apimachinery::pkg::apis::meta::v1::Condition,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::sleep};

use crate::cluster::Running;

const PAUSED: &str = "harbor.example.com/paused";
const REQUESTED: &str = "harbor.example.com/requestedAt";
const FINALIZER: &str = "harbor.example.com/ropes";

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "harbor.example.com", version = "v1", kind = "Ferry", namespaced, status = "FerryStatus")]
struct FerrySpec {
    #[serde(default)]
    cars: u32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
struct FerryStatus {
    #[serde(default)]
    cars: u32,
    #[serde(default)]
    conditions: Vec<Condition>,
    last_handled_reconcile_at: Option<String>,
    last_handled_check_at: Option<String>,
}

/// What the controller did, in its order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

async fn reconcile(ferry: Arc<Ferry>, cx: Context<Ferry, Log>) -> Result<Action, Error> {
    let request = cx.reconcile_request().map(|request| format!(" for {request}")).unwrap_or_default();
    cx.state().add(format!("{}{request}", ferry.name()));
    if ferry.name() == "sinks" {
        return Err("a leak".into());
    }
    cx.status(&ferry).update(|status| status.cars = ferry.spec.cars);
    Ok(Action::Done)
}

async fn clean_up(ferry: Arc<Ferry>, cx: Context<Ferry, Log>) -> Result<Action, Error> {
    cx.state().add(format!("cleans up {}", ferry.name()));
    Ok(Action::Done)
}

struct Harbor {
    server: ApiServer,
    ferries: Resources<Ferry, InNamespace>,
    log: Log,
}

impl Harbor {
    fn new() -> Self {
        let server = ApiServer::new().with::<Ferry>();
        let ferries = server.client().resources().namespace("default");
        Self { server, ferries, log: Log::default() }
    }

    async fn launch(&self, name: &str, annotations: Value) {
        let ferry = json!({
            "apiVersion": "harbor.example.com/v1", "kind": "Ferry",
            "metadata": { "name": name, "annotations": annotations }, "spec": { "cars": 1 },
        });
        self.ferries.create(&serde_json::from_value(ferry).unwrap()).await.unwrap();
    }

    async fn annotate(&self, name: &str, annotation: &str, value: impl Into<Option<&str>>) {
        let patch = Patch::merge(json!({ "metadata": { "annotations": { annotation: value.into() } } }));
        self.ferries.patch(name, &patch).await.unwrap();
        settle().await;
    }

    fn builder(&self) -> ControllerBuilder<Ferry, Log> {
        Controller::of::<Ferry>().state(self.log.clone()).pause_by(PAUSED).reconcile_requested_by(REQUESTED)
    }

    fn manager(&self) -> Manager {
        Manager::new(self.server.client().field_manager("harbor"))
    }

    fn start(&self, controller: Controller) -> Running {
        Running::of(self.manager().add(controller))
    }

    async fn status(&self, name: &str) -> FerryStatus {
        self.ferries.get(name).await.unwrap().status.unwrap_or_default()
    }

    /// Returns type, status and reason of each condition.
    async fn conditions(&self, name: &str) -> Vec<String> {
        let conditions = self.status(name).await.conditions.into_iter();
        conditions.map(|it| format!("{} {} {}", it.type_, it.status, it.reason)).collect()
    }
}

async fn settle() {
    sleep(Duration::from_secs(5)).await;
}

#[tokio::test(start_paused = true)]
async fn a_paused_object_is_left_alone_and_says_so() {
    let harbor = Harbor::new();
    harbor.launch("ida", json!({})).await;
    harbor.launch("uno", json!({ PAUSED: "" })).await;
    let running = harbor.start(harbor.builder().owns::<ConfigMap>().reconcile(reconcile));
    settle().await;
    assert_eq!(harbor.log.take(), ["ida"]);
    assert_eq!(harbor.conditions("uno").await, ["Paused True Paused"]);
    assert_eq!(harbor.conditions("ida").await, [""; 0]);
    let paused = || running.handle.metrics("ferry").unwrap().paused;
    assert_eq!(paused(), 1);
    assert!(running.handle.openmetrics().contains("crdkit_paused_objects{controller=\"ferry\"} 1.0"));

    harbor.annotate("ida", PAUSED, "by the harbor master").await;
    harbor.ferries.update("ida", |ferry| ferry.spec.cars = 7).await.unwrap();
    settle().await;
    assert_eq!((harbor.log.take(), paused()), (vec![], 2));
    let status = harbor.status("ida").await;
    assert_eq!(
        (status.cars, status.conditions[0].message.as_str()),
        (1, "the annotation `harbor.example.com/paused` is set")
    );
    assert_eq!(status.conditions[0].observed_generation, Some(2));

    harbor.annotate("ida", PAUSED, "false").await;
    harbor.annotate("uno", PAUSED, None).await;
    assert_eq!((harbor.log.take(), paused()), (vec!["ida".to_owned(), "uno".to_owned()], 0));
    assert_eq!(harbor.conditions("ida").await, ["Paused False NotPaused"]);
    assert_eq!(harbor.status("ida").await.cars, 7);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_pause_survives_a_restart_and_ends_without_the_process() {
    let harbor = Harbor::new();
    harbor.launch("ida", json!({ PAUSED: "true" })).await;
    let running = harbor.start(harbor.builder().reconcile(reconcile));
    settle().await;
    running.stop().await;
    let restarted = harbor.start(harbor.builder().reconcile(reconcile));
    settle().await;
    assert_eq!(harbor.log.take(), [""; 0]);
    assert_eq!(restarted.handle.metrics("ferry").unwrap().paused, 1);
    restarted.stop().await;
    harbor.annotate("ida", PAUSED, None).await;
    assert_eq!(harbor.conditions("ida").await, ["Paused True Paused"]);
    let last = harbor.start(harbor.builder().reconcile(reconcile));
    settle().await;
    assert_eq!(harbor.log.take(), ["ida"]);
    assert_eq!(harbor.conditions("ida").await, ["Paused False NotPaused"]);
    last.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_paused_object_is_not_cleaned_up() {
    let harbor = Harbor::new();
    harbor.launch("ida", json!({})).await;
    harbor.launch("uno", json!({ PAUSED: "true" })).await;
    let running = harbor.start(harbor.builder().finalizer(FINALIZER, clean_up).reconcile(reconcile));
    settle().await;
    assert_eq!(harbor.log.take(), ["ida"]);
    // It was paused before it had the finalizer.
    assert_eq!(harbor.ferries.get("uno").await.unwrap().metadata.finalizers, None);
    harbor.ferries.delete("uno").await.unwrap();

    harbor.annotate("ida", PAUSED, "true").await;
    harbor.ferries.delete("ida").await.unwrap();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(harbor.log.take(), [""; 0]);
    assert!(harbor.ferries.get_opt("ida").await.unwrap().is_some());
    assert_eq!(running.handle.metrics("ferry").unwrap().paused, 1);
    harbor.annotate("ida", PAUSED, None).await;
    assert_eq!(harbor.log.take(), ["cleans up ida"]);
    assert!(harbor.ferries.get_opt("ida").await.unwrap().is_none());
    let metrics = running.handle.metrics("ferry").unwrap();
    assert_eq!((metrics.paused, metrics.forced_deletions), (0, 0));
    running.stop().await;
}

/// The cache of the controller does not have it, so only its metadata say that it is paused.
#[tokio::test(start_paused = true)]
async fn a_paused_object_that_left_the_selection_is_not_cleaned_up() {
    let harbor = Harbor::new();
    harbor.launch("ida", json!({})).await;
    let label = |line: &str| Patch::merge(json!({ "metadata": { "labels": { "line": line } } }));
    harbor.ferries.patch("ida", &label("a")).await.unwrap();
    let builder = harbor.builder().select(|ferries| ferries.labels("line=a"));
    let running = harbor.start(builder.finalizer(FINALIZER, clean_up).reconcile(reconcile));
    settle().await;
    assert_eq!(harbor.log.take(), ["ida"]);
    harbor.ferries.patch("ida", &label("b")).await.unwrap();
    harbor.annotate("ida", PAUSED, "true").await;
    harbor.ferries.delete("ida").await.unwrap();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(harbor.log.take(), [""; 0]);
    harbor.annotate("ida", PAUSED, None).await;
    assert_eq!(harbor.log.take(), ["cleans up ida"]);
    assert!(harbor.ferries.get_opt("ida").await.unwrap().is_none());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn requeues_and_owned_objects_wait_for_the_end_of_a_pause() {
    let harbor = Harbor::new();
    harbor.launch("ida", json!({})).await;
    let ticks = async |ferry: Arc<Ferry>, cx: Context<Ferry, Log>| -> Result<Action, Error> {
        cx.state().add(ferry.name());
        let mut rope = ConfigMap::default();
        rope.metadata.name = Some("rope".to_owned());
        cx.apply_owned(&ferry, [rope]).await?;
        Ok(Action::requeue(Duration::from_secs(60)))
    };
    let running = harbor.start(harbor.builder().owns::<ConfigMap>().reconcile(ticks));
    sleep(Duration::from_secs(130)).await;
    assert!(harbor.log.take().len() >= 3);
    harbor.annotate("ida", PAUSED, "true").await;
    harbor.log.take();
    let ropes = harbor.server.client().resources::<ConfigMap>().namespace("default");
    ropes.delete("rope").await.unwrap();
    sleep(Duration::from_secs(600)).await;
    assert_eq!(harbor.log.take(), [""; 0]);
    assert!(ropes.get_opt("rope").await.unwrap().is_none());

    harbor.annotate("ida", PAUSED, None).await;
    assert!(ropes.get_opt("rope").await.unwrap().is_some());
    harbor.log.take();
    sleep(Duration::from_secs(130)).await;
    assert!(harbor.log.take().len() >= 2, "the requeues go on");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_without_conditions_is_paused_silently() {
    let server = ApiServer::new();
    let configs = server.client().resources::<ConfigMap>().namespace("default");
    let config = json!({ "metadata": { "name": "web", "annotations": { PAUSED: "true" } } });
    configs.create(&serde_json::from_value(config).unwrap()).await.unwrap();
    let log = Log::default();
    let seen = async |config: Arc<ConfigMap>, cx: Context<ConfigMap, Log>| -> Result<Action, Error> {
        cx.state().add(config.name());
        Ok(Action::Done)
    };
    let controller = Controller::of::<ConfigMap>().state(log.clone()).pause_by(PAUSED).reconcile(seen);
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(Manager::new(server.client()).add(controller).until(stopped).run());
    settle().await;
    assert!(!log.take().contains(&"web".to_owned()));
    assert_eq!(server.journal().writes().iter().filter(|entry| entry.request().resource() == "configmaps").count(), 1);
    configs.patch("web", &Patch::merge(json!({ "metadata": { "annotations": { PAUSED: null } } }))).await.unwrap();
    settle().await;
    assert_eq!(log.take(), ["web"]);
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_is_handled_once() {
    let harbor = Harbor::new();
    harbor.launch("ida", json!({})).await;
    let running = harbor.start(harbor.builder().reconcile(reconcile));
    settle().await;
    assert_eq!(harbor.log.take(), ["ida"]);
    harbor.annotate("ida", REQUESTED, "1").await;
    assert_eq!(harbor.log.take(), ["ida for 1"]);
    assert_eq!(harbor.status("ida").await.last_handled_reconcile_at.as_deref(), Some("1"));
    // The same value is no new request, and another change is none either.
    harbor.annotate("ida", REQUESTED, "1").await;
    assert_eq!(harbor.log.take(), [""; 0]);
    harbor.ferries.update("ida", |ferry| ferry.spec.cars = 2).await.unwrap();
    settle().await;
    assert_eq!(harbor.log.take(), ["ida"]);
    running.stop().await;

    let restarted = harbor.start(harbor.builder().reconcile(reconcile));
    settle().await;
    assert_eq!(harbor.log.take(), ["ida"]);
    restarted.stop().await;
    // Requested while no process runs.
    harbor.annotate("ida", REQUESTED, "2").await;
    let restarted = harbor.start(harbor.builder().reconcile(reconcile));
    settle().await;
    assert_eq!(harbor.log.take(), ["ida for 2"]);
    harbor.annotate("ida", REQUESTED, None).await;
    assert_eq!(harbor.log.take(), ["ida"]);

    // Another object with the name has not handled it.
    harbor.ferries.delete("ida").await.unwrap();
    harbor.launch("ida", json!({ REQUESTED: "2" })).await;
    settle().await;
    assert_eq!(harbor.log.take(), ["ida for 2"]);
    restarted.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_fails_is_recorded_and_retried() {
    let harbor = Harbor::new();
    harbor.launch("sinks", json!({ REQUESTED: "1" })).await;
    let running = harbor.start(harbor.builder().reconcile(reconcile));
    settle().await;
    let log = harbor.log.take();
    assert!(log.len() > 2 && log.iter().all(|text| text == "sinks for 1"), "{log:?}");
    // Whoever waits for the request sees the end, and then why in the conditions.
    assert_eq!(harbor.status("sinks").await.last_handled_reconcile_at.as_deref(), Some("1"));
    running.stop().await;
    let restarted = harbor.start(harbor.builder().reconcile(reconcile));
    settle().await;
    assert!(harbor.log.take().iter().all(|text| text == "sinks"));
    restarted.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_waits_for_the_end_of_a_pause() {
    let harbor = Harbor::new();
    harbor.launch("ida", json!({ PAUSED: "true" })).await;
    let running = harbor.start(harbor.builder().reconcile(reconcile));
    harbor.annotate("ida", REQUESTED, "1").await;
    assert_eq!((harbor.log.take(), harbor.status("ida").await.last_handled_reconcile_at), (vec![], None));
    harbor.annotate("ida", PAUSED, None).await;
    assert_eq!(harbor.log.take(), ["ida for 1"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_without_the_field_handles_a_request_once_in_a_process() {
    let server = ApiServer::new();
    let secrets = server.client().resources::<Secret>().namespace("default");
    let secret = json!({ "metadata": { "name": "web", "annotations": { REQUESTED: "1" } } });
    secrets.create(&serde_json::from_value(secret).unwrap()).await.unwrap();
    let log = Log::default();
    let seen = async |_: ObjectKey, cx: Context<Secret, Log>| -> Result<Action, Error> {
        cx.state().add(cx.reconcile_request().unwrap_or("none"));
        Ok(Action::Done)
    };
    for _ in 0..2 {
        let builder = Controller::of::<Secret>().state(log.clone()).select(|all| all.fields("metadata.name=web"));
        let controller = builder.reconcile_requested_by(REQUESTED).reconcile_key(seen);
        let (stop, stopped) = oneshot::channel::<()>();
        let running = tokio::spawn(Manager::new(server.client()).add(controller).until(stopped).run());
        settle().await;
        secrets.patch("web", &Patch::merge(json!({ "metadata": { "labels": { "a": "b" } } }))).await.unwrap();
        secrets.patch("web", &Patch::merge(json!({ "metadata": { "labels": { "a": null } } }))).await.unwrap();
        settle().await;
        let log = log.take();
        assert_eq!(log[0], "1");
        assert!(log.len() > 1 && log[1..].iter().all(|request| request == "none"), "{log:?}");
        stop.send(()).unwrap();
        running.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn two_controllers_have_their_own_annotations() {
    let harbor = Harbor::new();
    let checks = |builder: ControllerBuilder<Ferry, Log>| {
        builder.reconcile(async |ferry: Arc<Ferry>, cx: Context<Ferry, Log>| -> Result<Action, Error> {
            let request = cx.reconcile_request().map(|request| format!(" for {request}")).unwrap_or_default();
            cx.state().add(format!("checks {}{request}", ferry.name()));
            Ok(Action::Done)
        })
    };
    let second = || {
        Controller::of::<Ferry>()
            .name("checks")
            .state(harbor.log.clone())
            .pause_by("harbor.example.com/unchecked")
            .reconcile_requested_by("harbor.example.com/checkedAt")
    };
    // Both would write the same condition and the same field.
    let manager = harbor.manager().add(harbor.builder().reconcile(reconcile)).add(checks(second()));
    let error = manager.run().await.unwrap_err().to_string();
    assert!(error.contains("have the same condition `Paused`"), "{error}");
    assert!(error.contains("record requests in the same field `lastHandledReconcileAt`"), "{error}");

    let second = checks(second().paused_condition("Unchecked").handled_request_field("lastHandledCheckAt"));
    harbor.launch("ida", json!({})).await;
    let running = Running::of(harbor.manager().add(harbor.builder().reconcile(reconcile)).add(second));
    settle().await;
    harbor.log.take();
    harbor.annotate("ida", "harbor.example.com/unchecked", "true").await;
    harbor.ferries.update("ida", |ferry| ferry.spec.cars = 3).await.unwrap();
    settle().await;
    assert_eq!(harbor.log.take(), ["ida"]);
    assert_eq!(harbor.conditions("ida").await, ["Unchecked True Paused"]);
    harbor.annotate("ida", PAUSED, "true").await;
    harbor.annotate("ida", "harbor.example.com/unchecked", None).await;
    assert_eq!(harbor.log.take(), ["checks ida"]);
    assert_eq!(harbor.conditions("ida").await, ["Unchecked False NotPaused", "Paused True Paused"]);
    harbor.annotate("ida", "harbor.example.com/checkedAt", "1").await;
    assert_eq!(harbor.log.take(), ["checks ida for 1"]);
    let status = harbor.status("ida").await;
    assert_eq!((status.last_handled_check_at.as_deref(), status.last_handled_reconcile_at), (Some("1"), None));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_roles_permit_what_annotations_cause() {
    let harbor = Harbor::new();
    let controller = || harbor.builder().finalizer(FINALIZER, clean_up).reconcile(reconcile);
    let manager = Manager::new(harbor.server.client().field_manager("harbor")).add(controller());
    let server = harbor.server.clone().with_rbac().with_objects(&manager.rbac().to_yaml());
    let operator = server.as_service_account("default", "harbor").client().field_manager("harbor");
    let running = Running::of(Manager::new(operator).add(controller()));
    harbor.launch("ida", json!({ REQUESTED: "1" })).await;
    settle().await;
    harbor.annotate("ida", PAUSED, "true").await;
    harbor.annotate("ida", PAUSED, None).await;
    assert_eq!(harbor.conditions("ida").await, ["Paused False NotPaused"]);
    assert_eq!(harbor.status("ida").await.last_handled_reconcile_at.as_deref(), Some("1"));
    running.stop().await;
}
