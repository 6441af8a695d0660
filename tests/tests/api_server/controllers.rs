//! The controllers of the server in the process, compared with those of kube-controller-manager.

mod real_autoscaler;
mod scenario;

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use crdkit_api_server::{ApiServer, PodState};
use crdkit_tests::Request;
use k8s_openapi::api::{apps::v1::Deployment, batch::v1::Job};
use serde_json::{Value, json};

use self::scenario::{Scenario, compare};

/// An object of the core group, by the plural name of its kind.
fn object(plural: &str, namespace: &str, name: &str) -> Value {
    let kind = match plural {
        "configmaps" => "ConfigMap",
        "secrets" => "Secret",
        "pods" => "Pod",
        "namespaces" => "Namespace",
        _ => "PersistentVolume",
    };
    let mut object = json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": name } });
    if !namespace.is_empty() {
        object["metadata"]["namespace"] = namespace.into();
    }
    if plural == "pods" {
        object["spec"] = json!({ "containers": [{ "name": "main", "image": "none" }] });
    }
    object
}

/// A reference to an object that the scenario has created: `$uid(name)`.
fn owner(kind: &str, name: &str, blocks: bool) -> Value {
    json!({
        "apiVersion": "v1", "kind": kind, "name": name, "uid": format!("$uid({name})"), "blockOwnerDeletion": blocks,
    })
}

fn owned(mut object: Value, owners: &[Value]) -> Value {
    object["metadata"]["ownerReferences"] = owners.into();
    object
}

fn finalized(mut object: Value) -> Value {
    object["metadata"]["finalizers"] = json!(["example.com/wait"]);
    object
}

fn config(namespace: &str, name: &str) -> Value {
    object("configmaps", namespace, name)
}

fn secret(namespace: &str, name: &str) -> Value {
    object("secrets", namespace, name)
}

fn delete(policy: &str) -> Value {
    json!({ "propagationPolicy": policy })
}

#[tokio::test]
async fn garbage_is_collected() {
    let release = json!({ "metadata": { "finalizers": null } });
    let chain = |scenario: Scenario, blocks| {
        let scenario = scenario
            .create(config("$namespace", "a"))
            .create(owned(secret("$namespace", "b"), &[owner("ConfigMap", "a", blocks)]));
        scenario.create(owned(config("$namespace", "c"), &[owner("Secret", "b", blocks)]))
    };
    let pinned = |scenario: Scenario, blocks| {
        let scenario = scenario.create(config("$namespace", "a"));
        scenario.create(finalized(owned(secret("$namespace", "b"), &[owner("ConfigMap", "a", blocks)])))
    };
    let two_owners = |scenario: Scenario| {
        let scenario = scenario.create(config("$namespace", "a")).create(config("$namespace", "b"));
        let owners = [owner("ConfigMap", "a", true), owner("ConfigMap", "b", true)];
        scenario.create(owned(secret("$namespace", "c"), &owners))
    };
    let a = "configmaps/a";
    let scenarios = [
        chain(Scenario::new("background"), false).delete(a, delete("Background")).leaves(&[]),
        chain(Scenario::new("default"), true).delete(a, Value::Null).leaves(&[]),
        chain(Scenario::new("foreground"), true).delete(a, delete("Foreground")).leaves(&[]),
        chain(Scenario::new("foreground-unblocked"), false).delete(a, delete("Foreground")).leaves(&[]),
        chain(Scenario::new("orphan"), true).delete(a, delete("Orphan")).leaves(&["configmaps/c", "secrets/b"]),
        pinned(Scenario::new("foreground-waits"), true)
            .delete(a, delete("Foreground"))
            .leaves(&["configmaps/a", "secrets/b"]),
        pinned(Scenario::new("foreground-does-not-wait"), false).delete(a, delete("Foreground")).leaves(&["secrets/b"]),
        pinned(Scenario::new("foreground-ends"), true)
            .delete(a, delete("Foreground"))
            .patch("secrets/b", release.clone())
            .leaves(&[]),
        pinned(Scenario::new("foreground-unblocked-later"), true)
            .delete(a, delete("Foreground"))
            .patch("secrets/b", json!({ "metadata": { "ownerReferences": null } }))
            .leaves(&["secrets/b"]),
        two_owners(Scenario::new("one-owner-is-left"))
            .delete(a, delete("Background"))
            .leaves(&["configmaps/b", "secrets/c"]),
        two_owners(Scenario::new("one-owner-waits"))
            .delete(a, delete("Foreground"))
            .leaves(&["configmaps/b", "secrets/c"]),
        two_owners(Scenario::new("no-owner-is-left"))
            .delete(a, delete("Background"))
            .delete("configmaps/b", delete("Background"))
            .leaves(&[]),
        Scenario::new("other-uid")
            .create(config("$namespace", "a"))
            .create(owned(
                secret("$namespace", "b"),
                &[json!({
                    "apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "6c84fb90-12c4-11e1-840d-7b25c5ee775a",
                })],
            ))
            .leaves(&["configmaps/a"]),
        Scenario::new("other-namespace")
            .create(config("default", "other-namespace-a"))
            .create(owned(secret("$namespace", "b"), &[owner("ConfigMap", "other-namespace-a", false)]))
            .leaves(&[]),
        Scenario::new("owner-of-the-cluster")
            .create(object("namespaces", "", "owner-of-all"))
            .create(owned(secret("$namespace", "b"), &[owner("Namespace", "owner-of-all", false)]))
            .leaves(&["secrets/b"]),
        Scenario::new("unknown-kind")
            .create(owned(
                secret("$namespace", "b"),
                &[json!({
                    "apiVersion": "none.example.com/v1", "kind": "Nothing", "name": "a", "uid": "1",
                })],
            ))
            .leaves(&["secrets/b"]),
        Scenario::new("recreated")
            .create(config("$namespace", "a"))
            .create(finalized(owned(secret("$namespace", "b"), &[owner("ConfigMap", "a", true)])))
            .delete(a, delete("Background"))
            .create(config("$namespace", "a"))
            .leaves(&["configmaps/a", "secrets/b"]),
        chain(Scenario::new("circle"), true)
            .patch("configmaps/a", json!({ "metadata": { "ownerReferences": [owner("ConfigMap", "c", true)] } }))
            .delete(a, delete("Foreground"))
            .leaves(&[]),
        Scenario::new("finalizer-of-the-dependent")
            .create(config("$namespace", "a"))
            .create({
                let mut middle = owned(secret("$namespace", "b"), &[owner("ConfigMap", "a", false)]);
                middle["metadata"]["finalizers"] = json!(["orphan"]);
                middle
            })
            .create(owned(config("$namespace", "c"), &[owner("Secret", "b", false)]))
            .delete(a, delete("Background"))
            .leaves(&["configmaps/c"]),
    ];
    compare(&scenarios, |server| server.with_garbage_collection()).await;
}

#[tokio::test]
async fn namespaces_are_emptied() {
    let namespace = "/api/v1/namespaces/$namespace";
    let scenarios = [
        Scenario::new("empty").delete(namespace, Value::Null).leaves(&[]),
        Scenario::new("with-content")
            .create(config("$namespace", "a"))
            .create(secret("$namespace", "b"))
            .create(object("pods", "$namespace", "c"))
            .delete(namespace, Value::Null)
            .leaves(&[]),
        Scenario::new("with-finalizers")
            .create(finalized(config("$namespace", "a")))
            .create(finalized(config("$namespace", "b")))
            .create(secret("$namespace", "c"))
            .delete(namespace, Value::Null)
            .create(config("$namespace", "too-late"))
            .leaves(&["configmaps/a", "configmaps/b"]),
        Scenario::new("pods-are-first")
            .create(finalized(object("pods", "$namespace", "a")))
            .create(secret("$namespace", "b"))
            .delete(namespace, Value::Null)
            .leaves(&["pods/a", "secrets/b"]),
        Scenario::new("released")
            .create(finalized(config("$namespace", "a")))
            .delete(namespace, Value::Null)
            .patch("configmaps/a", json!({ "metadata": { "finalizers": null } }))
            .leaves(&[]),
    ];
    compare(&scenarios, |server| server.with_namespace_deletion()).await;
}

#[tokio::test]
async fn deployments_are_rolled_out() {
    let is_ready = Arc::new(AtomicBool::new(true));
    let ready = is_ready.clone();
    let server = ApiServer::new().with_garbage_collection().with_workloads(move |pod| {
        let is_old = pod.spec.as_ref().unwrap().containers[0].image.as_deref() == Some("web:1");
        if is_old || ready.load(Ordering::SeqCst) { PodState::Ready } else { PodState::Running }
    });
    let client = server.client();
    let deployments = client.resources::<Deployment>().namespace("default");
    let template = json!({
        "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "main", "image": "web:1" }] },
    });
    let spec = json!({ "replicas": 4, "selector": { "matchLabels": { "app": "web" } }, "template": template });
    let web = json!({ "metadata": { "name": "web" }, "spec": spec });
    deployments.create(&serde_json::from_value(web).unwrap()).await.unwrap();
    let counters = async || {
        let status = deployments.get("web").await.unwrap().status.unwrap();
        let condition = |kind: &str| {
            let condition = status.conditions.iter().flatten().find(|it| it.type_ == kind.to_owned().into()).unwrap();
            condition.reason.clone().unwrap()
        };
        let counters =
            [status.replicas, status.updated_replicas, status.available_replicas, status.unavailable_replicas];
        (counters.map(Option::unwrap_or_default), condition("Available"), condition("Progressing"))
    };
    let done = ([4, 4, 4, 0], "MinimumReplicasAvailable".to_owned(), "NewReplicaSetAvailable".to_owned());
    assert_eq!(counters().await, done);

    // One Pod may be missing, and one may be too many.
    is_ready.store(false, Ordering::SeqCst);
    let set_image = |image: &'static str| {
        move |web: &mut Deployment| {
            web.spec.template.spec.as_mut().unwrap().containers[0].image = Some(image.to_owned());
        }
    };
    deployments.update("web", set_image("web:2")).await.unwrap();
    let stuck = ([5, 2, 3, 2], "MinimumReplicasAvailable".to_owned(), "ReplicaSetUpdated".to_owned());
    assert_eq!(counters().await, stuck);
    is_ready.store(true, Ordering::SeqCst);
    server.settle();
    assert_eq!(counters().await, done);
    let sets = server.snapshot().of_resource("apps", "replicasets").objects();
    let replicas: Vec<_> = sets.iter().map(|set| set["spec"]["replicas"].as_i64().unwrap()).collect();
    assert_eq!(replicas.iter().sum::<i64>(), 4);
    assert_eq!(sets.len(), 2);

    // An earlier template is the one of an earlier ReplicaSet, with a new revision.
    deployments.update("web", set_image("web:1")).await.unwrap();
    let web = deployments.get("web").await.unwrap();
    assert_eq!(web.metadata.annotations.unwrap()["deployment.kubernetes.io/revision"], "3");
    assert_eq!(server.snapshot().of_resource("apps", "replicasets").objects().len(), 2);
    deployments.update("web", |web| web.spec.replicas = Some(1)).await.unwrap();
    assert_eq!(server.snapshot().of_resource("", "pods").objects().len(), 1);
    deployments.delete("web").await.unwrap();
    assert!(server.snapshot().objects().is_empty());
}

#[tokio::test]
async fn paused_deployments_are_only_scaled() {
    let server = ApiServer::new().with_workloads(PodState::usual);
    let deployments = server.client().resources::<Deployment>().namespace("default");
    let spec = json!({
        "replicas": 2, "minReadySeconds": 1, "selector": { "matchLabels": { "app": "web" } },
        "template": {
            "metadata": { "labels": { "app": "web" } },
            "spec": { "containers": [{ "name": "main", "image": "web:1" }] },
        },
    });
    let web = json!({ "metadata": { "name": "web" }, "spec": spec });
    deployments.create(&serde_json::from_value(web).unwrap()).await.unwrap();
    let sets = || server.snapshot().of_resource("apps", "replicasets").objects();
    assert_eq!(sets()[0]["spec"]["minReadySeconds"], 1);

    let pause = |web: &mut Deployment| {
        web.spec.paused = Some(true);
        web.spec.replicas = Some(3);
        web.spec.template.spec.as_mut().unwrap().containers[0].image = Some("web:2".to_owned());
    };
    deployments.update("web", pause).await.unwrap();
    let replicas: Vec<_> = sets().iter().map(|set| set["spec"]["replicas"].clone()).collect();
    assert_eq!(replicas, [3]);
    let reason = async || {
        let status = deployments.get("web").await.unwrap().status.unwrap();
        let progressing =
            status.conditions.unwrap().into_iter().find(|it| it.type_.as_deref() == Some("Progressing")).unwrap();
        progressing.reason.unwrap()
    };
    assert_eq!(reason().await, "DeploymentPaused");
    deployments.update("web", |web| web.spec.paused = Some(false)).await.unwrap();
    assert_eq!(sets().len(), 2);
    assert_eq!(reason().await, "ReplicaSetUpdated");
}

#[tokio::test]
async fn jobs_end() {
    let job = |name: &str, spec: Value| {
        let mut object = json!({ "metadata": { "name": name }, "spec": spec });
        object["spec"]["template"]["spec"] = json!({
            "restartPolicy": "Never", "containers": [{ "name": name, "image": "none" }],
        });
        serde_json::from_value::<Job>(object).unwrap()
    };
    let server = ApiServer::new().with_workloads(|pod| match pod.spec.as_ref().unwrap().containers[0].name.as_str() {
        "fails" => PodState::Failed,
        "runs" => PodState::Ready,
        _ => PodState::usual(pod),
    });
    let jobs = server.client().resources::<Job>().namespace("default");
    for (name, spec, expected) in [
        ("completes", json!({ "completions": 3, "parallelism": 2 }), (0, 3, 0, Some("Complete"))),
        ("one-of-many", json!({ "parallelism": 2 }), (0, 2, 0, Some("Complete"))),
        ("fails", json!({ "backoffLimit": 2, "completions": 1 }), (0, 0, 3, Some("Failed"))),
        ("runs", json!({ "completions": 5, "parallelism": 3 }), (3, 0, 0, None)),
        ("waits", json!({ "suspend": true, "completions": 1 }), (0, 0, 0, Some("Suspended"))),
    ] {
        jobs.create(&job(name, spec)).await.unwrap();
        let status = jobs.get(name).await.unwrap().status.unwrap();
        let last = status.conditions.iter().flatten().last().map(|it| it.type_.clone());
        let counts = [status.active, status.succeeded, status.failed].map(Option::unwrap_or_default);
        assert_eq!((counts[0], counts[1], counts[2], last.as_deref()), expected, "{name}");
        // They are written even if they are zero.
        assert_eq!((status.ready, status.terminating), (Some(counts[0]), Some(0)), "{name}");
        assert_eq!(status.start_time.is_some(), name != "waits", "{name}");
    }
    jobs.update("waits", |job| job.spec.as_mut().unwrap().suspend = Some(false)).await.unwrap();
    let status = jobs.get("waits").await.unwrap().status.unwrap();
    assert!(status.conditions.unwrap().iter().any(|it| it.type_ == "Complete"));
}

#[tokio::test]
async fn custom_resources_are_scaled() {
    let load = Arc::new(AtomicU32::new(100));
    let current = load.clone();
    let server = ApiServer::new().with_autoscaling(move |_| Some(f64::from(current.load(Ordering::SeqCst))));
    let client = server.kube_client();
    let send = async |request: Request| request.send(client.clone()).await.unwrap();
    let defined =
        send(Request::post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crate::definition::definition()));
    assert_eq!(defined.await.status, 201);
    let path = crate::definition::widgets("default");
    let widget = json!({
        "apiVersion": format!("{}/v1", crate::definition::GROUP), "kind": "Widget", "metadata": { "name": "web" },
        "spec": { "zone": "a", "replicas": 2 },
    });
    let created = send(Request::post(path.clone(), widget.clone())).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let autoscaler = json!({
        "metadata": { "name": "web" },
        "spec": {
            "minReplicas": 1, "maxReplicas": 5,
            "scaleTargetRef": { "apiVersion": widget["apiVersion"], "kind": widget["kind"], "name": "web" },
            "metrics": [{ "type": "Resource", "resource": {
                "name": "cpu", "target": { "type": "Utilization", "averageUtilization": 50 },
            }}],
        },
    });
    let autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    let created = send(Request::post(autoscalers, autoscaler)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    for (metric, replicas, limited) in [
        (100, 4, "DesiredWithinRange"),
        (90, 5, "TooManyReplicas"),
        (52, 5, "DesiredWithinRange"),
        (20, 2, "DesiredWithinRange"),
        (0, 1, "TooFewReplicas"),
    ] {
        load.store(metric, Ordering::SeqCst);
        server.settle();
        let widget = send(Request::get(format!("{path}/web"))).await.body;
        assert_eq!(widget["spec"]["replicas"], replicas, "{metric}");
        let status = send(Request::get(format!("{autoscalers}/web"))).await.body["status"].clone();
        assert_eq!(status["desiredReplicas"], replicas);
        let messages = status["conditions"].to_string();
        assert!(messages.contains("calculate a replica count from cpu resource utilization (percentage of request)"));
        let conditions = status["conditions"].as_array().unwrap();
        assert_eq!(conditions.iter().find(|it| it["type"] == "ScalingLimited").unwrap()["reason"], limited);
    }
}

#[tokio::test]
async fn namespaces_have_service_accounts() {
    let server = ApiServer::new().with_service_accounts();
    let names = || server.snapshot().of_resource("", "serviceaccounts").objects().len();
    let client = server.kube_client();
    assert_eq!(names(), 4);
    Request::post("/api/v1/namespaces", object("namespaces", "", "new")).send(client.clone()).await.unwrap();
    assert_eq!(names(), 5);
    Request::delete("/api/v1/namespaces/new/serviceaccounts/default").send(client).await.unwrap();
    assert_eq!(names(), 5);
}
