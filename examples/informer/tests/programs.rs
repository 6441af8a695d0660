//! Runs the programs on a control plane through the life cycle of virtual machines.

use std::time::Duration;

use crdkit::{
    Client,
    client::{Patch, Resources, scope::InNamespace},
    informer::CacheObject,
};
use crdkit_tests::{ControlPlane, Program, observed};
use example_informer::operator::{FINALIZER, OF};
use example_resources::virtual_machine::{Phase, VirtualMachine, VirtualMachineStatus};
use k8s_openapi::{api::core::v1::Pod, apimachinery::pkg::apis::meta::v1::Condition};
use serde_json::json;
use tokio::task::block_in_place;

const LIMIT: Duration = Duration::from_secs(60);

/// A client that is independent of the programs.
struct Observer {
    vms: Resources<VirtualMachine, InNamespace>,
    pods: Resources<Pod, InNamespace>,
}

impl Observer {
    fn new(plane: &ControlPlane) -> Self {
        let client = Client::try_from(plane.config()).unwrap().max_retries(1000);
        Self { vms: client.resources().namespace("default"), pods: client.resources().namespace("default") }
    }

    /// Waits until the status of the newest generation meets a condition.
    async fn status(&self, condition: impl Fn(&VirtualMachine, &CurrentStatus) -> bool) -> VirtualMachine {
        let get = async || self.vms.get("web").await.unwrap();
        observed(LIMIT, get, |vm| CurrentStatus::of(vm).is_some_and(|current| condition(vm, &current))).await
    }

    async fn pod_names(&self) -> Vec<String> {
        let pods = self.pods.list().labels(OF).await.unwrap();
        let mut names: Vec<_> = pods.items.iter().map(|pod| pod.name().to_owned()).collect();
        names.sort();
        names
    }

    /// Sets the phase of the Pods as a kubelet would.
    async fn start_pods(&self) {
        for name in self.pod_names().await {
            let running = Patch::merge(json!({ "status": { "phase": "Running" } }));
            self.pods.status().patch(&name, &running).await.unwrap();
        }
    }
}

/// The status of the newest generation.
struct CurrentStatus<'a> {
    status: &'a VirtualMachineStatus,
    ready: &'a Condition,
}

impl<'a> CurrentStatus<'a> {
    fn of(vm: &'a VirtualMachine) -> Option<Self> {
        let status = vm.status.as_ref()?;
        let mut conditions = status.conditions.iter();
        let ready = conditions.find(|condition| condition.type_ == "Ready")?;
        let observed = [status.observed_generation, ready.observed_generation];
        (observed == [vm.metadata.generation; 2]).then_some(Self { status, ready })
    }
}

fn web() -> VirtualMachine {
    let vm = json!({
        "apiVersion": "infra.example.com/v1", "kind": "VirtualMachine", "metadata": { "name": "web" },
        "spec": {
            "cpu": "2", "memory": "4Gi", "image": "debian:12", "replicas": 2,
            "disks": [{ "name": "root", "size": "20Gi", "boot": true }],
        },
    });
    serde_json::from_value(vm).unwrap()
}

fn row(image: &str, desired: u32, phase: &str) -> String {
    format!("default\tweb\t{image}\t{desired}\t{phase}\t")
}

#[tokio::test(flavor = "multi_thread")]
async fn virtual_machines_run_and_are_shown() {
    let Some(mut plane) = ControlPlane::start() else {
        return;
    };
    let observer = Observer::new(&plane);
    let operator = Program::start(&plane, env!("CARGO_BIN_EXE_reconcile"), &["--install"]);
    let served = async {
        while observer.vms.list().await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(LIMIT, served).await.unwrap();
    let table = Program::start(&plane, env!("CARGO_BIN_EXE_live_table"), &["default"]);

    create_and_run(&observer, &table).await;
    scale(&observer, &table).await;
    change_image(&observer, &table).await;
    retry_failure(&observer, &table).await;
    show_lost_connection(&mut plane, &table);
    delete_after_machines(&observer, &table).await;

    assert_eq!(operator.interrupt(), "stopped\n");
    assert_eq!(table.interrupt(), "");
}

async fn create_and_run(observer: &Observer, table: &Program) {
    observer.vms.create(&web()).await.unwrap();
    let starting = |_: &VirtualMachine, current: &CurrentStatus| {
        current.status.replicas == 2 && current.status.phase == Phase::Starting
    };
    let vm = observer.status(starting).await;
    assert_eq!(vm.finalizers().collect::<Vec<_>>(), [FINALIZER]);
    assert_eq!(vm.status.unwrap().selector, format!("{OF}=web"));
    assert_eq!(observer.pod_names().await, ["web-0", "web-1"]);

    observer.start_pods().await;
    let vm = observer.status(|_, current| current.ready.status == "True").await;
    assert_eq!(vm.status.unwrap().phase, Phase::Running);
    let shown = table.line(&row("debian:12", 2, "Running"));
    assert!(shown.ends_with("\tlive"), "{shown}");
}

async fn scale(observer: &Observer, table: &Program) {
    observer.vms.scale().set("web", 1).await.unwrap();
    let scaled = |vm: &VirtualMachine, current: &CurrentStatus| {
        vm.spec.replicas == 1 && current.status.replicas == 1 && current.ready.status == "True"
    };
    observer.status(scaled).await;
    assert_eq!(observer.pod_names().await, ["web-0"]);
    table.line(&row("debian:12", 1, "Running"));
}

async fn change_image(observer: &Observer, table: &Program) {
    let set = observer.vms.update("web", |vm| vm.spec.image = "debian:13".to_owned());
    set.await.unwrap();
    // The Pod with the old image was deleted, and the new one has not started.
    observer.status(|_, current| current.status.phase == Phase::Starting).await;
    observer.start_pods().await;
    observer.status(|_, current| current.ready.status == "True").await;
    table.line(&row("debian:13", 1, "Running"));
}

async fn retry_failure(observer: &Observer, table: &Program) {
    let unrelated = json!({
        "metadata": { "name": "web-1" },
        "spec": { "containers": [{ "name": "other", "image": "debian:13" }] },
    });
    let unrelated: Pod = serde_json::from_value(unrelated).unwrap();
    observer.pods.create(&unrelated).await.unwrap();
    observer.vms.scale().set("web", 2).await.unwrap();
    let vm = observer.status(|_, current| current.status.phase == Phase::Failed).await;
    let ready = CurrentStatus::of(&vm).unwrap().ready.clone();
    assert!(ready.message.contains("web-1"), "{}", ready.message);
    table.line(&row("debian:13", 2, "Failed"));

    // The operator does not watch Pods without its label, so only a retry can succeed.
    observer.pods.delete("web-1").await.unwrap();
    observer.status(|_, current| current.status.replicas == 2).await;
    observer.start_pods().await;
    observer.status(|_, current| current.ready.status == "True").await;
    table.line(&row("debian:13", 2, "Running"));
}

fn show_lost_connection(plane: &mut ControlPlane, table: &Program) {
    block_in_place(|| plane.halt());
    let lost = table.line(&row("debian:13", 2, "Running"));
    assert!(lost.contains("\tlost "), "{lost}");
    block_in_place(|| plane.resume());
    while !table.line(&row("debian:13", 2, "Running")).ends_with("\tlive") {}
}

async fn delete_after_machines(observer: &Observer, table: &Program) {
    observer.vms.delete("web").and_wait(LIMIT).await.unwrap();
    assert!(observer.pod_names().await.is_empty());
    table.line(&row("debian:13", 2, "Deleted"));
}
