//! `cargo run -p example-client --bin vm`: the life of an object, once `install` has run.

use std::time::Duration;

use crdkit::{Client, client::Propagation, selector};
use example_resources::virtual_machine::{Phase, VirtualMachine, VirtualMachineApply, VirtualMachineSpec};
use serde_json::json;

const NAME: &str = "example";

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?.field_manager("example");
    let machines = client.resources::<VirtualMachine>().default_namespace();

    let machine = machines.create(&VirtualMachine::new(NAME, spec()?)).await?;
    println!("created, with {} replica", machine.spec.replicas);

    // Reads, changes and writes, again if somebody else was faster.
    let machine = machines.update(NAME, |machine| machine.spec.image = "debian:13".to_owned()).await?;
    println!("updated, to {}", machine.spec.image);

    // Only what is applied belongs to this program: here the labels of nodes.
    let fields = VirtualMachineApply::new().node_selector([("disk", "ssd")]);
    let machine = machines.apply(NAME, &fields).await?;
    println!("applied, to nodes with {:?}", machine.spec.node_selector);

    // The status and the scale are there because the type declares them.
    machines.scale().set(NAME, 3).await?;
    let machine = machines
        .status()
        .update(NAME, |status| {
            status.phase = Phase::Running;
            status.replicas = 3;
        })
        .await?;
    println!("scaled to {}, status {:?}", machine.spec.replicas, machine.status);

    // A field that is not declared selectable would not compile.
    let running = selector!(VirtualMachine, status.phase == Phase::Running);
    let running = machines.list().matching(running).await?;
    println!("running: {}", running.items.len());

    machines.delete(NAME).propagation(Propagation::Background).and_wait(Duration::from_secs(30)).await?;
    println!("deleted");
    Ok(())
}

fn spec() -> serde_json::Result<VirtualMachineSpec> {
    serde_json::from_value(json!({
        "cpu": "2",
        "memory": "4Gi",
        "image": "debian:12",
        "disks": [{ "name": "root", "size": "20Gi", "boot": true }],
    }))
}
