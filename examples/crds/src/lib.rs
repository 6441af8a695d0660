//! The resources of this project, as one set of CustomResourceDefinitions.

use crdkit::emit::Crds;
use example_resources::{
    at::At,
    virtual_machine::{VirtualMachine, v1alpha1},
};

/// The set, with the folder that its files are committed in.
pub fn crds() -> Crds {
    Crds::new().add::<At>().add::<VirtualMachine>().add::<v1alpha1::VirtualMachine>().directory("crds")
}
