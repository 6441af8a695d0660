//! Selectable fields, and the fields of the scale subresource.

use crdkit_core::rules::definition_lints::{ScalePath, scale_path_has_type};

use super::{Any, Target, resolve};
use crate::{
    check::{Message, field, of_rule},
    resource::definition::Definition,
    schema::walk::{PathStep, equal},
};

/// Checks that the server can select objects by the field at the path.
pub const fn selectable(definition: &Definition, steps: &[PathStep]) -> Result<(), Message> {
    if let [PathStep::Field(name)] = steps
        && (equal(name, "apiVersion") || equal(name, "kind"))
    {
        return Err(Message::concat(&[
            "`",
            name,
            "` is the same in all objects of a kind: select by a field of the spec or the status",
        ]));
    }
    match resolve(definition, steps) {
        Ok(target) if target.is_selectable => {
            Err(Message::concat(&["the field is already marked `#[crd(selectable)]`: remove one of the two"]))
        }
        Ok(Target { any: Some(Any::Inside), .. }) => Err(Message::concat(&[
            "the path leads into a value of any type, which has no selectable fields: give it a type, or move the \
             field out of it",
        ])),
        Ok(target) => field::selectable_kind(target.kind, matches!(target.any, Some(Any::Itself))),
        Err(message) => Err(message),
    }
}

/// Checks that the field at the path can be a replica count of the scale subresource.
pub const fn scale_replicas(definition: &Definition, steps: &[PathStep]) -> Result<(), Message> {
    if leads_to_undeclared_status(definition, steps) {
        return Ok(());
    }
    match resolve(definition, steps) {
        Ok(target) => of_rule(scale_path_has_type("", ScalePath::Replicas, target.kind)),
        Err(message) => Err(message),
    }
}

/// Checks that the field at the path can be the label selector of the scale subresource.
pub const fn scale_selector(definition: &Definition, steps: &[PathStep]) -> Result<(), Message> {
    if leads_to_undeclared_status(definition, steps) {
        return Ok(());
    }
    match resolve(definition, steps) {
        Ok(target) => of_rule(scale_path_has_type("", ScalePath::LabelSelector, target.kind)),
        Err(message) => Err(message),
    }
}

/// Whether the path leads to a status without a schema, which another component writes.
const fn leads_to_undeclared_status(definition: &Definition, steps: &[PathStep]) -> bool {
    match steps.first() {
        Some(PathStep::Field(name)) => !definition.status && equal(name, "status"),
        _ => false,
    }
}
