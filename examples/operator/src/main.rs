//! `cargo run -p example-operator`: runs VirtualMachines as Pods until ctrl-c or SIGTERM.
//!
//! A machine of this example is a Pod that sleeps, and runs once that is ready. The machines of a VirtualMachine have a PriorityClass,
//! which its inventory has. A condition says whether its pull secret, to which it refers, exists.
//! Of several processes, one is the leader. Health checks are served at the port
//! 8081 (`HEALTH_PROBE_BIND_ADDRESS`), metrics at the port 8080 (`METRICS_BIND_ADDRESS`), and webhooks at the port 9443, for the
//! Service `vm-operator` in the namespace `vm-system`. `manifests` has the configurations of the webhooks.

#[cfg(test)]
mod tests;
mod webhooks;

use std::sync::Arc;

use crdkit::{
    Client,
    conditions::NewCondition,
    controller::{
        Action, Context, Controller, Error, ExitStatus, InventoryStore, Manager, ObjectEvent, Readiness, ServeOptions,
    },
    informer::CacheObject,
    kube::core::PartialObjectMeta,
};
use example_resources::virtual_machine::{Phase, VirtualMachine};
use k8s_openapi::{
    api::{
        core::v1::{Container, Pod, PodSpec, ResourceRequirements, Secret},
        scheduling::v1::PriorityClass,
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use tracing_subscriber::{EnvFilter, filter::LevelFilter};

const OF: &str = "infra.example.com/virtual-machine";

#[tokio::main]
async fn main() -> Result<ExitStatus, Error> {
    init_log()?;
    let client = Client::try_default().await?.field_manager("vm-operator");
    let manager = webhooks::serve(manager(client.clone()), &client);
    Ok(manager.serve(ServeOptions::from_env()).run().await.into())
}

/// Writes the log to standard error: with the levels of `RUST_LOG`, and as JSON if `LOG_FORMAT` is `json`.
fn init_log() -> Result<(), Error> {
    let levels = EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).from_env()?;
    let log = tracing_subscriber::fmt().with_env_filter(levels).with_writer(std::io::stderr);
    if std::env::var("LOG_FORMAT").is_ok_and(|format| format == "json") {
        log.json().try_init()
    } else {
        log.try_init()
    }
}

/// Runs the controller. `rbac.yaml` has the roles that it and the webhooks require; a test keeps the file up to date.
fn manager(client: Client) -> Manager {
    Manager::new(client).leader_election("vm-operator").add(controller())
}

fn controller() -> Controller {
    Controller::of::<VirtualMachine>()
        .owns::<Pod>()
        .finalizer("infra.example.com/machines", clean_up)
        // It is cluster-scoped, so that a VirtualMachine cannot be its owner.
        .inventory("infra.example.com/inventory", InventoryStore::apply_set())
        .owns_by_inventory::<PriorityClass>()
        // Only whether it exists: the cache has no credentials.
        .refers_metadata::<Secret>(pull_secrets)
        .concurrency(8)
        .reconcile(reconcile)
}

async fn reconcile(vm: Arc<VirtualMachine>, cx: Context<VirtualMachine>) -> Result<Action, Error> {
    cx.apply_by_inventory(&vm, [priority(&vm)]).await?;
    let machines = cx.apply_owned(&vm, (0..vm.spec.replicas).map(|number| machine(&vm, number))).ready().await?;
    let (phase, ready) = state_of(&machines);
    if phase == Phase::Running && vm.status.as_ref().is_none_or(|status| status.phase != Phase::Running) {
        cx.event(&vm, ObjectEvent::normal("Started", "all machines run"));
    }
    let pods = cx.owned::<Pod>(&vm);
    cx.status(&vm).set_condition(ready);
    cx.status(&vm).set_condition(cx.referred::<PartialObjectMeta<Secret>>(&vm).condition("PullSecret"));
    cx.status(&vm).update(|status| {
        status.phase = phase;
        status.replicas = i32::try_from(pods.len()).unwrap_or(i32::MAX);
        status.selector = format!("{OF}={}", vm.name());
    });
    Ok(Action::Done)
}

/// Stops the machines before their VirtualMachine is removed.
async fn clean_up(vm: Arc<VirtualMachine>, cx: Context<VirtualMachine>) -> Result<Action, Error> {
    cx.apply_owned::<Pod>(&vm, Vec::<Pod>::new()).await?;
    if cx.owned::<Pod>(&vm).is_empty() {
        Ok(Action::Done)
    } else {
        Ok(Action::requeue(std::time::Duration::from_secs(1)))
    }
}

/// The priority of the machines of a VirtualMachine.
fn priority(vm: &VirtualMachine) -> PriorityClass {
    let name = Some(priority_name(vm));
    PriorityClass {
        metadata: ObjectMeta { name, ..ObjectMeta::default() },
        value: Some(1_000),
        ..PriorityClass::default()
    }
}

fn priority_name(vm: &VirtualMachine) -> String {
    format!("{}.{}", vm.namespace().unwrap_or_default(), vm.name())
}

fn machine(vm: &VirtualMachine, number: i32) -> Pod {
    let sizes = [("cpu", &vm.spec.cpu), ("memory", &vm.spec.memory)];
    let requests = sizes.map(|(resource, size)| (resource.to_owned(), size.clone()));
    Pod {
        metadata: ObjectMeta {
            name: Some(format!("{}-{number}", vm.name())),
            labels: Some([(OF.to_owned(), vm.name().to_owned())].into()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            containers: vec![Container {
                name: "machine".to_owned(),
                image: Some(vm.spec.image.clone()),
                command: Some(["sleep", "infinity"].map(str::to_owned).into()),
                resources: Some(ResourceRequirements { requests: Some(requests.into()), ..Default::default() }),
                ..Container::default()
            }],
            image_pull_secrets: vm.spec.pull_secret.clone().map(|secret| vec![secret]),
            priority_class_name: Some(priority_name(vm)),
            ..PodSpec::default()
        }),
        ..Pod::default()
    }
}

fn pull_secrets(vm: &VirtualMachine) -> Vec<String> {
    vm.spec.pull_secret.iter().map(|secret| secret.name.clone()).collect()
}

/// Returns how far the machines are, and the condition.
fn state_of(machines: &Readiness<Pod>) -> (Phase, NewCondition) {
    // By the rules of kstatus, a Pod that has ended is as it should be; a machine is not.
    if let Some(ended) = machines.objects().iter().find(|pod| has_ended(pod)) {
        let message = format!("the machine `{}` has ended", ended.name());
        return (Phase::Failed, NewCondition::is_false("Ready", "MachineEnded").message(&message));
    }
    let phase = if machines.is_ready() { Phase::Running } else { Phase::Starting };
    (phase, machines.condition("Ready"))
}

fn has_ended(pod: &Pod) -> bool {
    let status = pod.status.as_ref();
    matches!(status.and_then(|status| status.phase.as_deref()), Some("Failed" | "Succeeded"))
}
