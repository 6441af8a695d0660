//! The HorizontalPodAutoscaler controller of kube-controller-manager, on the scale of a derived custom resource.

use std::time::{Duration, Instant};

use crdkit::{CustomResource, CustomResourceExt, KubeSchema};
use crdkit_tests::Request;
use kube::Client;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::scenario::with_controllers;

const LIMIT: Duration = Duration::from_secs(60);
const AUTOSCALERS: &str = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "autoscaled.example.com", version = "v1", kind = "Worker", namespaced)]
#[crd(status = "WorkerStatus", scale)]
struct WorkerSpec {
    #[crd(scale(replicas))]
    replicas: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct WorkerStatus {
    #[crd(scale(status_replicas))]
    replicas: i32,
    #[crd(scale(label_selector))]
    selector: String,
}

async fn send(client: &Client, request: Request) -> Value {
    let answer = request.send(client.clone()).await.unwrap();
    assert!(answer.is_success(), "{}", answer.body);
    answer.body
}

/// Returns the condition `AbleToScale` once it is true, and the status that has it.
async fn able_to_scale(client: &Client) -> (Value, Value) {
    let began = Instant::now();
    loop {
        let status = send(client, Request::get(format!("{AUTOSCALERS}/web"))).await["status"].take();
        let mut conditions = status["conditions"].as_array().into_iter().flatten();
        let is_able = |it: &&Value| it["type"] == "AbleToScale" && it["status"] == "True";
        if let Some(found) = conditions.find(is_able) {
            return (found.clone(), status);
        }
        assert!(began.elapsed() < LIMIT, "{status:#}");
        sleep(Duration::from_millis(500)).await;
    }
}

#[tokio::test]
async fn a_cluster_scales_derived_resources() {
    let Some(plane) = with_controllers() else { return };
    let client = Client::try_from(plane.config()).expect("a client");
    plane.client().install([Worker::crd()]).await.unwrap();
    let path = "/apis/autoscaled.example.com/v1/namespaces/default/workers";
    let worker = json!({
        "apiVersion": "autoscaled.example.com/v1", "kind": "Worker", "metadata": { "name": "web" }, "spec": { "replicas": 2 },
    });
    send(&client, Request::post(path, worker)).await;
    let status = json!({ "status": { "replicas": 2, "selector": "app=web" } });
    send(&client, Request::patch(format!("{path}/web/status"), "application/merge-patch+json", status)).await;
    let target = json!({ "apiVersion": "autoscaled.example.com/v1", "kind": "Worker", "name": "web" });
    let metric = json!({ "type": "Resource", "resource": {
        "name": "cpu", "target": { "type": "Utilization", "averageUtilization": 50 },
    } });
    let autoscaler = json!({
        "metadata": { "name": "web" },
        "spec": { "minReplicas": 1, "maxReplicas": 5, "scaleTargetRef": target, "metrics": [metric] },
    });
    send(&client, Request::post(AUTOSCALERS, autoscaler)).await;
    // There are no metrics, but the controller reads the scale.
    let (able, status) = able_to_scale(&client).await;
    assert_eq!(able["reason"], "SucceededGetScale", "{status:#}");
    assert_eq!(status["currentReplicas"], 2, "{status:#}");
    let patch = json!({ "spec": { "maxReplicas": 1 } });
    send(&client, Request::patch(format!("{AUTOSCALERS}/web"), "application/merge-patch+json", patch)).await;
    let began = Instant::now();
    // The controller writes the scale, too.
    while send(&client, Request::get(format!("{path}/web"))).await["spec"]["replicas"] != 1 {
        assert!(began.elapsed() < LIMIT, "the autoscaler does not scale");
        sleep(Duration::from_millis(500)).await;
    }
}
