//! The resources of this project, as one set of CustomResourceDefinitions.

use crdkit::{emit::Crds, merge::ConversionWebhook};
use example_resources::{at::At, virtual_machine};

/// The set, with the folder that its files are committed in.
pub fn crds() -> Crds {
    let webhook = ConversionWebhook::service("vm-system", "vm-operator").path("/convert");
    Crds::new().add::<At>().add_versions(virtual_machine::versions().versions(webhook)).directory("crds")
}
