//! What a reconciliation would write.

use std::{convert::Infallible, sync::Arc};

use crdkit::{
    CustomResource, KubeSchema,
    client::Patch,
    controller::{Action, Context, Controller, Error, InventoryStore, Manager, Plan, PlanError, PlannedRun},
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::{
    api::{
        core::v1::{ConfigMap, Namespace, Pod, Secret},
        scheduling::v1::PriorityClass,
    },
    apimachinery::pkg::apis::meta::v1::Condition,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::sleep};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[crd(group = "site.example.com", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
#[serde(default)]
struct SiteSpec {
    #[crd(default = 1)]
    size: i32,
    pages: Vec<String>,
    namespace: Option<String>,
    fails: bool,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[serde(rename_all = "camelCase")]
struct SiteStatus {
    #[serde(default)]
    pages: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<Condition>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_handled_reconcile_at: Option<String>,
}

async fn reconcile(site: Arc<Site>, cx: Context<Site>) -> Result<Action, Error> {
    let pages = site
        .spec
        .pages
        .iter()
        .map(|name| json!({ "metadata": { "name": name }, "data": { "size": site.spec.size.to_string() } }));
    cx.apply_owned::<ConfigMap>(&site, pages).await?;
    if let Some(namespace) = &site.spec.namespace {
        cx.apply_by_inventory::<Namespace>(&site, [json!({ "metadata": { "name": namespace } })]).await?;
        let secret =
            json!({ "metadata": { "name": "key", "namespace": namespace }, "stringData": { "key": "hidden" } });
        cx.apply_by_inventory::<Secret>(&site, [secret]).await?;
        // It is there for the run, although it is not stored.
        let written = cx.client().resources::<Secret>().namespace(namespace).get("key").await?;
        assert_eq!(written.metadata.name.as_deref(), Some("key"));
    }
    cx.status(&site).update(|status| status.pages = site.spec.pages.len()).await?;
    if site.spec.fails {
        return Err("it fails".into());
    }
    Ok(Action::Done)
}

fn controller() -> Controller {
    Controller::of::<Site>()
        .inventory("site.example.com/inventory", InventoryStore::apply_set())
        .owns::<ConfigMap>()
        .owns_by_inventory::<Namespace>()
        .owns_by_inventory::<Secret>()
        .reconcile(reconcile)
}

fn site(spec: Value) -> Site {
    let site = json!({ "apiVersion": "site.example.com/v1", "kind": "Site", "metadata": { "name": "web", "namespace": "default" }, "spec": spec });
    serde_json::from_value(site).unwrap()
}

fn manager(server: &ApiServer) -> Manager {
    Manager::new(server.client().field_manager("site-operator")).add(controller())
}

fn summaries(run: &PlannedRun) -> Vec<String> {
    run.writes.iter().map(|write| write.summary()).collect()
}

/// Runs the operator for some time.
async fn operate(server: &ApiServer) {
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(manager(server).until(stopped).run());
    sleep(std::time::Duration::from_secs(10)).await;
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

fn stored(server: &ApiServer) -> String {
    server.snapshot().with_versions().to_string()
}

async fn planned(server: &ApiServer) -> Plan {
    let before = stored(server);
    let plan = manager(server).plan().await.unwrap();
    assert_eq!(stored(server), before, "a plan has changed something");
    plan
}

#[tokio::test(start_paused = true)]
async fn a_given_object_is_planned() {
    let server = ApiServer::new().with::<Site>().keep_requests(usize::MAX);
    let before = stored(&server);
    let plan = manager(&server).plan().object(&site(json!({ "pages": ["index"] }))).await.unwrap();
    assert_eq!(stored(&server), before);
    let [run] = plan.runs() else { panic!("{plan}") };
    assert_eq!((run.error.as_ref(), run.requeue_after), (None, None), "{plan}");
    let expected = ["patch Site default/web", "apply ConfigMap default/index", "patch Site default/web (status)"];
    assert_eq!(summaries(run), expected);
    // Defaults are those of the API server.
    assert_eq!(run.writes[1].after.as_ref().unwrap()["data"]["size"], "1");
    assert!(run.writes[1].before.is_none());
    let finalizers = &run.writes[0].after.as_ref().unwrap()["metadata"]["finalizers"];
    assert_eq!(*finalizers, json!(["site.example.com/inventory"]));
    assert_eq!(run.writes[2].after.as_ref().unwrap()["status"]["pages"], 1);
    let is_dry_run = |entry: &crdkit_api_server::JournalEntry| entry.changes().is_empty();
    let journal = server.journal().only(Requests::writes().field_manager("site-operator"));
    assert!(journal.iter().all(is_dry_run), "{journal}");
}

#[tokio::test(start_paused = true)]
async fn what_is_up_to_date_has_no_changes() {
    let server = ApiServer::new().with::<Site>();
    let sites = server.client().resources::<Site>().namespace("default");
    sites.create(&site(json!({ "pages": ["index", "about"], "namespace": "site" }))).await.unwrap();
    operate(&server).await;
    let plan = planned(&server).await;
    assert_eq!(plan.writes().count(), 0, "{plan}");
    assert!(plan.runs()[0].unchanged > 0);
    assert_eq!(plan.to_string(), "Site default/web (controller site): 0 changes, 4 unchanged\n");
}

#[tokio::test(start_paused = true)]
async fn a_change_has_what_is_applied_and_what_is_pruned() {
    let server = ApiServer::new().with::<Site>();
    let sites = server.client().resources::<Site>().namespace("default");
    sites.create(&site(json!({ "pages": ["index", "about"], "namespace": "site" }))).await.unwrap();
    operate(&server).await;
    let change = json!({ "spec": { "pages": ["index"], "size": 2, "namespace": null } });
    sites.patch("web", &Patch::merge(change)).await.unwrap();
    let plan = planned(&server).await;
    let expected = [
        "apply ConfigMap default/index",
        "patch Site default/web (status)",
        "delete Namespace site",
        "delete Secret site/key",
        "patch Site default/web",
        "delete ConfigMap default/about",
    ];
    let mut found = summaries(&plan.runs()[0]);
    // Members are deleted at the same time.
    found[2..4].sort();
    assert_eq!(found, expected);
    let text = plan.to_string();
    assert!(text.contains("  -  size: \"1\"\n  +  size: \"2\"\n"), "{text}");

    // The same is written then.
    operate(&server).await;
    assert_eq!(planned(&server).await.writes().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_object_in_a_namespace_that_is_planned_has_a_note() {
    let server = ApiServer::new().with::<Site>();
    let plan = manager(&server).plan().object(&site(json!({ "namespace": "new" }))).await.unwrap();
    let [run] = plan.runs() else { panic!("{plan}") };
    assert_eq!(run.error, None, "{plan}");
    let secret = run.writes.iter().find(|write| write.kind == "Secret").unwrap();
    let note = "the namespace `new` does not exist yet: the object is shown as it is sent, without defaults";
    assert_eq!(secret.notes, [note]);
    assert_eq!(secret.after.as_ref().unwrap()["stringData"]["key"], "***");
    assert!(!plan.to_string().contains("hidden") && !plan.to_json().to_string().contains("hidden"));
    assert!(plan.to_string().contains(&format!("  apply Secret new/key\n  # {note}\n")), "{plan}");
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_a_part_of_the_plan() {
    let server = ApiServer::new().with::<Site>();
    let plan = manager(&server).plan().object(&site(json!({ "fails": true }))).await.unwrap();
    assert_eq!(plan.runs()[0].error.as_deref(), Some("it fails"));
    assert!(plan.to_string().ends_with("  error: it fails\n"));
}

#[tokio::test(start_paused = true)]
async fn json_has_stable_fields() {
    let server = ApiServer::new().with::<Site>();
    let plan = manager(&server).plan().object(&site(json!({ "pages": ["index"] }))).await.unwrap();
    let json = plan.to_json();
    let run = &json["runs"][0];
    let fields = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut of_run = fields(run);
    of_run.sort();
    assert_eq!(of_run, ["controller", "kind", "name", "namespace", "unchanged", "writes"]);
    let mut write = run["writes"][1].clone();
    let uid = write["after"]["metadata"]["ownerReferences"][0]["uid"].take();
    assert!(uid.is_string());
    let owner = json!({
        "apiVersion": "site.example.com/v1", "kind": "Site", "name": "web", "uid": null, "controller": true, "blockOwnerDeletion": true,
    });
    let annotations = json!({ "controller.crdkit.dev/applied-by": "site-operator/site configmaps default/index" });
    let metadata =
        json!({ "name": "index", "namespace": "default", "annotations": annotations, "ownerReferences": [owner] });
    let after = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": { "size": "1" } });
    let expected = json!({
        "verb": "apply", "group": "", "version": "v1", "kind": "ConfigMap", "resource": "configmaps", "namespace": "default", "name": "index",
        "after": after,
    });
    assert_eq!(write, expected);
}

#[tokio::test(start_paused = true)]
async fn given_objects_that_cannot_be_planned_are_errors() {
    let server = ApiServer::new().with::<Site>();
    let other = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "x" } });
    let error = manager(&server).plan().objects([other]).await.unwrap_err();
    assert_eq!(error.to_string(), "no controller reconciles the ConfigMap `x` of `v1`");
    let invalid = json!({ "apiVersion": "site.example.com/v1", "kind": "Site", "metadata": { "name": "web" }, "spec": { "size": "x" } });
    let error = manager(&server).plan().objects([invalid]).await.unwrap_err();
    assert!(matches!(error, PlanError::Apply { .. }), "{error}");
    assert!(error.to_string().contains("spec.size"), "{error}");
}

/// Also by kube's own client, and by a handle without dry run.
#[tokio::test(start_paused = true)]
async fn no_write_passes_a_plan() {
    let server = ApiServer::new().with::<Site>();
    let before = stored(&server);
    let writes = async |_: Arc<Site>, cx: Context<Site>| -> Result<Action, Error> {
        let config =
            |name: &str| -> ConfigMap { serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap() };
        let configs = cx.client().resources::<ConfigMap>().namespace("default");
        configs.without_dry_run().create(&config("a")).await?;
        configs.api().create(&kube::api::PostParams::default(), &config("b")).await?;
        configs.update("a", |config| config.data = Some([("k".to_owned(), "v".to_owned())].into())).await?;
        assert_eq!(configs.get("a").await?.data.unwrap()["k"], "v");
        assert_eq!(configs.metadata().get("a").await?.metadata.name.as_deref(), Some("a"));
        configs.without_dry_run().delete("a").await?;
        Ok(Action::Done)
    };
    let manager = Manager::new(server.client()).add(Controller::of::<Site>().reconcile(writes));
    let plan = manager.plan().object(&site(json!({}))).await.unwrap();
    assert_eq!(stored(&server), before);
    let expected = [
        "create ConfigMap default/a",
        "create ConfigMap default/b",
        "patch ConfigMap default/a",
        "delete ConfigMap default/a",
    ];
    assert_eq!(summaries(&plan.runs()[0]), expected, "{plan}");
    assert_eq!(plan.runs()[0].error, None);
}

/// A lease of another process, an object that is deleted, and one that is only listed.
#[tokio::test(start_paused = true)]
async fn a_terminating_object_is_planned_without_a_lease() {
    let server = ApiServer::new().with::<Site>();
    let sites = server.client().resources::<Site>().namespace("default");
    sites.create(&site(json!({ "pages": ["index"], "namespace": "site" }))).await.unwrap();
    operate(&server).await;
    sites.delete("web").await.unwrap();
    let before = stored(&server);
    let plan = manager(&server).leader_election("site-operator").plan().await.unwrap();
    assert_eq!(stored(&server), before);
    let mut found = summaries(&plan.runs()[0]);
    found.sort();
    // The namespace terminates, and only then the finalizer is removed.
    assert_eq!(found, ["delete Namespace site", "delete Secret site/key"]);
    assert!(plan.runs()[0].requeue_after.is_some());
    let idle = Controller::of::<ConfigMap>()
        .reconcile(async |_: Arc<ConfigMap>, _: Context<ConfigMap>| Ok::<_, Infallible>(Action::Done));
    let plan = Manager::new(server.client()).add(idle).plan().await.unwrap();
    assert!(plan.runs().iter().all(|run| run.writes.is_empty()));
}

/// A paused object, and one with a request, are planned as they would be reconciled, at the time of the client's clock.
#[tokio::test(start_paused = true)]
async fn what_steers_an_object_is_planned() {
    const NOON: &str = "2030-01-31T12:00:00Z";
    let server = ApiServer::new().with::<Site>().at(NOON.parse().unwrap());
    let steered = async |site: Arc<Site>, cx: Context<Site>| -> Result<Action, Error> {
        let config = json!({ "metadata": { "name": "at" }, "data": { "now": cx.now().to_string() } });
        cx.apply_owned::<ConfigMap>(&site, [config]).await?;
        Ok(Action::Done)
    };
    let controller = Controller::of::<Site>()
        .pause_by("site.example.com/paused")
        .reconcile_requested_by("site.example.com/requestedAt")
        .owns::<ConfigMap>()
        .reconcile(steered);
    let manager = Manager::new(server.client().field_manager("site-operator")).add(controller);
    let annotated = |annotation: &str| {
        let mut site = site(json!({}));
        site.metadata.name = Some(annotation.to_lowercase());
        site.metadata.annotations = Some([(format!("site.example.com/{annotation}"), "now".to_owned())].into());
        site
    };
    let sites = server.client().resources::<Site>().namespace("default");
    sites.create(&annotated("paused")).await.unwrap();
    sites.create(&annotated("requestedAt")).await.unwrap();
    let before = stored(&server);
    let plan = manager.plan().await.unwrap();
    assert_eq!(stored(&server), before);
    let [paused, requested] = plan.runs() else { panic!("{plan}") };
    assert_eq!(summaries(paused), ["patch Site default/paused (status)"], "{plan}");
    let condition = &paused.writes[0].after.as_ref().unwrap()["status"]["conditions"][0];
    assert_eq!([&condition["type"], &condition["status"]], ["Paused", "True"]);
    assert_eq!(condition["lastTransitionTime"], NOON);
    let expected = ["apply ConfigMap default/at", "patch Site default/requestedat (status)"];
    assert_eq!(summaries(requested), expected, "{plan}");
    assert_eq!(requested.writes[0].after.as_ref().unwrap()["data"]["now"], NOON);
    assert_eq!(requested.writes[1].after.as_ref().unwrap()["status"]["lastHandledReconcileAt"], "now");
}

/// The API server refuses what refers to an object that does not exist, also where the run would have created that.
#[tokio::test(start_paused = true)]
async fn an_object_that_refers_to_a_planned_one_has_a_note() {
    let server = ApiServer::new().with::<Site>();
    let ranked = async |site: Arc<Site>, cx: Context<Site>| -> Result<Action, Error> {
        let class = json!({ "metadata": { "name": "high" }, "value": 1000 });
        cx.apply_by_inventory::<PriorityClass>(&site, [class]).await?;
        let pod = |class: &str| {
            let spec = json!({ "priorityClassName": class, "containers": [{ "name": "web", "image": "web" }] });
            json!({ "metadata": { "name": class }, "spec": spec })
        };
        cx.apply_owned::<Pod>(&site, [pod("high")]).await?;
        cx.apply_owned::<Pod>(&site, [pod("low")]).await?;
        Ok(Action::Done)
    };
    let controller = Controller::of::<Site>()
        .inventory("site.example.com/inventory", InventoryStore::apply_set())
        .owns::<Pod>()
        .owns_by_inventory::<PriorityClass>()
        .reconcile(ranked);
    let manager = Manager::new(server.client().field_manager("site-operator")).add(controller);
    let plan = manager.plan().object(&site(json!({}))).await.unwrap();
    let [run] = plan.runs() else { panic!("{plan}") };
    let pod = run.writes.iter().find(|write| write.kind == "Pod").unwrap();
    let note = "the PriorityClass `high` does not exist yet: the object is shown as it is sent, without defaults";
    assert_eq!((&*pod.name, &*pod.notes), ("high", &[note.to_owned()][..]));
    // One that nobody creates is an error.
    assert!(run.error.as_ref().unwrap().contains("no PriorityClass with name low was found"), "{plan}");
}
