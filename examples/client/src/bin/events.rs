//! `cargo run -p example-client --bin events -- NAME`: an event about a VirtualMachine, by kube's recorder.

use anyhow::Context;
use crdkit::{
    Client,
    kube::{
        Resource,
        runtime::events::{Event, EventType, Recorder, Reporter},
    },
};
use example_resources::virtual_machine::VirtualMachine;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let name = std::env::args().nth(1).context("which VirtualMachine?")?;
    let client = Client::try_default().await?;
    let machines = client.resources::<VirtualMachine>().default_namespace();
    let machine = machines.get(&name).await?;

    let recorder = Recorder::new(client.kube().clone(), Reporter::from("example"));
    let event = Event {
        type_: EventType::Normal,
        reason: "Greeted".to_owned(),
        note: Some("It was greeted".to_owned()),
        action: "Greet".to_owned(),
        secondary: None,
    };
    recorder.publish(&event, &machine.object_ref(&())).await?;
    println!("recorded");
    Ok(())
}
