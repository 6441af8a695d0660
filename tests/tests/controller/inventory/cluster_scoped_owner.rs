//! A cluster-scoped owner of objects in any namespace, by owner references.

use std::sync::Arc;

use crdkit::{
    CustomResource, KubeSchema,
    client::Patch,
    controller::{Action, Context, Controller, Error, Manager},
    informer::CacheObject,
};
use crdkit_api_server::ApiServer;
use k8s_openapi::api::{
    core::v1::{ConfigMap, Secret},
    rbac::v1::ClusterRole,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Cluster, Running, object, settle};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "apps.example.com", version = "v1", kind = "Tenant", status = "TenantStatus")]
struct TenantSpec {
    configs: Vec<String>,
    roles: Vec<String>,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct TenantStatus {
    owned: usize,
}

async fn reconcile(tenant: Arc<Tenant>, cx: Context<Tenant>) -> Result<Action, Error> {
    let owned = cx.owned::<ConfigMap>(&tenant).len() + cx.owned::<ClusterRole>(&tenant).len();
    cx.apply_owned::<ConfigMap>(&tenant, tenant.spec.configs.iter().map(|name| object(name))).await?;
    cx.apply_owned::<ClusterRole>(&tenant, tenant.spec.roles.iter().map(|name| object(name))).await?;
    let mut secret = Secret::default();
    (secret.metadata.namespace, secret.metadata.name) = (Some("a".to_owned()), Some("once".to_owned()));
    cx.create_owned(&tenant, secret).await?;
    cx.status(&tenant).update(|status| status.owned = owned);
    Ok(Action::Done)
}

fn controller() -> Controller {
    Controller::of::<Tenant>()
        .owns_selected::<ConfigMap>(|configs| configs.namespaces(["a", "b"]))
        .owns::<ClusterRole>()
        .owns_selected::<Secret>(|secrets| secrets.namespaces(["a"]))
        .reconcile(reconcile)
}

/// With its roles, which are narrower than the cluster for what is selected in namespaces, and with the garbage collector.
#[tokio::test(start_paused = true)]
async fn objects_in_any_namespace_and_in_the_cluster_are_owned() {
    let cluster = Cluster::of(ApiServer::new().with::<Tenant>().with_rbac().with_garbage_collection());
    let operator = || cluster.server.as_service_account("a", "ops").client().field_manager("ops");
    let manager = || Manager::new(operator()).add(controller());
    let rbac = manager().rbac().service_account("a", "ops");
    let places: Vec<_> = rbac.roles().into_iter().map(|role| role.metadata.namespace.unwrap()).collect();
    // Events of cluster-scoped objects are in the last one.
    assert_eq!(places, ["a", "b", "default"]);
    drop(cluster.server.clone().with_objects(&rbac.to_yaml()));

    let running = Running::of(manager());
    let tenants = cluster.client.resources::<Tenant>();
    let [configs, roles] = [vec!["a/x".to_owned(), "b/x".to_owned()], vec!["reader".to_owned()]];
    tenants.create(&Tenant::new("acme", TenantSpec { configs, roles })).await.unwrap();
    settle().await;
    let of_operator = || {
        let is_owned = |name: &String| name.contains('/') || name == "reader";
        cluster.objects().into_iter().filter(is_owned).collect::<Vec<_>>()
    };
    assert_eq!(of_operator(), ["a/once", "a/x", "b/x", "reader"]);
    let configs = cluster.client.resources::<ConfigMap>().namespace("b");
    assert_eq!(configs.get("x").await.unwrap().owners().next().unwrap().name, "acme");
    assert_eq!(tenants.get("acme").await.unwrap().status.unwrap().owned, 3);

    // A change in another namespace reconciles it.
    configs.delete("x").await.unwrap();
    settle().await;
    assert!(configs.get_opt("x").await.unwrap().is_some());

    tenants.patch("acme", &Patch::merge(json!({ "spec": { "configs": ["b/y"], "roles": [] } }))).await.unwrap();
    settle().await;
    assert_eq!(of_operator(), ["a/once", "b/y"]);
    let failures = running.handle.metrics("tenant").unwrap().failures;
    assert_eq!(failures, 0);

    tenants.patch("acme", &Patch::merge(json!({ "spec": { "configs": ["nowhere"] } }))).await.unwrap();
    settle().await;
    assert!(running.handle.metrics("tenant").unwrap().failures > 0);
    assert_eq!(of_operator(), ["a/once", "b/y"]);

    tenants.delete("acme").await.unwrap();
    settle().await;
    assert!(of_operator().is_empty(), "{:?}", of_operator());
    running.stop().await;
}
