//! What there is and what there should be, without a cluster.

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

/// The Pods of a VirtualMachine.
pub(super) struct Plan {
    /// They are as they should be, or on the way.
    pub(super) fitting: Vec<Arc<Pod>>,
    /// They are to go: there are too many, or they have another image.
    pub(super) surplus: Vec<Arc<Pod>>,
    /// They are to come.
    pub(super) missing: Vec<Pod>,
}

impl Plan {
    /// A machine that is to be replaced is missing once it is gone, since its name is its own until then.
    pub(super) fn of(vm: &VirtualMachine, pods: Vec<Arc<Pod>>) -> Result<Self, OwnerError> {
        let wanted = (0..vm.spec.replicas).map(|number| format!("{}-{number}", vm.name()));
        let wanted: Vec<String> = wanted.collect();
        let absent = |name: &&String| !pods.iter().any(|pod| pod.name() == *name);
        let missing = wanted.iter().filter(absent).map(|name| machine(vm, name));
        let missing = missing.collect::<Result<_, _>>()?;
        let (fitting, surplus) = pods.into_iter().partition(|pod| {
            let is_wanted = wanted.iter().any(|name| name == pod.name());
            is_wanted && image(pod) == Some(&vm.spec.image)
        });
        Ok(Self {
            fitting,
            surplus,
            missing,
        })
    }
}

fn machine(vm: &VirtualMachine, name: &str) -> Result<Pod, OwnerError> {
    let spec = &vm.spec;
    let requests = [("cpu", &spec.cpu), ("memory", &spec.memory)];
    let requests = requests.map(|(resource, size)| (resource.to_owned(), size.clone()));
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

    /// The Pods that are there once a plan was carried out.
    pub(in super::super) fn pods(vm: &VirtualMachine) -> Vec<Arc<Pod>> {
        let plan = Plan::of(vm, Vec::new()).unwrap();
        plan.missing.into_iter().map(Arc::new).collect()
    }

    fn names<'a>(pods: impl IntoIterator<Item = &'a Pod>) -> Vec<&'a str> {
        pods.into_iter().map(CacheObject::name).collect()
    }

    #[test]
    fn machines_come_and_belong_to_their_virtual_machine() {
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
    fn nothing_is_to_be_done_where_all_is_as_it_should_be() {
        let vm = vm(2, "debian:13");
        let plan = Plan::of(&vm, pods(&vm)).unwrap();
        assert_eq!(plan.fitting.len(), 2);
        assert!(plan.surplus.is_empty() && plan.missing.is_empty());
    }

    #[test]
    fn machines_that_are_too_many_go() {
        let there = pods(&vm(3, "debian:13"));
        let plan = Plan::of(&vm(1, "debian:13"), there).unwrap();
        assert_eq!(
            names(plan.surplus.iter().map(|pod| &**pod)),
            ["web-1", "web-2"]
        );
        assert!(plan.missing.is_empty());
    }

    #[test]
    fn machines_of_another_image_go_before_new_ones_come() {
        let there = pods(&vm(2, "debian:12"));
        let plan = Plan::of(&vm(2, "debian:13"), there).unwrap();
        assert_eq!((plan.surplus.len(), plan.missing.len()), (2, 0));
    }
}
