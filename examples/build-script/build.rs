//! Writes the CustomResourceDefinitions to `OUT_DIR`.

use crdkit::{emit::Crds, merge::Versions};
use example_resources::{
    at::At,
    virtual_machine::{VirtualMachine, v1alpha1},
};

fn main() -> std::process::ExitCode {
    // Without a conversion, `v1` serves objects that have passed only the rules of `v1alpha1`. Otherwise this would be a warning of each
    // build.
    let machines = Versions::new().add::<VirtualMachine>().add::<v1alpha1::VirtualMachine>();
    let stricter = [".spec", ".spec.disks", ".spec.networks", ".spec.replicas"];
    let machines = stricter.into_iter().fold(machines, Versions::allow_difference);
    Crds::new().add::<At>().add_versions(machines).build_script()
}
