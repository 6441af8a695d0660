//! Checks of the markers of fields.

use super::{Message, variants::has_structural_form};
use crate::{
    resource::definition::{Definition, DerivedRoot, RootSchema},
    schema::{
        Field, Marker, Schema,
        walk::{Segment, Value, part, strip_newtypes},
    },
};

mod correlation;
mod repeated;
mod resource;
mod unread;

use correlation::FieldPath;
pub use correlation::is_correlatable;
use repeated::is_type;
pub use resource::{own_markers, resource, scale};
pub use unread::unread;

/// Checks the markers of the spec.
pub const fn spec(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) if root.spec.is_null() => has_structural_form(Some(root.spec)),
        Some(root) => Tree::of_spec(root).check(),
        None => Ok(()),
    }
}

/// Checks the markers in one field of the spec. Errors elsewhere in the spec are reported for the spec.
pub const fn spec_field(definition: &Definition, at: usize) -> Result<(), Message> {
    match root(definition) {
        Some(root) => Tree::of_spec(root).check_field(at),
        None => Ok(()),
    }
}

/// Checks the markers of the status.
pub const fn status(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) => match (root.status, has_structural_form(root.status)) {
            (_, error @ Err(_)) => error,
            // Types shared with the spec are reported there.
            (Some(status), _) => Tree::of_status(status).check(),
            (None, _) => Ok(()),
        },
        None => Ok(()),
    }
}

const fn root(definition: &Definition) -> Option<&DerivedRoot> {
    match &definition.schema {
        RootSchema::Derived(root) => Some(root),
        _ => None,
    }
}

/// The types of the spec or the status. Types of the spec may also occur in the status.
#[derive(Clone, Copy)]
struct Tree {
    schema: &'static Schema,
    root: &'static str,
    status: Option<&'static Schema>,
}

impl Tree {
    const fn of_spec(root: &DerivedRoot) -> Self {
        Self { schema: root.spec, root: if root.flatten_spec { "" } else { ".spec" }, status: root.status }
    }

    const fn of_status(status: &'static Schema) -> Self {
        Self { schema: status, root: ".status", status: None }
    }

    /// Checks all markers.
    const fn check(self) -> Result<(), Message> {
        let path = &FieldPath::Root(self.root);
        if self.schema.summary.below_lists
            && let Err(message) = below_lists(self.schema, path, "")
        {
            return Err(message);
        }
        if let Err(message) = correlation::are_correlatable(&Value::of(self.schema), path) {
            return Err(message);
        }
        self.repeated(self.schema)
    }

    /// Checks the markers in one field of the root.
    const fn check_field(self, at: usize) -> Result<(), Message> {
        let Some(part) = part(strip_newtypes(self.schema), at) else {
            return Ok(());
        };
        let path = &FieldPath::Root(self.root);
        if part.schema.summary.below_lists
            && let Err(message) = below_lists(part.schema, &path.to(part.segment), "")
        {
            return Err(message);
        }
        if self.schema.summary.changes
            && let Err(message) = correlation::check_part(part, path, None)
        {
            return Err(message);
        }
        self.repeated(part.schema)
    }
}

/// Checks that no marker is below a list or a map, where it has no single path.
const fn below_lists(schema: &'static Schema, path: &FieldPath<'_>, container: &'static str) -> Result<(), Message> {
    if !schema.summary.any() {
        return Ok(());
    }
    let mut at = 0;
    while let Some(part) = part(schema, at) {
        let path = &path.to(part.segment);
        if let Some(field) = part.field
            && matches!(field.markers, [_, ..])
            && !container.is_empty()
        {
            return Err(marker_below_list(path, field, container));
        }
        let container = match part.segment {
            Segment::Items | Segment::Item(_) => "list",
            Segment::Values => "map",
            _ => container,
        };
        if let Err(message) = below_lists(part.schema, path, container) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn marker_below_list(path: &FieldPath<'_>, field: &Field, container: &str) -> Message {
    path.write(Message::concat(&["`"]))
        .then("` is inside a ")
        .then(container)
        .then(" and has no single path for `#[crd(")
        .then(marker(field))
        .then(")]`: remove it")
        .then(column_instead(field))
}

const fn column_instead(field: &Field) -> &'static str {
    match field.markers[0] {
        Marker::Column(_) => ", and specify a path with `printcolumn` on the resource",
        _ => "",
    }
}

const fn marker(field: &Field) -> &'static str {
    match field.markers[0] {
        Marker::Column(_) => "column",
        Marker::Selectable => "selectable",
        Marker::Scale(_) => "scale(...)",
    }
}
