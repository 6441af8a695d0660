//! Clients and informers of crdkit on the API server in the process.

use std::time::Duration;

use crdkit::{Client, CustomResource, KubeSchema, informer::Informers};
use crdkit_api_server::ApiServer;
use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "in-process.example.com", version = "v1", kind = "Server", namespaced, status = "ServerStatus")]
struct ServerSpec {
    #[schemars(range(min = 1))]
    replicas: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct ServerStatus {
    ready: i32,
}

fn server() -> Client {
    ApiServer::new().with::<Server>().client()
}

async fn until(is_so: impl Fn() -> bool) {
    for _ in 0..500 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it takes too long");
}

#[tokio::test]
async fn informers_follow_changes() {
    let client = server();
    let servers = client.resources::<Server>().namespace("default");
    servers.create(&Server::new("a", ServerSpec { replicas: 1 })).await.unwrap();
    let informer = Informers::new(client).of::<Server>().namespace("default").start();
    informer.synced().await.unwrap();
    let lister = informer.lister();
    assert_eq!(lister.list().len(), 1);
    servers.create(&Server::new("b", ServerSpec { replicas: 2 })).await.unwrap();
    servers.status().update("a", |status| status.ready = 1).await.unwrap();
    servers.delete("b").await.unwrap();
    let is_current = || lister.list().len() == 1 && lister.list()[0].status.as_ref().is_some_and(|it| it.ready == 1);
    until(is_current).await;
}

/// The newest resourceVersion of a list is that of the server. Bookmarks reach it, although the kind itself does not change.
#[tokio::test(start_paused = true)]
async fn changes_of_other_kinds_do_not_make_data_stale() {
    let client = server();
    let informer = Informers::new(client.clone()).of::<Server>().namespace("default").start();
    informer.synced().await.unwrap();
    let configs = client.resources::<ConfigMap>().namespace("default");
    for number in 0..600 {
        let name = format!("config-{number}");
        let config: ConfigMap = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
        configs.create(&config).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let staleness = informer.health().staleness().unwrap();
    assert!(staleness < Duration::from_secs(150), "{staleness:?}");
}

#[tokio::test]
async fn watches_of_compacted_versions_expire() {
    let api_server = ApiServer::new().with::<Server>();
    let servers = api_server.client().resources::<Server>().namespace("default");
    let first = servers.create(&Server::new("a", ServerSpec { replicas: 1 })).await.unwrap();
    let version = first.metadata.resource_version.unwrap();
    servers.create(&Server::new("b", ServerSpec { replicas: 1 })).await.unwrap();
    let watch = || servers.watch().after(&version);
    let event = watch().await.unwrap().next().await.unwrap().unwrap();
    assert!(matches!(event, crdkit::client::WatchEvent::Added(added) if added.metadata.name.as_deref() == Some("b")));
    api_server.compact();
    // As in the server, the watch begins, and its only event is the error.
    let expired = watch().await.unwrap().next().await.unwrap().err().unwrap();
    assert!(expired.to_string().contains("too old resource version"), "{expired}");
}

#[tokio::test]
async fn refusals_have_the_servers_words() {
    let servers = server().resources::<Server>().namespace("default");
    let error = servers.create(&Server::new("a", ServerSpec { replicas: 0 })).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("spec.replicas in body should be greater than or equal to 1"), "{text}");
}

#[tokio::test]
async fn built_in_kinds_are_served() {
    let configs = server().resources::<ConfigMap>().namespace("default");
    let config = json!({ "metadata": { "name": "a" }, "data": { "size": "2" } });
    let config: ConfigMap = serde_json::from_value(config).unwrap();
    configs.create(&config).await.unwrap();
    assert_eq!(configs.get("a").await.unwrap().data.unwrap()["size"], "2");
}
