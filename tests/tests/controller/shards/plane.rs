//! The partition of the real API server.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use crdkit::{
    Client,
    controller::{Action, Context, Controller, Error, LeaderElection, Manager},
    informer::CacheObject,
};
use crdkit_api_server::ApiServer;
use crdkit_tests::{ControlPlane, case_count};
use futures_util::{StreamExt, stream};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::Value;
use tokio::{
    sync::oneshot,
    time::{sleep, timeout},
};

use super::replica::shard_of;

const SHARDS: u16 = 16;
const LABELS: &str = "test=shards";
const NAMESPACE: &str = "default";
const LIMIT: Duration = Duration::from_secs(60);

type Names = Arc<Mutex<BTreeSet<String>>>;

/// Creates objects, and returns their uids by name.
async fn create(client: &Client, count: usize) -> BTreeMap<String, String> {
    let configs = client.resources::<ConfigMap>().namespace(NAMESPACE);
    let creates = stream::iter(0..count).map(|number| {
        let configs = configs.clone();
        async move {
            let mut config = ConfigMap::default();
            config.metadata.name = Some(format!("shards-{number}"));
            config.metadata.labels = Some([("test".to_owned(), "shards".to_owned())].into());
            let created = configs.create(&config).await.unwrap();
            (created.name().to_owned(), created.uid().unwrap().to_owned())
        }
    });
    creates.buffer_unordered(64).collect().await
}

/// Lists the names in a shard by the API server's selector, in pages.
async fn list(client: &kube::Client, shard: u16, limit: usize) -> BTreeSet<String> {
    let bound = |shard: u16| format!("0x{:016x}", (u128::from(shard) << 64) / u128::from(SHARDS));
    let selector = format!("shardRange(object.metadata.uid, '{}', '{}')", bound(shard), bound(shard + 1));
    let (mut names, mut token) = (BTreeSet::new(), String::new());
    loop {
        let query: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("labelSelector", LABELS)
            .append_pair("shardSelector", &selector)
            .append_pair("limit", &limit.to_string())
            .append_pair("continue", &token)
            .finish();
        let path = format!("/api/v1/namespaces/{NAMESPACE}/configmaps?{query}");
        let page: Value = client.request(http::Request::get(path).body(Vec::new()).unwrap()).await.unwrap();
        assert_eq!(page["metadata"]["shardInfo"]["selector"], selector);
        let items = page["items"].as_array().unwrap().iter();
        names.extend(items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()));
        token = page["metadata"]["continue"].as_str().unwrap_or_default().to_owned();
        if token.is_empty() {
            return names;
        }
    }
}

/// Returns the names in a shard.
fn names_in(shard: u16, uids: &BTreeMap<String, String>) -> BTreeSet<String> {
    let in_shard = uids.iter().filter(|(_, uid)| shard_of(uid, SHARDS) == shard);
    in_shard.map(|(name, _)| name.clone()).collect()
}

/// Waits until exactly these objects have been reconciled.
async fn wait_for(names: &Names, expected: &BTreeSet<String>) {
    let reconciled = async {
        while *names.lock().unwrap() != *expected {
            sleep(Duration::from_millis(100)).await;
        }
    };
    let is_complete = timeout(LIMIT, reconciled).await.is_ok();
    let found = names.lock().unwrap().clone();
    assert!(is_complete, "{:?}", found.symmetric_difference(expected).take(10).collect::<Vec<_>>());
}

fn controller(names: &Names) -> Controller {
    Controller::of::<ConfigMap>()
        .state(names.clone())
        .select(|configs| configs.labels(LABELS))
        .concurrency(16)
        .reconcile(async |config: Arc<ConfigMap>, cx: Context<ConfigMap, Names>| {
            cx.state().lock().unwrap().insert(config.name().to_owned());
            Ok::<_, Error>(Action::Done)
        })
}

#[tokio::test]
async fn the_server_in_the_process_lists_shards_in_pages() {
    let server = ApiServer::new().with_sharded_lists();
    let uids = create(&server.client(), 100).await;
    let kube = kube::Client::new(server.service(), NAMESPACE);
    for shard in 0..SHARDS {
        assert_eq!(list(&kube, shard, 2).await, names_in(shard, &uids), "{shard}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_server_and_the_informer_have_the_same_partition() {
    let gate = "--feature-gates=ShardedListAndWatch=true";
    let Some(plane) = ControlPlane::start_with(&[gate]) else { return };
    let client = Client::from(plane.client());
    let count = case_count("CRDKIT_SHARDED_OBJECTS", 10_000);
    let uids = create(&client, count).await;
    assert_eq!(uids.len(), count);
    let kube = plane.client();
    for shard in 0..SHARDS {
        assert_eq!(list(&kube, shard, 250).await, names_in(shard, &uids), "{shard}");
    }

    let all: [Names; 2] = Default::default();
    let mut replicas = Vec::new();
    for names in &all {
        let (stop, stopped) = oneshot::channel::<()>();
        // Quicker than by default, so that the second replica need not wait.
        let [lease, deadline, retry] = [5_000, 4_000, 500].map(Duration::from_millis);
        let group = LeaderElection::new("plane").durations(lease, deadline, retry);
        let manager =
            Manager::new(Client::from(plane.client())).shards(group, SHARDS).add(controller(names)).until(stopped);
        replicas.push((manager.handle(), stop, tokio::spawn(manager.run())));
        let member = async {
            while replicas.iter().map(|(handle, ..)| handle.shards().len()).sum::<usize>() < usize::from(SHARDS)
                || replicas.iter().any(|(handle, ..)| handle.shards().len() != usize::from(SHARDS) / replicas.len())
            {
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(LIMIT, member).await.expect("the shards are shared");
        if replicas.len() == 1 {
            wait_for(names, &uids.keys().cloned().collect()).await;
        }
    }
    let held: BTreeSet<_> = replicas[1].0.shards().into_iter().collect();
    let in_shards = uids.iter().filter(|(_, uid)| held.contains(&shard_of(uid, SHARDS)));
    let expected: BTreeSet<_> = in_shards.map(|(name, _)| name.clone()).collect();
    wait_for(&all[1], &expected).await;
    for (_, stop, task) in replicas {
        stop.send(()).unwrap();
        task.await.unwrap().unwrap();
    }
    client.resources::<ConfigMap>().namespace(NAMESPACE).delete_collection().labels(LABELS).await.unwrap();
}
