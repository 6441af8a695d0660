//! The operator on an API server in the process, on tokio's paused clock.

mod cluster;
mod interruptions;
mod roles;
mod scale;

use std::time::Duration;

use crdkit::{
    client::{Error, Patch, Resources, scope::InNamespace},
    conditions,
    emit::{CheckError, Crds},
    webhook::WebhookClient,
};
use crdkit_api_server::ApiServer;
use example_resources::virtual_machine::CacheMode;
use k8s_openapi::api::core::v1::LocalObjectReference;
use serde_json::json;
use tokio::{sync::oneshot, time::sleep};

use super::{
    webhooks::{NAMESPACE, SERVICE, webhooks},
    *,
};

struct Cluster {
    vms: Resources<VirtualMachine, InNamespace>,
    pods: Resources<Pod, InNamespace>,
    _stop: oneshot::Sender<()>,
}

fn cluster() -> Cluster {
    let server = ApiServer::new().with::<VirtualMachine>().with_webhooks(&webhooks());
    Cluster::start(&server, manager(server.client().field_manager("vm-operator")))
}

/// Returns a VirtualMachine.
fn web(image: &str, replicas: i32) -> VirtualMachine {
    let web = json!({
        "apiVersion": "infra.example.com/v1", "kind": "VirtualMachine", "metadata": { "name": "web" },
        "spec": {
            "cpu": "2", "memory": "4Gi", "image": image, "replicas": replicas,
            "disks": [{ "name": "root", "size": "20Gi", "boot": true }],
        },
    });
    serde_json::from_value(web).unwrap()
}

impl Cluster {
    /// Starts the operator.
    fn start(server: &ApiServer, manager: Manager) -> Self {
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(manager.until(stopped).run());
        let client = server.client();
        let (vms, pods) = (client.resources().namespace("default"), client.resources().namespace("default"));
        Self { vms, pods, _stop: stop }
    }

    async fn create(&self, replicas: i32) {
        self.vms.create(&web("debian:13", replicas)).await.unwrap();
        sleep(Duration::from_secs(5)).await;
    }

    /// Sets the phase of the Pods.
    async fn set_phase(&self, phase: &str) {
        for name in self.pod_names().await {
            set_phase(&self.pods, &name, phase).await;
        }
        sleep(Duration::from_secs(5)).await;
    }

    async fn pod_names(&self) -> Vec<String> {
        let pods = self.pods.list().await.unwrap().items;
        pods.iter().map(|pod| pod.name().to_owned()).collect()
    }
}

/// Sets the phase of a Pod as a kubelet would: one that runs is ready.
async fn set_phase(pods: &Resources<Pod, InNamespace>, name: &str, phase: &str) {
    let ready = if phase == "Running" { "True" } else { "False" };
    let conditions = json!([{ "type": "Ready", "status": ready }]);
    let status = Patch::merge(json!({ "status": { "phase": phase, "conditions": conditions } }));
    pods.status().patch(name, &status).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn machines_are_started_and_reported() {
    let cluster = cluster();
    cluster.create(2).await;
    assert_eq!(cluster.pod_names().await, ["web-0", "web-1"]);
    let status = cluster.vms.get("web").await.unwrap().status.unwrap();
    assert_eq!((status.phase, status.replicas), (Phase::Starting, 2));
    let [ready, secret] = &status.conditions[..] else { panic!("{status:?}") };
    assert!(ready.message.starts_with("Pod `default/web-0`: InProgress: "), "{}", ready.message);
    assert_eq!((secret.type_.as_str(), secret.status.as_str()), ("PullSecret", "True"));

    cluster.set_phase("Running").await;
    let vm = cluster.vms.wait_until("web", conditions::is_true("Ready")).await.unwrap();
    let status = vm.status.unwrap();
    assert_eq!((status.phase, status.observed_generation), (Phase::Running, Some(1)));

    cluster.set_phase("Failed").await;
    let vm = cluster.vms.wait_until("web", conditions::is_false("Ready")).await.unwrap();
    assert_eq!(vm.status.unwrap().phase, Phase::Failed);
}

/// Its machines are created at once: Pods pull their image when it exists.
#[tokio::test(start_paused = true)]
async fn a_pull_secret_may_be_created_later() {
    let server = ApiServer::new().with::<VirtualMachine>().with_webhooks(&webhooks());
    let cluster = Cluster::start(&server, manager(server.client().field_manager("vm-operator")));
    let mut vm = web("debian:13", 1);
    vm.spec.pull_secret = Some(LocalObjectReference { name: "registry".into() });
    cluster.vms.create(&vm).await.unwrap();
    let vm = cluster.vms.wait_until("web", conditions::is_false("PullSecret")).await.unwrap();
    assert_eq!(vm.status.unwrap().conditions[1].message, "Secret `default/registry` not found");
    assert_eq!(cluster.pods.get("web-0").await.unwrap().spec.unwrap().image_pull_secrets.unwrap()[0].name, "registry");

    let secrets = server.client().resources::<Secret>().namespace("default");
    secrets.create(&registry()).await.unwrap();
    cluster.vms.wait_until("web", conditions::is_true("PullSecret")).await.unwrap();
    secrets.delete("registry").await.unwrap();
    cluster.vms.wait_until("web", conditions::is_false("PullSecret")).await.unwrap();
    assert_eq!(cluster.pod_names().await, ["web-0"]);
}

fn registry() -> Secret {
    serde_json::from_value(json!({ "metadata": { "name": "registry" } })).unwrap()
}

#[tokio::test(start_paused = true)]
async fn surplus_machines_are_deleted_and_lost_ones_replaced() {
    let cluster = cluster();
    cluster.create(2).await;
    cluster.vms.update("web", |vm| vm.spec.replicas = 1).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert_eq!(cluster.pod_names().await, ["web-0"]);
    cluster.pods.delete("web-0").await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert_eq!(cluster.pod_names().await, ["web-0"]);
}

#[tokio::test(start_paused = true)]
async fn machines_stop_before_their_virtual_machine_is_removed() {
    let cluster = cluster();
    cluster.create(2).await;
    cluster.vms.delete("web").await.unwrap();
    sleep(Duration::from_secs(10)).await;
    assert!(cluster.pod_names().await.is_empty());
    assert!(cluster.vms.get_opt("web").await.unwrap().is_none());
}

/// It is cluster-scoped.
#[tokio::test(start_paused = true)]
async fn a_priority_class_is_deleted_with_its_virtual_machine() {
    let server = ApiServer::new().with::<VirtualMachine>().with_webhooks(&webhooks());
    let cluster = Cluster::start(&server, manager(server.client().field_manager("vm-operator")));
    cluster.create(1).await;
    let classes = server.client().resources::<PriorityClass>();
    assert_eq!(classes.get("default.web").await.unwrap().value, Some(1_000));
    assert_eq!(cluster.pods.get("web-0").await.unwrap().spec.unwrap().priority_class_name.unwrap(), "default.web");
    cluster.vms.delete("web").await.unwrap();
    sleep(Duration::from_secs(10)).await;
    assert!(cluster.vms.get_opt("web").await.unwrap().is_none());
    assert!(classes.get_opt("default.web").await.unwrap().is_none());
}

/// What the operator would write is known before it runs.
#[tokio::test(start_paused = true)]
async fn a_virtual_machine_is_planned() {
    let server = ApiServer::new().with::<VirtualMachine>();
    let manager = manager(server.client().field_manager("vm-operator"));
    let plan = manager.plan().object(&web("debian:13", 1)).await.unwrap();
    let summaries: Vec<_> = plan.writes().map(|write| write.summary()).collect();
    let expected = [
        "patch VirtualMachine default/web",
        "patch VirtualMachine default/web",
        "apply PriorityClass default.web",
        "apply Pod default/web-0",
        "patch VirtualMachine default/web (status)",
    ];
    assert_eq!(summaries, expected, "{plan}");
    assert_eq!(plan.runs()[0].error, None);
    // A dry run stores no PriorityClass, which the admission of the Pod looks for.
    let pod = plan.writes().find(|write| write.kind == "Pod").unwrap();
    assert!(pod.notes[0].starts_with("the PriorityClass `default.web` does not exist yet"), "{plan}");
}

#[tokio::test]
async fn defaults_depend_on_other_fields() {
    let cluster = cluster();
    let created = cluster.vms.create(&web("debian:13", 1)).await.unwrap();
    assert_eq!(created.spec.node_selector["topology.kubernetes.io/zone"], "eu-1");
    assert_eq!(created.spec.disks[0].cache, CacheMode::WriteThrough);
}

#[tokio::test]
async fn invalid_machines_are_denied() {
    let cluster = cluster();
    let mut vm = web("evil.example.com/debian", 2);
    let network = json!([{ "name": "a", "address": "10.0.0.1" }, { "name": "b" }]);
    vm.spec.networks = serde_json::from_value(network).unwrap();
    let denied = cluster.vms.create(&vm).await.unwrap_err();
    let Error::Invalid(denied) = denied else { panic!("{denied}") };
    let causes: Vec<_> = denied.causes().map(|cause| format!("{}: {}", cause.path, cause.message)).collect();
    let expected = [
        "spec.image: Unsupported value: \"evil.example.com\": supported values: \"docker.io\", \"registry.example.com\"",
        "spec.networks[0].address: Forbidden: machines cannot share an address",
    ];
    assert_eq!(causes, expected);

    cluster.vms.create(&web("debian:13", 1)).await.unwrap();
    let renamed = cluster.vms.update("web", |vm| vm.spec.disks[0].name = "other".into()).await.unwrap_err();
    assert!(renamed.to_string().contains("spec.disks"), "{renamed}");
}

/// The configurations that register the webhooks: `CRDKIT_BLESS=1 cargo test -p example-operator` updates the files.
#[test]
fn manifests_are_up_to_date() -> Result<(), CheckError> {
    let client = WebhookClient::service(NAMESPACE, SERVICE);
    let manifests = Crds::new().add_webhooks(&webhooks(), &client).unwrap();
    manifests.directory("manifests").check()
}
