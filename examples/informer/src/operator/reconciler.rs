//! Brings the cluster to the desired state of one VirtualMachine.

use std::sync::Arc;

use crdkit::{
    Client,
    client::{Resources, scope::InNamespace},
    informer::{Action, CacheObject, Informer, ObjectKey},
};
use example_resources::virtual_machine::VirtualMachine;
use k8s_openapi::api::core::v1::Pod;

use super::{FINALIZER, plan::Plan, report::report};

pub(super) struct Reconciler {
    pub(super) client: Client,
    pub(super) vms: Informer<VirtualMachine>,
    pub(super) pods: Informer<Pod>,
}

impl Reconciler {
    /// Reconciles one object. It is level-triggered and idempotent, and is retried if it fails.
    pub(super) async fn reconcile(&self, key: &ObjectKey) -> anyhow::Result<Action> {
        let Some(vm) = self.vms.lister().find(key.namespace(), key.name()) else {
            return Ok(Action::Done);
        };
        // Before all Pods are listed, existing machines would look like missing ones.
        self.pods.synced().await?;
        let pods = self.pods.lister().owned_by(&*vm);
        if vm.is_terminating() {
            self.clean_up(&vm, &pods).await?;
        } else {
            self.ensure_running(&vm, pods).await?;
        }
        Ok(Action::Done)
    }

    async fn ensure_running(&self, vm: &VirtualMachine, pods: Vec<Arc<Pod>>) -> anyhow::Result<()> {
        let vms = self.client.resources().all_namespaces();
        vms.finalizers().add_to(vm, FINALIZER).await?;
        let plan = Plan::of(vm, pods)?;
        let applied = self.apply_plan(&plan, vm).await;
        let error = applied.as_ref().err().map(|error| format!("{error:#}"));
        vms.status().update_from(vm, |status| report(status, vm, &plan, error.as_deref())).await?;
        applied
    }

    async fn apply_plan(&self, plan: &Plan, vm: &VirtualMachine) -> anyhow::Result<()> {
        self.delete(&plan.surplus, vm).await?;
        let pods = self.pods_in_namespace_of(vm);
        for pod in &plan.missing {
            let pod = pods.create(pod).await?;
            // The cache contains the new Pod at the next reconciliation.
            self.pods.wait_for(&pod).await?;
        }
        Ok(())
    }

    /// Removes the finalizer after the last machine, whose deletion triggers another reconciliation.
    async fn clean_up(&self, vm: &VirtualMachine, pods: &[Arc<Pod>]) -> anyhow::Result<()> {
        self.delete(pods, vm).await?;
        if pods.is_empty() {
            let vms = self.client.resources().all_namespaces();
            vms.finalizers().remove_from(vm, FINALIZER).await?;
        }
        Ok(())
    }

    async fn delete(&self, surplus: &[Arc<Pod>], vm: &VirtualMachine) -> anyhow::Result<()> {
        let pods = self.pods_in_namespace_of(vm);
        for pod in surplus.iter().filter(|pod| !pod.is_terminating()) {
            match pods.delete(pod.name()).await {
                Err(error) if error.is_not_found() => {}
                deleted => drop(deleted?),
            }
        }
        Ok(())
    }

    fn pods_in_namespace_of(&self, vm: &VirtualMachine) -> Resources<Pod, InNamespace> {
        let namespace = vm.namespace().unwrap_or_default();
        self.client.resources().namespace(namespace)
    }
}
