//! An operator that brings VirtualMachines to their desired state, and reports the progress in their status.
//!
//! A machine of this example is a Pod that sleeps. The operator reads VirtualMachines and Pods from informers, and
//! compares with their objects before it writes: a reconciliation without changes sends no request.

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

/// Delays the deletion of a VirtualMachine until its machines are deleted.
pub const FINALIZER: &str = "infra.example.com/machines";

/// The label of machines with the name of their VirtualMachine.
pub const OF: &str = "infra.example.com/virtual-machine";

/// Maximum number of concurrent reconciliations.
const CONCURRENCY: usize = 4;

/// Installs the CustomResourceDefinition of VirtualMachines.
///
/// # Errors
///
/// Fails if the cluster rejects the definition.
pub async fn install(client: &Client) -> anyhow::Result<()> {
    let versions = Versions::new().add::<VirtualMachine>().add::<v1alpha1::VirtualMachine>().merge()?;
    client.install([versions.crd]).await?;
    Ok(())
}

/// Runs until `stop` completes, and then completes running reconciliations.
///
/// # Errors
///
/// Fails if the objects cannot be listed, or running reconciliations do not complete in time.
pub async fn run(client: Client, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), RunError> {
    let informers = Informers::new(client.clone());
    let vms = informers.of::<VirtualMachine>().start();
    let pods = informers.of::<Pod>().labels(OF).start();

    let work = vms.reconciler().owns(&pods).until(stop);
    let reconciler = Arc::new(Reconciler { client, vms, pods });
    work.run(CONCURRENCY, move |key| {
        let reconciler = reconciler.clone();
        async move { reconciler.reconcile(&key).await }
    })
    .await
}
