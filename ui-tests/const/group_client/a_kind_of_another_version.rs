use crdkit::{CustomResource, KubeSchema};
use k8s_openapi::api::{apps::v1::Deployment, core::v1::Pod};
use serde::{Deserialize, Serialize};

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[crd(group = "infra.example.com", version = "v1alpha1", kind = "VirtualMachine", namespaced)]
pub struct VirtualMachineSpec {}

crdkit::group_client! {
    pub struct InfraV1("infra.example.com/v1");

    VirtualMachine => virtual_machines(namespace);
    Pod => pods(namespace);
}

crdkit::group_client! {
    pub struct AppsV1("apps/v1");

    Deployment => deployments(namespace);
}

fn main() {}
