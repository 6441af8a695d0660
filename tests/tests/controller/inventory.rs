//! Objects that owner references cannot reach: cluster-scoped ones of a namespaced owner, and those in other namespaces.

mod cluster_scoped_owner;
mod conflicts;
mod model;
mod versions;

use std::{sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, KubeSchema,
    client::{Patch, Resources, scope::InNamespace},
    controller::{
        Action, Context, Controller, ControllerBuilder, Error, INVENTORY_OF_ANNOTATION, InventoryStore, Manager,
    },
    informer::CacheObject,
    inventory::Inventory,
};
use crdkit_api_server::{ApiServer, Requests};
use k8s_openapi::api::{
    core::v1::{ConfigMap, Secret},
    rbac::v1::ClusterRole,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::cluster::Running;

/// What is in an app: names, with the namespaces of namespaced objects, as in `b/x`.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
#[crd(group = "apps.example.com", version = "v1", kind = "App", namespaced, status = "AppStatus")]
#[serde(default)]
pub(crate) struct AppSpec {
    roles: Vec<String>,
    configs: Vec<String>,
    secrets: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub(crate) struct AppStatus {
    #[serde(default)]
    runs: i32,
    #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    inventory: Inventory,
}

/// Where the inventory is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum In {
    ApplySet,
    Status,
}

const BOTH: [In; 2] = [In::ApplySet, In::Status];

impl In {
    fn store(self) -> InventoryStore<App> {
        match self {
            Self::ApplySet => InventoryStore::apply_set(),
            Self::Status => InventoryStore::status(|status: &mut AppStatus| &mut status.inventory),
        }
    }
}

fn apps(form: In) -> ControllerBuilder<App> {
    Controller::of::<App>().inventory("apps.example.com/inventory", form.store())
}

fn controller(form: In) -> Controller {
    apps(form).owns_by_inventory::<ClusterRole>().owns_by_inventory::<ConfigMap>().reconcile(reconcile)
}

async fn reconcile(app: Arc<App>, cx: Context<App>) -> Result<Action, Error> {
    cx.apply_by_inventory::<ClusterRole>(&app, app.spec.roles.iter().map(|name| object(name))).await?;
    cx.apply_by_inventory::<ConfigMap>(&app, app.spec.configs.iter().map(|name| config(name))).await?;
    Ok(Action::Done)
}

fn object(name: &str) -> Value {
    match name.split_once('/') {
        Some((namespace, name)) => json!({ "metadata": { "namespace": namespace, "name": name } }),
        None => json!({ "metadata": { "name": name } }),
    }
}

fn config(name: &str) -> Value {
    let mut config = object(name);
    config["data"] = json!({ "value": "1" });
    config
}

fn spec(roles: &[&str], configs: &[&str]) -> AppSpec {
    let [roles, configs] = [roles, configs].map(|names| names.iter().map(|name| (*name).to_owned()).collect());
    AppSpec { roles, configs, secrets: Vec::new() }
}

/// A server with the namespaces `a`, in which the apps are, and `b`.
struct Cluster {
    server: ApiServer,
    client: Client,
    apps: Resources<App, InNamespace>,
}

impl Cluster {
    fn new() -> Self {
        let server = ApiServer::new().with::<App>();
        Self::of(server)
    }

    fn of(server: ApiServer) -> Self {
        let namespace = |name| format!("---\n{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}\n");
        let server = server.keep_requests(usize::MAX).with_objects(&["a", "b", "c"].map(namespace).concat());
        let client = server.client();
        Self { apps: client.resources().namespace("a"), server, client }
    }

    fn operator(&self) -> Client {
        self.client.field_manager("ops")
    }

    fn run(&self, controller: Controller) -> Running {
        Running::of(Manager::new(self.operator()).add(controller))
    }

    async fn create(&self, name: &str, spec: AppSpec) -> App {
        let app = self.apps.create(&App::new(name, spec)).await.unwrap();
        settle().await;
        app
    }

    async fn set(&self, name: &str, spec: AppSpec) {
        self.apps.patch(name, &Patch::merge(json!({ "spec": spec }))).await.unwrap();
        settle().await;
    }

    /// Returns the roles, ConfigMaps and Secrets, as in the spec of an app.
    fn objects(&self) -> Vec<String> {
        let snapshot = self.server.snapshot().of::<ClusterRole>().of::<ConfigMap>().of::<Secret>();
        let mut all: Vec<_> = snapshot.objects().iter().map(name_of).collect();
        all.sort();
        all
    }

    /// Returns what the inventory of an app has, one line each.
    async fn inventory(&self, name: &str) -> Vec<String> {
        let app = self.apps.get(name).await.unwrap();
        let status = app.status.unwrap_or_default();
        let entries = status.inventory.entries.into_iter();
        let entries = entries.map(|it| {
            let group = if it.group.is_empty() { String::new() } else { format!(".{}", it.group) };
            let namespace = it.namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
            format!("{}{group}/{} {namespace}{}", it.kind, it.version, it.name)
        });
        let annotations = app.metadata.annotations.unwrap_or_default().into_iter();
        let of_set = annotations
            .filter_map(|(key, value)| Some((key.strip_prefix("applyset.kubernetes.io/")?.to_owned(), value)));
        entries.chain(of_set.map(|(key, value)| format!("{key}: {value}"))).collect()
    }
}

fn name_of(object: &Value) -> String {
    let name = object["metadata"]["name"].as_str().unwrap();
    match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
    }
}

async fn settle() {
    sleep(Duration::from_secs(5)).await;
}

/// The SHA-256 of `web.a.App.apps.example.com`.
const ID_OF_WEB: &str = "applyset-hZEeLmLDWcoFEZ_sihTu9Qr0agtQ0lT4QhOEQIRSFsI-v1";
const TOOLING: &str = concat!("tooling: ops.app/v", env!("CARGO_PKG_VERSION"));

#[tokio::test(start_paused = true)]
async fn objects_elsewhere_are_applied_recorded_and_pruned() {
    for form in BOTH {
        let cluster = Cluster::new();
        let running = cluster.run(controller(form));
        cluster.create("web", spec(&["web-reader"], &["b/x", "a/y", "z"])).await;
        assert_eq!(cluster.objects(), ["a/y", "a/z", "b/x", "web-reader"], "{form:?}");
        let role = cluster.client.resources::<ClusterRole>().get("web-reader").await.unwrap();
        assert_eq!(role.owners().count(), 0);
        assert_eq!(role.metadata.annotations.unwrap()[INVENTORY_OF_ANNOTATION], "apps.apps.example.com a/web");
        let expected = match form {
            In::Status => vec![
                "ConfigMap/v1 a/y",
                "ConfigMap/v1 a/z",
                "ConfigMap/v1 b/x",
                "ClusterRole.rbac.authorization.k8s.io/v1 web-reader",
            ],
            In::ApplySet => vec![
                "additional-namespaces: b",
                "contains-group-kinds: ClusterRole.rbac.authorization.k8s.io,ConfigMap",
                TOOLING,
            ],
        };
        assert_eq!(cluster.inventory("web").await, expected);

        cluster.set("web", spec(&[], &["a/y"])).await;
        assert_eq!(cluster.objects(), ["a/y"], "{form:?}");
        let expected = match form {
            In::Status => vec!["ConfigMap/v1 a/y"],
            In::ApplySet => vec!["additional-namespaces: ", "contains-group-kinds: ConfigMap", TOOLING],
        };
        assert_eq!(cluster.inventory("web").await, expected);

        // Nothing is written or read if nothing changes.
        let before = cluster.server.journal().len();
        cluster.apps.patch("web", &Patch::merge(json!({ "spec": { "secrets": ["ignored"] } }))).await.unwrap();
        settle().await;
        let reconciled = cluster.server.journal();
        assert_eq!(reconciled.len(), before + 1, "{form:?}: {reconciled}");
        assert_eq!(running.handle.metrics("app").unwrap().failures, 0);
        running.stop().await;
    }
}

/// The label and the id are those of kubectl.
#[tokio::test(start_paused = true)]
async fn an_apply_set_is_one_for_kubectl() {
    let cluster = Cluster::new();
    let running = cluster.run(controller(In::ApplySet));
    cluster.create("web", spec(&["web-reader"], &[])).await;
    let app = cluster.apps.get("web").await.unwrap();
    let id = app.metadata.labels.unwrap()["applyset.kubernetes.io/id"].clone();
    assert_eq!(id, ID_OF_WEB);
    let members =
        cluster.client.resources::<ClusterRole>().list().labels(format!("applyset.kubernetes.io/part-of={id}"));
    assert_eq!(members.await.unwrap().items[0].name(), "web-reader");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn changes_of_members_reconcile_their_owner() {
    for form in BOTH {
        let cluster = Cluster::new();
        let running = cluster.run(controller(form));
        cluster.create("web", spec(&["web-reader"], &["b/x"])).await;
        let configs = cluster.client.resources::<ConfigMap>().namespace("b");
        configs
            .update("x", |config| config.data.as_mut().unwrap().insert("value".into(), "2".into()).map(drop).unwrap())
            .await
            .unwrap();
        settle().await;
        assert_eq!(configs.get("x").await.unwrap().data.unwrap()["value"], "1");
        configs.delete("x").await.unwrap();
        cluster.client.resources::<ClusterRole>().delete("web-reader").await.unwrap();
        settle().await;
        assert_eq!(cluster.objects(), ["b/x", "web-reader"], "{form:?}");
        // Also without the marks.
        let unmarked = json!({ "metadata": { "labels": null, "annotations": null } });
        configs.patch("x", &Patch::merge(unmarked)).await.unwrap();
        settle().await;
        assert!(configs.get("x").await.unwrap().metadata.labels.is_some(), "{form:?}");
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn members_are_deleted_before_their_owner() {
    for form in BOTH {
        let cluster = Cluster::new();
        let running = cluster.run(controller(form));
        cluster.create("web", spec(&["web-reader"], &["b/x"])).await;
        let configs = cluster.client.resources::<ConfigMap>().namespace("b");
        configs.finalizers().add("x", "example.com/held").await.unwrap();
        cluster.apps.delete("web").await.unwrap();
        settle().await;
        assert_eq!(cluster.objects(), ["b/x"], "{form:?}");
        assert!(cluster.apps.get("web").await.unwrap().metadata.deletion_timestamp.is_some());
        configs.finalizers().remove("x", "example.com/held").await.unwrap();
        sleep(Duration::from_secs(10)).await;
        assert!(cluster.objects().is_empty() && cluster.apps.get_opt("web").await.unwrap().is_none(), "{form:?}");
        running.stop().await;
    }
}

/// A function that does not know the field does not remove it.
#[tokio::test(start_paused = true)]
async fn a_status_that_is_replaced_keeps_its_inventory() {
    let cluster = Cluster::new();
    let replaces = async |app: Arc<App>, cx: Context<App>| -> Result<Action, Error> {
        cx.status(&app).update(|status| *status = AppStatus { runs: status.runs + 1, ..AppStatus::default() });
        reconcile(app, cx).await
    };
    let controller = apps(In::Status).owns_by_inventory::<ClusterRole>().owns_by_inventory::<ConfigMap>();
    let running = cluster.run(controller.reconcile(replaces));
    cluster.create("web", spec(&["web-reader"], &[])).await;
    cluster.set("web", spec(&["web-reader"], &["b/x"])).await;
    assert_eq!(cluster.inventory("web").await.len(), 2);
    assert!(cluster.apps.get("web").await.unwrap().status.unwrap().runs > 1);
    cluster.set("web", spec(&[], &["b/x"])).await;
    assert_eq!((cluster.objects(), cluster.inventory("web").await.len()), (vec!["b/x".to_owned()], 1));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn objects_that_are_not_pruned_are_deleted_with_their_owner() {
    for form in BOTH {
        let cluster = Cluster::new();
        let keeps = async |app: Arc<App>, cx: Context<App>| -> Result<Action, Error> {
            let roles = app.spec.roles.iter().map(|name| object(name));
            cx.apply_by_inventory::<ClusterRole>(&app, roles).without_pruning().await?;
            Ok(Action::Done)
        };
        let running = cluster.run(apps(form).owns_by_inventory::<ClusterRole>().reconcile(keeps));
        cluster.create("web", spec(&["one"], &[])).await;
        cluster.set("web", spec(&["two"], &[])).await;
        assert_eq!(cluster.objects(), ["one", "two"], "{form:?}");
        cluster.apps.delete("web").await.unwrap();
        sleep(Duration::from_secs(10)).await;
        assert!(cluster.objects().is_empty(), "{form:?}");
        running.stop().await;
    }
}

/// What is owned is found by its owner, and only by it.
#[tokio::test(start_paused = true)]
async fn the_context_has_the_members_of_an_object() {
    for form in BOTH {
        let cluster = Cluster::new();
        let counts = async |app: Arc<App>, cx: Context<App>| -> Result<Action, Error> {
            let runs = i32::try_from(cx.owned::<ConfigMap>(&app).len())?;
            cx.status(&app).update(|status| status.runs = runs);
            reconcile(app, cx).await
        };
        let builder = apps(form).owns_by_inventory::<ClusterRole>().owns_by_inventory::<ConfigMap>();
        let running = cluster.run(builder.reconcile(counts));
        cluster.create("web", spec(&[], &["b/x", "c/x"])).await;
        cluster.create("other", spec(&[], &["c/y"])).await;
        let count = async |name| cluster.apps.get(name).await.unwrap().status.unwrap().runs;
        assert_eq!((count("web").await, count("other").await), (2, 1), "{form:?}");
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_is_recorded_before_it_is_applied() {
    for form in BOTH {
        let cluster = Cluster::new();
        cluster.server.faults().on(Requests::apply()).once().lose_response();
        let running = cluster.run(controller(form));
        cluster.create("web", spec(&["web-reader"], &[])).await;
        running.stop().await;
        let journal = cluster.server.journal().only(Requests::writes().field_manager("ops"));
        let lines: Vec<_> = journal.iter().map(|entry| entry.request().path().to_owned()).collect();
        let of_app = lines.iter().rposition(|path| path.contains("/apps/web")).unwrap();
        let of_role = lines.iter().position(|path| path.contains("/clusterroles/")).unwrap();
        assert!(of_app < of_role, "{form:?}: {journal}");
    }
}

/// The roles are those of the namespaces of the members, and not of that of their owner.
#[tokio::test(start_paused = true)]
async fn members_can_be_limited_to_namespaces() {
    for form in BOTH {
        let cluster = Cluster::of(ApiServer::new().with::<App>().with_rbac());
        let operator = cluster.server.as_service_account("a", "ops").client().field_manager("ops");
        let builder = apps(form).select(|apps| apps.namespaces(["a"]));
        let builder = builder.owns_by_inventory_selected::<ConfigMap>(|configs| configs.namespaces(["b", "c"]));
        let controller = builder.reconcile(async |app: Arc<App>, cx: Context<App>| -> Result<Action, Error> {
            cx.apply_by_inventory::<ConfigMap>(&app, app.spec.configs.iter().map(|name| config(name))).await?;
            Ok(Action::Done)
        });
        let manager = Manager::new(operator).add(controller);
        let rbac = manager.rbac().service_account("a", "ops");
        assert!(rbac.cluster_role().is_none());
        drop(cluster.server.clone().with_objects(&rbac.to_yaml()));
        let running = Running::of(manager);
        cluster.create("web", spec(&[], &["b/x", "c/x"])).await;
        cluster.set("web", spec(&[], &["c/x"])).await;
        let configs = async |namespace| {
            cluster.client.resources::<ConfigMap>().namespace(namespace).list().await.unwrap().items.len()
        };
        assert_eq!((configs("b").await, configs("c").await), (0, 1), "{form:?}");
        cluster.set("web", spec(&[], &[])).await;
        assert_eq!(configs("c").await, 0, "{form:?}");
        cluster.set("web", spec(&[], &["b/x"])).await;
        cluster.apps.delete("web").await.unwrap();
        sleep(Duration::from_secs(10)).await;
        assert!(cluster.apps.get_opt("web").await.unwrap().is_none() && configs("b").await == 0, "{form:?}");
        assert_eq!(running.handle.metrics("app").unwrap().failures, 0, "{form:?}");
        running.stop().await;
    }
}
