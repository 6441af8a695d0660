//! The first example of the documentation, run on the API server in the process.

use std::{sync::Arc, time::Duration};

use crdkit::{
    Client, CustomResource, KubeSchema,
    controller::{Action, Context, Controller, Error, Manager, ObjectEvent, ServeOptions},
    informer::CacheObject,
};
use crdkit_api_server::ApiServer;
use k8s_openapi::api::{
    core::v1::{ConfigMap, Pod},
    events::v1::Event as ApiEvent,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::{sync::oneshot, time::sleep};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(
    group = "infra.example.com",
    version = "v1",
    kind = "VirtualMachine",
    namespaced,
    status = "VirtualMachineStatus"
)]
struct VirtualMachineSpec {
    image: String,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct VirtualMachineStatus {
    phase: Phase,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
enum Phase {
    #[default]
    Starting,
    Running,
}

struct PodApply;

impl PodApply {
    fn for_machine(vm: &VirtualMachine) -> [Value; 1] {
        let containers = json!([{ "name": "machine", "image": vm.spec.image }]);
        [json!({ "metadata": { "name": vm.name() }, "spec": { "containers": containers } })]
    }
}

async fn run(client: Client, shutdown: impl Future<Output: 'static> + Send + 'static) -> anyhow::Result<()> {
    let client = client.field_manager("vm-operator");
    Manager::new(client)
        .leader_election("vm-operator")
        .serve(ServeOptions::from_env().health_address("127.0.0.1:0").metrics_address("127.0.0.1:0"))
        .add(
            Controller::of::<VirtualMachine>()
                .owns::<Pod>()
                .watches::<ConfigMap>(|config| config.owners_of_kind::<VirtualMachine>())
                .finalizer("infra.example.com/machines", clean_up)
                .concurrency(8)
                .reconcile(reconcile),
        )
        .until(shutdown)
        .run()
        .await?;
    Ok(())
}

async fn reconcile(vm: Arc<VirtualMachine>, cx: Context<VirtualMachine>) -> Result<Action, Error> {
    let _pods = cx.owned::<Pod>(&vm);
    cx.apply_owned::<Pod>(&vm, PodApply::for_machine(&vm)).await?;
    cx.status(&vm).update(|status| status.phase = Phase::Running).await?;
    cx.event(&vm, ObjectEvent::normal("Started", "the machine runs"));
    Ok(Action::Done)
}

async fn clean_up(_: Arc<VirtualMachine>, _: Context<VirtualMachine>) -> Result<Action, Error> {
    Ok(Action::Done)
}

#[tokio::test(start_paused = true)]
async fn the_example_works() {
    let client = ApiServer::new().with::<VirtualMachine>().client();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(run(client.clone(), stopped));
    let vms = client.resources::<VirtualMachine>().namespace("default");
    vms.create(&VirtualMachine::new("web", VirtualMachineSpec { image: "debian:13".into() })).await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert_eq!(vms.get("web").await.unwrap().status.unwrap().phase, Phase::Running);
    let pod = client.resources::<Pod>().namespace("default").get("web").await.unwrap();
    assert_eq!(pod.owners().next().unwrap().name, "web");
    vms.delete("web").await.unwrap();
    sleep(Duration::from_secs(5)).await;
    assert!(vms.get_opt("web").await.unwrap().is_none());
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    let events = client.resources::<ApiEvent>().namespace("default").list().await.unwrap().items;
    assert_eq!(events[0].reason.as_deref(), Some("Started"));
}
