//! The steps, which are the same on each API server.

use std::{io::Write, path::Path, sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use crdkit::{
    Client, CustomResourceExt,
    conditions::{NewCondition, set_condition},
    emit,
    informer::{Event, Informer, Informers, Subscription},
};
use example_resources::virtual_machine::{Phase, VirtualMachine, VirtualMachineStatus};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use crate::{
    output::{Color, Output},
    table,
};

const SAMPLE: &str = include_str!("../virtualmachines.yaml");
/// The lines of the definition that are shown.
const HEAD: usize = 10;
/// How long the informer may take to show a change.
const EVENT_LIMIT: Duration = Duration::from_secs(30);
const DELETION_LIMIT: Duration = Duration::from_secs(60);

/// The place of an API server in the process.
pub const IN_PROCESS: &str = "an API server in this process";
const COMMANDS: &str = "kubectl get vm
kubectl describe vm web
kubectl explain vm.spec.disks
kubectl scale vm web --replicas=3
kubectl wait vm web --for=condition=Ready
kubectl edit vm web
";

/// Runs all steps, in the default namespace of the client. `place` describes the server.
///
/// # Errors
///
/// If the server cannot be reached, refuses something, or accepts the bad object.
pub async fn run<W: Write>(client: &Client, place: &str, output: &mut Output<W>) -> Result<()> {
    let definition = VirtualMachine::crd();
    output.step("definition", "The definition of a Rust struct: examples/resources/src/virtual_machine.rs")?;
    let yaml = emit::to_yaml(&definition);
    let (head, rest) = split_lines(&yaml, HEAD);
    output.text(head)?;
    let more = format!("... {} more lines: cargo run -p example-crds -- print", rest.lines().count());
    output.colored(Color::Dim, &more)?;

    output.step("install", &format!("It is installed on {place}"))?;
    for installed in client.install([definition]).await? {
        output.text(&format!("{}: {:?}", installed.name, installed.outcome))?;
    }

    output.step("create", "Objects are created from examples/quickstart/virtualmachines.yaml")?;
    let namespace = client.default_namespace();
    let machines = client.resources::<VirtualMachine>().namespace(namespace);
    let informer = Informers::new(client.clone()).of::<VirtualMachine>().namespaces([namespace]).start();
    let mut events = Events::of(&informer).await?;
    let sample: Vec<VirtualMachine> = serde_saphyr::from_multiple(SAMPLE)?;
    for machine in &sample {
        let created = machines.create(machine).await?;
        output.text(&format!("{} created", name(&created)))?;
        events.show_change_of(&created, output).await?;
    }

    output.step("status", "The status of web is set")?;
    let web = machines.status().update("web", start).await?;
    events.show_change_of(&web, output).await?;

    output.step("scale", "The scale of web is changed")?;
    machines.scale().set("web", 5).await?;
    events.show_change_of(&web, output).await?;

    output.step("refusal", "An object with two mistakes is refused, by the server")?;
    let mut bad = sample.into_iter().next().context("the sample has objects")?;
    bad.metadata.name = Some("bad".to_owned());
    bad.spec.replicas = 2000;
    bad.spec.disks[0].boot = false;
    // Without `quote_values`, errors have `[hidden]` in the place of values.
    let Err(refusal) = machines.quote_values().create(&bad).await else { bail!("the bad object was accepted") };
    output.colored(Color::Red, &refusal.to_string())?;

    output.step("table", "kubectl get virtualmachines")?;
    let path = format!("/apis/infra.example.com/v1/namespaces/{namespace}/virtualmachines");
    output.text(&table::get(client, &path).await?)?;
    informer.stop();
    Ok(())
}

/// Deletes the definition, and with it all objects.
///
/// # Errors
///
/// If the server cannot be reached or refuses it.
pub async fn remove<W: Write>(client: &Client, output: &mut Output<W>) -> Result<()> {
    let definition = VirtualMachine::crd_name();
    output.step("removal", "Everything is removed")?;
    client.resources::<CustomResourceDefinition>().delete(definition).and_wait(DELETION_LIMIT).await?;
    output.text(&format!("{definition}: Deleted"))?;
    Ok(())
}

/// Shows what else the program does.
///
/// # Errors
///
/// If the output cannot be written.
pub fn show_options<W: Write>(output: &mut Output<W>) -> Result<()> {
    output.section("next", "Next")?;
    output.text("cargo run -p example-quickstart -- --serve     and use kubectl")?;
    output.text("cargo run -p example-quickstart -- --cluster   the same in your cluster, and removes everything")?;
    Ok(())
}

/// Shows how kubectl uses a server.
///
/// # Errors
///
/// If the output cannot be written.
pub fn show_server<W: Write>(kubeconfig: &str, file: &Path, output: &mut Output<W>) -> Result<()> {
    output.step("serve", "The server listens for kubectl, with this kubeconfig")?;
    output.text(kubeconfig)?;
    output.section("next", "Next, in another terminal; ctrl-c stops the server")?;
    output.text(&format!("export KUBECONFIG={}", file.display()))?;
    output.text(COMMANDS)?;
    Ok(())
}

/// Returns whether the definition exists.
///
/// # Errors
///
/// If the server cannot be reached or refuses it.
pub async fn is_installed(client: &Client) -> Result<bool> {
    let definitions = client.resources::<CustomResourceDefinition>();
    Ok(definitions.get_opt(VirtualMachine::crd_name()).await?.is_some())
}

/// What an operator would write once the machines run.
fn start(status: &mut VirtualMachineStatus) {
    status.phase = Phase::Running;
    status.replicas = 2;
    status.selector = "vm=web".to_owned();
    set_condition(&mut status.conditions, NewCondition::is_true("Ready", "AllRun").message("2 of 2 machines run"));
}

/// The changes that an informer sees.
struct Events(Subscription<VirtualMachine>);

impl Events {
    async fn of(informer: &Informer<VirtualMachine>) -> Result<Self> {
        let events = informer.subscribe();
        informer.synced().await?;
        Ok(Self(events))
    }

    /// Waits until the informer has seen a change of an object, and writes it.
    async fn show_change_of<W: Write>(&mut self, machine: &VirtualMachine, output: &mut Output<W>) -> Result<()> {
        loop {
            let batch = tokio::time::timeout(EVENT_LIMIT, self.0.next_batch())
                .await
                .context("the informer has seen no change")?
                .context("the informer has ended")?;
            let changes = batch.iter().filter_map(describe);
            let mut is_seen = false;
            for (changed, text) in changes {
                is_seen |= name(&changed) == name(machine);
                output.colored(Color::Cyan, &format!("informer: {text}"))?;
            }
            if is_seen {
                return Ok(());
            }
        }
    }
}

fn describe(event: &Event<VirtualMachine>) -> Option<(Arc<VirtualMachine>, String)> {
    match event {
        Event::Added(machine) => Some((machine.clone(), format!("added {}, {}", name(machine), state(machine)))),
        Event::Updated { old, new } => {
            Some((new.clone(), format!("updated {}, {} -> {}", name(new), state(old), state(new))))
        }
        Event::Deleted(machine) => Some((machine.clone(), format!("deleted {}", name(machine)))),
        Event::Synced => None,
    }
}

fn state(machine: &VirtualMachine) -> String {
    let status = machine.status.clone().unwrap_or_default();
    format!("{:?} with {} of {} machines", status.phase, status.replicas, machine.spec.replicas)
}

fn name(machine: &VirtualMachine) -> &str {
    machine.metadata.name.as_deref().unwrap_or_default()
}

/// Splits text after a number of lines.
fn split_lines(text: &str, count: usize) -> (&str, &str) {
    let end = text.split_inclusive('\n').take(count).map(str::len).sum();
    text.split_at(end)
}
