//! Checks of the markers of a resource as a whole.

use crdkit_core::rules::selectable::fields_are_within_limit;

use super::{super::Message, root};
use crate::{
    resource::definition::{Definition, DerivedRoot, Scale},
    schema::{
        Summary,
        walk::{is_foreign, references_error},
    },
};

/// Returns the summaries of the spec and of the status.
const fn summaries(root: &DerivedRoot) -> (Summary, Summary) {
    let status = match root.status {
        Some(status) => status.summary,
        None => Summary::NONE,
    };
    (root.spec.summary, status)
}

/// Checks that every marker has an effect, and that there are not too many selectable fields.
pub const fn resource(definition: &Definition) -> Result<(), Message> {
    let Some(root) = root(definition) else {
        return Ok(());
    };
    let reads_roles = matches!(definition.scale, Some(Scale::Fields));
    let (spec, status) = summaries(root);
    if !reads_roles && (spec.has_roles() || status.has_roles()) {
        return Err(Message::concat(&[
            "a field is marked `#[crd(scale(...))]`, but `",
            definition.kind,
            "` has no `#[crd(scale)]`: add it to the resource, without paths",
        ]));
    }
    let marked = spec.selectable + status.selectable;
    let selectable = marked + definition.selectable_fields.len();
    if let Err(violation) = fields_are_within_limit(selectable) {
        return Err(Message::concat(&[
            "`",
            definition.kind,
            "`: ",
            violation.message.message().as_str(),
            ", including the fields marked `#[crd(selectable)]`",
        ]));
    }
    Ok(())
}

/// Checks that exactly one field has each role of the scale subresource; the label selector is optional.
///
/// `marked` is whether fields of the spec have markers. If they cannot be read, [`own_markers`] reports that.
pub const fn scale(definition: &Definition, marked: bool) -> Result<(), Message> {
    let Some(root) = root(definition) else {
        return Ok(());
    };
    let (spec, status) = summaries(root);
    let is_elsewhere = spec.below_lists || status.below_lists; // which is reported where it is
    match roles(root) {
        // The fields may exist in types that could not be read.
        Err(_) if is_elsewhere || has_unknown_fields(root, marked) => Ok(()),
        result => result,
    }
}

const fn has_unknown_fields(root: &DerivedRoot, marked: bool) -> bool {
    let status_references_error = match root.status {
        Some(status) => references_error(status),
        None => false,
    };
    references_error(root.spec) || status_references_error || marked && is_foreign(root.spec)
}

const fn roles(root: &DerivedRoot) -> Result<(), Message> {
    let (spec, status) = summaries(root);
    if let Err(message) = one(spec.replicas, status.replicas, "replicas", "spec") {
        return Err(message);
    }
    let (right, wrong) = (status.status_replicas, spec.status_replicas);
    if let Err(message) = one(right, wrong, "status_replicas", "status") {
        return Err(message);
    }
    match spec.label_selector + status.label_selector {
        0 | 1 => Ok(()),
        _ => Err(Message::concat(&["more than one field is marked `#[crd(scale(label_selector))]`: mark one"])),
    }
}

/// Checks that exactly one field in the right place has a role, and that no field in the wrong place has it.
const fn one(right: usize, wrong: usize, name: &str, place: &str) -> Result<(), Message> {
    if wrong > 0 {
        return Err(Message::concat(&[
            "`#[crd(scale(",
            name,
            "))]` must mark a field of the ",
            place,
            ", but marks another field",
        ]));
    }
    match right {
        1 => Ok(()),
        0 => Err(Message::concat(&[
            "no field of the ",
            place,
            " is marked `#[crd(scale(",
            name,
            "))]`: mark one, or write the paths here",
        ])),
        _ => Err(Message::concat(&[
            "more than one field of the ",
            place,
            " is marked `#[crd(scale(",
            name,
            "))]`: mark one, or write the paths here",
        ])),
    }
}

/// Checks that the attributes of the spec's own fields are available.
pub const fn own_markers(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) if is_foreign(root.spec) => Err(Message::concat(&[
            "the schema of this type comes from `schemars`, which ignores this attribute: derive `KubeSchema` \
             instead",
        ])),
        _ => Ok(()),
    }
}
