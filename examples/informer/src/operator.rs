//! An operator: what a VirtualMachine asks for is made so, and its status says how far that is.
//!
//! A machine of this example is a Pod that sleeps. The operator reads VirtualMachines and Pods from informers, and compares
//! with what these have before it writes: where all is as it should be, a reconcile makes no request.

mod plan;
mod reconciler;
mod report;

use std::{future::Future, sync::Arc};

use crdkit::{
    Client,
    informer::{Informers, RunError},
    merge::Versions,
};
use example_resources::virtual_machine::{VirtualMachine, v1alpha1};
use k8s_openapi::api::core::v1::Pod;

use reconciler::Reconciler;

/// Keeps a VirtualMachine from going away before its machines are gone.
pub const FINALIZER: &str = "infra.example.com/machines";

/// Label of machines: the name of their VirtualMachine.
pub const OF: &str = "infra.example.com/virtual-machine";

/// So many VirtualMachines are looked at at once.
const CONCURRENCY: usize = 4;

/// Makes a cluster serve VirtualMachines.
///
/// # Errors
///
/// If the cluster refuses.
pub async fn install(client: &Client) -> anyhow::Result<()> {
    let versions = Versions::new()
        .add::<VirtualMachine>()
        .add::<v1alpha1::VirtualMachine>()
        .merge()?;
    client.install([versions.crd]).await?;
    Ok(())
}

/// Works until `stop` is ready, and then finishes what was begun.
///
/// # Errors
///
/// If the objects cannot be read, or what was begun is not finished in time.
pub async fn run(
    client: Client,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), RunError> {
    let informers = Informers::new(client.clone());
    let vms = informers.of::<VirtualMachine>().start();
    let pods = informers.of::<Pod>().labels(OF).start();

    let work = vms.queue().owns(&pods).until(stop);
    let reconciler = Arc::new(Reconciler { client, vms, pods });
    work.run(CONCURRENCY, move |key| {
        let reconciler = reconciler.clone();
        async move { reconciler.reconcile(&key).await }
    })
    .await
}
