//! Clients and informers of crdkit when the server in the process fails, stops or loses what was written.

use std::time::Duration;

use crdkit::{
    Client,
    client::{Resources, scope::InNamespace},
    informer::{Informer, Informers},
};
use crdkit_api_server::{ApiServer, Requests, ServerSnapshot};
use crdkit_tests::RestoreOrder;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::time::{Instant, sleep};

fn config(name: &str, size: u32) -> ConfigMap {
    let object = json!({ "metadata": { "name": name }, "data": { "size": size.to_string() } });
    serde_json::from_value(object).unwrap()
}

fn configs(client: &Client) -> Resources<ConfigMap, InNamespace> {
    client.resources::<ConfigMap>().namespace("default")
}

async fn resize(client: &Client, name: &str, size: u32) {
    let update = |config: &mut ConfigMap| config.data = Some([("size".to_owned(), size.to_string())].into());
    configs(client).update(name, update).await.unwrap();
}

async fn start(client: &Client) -> Informer<ConfigMap> {
    let informer = Informers::new(client.clone()).of::<ConfigMap>().start();
    informer.synced().await.unwrap();
    informer
}

/// The names and versions of objects, which are the same on the server and in an informer that has seen everything.
type State = Vec<(String, String, String)>;

fn state(objects: impl IntoIterator<Item = ConfigMap>) -> State {
    let of = |it: ConfigMap| {
        let size = it.data.unwrap_or_default().remove("size").unwrap_or_default();
        (it.metadata.name.unwrap_or_default(), it.metadata.resource_version.unwrap_or_default(), size)
    };
    let mut state: State = objects.into_iter().map(of).collect();
    state.sort();
    state
}

fn of_server(server: &ApiServer) -> State {
    let objects = server.snapshot().of::<ConfigMap>().with_initial_objects().with_versions().objects();
    state(objects.into_iter().map(|object| serde_json::from_value(object).unwrap()))
}

fn of_informer(informer: &Informer<ConfigMap>) -> State {
    state(informer.lister().list().iter().map(|object| (**object).clone()))
}

/// Waits until the informer has the state of the server.
async fn converge(what: &str, server: &ApiServer, informer: &Informer<ConfigMap>) {
    const LIMIT: Duration = Duration::from_secs(300);
    let began = Instant::now();
    while of_informer(informer) != of_server(server) {
        let [actual, expected] = [of_informer(informer), of_server(server)];
        assert!(began.elapsed() < LIMIT, "{what}: {actual:?} instead of {expected:?}\n{}", server.journal());
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_selected_requests_fail() {
    let server = ApiServer::new();
    let client = server.client();
    let faults = server.faults();
    let second = faults.on(Requests::create().of::<ConfigMap>()).nth(2).fail_with(403, "Forbidden", "not today");
    let slow = faults.on(Requests::get().name("a")).delay(Duration::from_secs(3));
    configs(&client).create(&config("a", 1)).await.unwrap();
    let refused = configs(&client).create(&config("b", 1)).await.unwrap_err();
    assert!(refused.to_string().contains("not today"), "{refused}");
    configs(&client).create(&config("b", 1)).await.unwrap();
    assert_eq!(second.count(), 1);

    let began = Instant::now();
    configs(&client).get("a").await.unwrap();
    configs(&client).get("b").await.unwrap();
    assert_eq!((began.elapsed().as_secs(), slow.count()), (3, 1));
    slow.remove();

    let lost = faults.on(Requests::delete()).once().lose_response();
    let broken = faults.on(Requests::update()).times(2).disconnect();
    configs(&client).delete("a").await.unwrap_err();
    configs(&client).update("b", |config| config.immutable = Some(true)).await.unwrap_err();
    assert_eq!((lost.count(), broken.count()), (1, 1));
    faults.clear();
    configs(&client).update("b", |config| config.immutable = Some(true)).await.unwrap();
    server.journal().writes().assert_lines(&[
        "create configmaps default/a",
        "create configmaps default/b: 403 Forbidden",
        "create configmaps default/b",
        "delete configmaps default/a: no response",
        "patch configmaps default/b: no response",
        "patch configmaps default/b",
    ]);
    let faulty: Vec<_> = server.journal().writes().iter().map(|it| (it.is_fault(), it.changes().len())).collect();
    assert_eq!(faulty, [(false, 1), (true, 0), (false, 1), (true, 1), (true, 0), (false, 1)]);
}

#[tokio::test(start_paused = true)]
async fn updates_are_sent_again_after_a_conflict() {
    let server = ApiServer::new();
    let client = server.client().max_retries(3);
    configs(&client).create(&config("a", 1)).await.unwrap();
    let conflict = server.faults().on(Requests::update()).once().conflict();
    let busy = server.faults().on(Requests::get()).once().too_many_requests(Duration::from_secs(7));
    let began = Instant::now();
    resize(&client, "a", 2).await;
    assert_eq!((conflict.count(), busy.count()), (1, 1));
    assert!(began.elapsed() >= Duration::from_secs(7), "{:?}", began.elapsed());
    server.journal().only(Requests::all().of::<ConfigMap>()).assert_lines(&[
        "create configmaps default/a",
        "get configmaps default/a: 429 Too Many Requests",
        "get configmaps default/a",
        "patch configmaps default/a: 409 Conflict",
        "get configmaps default/a",
        "patch configmaps default/a",
    ]);
}

#[tokio::test(start_paused = true)]
async fn the_journal_is_bounded() {
    let server = ApiServer::new().keep_requests(3);
    let client = server.client();
    for name in ["a", "b", "c", "d"] {
        configs(&client).create(&config(name, 1)).await.unwrap();
    }
    assert_eq!(server.journal().len(), 3);
    assert_eq!(server.journal().iter().next().unwrap().request().name().as_deref(), Some("b"));
    let text = "the requests differ\n--- requests\n+++ requests, expected\n@@ -1,3 +1,3 @@\n create configmaps default/b\n \
                create configmaps default/c\n-create configmaps default/d\n+create configmaps default/e\n";
    let lines = ["create configmaps default/b", "create configmaps default/c", "create configmaps default/e"];
    let panic = std::panic::catch_unwind(|| server.journal().assert_lines(&lines)).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().unwrap(), text);
}

#[tokio::test(start_paused = true)]
async fn informers_survive_each_end_of_a_watch() {
    let server = ApiServer::new();
    let client = server.client();
    let informer = start(&client).await;
    let mut size = 0;
    configs(&client).create(&config("a", 0)).await.unwrap();
    for (what, end) in [
        ("a clean end", (|server: &ApiServer| server.watches(Requests::all()).end()) as fn(&ApiServer)),
        ("half a line", |server| server.watches(Requests::all()).cut()),
        ("an expired version", |server| server.watches(Requests::all()).fail(410)),
        ("an internal error", |server| server.watches(Requests::all()).fail(500)),
        ("silence", |server| server.watches(Requests::all()).freeze()),
        ("compaction", |server| {
            server.watches(Requests::all()).end();
            server.compact();
        }),
        ("refused watches", |server| {
            server.faults().on(Requests::watch()).times(3).fail(503);
            server.watches(Requests::all()).cut();
        }),
    ] {
        converge(what, &server, &informer).await;
        assert_eq!(server.watches(Requests::watch().of::<ConfigMap>()).len(), 1, "before {what}");
        end(&server);
        size += 1;
        resize(&client, "a", size).await;
        converge(what, &server, &informer).await;
    }
}

#[tokio::test(start_paused = true)]
async fn objects_outlive_a_stop() {
    let server = ApiServer::new();
    let client = server.client();
    configs(&client).create(&config("a", 1)).await.unwrap();
    let informer = start(&client).await;
    server.stop();
    let refused = configs(&client).get("a").await.unwrap_err();
    assert!(refused.to_string().contains("connection refused"), "{refused}");
    assert!(server.watches(Requests::all()).is_empty());
    sleep(Duration::from_secs(60)).await;
    server.start();
    resize(&client, "a", 2).await;
    converge("after the start", &server, &informer).await;
    assert_eq!(of_informer(&informer)[0].2, "2");
}

/// The versions of lost writes are used again, for other states of the same objects.
#[tokio::test(start_paused = true)]
async fn informers_follow_a_server_that_lost_writes() {
    for order in RestoreOrder::all() {
        let server = ApiServer::new();
        let client = server.client();
        for name in ["same", "changed", "deleted"] {
            configs(&client).create(&config(name, 1)).await.unwrap();
        }
        let backup = server.back_up();
        let informer = start(&client).await;
        resize(&client, "changed", 100).await;
        configs(&client).create(&config("lost", 100)).await.unwrap();
        configs(&client).delete("deleted").await.unwrap();
        converge("before the restore", &server, &informer).await;
        // Long enough for bookmarks.
        sleep(Duration::from_secs(150)).await;

        let write = async || {
            let count = if order.past { 6 } else { 1 };
            for size in 200..200 + count {
                resize(&client, "changed", size).await;
            }
        };
        if !order.cut {
            server.watches(Requests::all()).freeze();
        }
        server.restore(&backup);
        for requests in [Requests::list(), Requests::watch()] {
            server.faults().on(requests).fail(503);
        }
        if order.writes_first {
            write().await;
            server.faults().clear();
        } else {
            server.faults().clear();
            sleep(Duration::from_secs(150)).await;
            write().await;
        }
        converge(&format!("{order:?}"), &server, &informer).await;
    }
}

#[tokio::test]
async fn times_are_those_of_the_test() {
    let server = ApiServer::new().at("2030-01-01T00:00:00Z".parse().unwrap());
    let client = server.client();
    let mut finalized = config("a", 1);
    finalized.metadata.finalizers = Some(vec!["example.com/x".into()]);
    configs(&client).create(&finalized).await.unwrap();
    server.advance(Duration::from_secs(90));
    configs(&client).delete("a").await.unwrap();
    let snapshot: ServerSnapshot = server.snapshot().of::<ConfigMap>().with_times();
    let metadata = &snapshot.objects()[0]["metadata"];
    assert_eq!(metadata["creationTimestamp"], "2030-01-01T00:00:00Z");
    assert_eq!(metadata["deletionTimestamp"], "2030-01-01T00:01:30Z");
    assert!(server.snapshot().to_string().contains("deletionTimestamp: <time>\n"));
}

#[tokio::test]
async fn snapshots_are_start_states() {
    const OBJECTS: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: prod
spec:
  progressDeadlineSeconds: 600
  replicas: 2
  revisionHistoryLimit: 10
  selector: null
  strategy:
    type: Recreate
  template:
    metadata: {}
    spec:
      containers: null
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
status:
  readyReplicas: 2
---
apiVersion: v1
kind: Namespace
metadata:
  labels:
    kubernetes.io/metadata.name: prod
  name: prod
spec:
  finalizers:
  - kubernetes
status:
  phase: Active
---
apiVersion: v1
kind: Pod
metadata:
  name: web-1
  namespace: prod
  ownerReferences:
  - apiVersion: apps/v1
    kind: Deployment
    name: web
spec:
  containers: null
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  preemptionPolicy: PreemptLowerPriority
  priority: 0
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext: {}
  terminationGracePeriodSeconds: 30
  tolerations:
  - effect: NoExecute
    key: node.kubernetes.io/not-ready
    operator: Exists
    tolerationSeconds: 300
  - effect: NoExecute
    key: node.kubernetes.io/unreachable
    operator: Exists
    tolerationSeconds: 300
status:
  phase: Running
";
    let server = ApiServer::new().with_objects(OBJECTS);
    server.snapshot().assert_yaml(OBJECTS);
    let objects = server.snapshot().with_uids().objects();
    assert_eq!(objects[2]["metadata"]["ownerReferences"][0]["uid"], objects[0]["metadata"]["uid"]);
    let exact = server.snapshot().with_uids().with_times().with_managed_fields();
    let copy = ApiServer::new().with_objects(&exact.to_string());
    copy.snapshot().with_uids().with_times().with_managed_fields().assert_yaml(&exact.to_string());
    assert_eq!(server.snapshot().with_initial_objects().objects().len(), 55);
    assert_eq!(server.snapshot().namespace("prod").of_resource("", "pods").objects().len(), 1);
}
