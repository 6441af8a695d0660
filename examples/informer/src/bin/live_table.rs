//! `cargo run -p example-informer --bin live_table -- prod staging`: shows a live table of the VirtualMachines of some
//! namespaces, or of all, until ctrl-c. If standard output is not a terminal, it writes one line for each change.

use std::io::{IsTerminal, stdout};

use crdkit::{
    Client,
    informer::{Informers, shutdown_signal},
};
use example_informer::table::{self, View};
use example_resources::virtual_machine::VirtualMachine;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let namespaces: Vec<String> = std::env::args().skip(1).collect();
    let informers = Informers::new(Client::try_default().await?);
    let vms = informers.of::<VirtualMachine>();
    let vms = if namespaces.is_empty() { vms.start() } else { vms.namespaces(namespaces).start() };
    let view = if stdout().is_terminal() { View::screen(stdout()) } else { View::lines(stdout()) };
    table::show(&vms, view, shutdown_signal()).await?;
    Ok(())
}
