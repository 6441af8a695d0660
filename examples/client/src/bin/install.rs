//! `cargo run -p example-client --bin install`: makes a cluster serve the example resources.

use crdkit::{Client, CustomResourceExt, merge::Versions};
use example_resources::{
    at::At,
    virtual_machine::{VirtualMachine, v1alpha1},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let client = Client::try_default().await?.field_manager("example");
    let machines = Versions::new().add::<VirtualMachine>().add::<v1alpha1::VirtualMachine>().merge()?;
    for installed in client.install([machines.crd, At::crd()]).await? {
        println!("{}: {:?}", installed.name, installed.outcome);
    }
    Ok(())
}
