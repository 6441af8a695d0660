//! Waits for states of objects, on a real API server and on the one in the process.

use std::{collections::BTreeMap, time::Duration};

use crdkit::{Client, client::WaitUntilError, conditions, status};
use crdkit_api_server::ApiServer;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use serde_json::{Value, json};

use crate::served::{client, namespace};

const LIMIT: Duration = Duration::from_secs(30);
const CLEANUP: &str = "example.com/cleanup";

#[tokio::test]
async fn states_are_waited_for_on_a_real_server() {
    let Some(client) = client().await else { return };
    let namespace = namespace(&client, "waiting").await;
    all(&client, &namespace).await;
}

#[tokio::test]
async fn states_are_waited_for_in_the_process() {
    let server = ApiServer::new();
    all(&Client::from(server.kube_client()), "default").await;
}

async fn all(client: &Client, namespace: &str) {
    an_object_that_comes_later(client, namespace).await;
    a_condition(client, namespace).await;
    the_end_of_an_object(client, namespace).await;
    one_object_of_several_with_the_name(client, namespace).await;
}

fn config(name: &str, data: &[(&str, &str)]) -> ConfigMap {
    let data: BTreeMap<_, _> = data.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let mut config = ConfigMap { data: Some(data), ..Default::default() };
    config.metadata.name = Some(name.to_owned());
    config
}

async fn an_object_that_comes_later(client: &Client, namespace: &str) {
    let configs = client.resources::<ConfigMap>().namespace(namespace);
    let has_size = |config: &ConfigMap| config.data.as_ref().is_some_and(|data| data.contains_key("size"));
    let waiting = async { configs.wait_until("late", has_size).within(LIMIT).await.unwrap() };
    let writing = async {
        configs.create(&config("other", &[("size", "1")])).await.unwrap();
        configs.create(&config("late", &[])).await.unwrap();
        configs.delete("late").await.unwrap();
        configs.create(&config("late", &[])).await.unwrap();
        configs
            .update("late", |config| drop(config.data.get_or_insert_default().insert("size".into(), "2".into())))
            .await
    };
    let (seen, written) = tokio::join!(waiting, writing);
    assert_eq!(seen, written.unwrap());
}

async fn a_condition(client: &Client, namespace: &str) {
    let deployments = client.resources::<Deployment>().namespace(namespace);
    let template =
        json!({ "metadata": { "labels": { "app": "a" } }, "spec": { "containers": [{ "name": "a", "image": "a" }] } });
    let spec = json!({ "replicas": 2, "selector": { "matchLabels": { "app": "a" } }, "template": template });
    let web: Deployment = serde_json::from_value(json!({ "metadata": { "name": "web" }, "spec": spec })).unwrap();
    let web = deployments.create(&web).await.unwrap();

    let available = conditions::is_true("Available");
    let by_condition = async { deployments.wait_until("web", available).within(LIMIT).await };
    let by_status = async { deployments.wait_for(&web, status::of).within(LIMIT).await };
    let rollout = async {
        for ready in 0..=2 {
            let patch = kube::api::Patch::Merge(json!({ "status": rolled_out(ready) }));
            deployments.api().patch_status("web", &kube::api::PatchParams::default(), &patch).await.unwrap();
        }
    };
    let (by_condition, by_status, ()) = tokio::join!(by_condition, by_status, rollout);
    assert_eq!(by_condition.unwrap().status.unwrap().ready_replicas, Some(2));
    assert_eq!(by_status.unwrap().status.unwrap().ready_replicas, Some(2));
}

fn rolled_out(ready: i32) -> Value {
    let condition = |type_: &str, is_true: bool, reason: &str| json!({ "type": type_, "status": if is_true { "True" } else { "False" }, "reason": reason });
    json!({
        "observedGeneration": 1,
        "replicas": 2,
        "updatedReplicas": 2,
        "readyReplicas": ready,
        "availableReplicas": ready,
        "conditions": [
            condition("Available", ready == 2, "Pods"),
            condition("Progressing", true, "NewReplicaSetAvailable"),
        ],
    })
}

async fn the_end_of_an_object(client: &Client, namespace: &str) {
    let configs = client.resources::<ConfigMap>().namespace(namespace);
    configs.wait_until_deleted("none").await.unwrap();

    let mut held = config("held", &[]);
    held.metadata.finalizers = Some(vec![CLEANUP.to_owned()]);
    configs.create(&held).await.unwrap();
    configs.delete("held").await.unwrap();
    let waiting = async { configs.wait_until_deleted("held").within(LIMIT).await };
    let finalizers = configs.finalizers();
    let (gone, removed) = tokio::join!(waiting, finalizers.remove("held", CLEANUP));
    gone.unwrap();
    removed.unwrap();
}

async fn one_object_of_several_with_the_name(client: &Client, namespace: &str) {
    let configs = client.resources::<ConfigMap>().namespace(namespace);
    let first = configs.create(&config("again", &[])).await.unwrap();
    let beside = client.resources::<ConfigMap>().beside(&first);
    assert_eq!(beside.get("again").await.unwrap(), first);
    let waiting = async { configs.wait_for(&first, |_: &ConfigMap| false).within(LIMIT).await };
    let replacing = async {
        configs.delete("again").await.unwrap();
        configs.create(&config("again", &[])).await.unwrap();
    };
    let (waited, ()) = tokio::join!(waiting, replacing);
    assert!(matches!(waited, Err(WaitUntilError::Deleted { .. })), "{waited:?}");
}
