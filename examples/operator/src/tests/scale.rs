//! The operator on the real API server: a HorizontalPodAutoscaler reads and sets the number of machines by the scale.

use std::fmt::Debug;

use crdkit::CustomResourceExt;
use crdkit_tests::ControlPlane;
use k8s_openapi::{api::autoscaling::v1::Scale, serde::de::DeserializeOwned};
use tokio::{
    task::JoinHandle,
    time::{Instant, timeout},
};

use super::*;

const SCALE: &str = "/apis/infra.example.com/v1/namespaces/default/virtualmachines/web/scale";
const LIMIT: Duration = Duration::from_secs(60);

/// What kube-controller-manager's autoscaler does with an object that has a scale.
struct Autoscaler {
    client: Client,
    pods: Resources<Pod, InNamespace>,
}

impl Autoscaler {
    async fn request<T: DeserializeOwned>(&self, method: &str, body: Vec<u8>) -> Result<T, crdkit::kube::Error> {
        let request = http::Request::builder().method(method).uri(SCALE).header("Content-Type", "application/json");
        self.client.kube().request(request.body(body).unwrap()).await
    }

    async fn scale(&self) -> Scale {
        let scale: serde_json::Value = self.request("GET", Vec::new()).await.unwrap();
        assert_eq!((&scale["apiVersion"], &scale["kind"]), (&json!("autoscaling/v1"), &json!("Scale")));
        serde_json::from_value(scale).unwrap()
    }

    /// Replaces the scale that was read.
    async fn set(&self, mut scale: Scale, replicas: i32) -> Result<Scale, crdkit::kube::Error> {
        scale.spec.get_or_insert_default().replicas = Some(replicas);
        self.request("PUT", serde_json::to_vec(&scale).unwrap()).await
    }

    /// Returns the desired and the current number, and the Pods that the selector of the scale selects.
    async fn observe(&self) -> (i32, i32, Vec<String>) {
        let scale = self.scale().await;
        let (spec, status) = (scale.spec.unwrap(), scale.status.unwrap());
        // Before the first status, the selector would select everything.
        let selector = status.selector.filter(|selector| !selector.is_empty());
        let pods = match selector {
            Some(selector) => self.pods.list().labels(selector).await.unwrap().items,
            None => Vec::new(),
        };
        let alive = pods.iter().filter(|pod| !pod.is_terminating());
        (spec.replicas.unwrap_or_default(), status.replicas, alive.map(|pod| pod.name().to_owned()).collect())
    }

    /// Waits until as many Pods are desired, reported and found.
    async fn wait_for(&self, replicas: i32) {
        let names = (0..replicas).map(|number| format!("web-{number}")).collect();
        wait_for((replicas, replicas, names), async || self.observe().await).await;
    }
}

async fn wait_for<T: PartialEq + Debug>(expected: T, observe: impl AsyncFn() -> T) {
    let deadline = Instant::now() + LIMIT;
    loop {
        let observed = observe().await;
        if observed == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{observed:?} is not {expected:?}");
        sleep(Duration::from_millis(50)).await;
    }
}

struct Operator {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), crdkit::controller::ManagerError>>,
}

impl Operator {
    fn start(client: &Client) -> Self {
        let (stop, stopped) = oneshot::channel();
        let manager = manager(client.clone().field_manager("vm-operator")).until(stopped);
        Self { stop, task: tokio::spawn(manager.run()) }
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        timeout(LIMIT, self.task).await.unwrap().unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_autoscaler_sets_the_number_of_machines_by_the_scale() {
    let Some(plane) = ControlPlane::shared() else { return };
    let client = Client::from(plane.client());
    client.install([VirtualMachine::crd()]).await.unwrap();
    let vms = client.resources::<VirtualMachine>().namespace("default");
    let autoscaler = Autoscaler { client: client.clone(), pods: client.resources().namespace("default") };
    let operator = Operator::start(&client);

    // Create.
    vms.create(&web("debian:13", 2)).await.unwrap();
    autoscaler.wait_for(2).await;

    // Change, up and down, and never on the base of a scale that is not the newest.
    let before = autoscaler.scale().await;
    autoscaler.set(before.clone(), 3).await.unwrap();
    autoscaler.wait_for(3).await;
    let conflict = autoscaler.set(before, 5).await.unwrap_err();
    assert!(matches!(&conflict, crdkit::kube::Error::Api(status) if status.code == 409), "{conflict}");
    autoscaler.set(autoscaler.scale().await, 1).await.unwrap();
    autoscaler.wait_for(1).await;
    autoscaler.set(autoscaler.scale().await, 2).await.unwrap();
    autoscaler.wait_for(2).await;

    // Drift: a Pod is deleted, and another one is no longer selected.
    let uid = autoscaler.pods.get("web-1").await.unwrap().metadata.uid;
    autoscaler.pods.delete("web-1").await.unwrap();
    let is_replaced = async || {
        let pod = autoscaler.pods.get_opt("web-1").await.unwrap();
        pod.is_some_and(|pod| pod.metadata.uid != uid)
    };
    wait_for(true, is_replaced).await;
    let strayed = Patch::merge(json!({ "metadata": { "labels": { (OF): "other" } } }));
    autoscaler.pods.patch("web-0", &strayed).await.unwrap();
    autoscaler.wait_for(2).await;

    // Restart: what changes meanwhile is followed.
    operator.stop().await;
    autoscaler.set(autoscaler.scale().await, 4).await.unwrap();
    autoscaler.pods.delete("web-0").await.unwrap();
    let operator = Operator::start(&client);
    autoscaler.wait_for(4).await;

    // Deletion.
    vms.delete("web").await.unwrap();
    wait_for(0, async || autoscaler.pods.list().labels(format!("{OF}=web")).await.unwrap().items.len()).await;
    wait_for(true, async || vms.get_opt("web").await.unwrap().is_none()).await;
    let gone = autoscaler.request::<Scale>("GET", Vec::new()).await.unwrap_err();
    assert!(matches!(&gone, crdkit::kube::Error::Api(status) if status.code == 404), "{gone}");
    operator.stop().await;
}
