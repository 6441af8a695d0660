//! The rules of an admission webhook for virtual machines.

use std::collections::BTreeSet;

use crdkit::webhook::{FieldErrors, FieldPath};

use super::VirtualMachine;

/// What is wrong with a machine, also in comparison with the one before an update.
pub fn problems(machine: &VirtualMachine, old: Option<&VirtualMachine>) -> FieldErrors {
    let mut errors = FieldErrors::new();
    if old.is_some_and(|old| old.spec.zone != machine.spec.zone) {
        errors.forbidden("spec.zone", "a machine stays in its zone");
        return errors;
    }
    if machine.spec.image.is_empty() {
        errors.required("spec.image", "an image is needed to boot");
    }
    if machine.spec.replicas < 0 {
        errors.invalid("spec.replicas", machine.spec.replicas, "must not be negative");
    }
    let mut names = BTreeSet::new();
    for (at, disk) in machine.spec.disks.iter().enumerate() {
        if !names.insert(disk.name.as_str()) {
            errors.duplicate(FieldPath::new("spec").field("disks").index(at).field("name"), &disk.name);
        }
    }
    errors
}

/// Sets what is missing.
pub fn set_defaults(machine: &mut VirtualMachine) {
    machine.metadata.labels.get_or_insert_default().entry("team".into()).or_insert("none".into());
    if machine.spec.zone.is_empty() {
        "eu-central-1a".clone_into(&mut machine.spec.zone);
    }
}

impl VirtualMachine {
    /// Whether the machine is not to run.
    pub fn is_paused(&self) -> bool {
        self.spec.paused
    }
}
