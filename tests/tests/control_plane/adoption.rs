//! Objects that an operator created or patched before it applies them, on the real API server.

use std::{sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, CustomResourceExt, KubeSchema,
    client::Patch,
    controller::{Action, Context, Controller, Error, Manager},
};
use crdkit_tests::{ControlPlane, observed};
use k8s_openapi::api::core::v1::ConfigMap;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::oneshot;

const LIMIT: Duration = Duration::from_secs(30);

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "adoption.example.com", version = "v1", kind = "Harbor", namespaced)]
struct HarborSpec {
    ships: Vec<String>,
}

async fn reconcile(harbor: Arc<Harbor>, cx: Context<Harbor>) -> Result<Action, Error> {
    let ships = harbor.spec.ships.iter().map(|ship| json!({ "metadata": { "name": ship }, "data": { "kept": "1" } }));
    cx.apply_owned::<ConfigMap>(&harbor, ships).await?;
    Ok(Action::Done)
}

#[tokio::test]
async fn fields_of_earlier_updates_are_removed_by_the_first_apply() {
    let Some(plane) = ControlPlane::shared() else {
        return;
    };
    let client = Client::try_from(plane.config()).unwrap().field_manager("harbor-operator");
    client.install([Harbor::crd()]).await.unwrap();
    let configs = client.resources::<ConfigMap>().namespace("default");
    let made: ConfigMap =
        serde_json::from_value(json!({ "metadata": { "name": "adopted" }, "data": { "kept": "0", "created": "1" } }))
            .unwrap();
    configs.create(&made).await.unwrap();
    let patch = |key: &str| Patch::merge(json!({ "data": { key: "1" } }));
    configs.patch("adopted", &patch("patched")).await.unwrap();
    configs.field_manager("somebody").patch("adopted", &patch("other")).await.unwrap();

    let (stop, stopped) = oneshot::channel::<()>();
    let manager = Manager::new(client.clone()).add(Controller::of::<Harbor>().owns::<ConfigMap>().reconcile(reconcile));
    let handle = manager.handle();
    let running = tokio::spawn(manager.until(stopped).run());
    let harbors = client.resources::<Harbor>().namespace("default");
    harbors.create(&Harbor::new("north", HarborSpec { ships: vec!["adopted".into()] })).await.unwrap();
    let keys = async || configs.get("adopted").await.unwrap().data.unwrap().into_keys().collect::<Vec<_>>();
    observed(LIMIT, keys, |keys| *keys == ["kept", "other"]).await;
    let managers = configs.get("adopted").await.unwrap().metadata.managed_fields.unwrap();
    let operations: Vec<_> = managers.iter().map(|it| (it.manager.as_deref(), it.operation.as_deref())).collect();
    assert_eq!(operations, [(Some("harbor-operator"), Some("Apply")), (Some("somebody"), Some("Update"))]);

    harbors.patch("north", &Patch::merge(json!({ "spec": { "ships": [] } }))).await.unwrap();
    observed(LIMIT, async || configs.get_opt("adopted").await.unwrap(), Option::is_none).await;
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(handle.metrics("harbor").unwrap().failures, 0);
}
