//! Writes the CustomResourceDefinitions to `OUT_DIR`.

use crdkit::emit::Crds;
use example_resources::{
    at::At,
    virtual_machine::{VirtualMachine, v1alpha1},
};

fn main() -> std::process::ExitCode {
    Crds::new().add::<At>().add::<VirtualMachine>().add::<v1alpha1::VirtualMachine>().build_script()
}
