//! The operator on the real API server: its machines become ready, and the pull secret is created later.

use crdkit::{CustomResourceExt, client::scope::InNamespace};
use crdkit_tests::ControlPlane;
use tokio::time::timeout;

use super::*;

const LIMIT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn conditions_follow_the_machines_and_the_pull_secret() {
    // Of its own: another operator would be the leader of a shared one.
    let Some(plane) = ControlPlane::start() else { return };
    let client = Client::from(plane.client());
    client.install([VirtualMachine::crd()]).await.unwrap();
    let (stop, stopped) = oneshot::channel();
    let running = tokio::spawn(manager(client.clone().field_manager("vm-operator")).until(stopped).run());
    let vms: Resources<VirtualMachine, InNamespace> = client.resources().namespace("default");
    let pods = client.resources::<Pod>().namespace("default");

    let mut vm = web("debian:13", 2);
    vm.spec.pull_secret = Some(LocalObjectReference { name: "registry".into() });
    vms.create(&vm).await.unwrap();
    vms.wait_until("web", conditions::is_false("PullSecret")).within(LIMIT).await.unwrap();
    client.resources::<Secret>().namespace("default").create(&registry()).await.unwrap();
    vms.wait_until("web", conditions::is_true("PullSecret")).within(LIMIT).await.unwrap();

    for name in ["web-0", "web-1"] {
        vms.wait_until("web", conditions::is_false("Ready")).within(LIMIT).await.unwrap();
        set_phase(&pods, name, "Running").await;
    }
    let vm = vms.wait_until("web", conditions::is_true("Ready")).within(LIMIT).await.unwrap();
    assert_eq!(vm.status.unwrap().phase, Phase::Running);

    vms.delete("web").and_wait(LIMIT).await.unwrap();
    assert!(pods.list().await.unwrap().items.is_empty());
    stop.send(()).unwrap();
    timeout(LIMIT, running).await.unwrap().unwrap().unwrap();
}
