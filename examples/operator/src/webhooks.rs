//! The webhooks of the operator: what neither the schema of a VirtualMachine nor its CEL can express.

use std::{collections::BTreeSet, sync::Arc};

use crdkit::{
    Client,
    controller::Manager,
    webhook::{
        AdmissionContext, Error, FieldErrors, FieldPath, Validate, Webhook, WebhookServer, Webhooks,
        certificates::CertRotator, checked,
    },
};
use example_resources::virtual_machine::{self, CacheMode, VirtualMachine};

/// The zone of machines that do not select one.
const DEFAULT_ZONE: &str = "eu-1";
/// The label that selects a zone.
const ZONE: &str = "topology.kubernetes.io/zone";

/// The Service of the operator.
pub(crate) const NAMESPACE: &str = "vm-system";
pub(crate) const SERVICE: &str = "vm-operator";

/// Serves the webhooks, with certificates in a Secret that all replicas share.
pub(crate) fn serve(manager: Manager, client: &Client) -> Manager {
    let webhooks = webhooks();
    let rotator = CertRotator::for_service(client, NAMESPACE, SERVICE).inject_webhooks(&webhooks);
    let server = WebhookServer::new(&webhooks, Arc::new(rotator.certificates()));
    manager.webhooks(server).certificates(rotator)
}

/// All webhooks, and the conversion between the versions.
#[checked(client = crdkit::webhook::WebhookClient::service(NAMESPACE, SERVICE))]
pub(crate) fn webhooks() -> Webhooks {
    let machines = Webhook::of::<VirtualMachine>()
        .mutate(set_defaults)
        .validator(MachineRules { registries: vec!["docker.io".to_owned(), "registry.example.com".to_owned()] });
    Webhooks::new("vm-operator").add(machines).convert(virtual_machine::versions().converter())
}

/// Sets what depends on other fields, so that a schema cannot.
fn set_defaults(vm: &mut VirtualMachine, _: &AdmissionContext<VirtualMachine>) {
    vm.spec.node_selector.entry(ZONE.to_owned()).or_insert_with(|| DEFAULT_ZONE.to_owned());
    let has_one_machine = vm.spec.replicas <= 1;
    for disk in vm.spec.disks.iter_mut().filter(|disk| disk.boot && has_one_machine) {
        if disk.cache == CacheMode::None {
            disk.cache = CacheMode::WriteThrough;
        }
    }
}

struct MachineRules {
    /// The registries that images may come from.
    registries: Vec<String>,
}

impl MachineRules {
    /// Returns the registry of an image; Docker's for a name such as `debian:13`.
    fn registry(image: &str) -> &str {
        match image.split_once('/') {
            Some((registry, _)) if registry.contains(['.', ':']) => registry,
            _ => "docker.io",
        }
    }

    fn check(&self, vm: &VirtualMachine) -> FieldErrors {
        let spec = FieldPath::new("spec");
        let mut errors = FieldErrors::new();
        let registry = Self::registry(&vm.spec.image);
        if !self.registries.iter().any(|allowed| allowed == registry) {
            errors.not_supported(spec.field("image"), registry, &self.registries);
        }
        let mut addresses = BTreeSet::new();
        for (index, network) in vm.spec.networks.iter().enumerate() {
            let address = spec.field("networks").index(index).field("address");
            match network.address {
                Some(_) if vm.spec.replicas > 1 => errors.forbidden(address, "machines cannot share an address"),
                Some(fixed) if !addresses.insert(fixed) => errors.duplicate(address, fixed),
                _ => {}
            }
        }
        errors
    }
}

impl Validate<VirtualMachine> for MachineRules {
    async fn validate_create(&self, vm: &VirtualMachine, cx: &AdmissionContext<VirtualMachine>) -> Result<(), Error> {
        if vm.spec.image.ends_with(":latest") {
            cx.warn("the image has the tag `latest`: machines that start later may differ");
        }
        Ok(self.check(vm).into_result()?)
    }

    async fn validate_update(
        &self,
        vm: &VirtualMachine,
        old: &VirtualMachine,
        _: &AdmissionContext<VirtualMachine>,
    ) -> Result<(), Error> {
        let mut errors = self.check(vm);
        let names = |vm: &VirtualMachine| vm.spec.disks.iter().map(|disk| disk.name.clone()).collect::<BTreeSet<_>>();
        for lost in names(old).difference(&names(vm)) {
            errors.forbidden("spec.disks", format!("the disk `{lost}` cannot be removed while the machines exist"));
        }
        Ok(errors.into_result()?)
    }
}
