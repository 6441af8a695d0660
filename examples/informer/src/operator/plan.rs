//! Compares the actual with the desired Pods, without a cluster.

use std::sync::Arc;

use crdkit::{
    client::{OwnerError, set_controller_reference},
    informer::CacheObject,
};
use example_resources::virtual_machine::VirtualMachine;
use k8s_openapi::{
    api::core::v1::{Container, Pod, PodSpec, ResourceRequirements},
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};

use super::OF;

/// The differences between the actual and the desired Pods of a VirtualMachine.
pub(super) struct Plan {
    /// The Pods that match, including those that are starting.
    pub(super) fitting: Vec<Arc<Pod>>,
    /// The Pods to delete: there are too many, or they have another image.
    pub(super) surplus: Vec<Arc<Pod>>,
    /// The Pods to create.
    pub(super) missing: Vec<Pod>,
}

impl Plan {
    /// Computes the plan. A machine that must be replaced is missing once it is deleted, because its name is in use
    /// until then.
    pub(super) fn of(vm: &VirtualMachine, pods: Vec<Arc<Pod>>) -> Result<Self, OwnerError> {
        let desired: Vec<String> = (0..vm.spec.replicas).map(|number| format!("{}-{number}", vm.name())).collect();
        let is_missing = |name: &&String| !pods.iter().any(|pod| pod.name() == *name);
        let missing = desired.iter().filter(is_missing).map(|name| machine(vm, name)).collect::<Result<_, _>>()?;
        let (fitting, surplus) = pods.into_iter().partition(|pod| {
            let is_desired = desired.iter().any(|name| name == pod.name());
            is_desired && image(pod) == Some(&vm.spec.image)
        });
        Ok(Self { fitting, surplus, missing })
    }
}

fn machine(vm: &VirtualMachine, name: &str) -> Result<Pod, OwnerError> {
    let spec = &vm.spec;
    let sizes = [("cpu", &spec.cpu), ("memory", &spec.memory)];
    let requests = sizes.map(|(resource, size)| (resource.to_owned(), size.clone()));
    let mut pod = Pod {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            namespace: vm.metadata.namespace.clone(),
            labels: Some([(OF.to_owned(), vm.name().to_owned())].into()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            containers: vec![Container {
                name: "machine".to_owned(),
                image: Some(spec.image.clone()),
                command: Some(["sleep", "infinity"].map(str::to_owned).into()),
                resources: Some(ResourceRequirements {
                    requests: Some(requests.into()),
                    ..ResourceRequirements::default()
                }),
                ..Container::default()
            }],
            image_pull_secrets: spec.pull_secret.clone().map(|secret| vec![secret]),
            node_selector: Some(spec.node_selector.clone()),
            ..PodSpec::default()
        }),
        ..Pod::default()
    };
    set_controller_reference(&mut pod, vm)?;
    Ok(pod)
}

fn image(pod: &Pod) -> Option<&String> {
    pod.spec.as_ref()?.containers.first()?.image.as_ref()
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in super::super) fn vm(replicas: i32, image: &str) -> VirtualMachine {
        let vm = json!({
            "apiVersion": "infra.example.com/v1", "kind": "VirtualMachine",
            "metadata": { "name": "web", "namespace": "prod", "uid": "1", "generation": 3 },
            "spec": {
                "cpu": "2", "memory": "4Gi", "image": image, "replicas": replicas,
                "disks": [{ "name": "root", "size": "20Gi", "boot": true }],
            },
        });
        serde_json::from_value(vm).unwrap()
    }

    /// Returns the Pods after a plan was executed.
    pub(in super::super) fn pods(vm: &VirtualMachine) -> Vec<Arc<Pod>> {
        let plan = Plan::of(vm, Vec::new()).unwrap();
        plan.missing.into_iter().map(Arc::new).collect()
    }

    fn names<'a>(pods: impl IntoIterator<Item = &'a Pod>) -> Vec<&'a str> {
        pods.into_iter().map(CacheObject::name).collect()
    }

    #[test]
    fn missing_machines_are_created_with_their_owner() {
        let vm = vm(2, "debian:13");
        let plan = Plan::of(&vm, Vec::new()).unwrap();
        assert_eq!(names(&plan.missing), ["web-0", "web-1"]);
        let pod = &plan.missing[0];
        assert_eq!(pod.namespace(), Some("prod"));
        assert_eq!(pod.labels().next(), Some((OF, "web")));
        let owner = pod.owners().next().unwrap();
        assert_eq!((owner.uid, owner.controller), ("1", true));
    }

    #[test]
    fn matching_machines_need_no_change() {
        let vm = vm(2, "debian:13");
        let plan = Plan::of(&vm, pods(&vm)).unwrap();
        assert_eq!(plan.fitting.len(), 2);
        assert!(plan.surplus.is_empty() && plan.missing.is_empty());
    }

    #[test]
    fn surplus_machines_are_deleted() {
        let actual = pods(&vm(3, "debian:13"));
        let plan = Plan::of(&vm(1, "debian:13"), actual).unwrap();
        assert_eq!(names(plan.surplus.iter().map(|pod| &**pod)), ["web-1", "web-2"]);
        assert!(plan.missing.is_empty());
    }

    #[test]
    fn machines_with_another_image_are_deleted_before_they_are_replaced() {
        let actual = pods(&vm(2, "debian:12"));
        let plan = Plan::of(&vm(2, "debian:13"), actual).unwrap();
        assert_eq!((plan.surplus.len(), plan.missing.len()), (2, 0));
    }
}
