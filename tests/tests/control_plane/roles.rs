//! The roles that a manager prints are what the real API server requires.

use std::{sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, CustomResourceExt, KubeSchema,
    controller::{Action, Context, Controller, Error, Manager, ManagerError, ObjectEvent, Rbac},
};
use crdkit_tests::{ControlPlane, observed};
use k8s_openapi::api::{
    core::v1::ConfigMap,
    events::v1::Event as ApiEvent,
    rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::oneshot;

const LIMIT: Duration = Duration::from_secs(20);

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "roles.example.com", version = "v1", kind = "Buoy", namespaced, status = "BuoyStatus")]
struct BuoySpec {
    color: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct BuoyStatus {
    color: String,
}

fn manager(client: Client) -> Manager {
    let clean_up = async |_: Arc<Buoy>, _: Context<Buoy>| Ok::<_, Error>(Action::Done);
    let controller = Controller::of::<Buoy>().owns::<ConfigMap>().finalizer("roles.example.com/chain", clean_up);
    Manager::new(client.field_manager("buoy-operator")).leader_election("buoys").add(controller.reconcile(reconcile))
}

async fn reconcile(buoy: Arc<Buoy>, cx: Context<Buoy>) -> Result<Action, Error> {
    let paint = json!({ "metadata": { "name": buoy.metadata.name }, "data": { "color": buoy.spec.color } });
    cx.apply_owned::<ConfigMap>(&buoy, [paint]).await?;
    cx.status(&buoy).update(|status| status.color.clone_from(&buoy.spec.color));
    cx.event(&buoy, ObjectEvent::normal("Painted", "it is visible"));
    Ok(Action::Done)
}

async fn apply(admin: &Client, rbac: &Rbac) {
    admin.resources::<ClusterRole>().create(&rbac.cluster_role().unwrap()).await.unwrap();
    admin.resources::<ClusterRoleBinding>().create(&rbac.cluster_role_binding().unwrap()).await.unwrap();
    for (role, binding) in rbac.roles().iter().zip(rbac.role_bindings()) {
        let namespace = role.metadata.namespace.as_deref().unwrap();
        admin.resources::<Role>().namespace(namespace).create(role).await.unwrap();
        admin.resources::<RoleBinding>().namespace(namespace).create(&binding).await.unwrap();
    }
}

#[tokio::test]
async fn the_printed_roles_are_sufficient() {
    let plugin = "--enable-admission-plugins=OwnerReferencesPermissionEnforcement";
    let Some(plane) = ControlPlane::start_with(&[plugin]) else {
        return;
    };
    let admin = Client::try_from(plane.config()).unwrap().field_manager("admin");
    admin.install([Buoy::crd()]).await.unwrap();
    let mut config = plane.config();
    config.headers.push(("impersonate-user".parse().unwrap(), "captain".parse().unwrap()));
    let captain = Client::try_from(config).unwrap();

    let refused = manager(captain.clone()).run().await.unwrap_err();
    let ManagerError::Preflight(refused) = refused else { panic!("{refused}") };
    assert!(refused.problems.is_empty(), "{refused}");
    apply(&admin, &refused.missing_permissions.unwrap()).await;

    let (stop, stopped) = oneshot::channel::<()>();
    let manager = manager(captain).until(stopped);
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    let buoys = admin.resources::<Buoy>().namespace("default");
    buoys.create(&Buoy::new("red", BuoySpec { color: "red".into() })).await.unwrap();
    observed(LIMIT, async || buoys.get("red").await.unwrap().status, Option::is_some).await;
    let painted = admin.resources::<ConfigMap>().namespace("default").get("red").await.unwrap();
    assert_eq!(painted.metadata.owner_references.unwrap()[0].block_owner_deletion, Some(true));
    let events = admin.resources::<ApiEvent>().namespace("default");
    let is_painted = |it: &ApiEvent| it.reason.as_deref() == Some("Painted");
    observed(LIMIT, async || events.list().await.unwrap().items, |events| events.iter().any(is_painted)).await;
    buoys.delete("red").await.unwrap();
    observed(LIMIT, async || buoys.get_opt("red").await.unwrap(), Option::is_none).await;
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    let metrics = handle.metrics("buoy").unwrap();
    assert_eq!((metrics.failures, metrics.dropped_events), (0, 0));
}
