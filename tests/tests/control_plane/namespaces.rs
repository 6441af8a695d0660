//! A controller of several namespaces on the real API server: one without roles, and one that is deleted.

use std::{sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, CustomResourceExt, KubeSchema,
    client::Patch,
    controller::{Action, Context, Controller, Error, Manager},
};
use crdkit_tests::{ControlPlane, observed};
use k8s_openapi::api::{
    core::v1::{ConfigMap, Namespace},
    rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::oneshot;

/// The watch of a namespace is retried after up to 30 s.
const LIMIT: Duration = Duration::from_secs(90);

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "lamps.example.com", version = "v1", kind = "Lamp", namespaced)]
struct LampSpec {
    color: String,
}

const LABEL: &str = "lamps.example.com/lit";
const NAMESPACES: [&str; 2] = ["lamps-a", "lamps-b"];

fn manager(client: Client) -> Manager {
    let controller = Controller::of::<Lamp>()
        .select(|lamps| lamps.namespaces(NAMESPACES))
        .owns_selected::<ConfigMap>(|configs| configs.namespaces(NAMESPACES));
    Manager::new(client.field_manager("lamp-operator")).add(controller.reconcile(reconcile))
}

async fn reconcile(lamp: Arc<Lamp>, cx: Context<Lamp>) -> Result<Action, Error> {
    let config = json!({ "metadata": { "name": lamp.spec.color }, "data": { "color": lamp.spec.color } });
    cx.apply_owned::<ConfigMap>(&lamp, [config]).await?;
    Ok(Action::Done)
}

fn lamp(color: &str) -> Lamp {
    Lamp::new("lamp", LampSpec { color: color.to_owned() })
}

#[tokio::test]
async fn one_of_several_namespaces_is_lost_and_another_one_ends() {
    let Some(plane) = ControlPlane::start_with(&[]) else {
        return;
    };
    let admin = Client::try_from(plane.config()).unwrap().field_manager("admin");
    admin.install([Lamp::crd()]).await.unwrap();
    let mut config = plane.config();
    config.headers.push(("impersonate-user".parse().unwrap(), "system:serviceaccount:default:keeper".parse().unwrap()));
    let keeper = Client::try_from(config).unwrap();
    let rbac = manager(keeper.clone()).rbac().service_account("default", "keeper");
    for (role, binding) in rbac.roles().iter().zip(rbac.role_bindings()) {
        let name = role.metadata.namespace.clone().unwrap();
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.clone());
        admin.resources().create(&namespace).await.unwrap();
        admin.resources::<Role>().namespace(&name).create(role).await.unwrap();
        if name == NAMESPACES[0] {
            admin.resources::<RoleBinding>().namespace(&name).create(&binding).await.unwrap();
        }
        admin.resources().namespace(&name).create(&lamp("red")).await.unwrap();
    }

    let (stop, stopped) = oneshot::channel::<()>();
    let manager = manager(keeper).until(stopped);
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    let [first, second] = NAMESPACES.map(|name| admin.resources::<ConfigMap>().namespace(name));
    observed(LIMIT, async || first.get_opt("red").await.unwrap(), Option::is_some).await;
    assert!(handle.readyz().is_healthy(), "{}", handle.readyz());
    let lost = handle.readyz().check("informers").unwrap().warning.clone().unwrap();
    assert!(lost.contains("in `lamps-b` is not listed yet: ") && !lost.contains("lamps-a"), "{lost}");

    let binding =
        rbac.role_bindings().into_iter().find(|binding| binding.metadata.namespace.as_deref() == Some("lamps-b"));
    admin.resources::<RoleBinding>().namespace("lamps-b").create(&binding.unwrap()).await.unwrap();
    observed(LIMIT, async || second.get_opt("red").await.unwrap(), Option::is_some).await;

    // Nothing removes its content here, so it keeps terminating.
    admin.resources::<Namespace>().delete("lamps-a").await.unwrap();
    let before = handle.metrics("lamp").unwrap().successes;
    let lamps = admin.resources::<Lamp>().namespace("lamps-a");
    lamps.update("lamp", |lamp| lamp.spec.color = "green".to_owned()).await.unwrap();
    observed(LIMIT, async || handle.metrics("lamp").unwrap().successes, |successes| *successes > before).await;
    assert_eq!(handle.metrics("lamp").unwrap().failures, 0);
    assert!(first.get_opt("green").await.unwrap().is_none());
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}

/// The manager has only the roles that it prints.
#[tokio::test]
async fn namespaces_get_and_lose_a_label() {
    let Some(plane) = ControlPlane::start_with(&[]) else {
        return;
    };
    let admin = Client::try_from(plane.config()).unwrap().field_manager("admin");
    admin.install([Lamp::crd()]).await.unwrap();
    let controller = |client: &Client| {
        let controller = Controller::of::<Lamp>().owns::<ConfigMap>().reconcile(reconcile);
        Manager::new(client.clone().field_manager("lamp-operator"))
            .namespaces_with_labels(format!("{LABEL}=yes"))
            .add(controller)
    };
    let mut config = plane.config();
    config.headers.push(("impersonate-user".parse().unwrap(), "system:serviceaccount:default:keeper".parse().unwrap()));
    let keeper = Client::try_from(config).unwrap();
    let rbac = controller(&keeper).rbac().service_account("default", "keeper");
    admin.resources::<ClusterRole>().create(&rbac.cluster_role().unwrap()).await.unwrap();
    admin.resources::<ClusterRoleBinding>().create(&rbac.cluster_role_binding().unwrap()).await.unwrap();
    for name in NAMESPACES {
        let mut namespace = Namespace::default();
        namespace.metadata.name = Some(name.to_owned());
        admin.resources().create(&namespace).await.unwrap();
        admin.resources().namespace(name).create(&lamp("red")).await.unwrap();
    }

    let (stop, stopped) = oneshot::channel::<()>();
    let manager = controller(&keeper).until(stopped);
    let handle = manager.handle();
    let running = tokio::spawn(manager.run());
    let [first, second] = NAMESPACES.map(|name| admin.resources::<ConfigMap>().namespace(name));
    let label = async |name: &str, value: Option<&str>| {
        let labels = Patch::merge(json!({ "metadata": { "labels": { (LABEL): value } } }));
        admin.resources::<Namespace>().patch(name, &labels).await.unwrap();
    };
    observed(LIMIT, async || handle.readyz().is_healthy(), |ready| *ready).await;
    assert_eq!(handle.namespaces().unwrap(), [""; 0]);
    label("lamps-a", Some("yes")).await;
    observed(LIMIT, async || first.get_opt("red").await.unwrap(), Option::is_some).await;
    assert!(second.get_opt("red").await.unwrap().is_none());

    label("lamps-b", Some("yes")).await;
    observed(LIMIT, async || second.get_opt("red").await.unwrap(), Option::is_some).await;
    label("lamps-a", None).await;
    observed(LIMIT, async || handle.namespaces().unwrap(), |names| names == &["lamps-b"]).await;
    let [of_first, of_second] = NAMESPACES.map(|name| admin.resources::<Lamp>().namespace(name));
    of_first.update("lamp", |lamp| lamp.spec.color = "green".to_owned()).await.unwrap();
    of_second.update("lamp", |lamp| lamp.spec.color = "green".to_owned()).await.unwrap();
    observed(LIMIT, async || second.get_opt("green").await.unwrap(), Option::is_some).await;
    assert!(first.get_opt("green").await.unwrap().is_none() && first.get_opt("red").await.unwrap().is_some());
    label("lamps-a", Some("yes")).await;
    observed(LIMIT, async || first.get_opt("green").await.unwrap(), Option::is_some).await;
    assert_eq!(handle.metrics("lamp").unwrap().failures, 0);
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
}
