//! crdkit's server.

use std::{net::SocketAddr, path::Path, sync::Arc};

use anyhow::Result;
use crdkit::{
    convert::Hub,
    webhook::{AdmissionContext, FieldErrors, Webhook, WebhookServer, Webhooks, certificates::CertWatcher},
};
use crdkit_benches::objects::{VirtualMachine, old, problems, set_defaults};

async fn validate(machine: Arc<VirtualMachine>, cx: AdmissionContext<VirtualMachine>) -> Result<(), FieldErrors> {
    if machine.is_paused() {
        cx.warn("the machine is paused");
    }
    problems(&machine, cx.old().map(|old| &**old)).into_result()
}

/// Serves until the end of the program.
pub(super) async fn serve(folder: &Path) -> Result<SocketAddr> {
    let watcher = CertWatcher::new(folder);
    let certificates = watcher.certificates();
    tokio::spawn(watcher.run());
    certificates.ready().await;
    let webhook = Webhook::of::<VirtualMachine>().validate(validate).mutate(|machine, _| set_defaults(machine));
    let converter = Hub::<VirtualMachine>::new().spoke::<old::VirtualMachine>().converter();
    let webhooks = Webhooks::new("bench").add(webhook).convert(converter);
    let server = WebhookServer::new(&webhooks, Arc::new(certificates)).address("127.0.0.1:0").start()?;
    let address = server.address();
    std::mem::forget(server);
    Ok(address)
}
