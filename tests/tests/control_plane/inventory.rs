//! Owned objects across scopes, and plans, on the real API server.

use std::{sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, CustomResourceExt, KubeSchema,
    client::Patch,
    controller::{Action, Context, Controller, Error, InventoryStore, Manager, StaticKind},
    informer::CacheObject,
    inventory::Inventory,
};
use crdkit_tests::{ControlPlane, observed};
use k8s_openapi::api::{
    core::v1::{ConfigMap, Namespace},
    rbac::v1::ClusterRole,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::oneshot;

const LIMIT: Duration = Duration::from_secs(30);

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "inventory.example.com", version = "v1", kind = "App", namespaced, status = "AppStatus")]
struct AppSpec {
    roles: Vec<String>,
    configs: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct AppStatus {
    #[serde(default, skip_serializing_if = "Inventory::is_empty")]
    inventory: Inventory,
}

/// A cluster-scoped owner.
#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "inventory.example.com", version = "v1", kind = "Tenant")]
struct TenantSpec {
    configs: Vec<String>,
}

fn configs(names: &[String]) -> impl Iterator<Item = Value> {
    names.iter().map(|name| json!({ "metadata": { "namespace": "elsewhere", "name": name } }))
}

async fn reconcile(app: Arc<App>, cx: Context<App>) -> Result<Action, Error> {
    let roles = app.spec.roles.iter().map(|name| json!({ "metadata": { "name": name } }));
    cx.apply_by_inventory::<ClusterRole>(&app, roles).await?;
    cx.apply_by_inventory::<ConfigMap>(&app, configs(&app.spec.configs)).await?;
    Ok(Action::Done)
}

/// The next version does not apply roles.
async fn reconcile_configs(app: Arc<App>, cx: Context<App>) -> Result<Action, Error> {
    cx.apply_by_inventory::<ConfigMap>(&app, configs(&app.spec.configs)).await?;
    Ok(Action::Done)
}

async fn reconcile_tenant(tenant: Arc<Tenant>, cx: Context<Tenant>) -> Result<Action, Error> {
    cx.apply_owned::<ConfigMap>(&tenant, configs(&tenant.spec.configs)).await?;
    Ok(Action::Done)
}

async fn client(plane: &ControlPlane) -> Client {
    let client = Client::try_from(plane.config()).unwrap().field_manager("inventory-operator");
    client.install([App::crd(), Tenant::crd()]).await.unwrap();
    let namespace: Namespace = serde_json::from_value(json!({ "metadata": { "name": "elsewhere" } })).unwrap();
    let created = client.resources::<Namespace>().create(&namespace).await;
    assert!(created.as_ref().err().is_none_or(|error| error.is_already_exists()), "{created:?}");
    client
}

struct Running {
    stop: oneshot::Sender<()>,
    task: tokio::task::JoinHandle<Result<(), crdkit::controller::ManagerError>>,
}

impl Running {
    fn of(manager: Manager) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        Self { stop, task: tokio::spawn(manager.until(stopped).run()) }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }
}

async fn has<K: StaticKind>(client: &Client, namespace: Option<&str>, name: &str) -> bool {
    let objects = client
        .dynamic()
        .resources(kube::core::GroupVersionKind::gvk(&K::group(&()), &K::version(&()), &K::kind(&())))
        .await
        .unwrap();
    objects.namespace_if_any(namespace.unwrap_or_default()).get_opt(name).await.unwrap().is_some()
}

#[tokio::test]
async fn objects_elsewhere_are_applied_pruned_and_deleted_with_their_owner() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let client = client(plane).await;
    for (name, is_set) in [("set", true), ("status", false)] {
        let builder = || {
            let store = if is_set {
                InventoryStore::apply_set()
            } else {
                InventoryStore::status(|status: &mut AppStatus| &mut status.inventory)
            };
            let own = format!("metadata.name={name}");
            Controller::of::<App>()
                .select(move |apps| apps.fields(&own))
                .inventory("inventory.example.com/members", store)
        };
        let manager = || {
            let builder = builder().owns_by_inventory::<ClusterRole>().owns_by_inventory::<ConfigMap>();
            Manager::new(client.clone()).add(builder.reconcile(reconcile))
        };
        let apps = client.resources::<App>().namespace("default");
        let [role, x, y] = ["role", "x", "y"].map(|part| format!("{name}-{part}"));
        let app = App::new(name, AppSpec { roles: vec![role.clone()], configs: vec![x.clone(), y.clone()] });

        let mut given = app.clone();
        given.metadata.namespace = Some("default".to_owned());
        let plan = manager().plan().object(&given).await.unwrap();
        let applied: Vec<_> =
            plan.writes().map(|write| write.summary()).filter(|line| line.starts_with("apply")).collect();
        let config = |name: &str| format!("apply ConfigMap elsewhere/{name}");
        let mut expected = vec![format!("apply ClusterRole {role}"), config(&x), config(&y)];
        expected.sort();
        let mut sorted = applied;
        sorted.sort();
        assert_eq!(sorted, expected, "{plan}");
        assert!(plan.runs()[0].error.is_none(), "{plan}");
        assert!(!has::<ClusterRole>(&client, None, &role).await && apps.get_opt(name).await.unwrap().is_none());

        let running = Running::of(manager());
        apps.create(&app).await.unwrap();
        observed(LIMIT, async || has::<ConfigMap>(&client, Some("elsewhere"), &y).await, |is_there| *is_there).await;
        observed(LIMIT, async || has::<ClusterRole>(&client, None, &role).await, |is_there| *is_there).await;
        apps.patch(name, &Patch::merge(json!({ "spec": { "configs": [x] } }))).await.unwrap();
        observed(LIMIT, async || has::<ConfigMap>(&client, Some("elsewhere"), &y).await, |is_there| !is_there).await;
        running.stop().await;

        let next = builder().owns_by_inventory::<ConfigMap>().reconcile(reconcile_configs);
        let running = Running::of(Manager::new(client.clone()).add(next));
        observed(LIMIT, async || has::<ClusterRole>(&client, None, &role).await, |is_there| !is_there).await;
        apps.delete(name).await.unwrap();
        observed(LIMIT, async || apps.get_opt(name).await.unwrap().is_some(), |is_there| !is_there).await;
        assert!(!has::<ConfigMap>(&client, Some("elsewhere"), &x).await);
        running.stop().await;
    }
}

#[tokio::test]
async fn a_cluster_scoped_owner_owns_objects_in_namespaces() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let client = client(plane).await;
    let controller = Controller::of::<Tenant>().owns::<ConfigMap>().reconcile(reconcile_tenant);
    let running = Running::of(Manager::new(client.clone()).add(controller));
    let tenants = client.resources::<Tenant>();
    tenants.create(&Tenant::new("acme", TenantSpec { configs: vec!["acme-a".into(), "acme-b".into()] })).await.unwrap();
    let configs = client.resources::<ConfigMap>().namespace("elsewhere");
    let of_tenant = async || configs.get_opt("acme-b").await.unwrap();
    let stored = observed(LIMIT, of_tenant, Option::is_some).await.unwrap();
    assert_eq!(stored.owners().next().unwrap().name, "acme");
    configs.delete("acme-b").await.unwrap();
    observed(LIMIT, of_tenant, Option::is_some).await;
    tenants.patch("acme", &Patch::merge(json!({ "spec": { "configs": ["acme-a"] } }))).await.unwrap();
    observed(LIMIT, of_tenant, Option::is_none).await;
    assert!(configs.get_opt("acme-a").await.unwrap().is_some());
    tenants.delete("acme").await.unwrap();
    running.stop().await;
}
