//! Markers on fields: where they stand, and whether they fit together.

use super::{Message, alternatives::has_form};
use crate::schema::walk::{Segment, Value, part, peel};
use crate::{
    definition::{Definition, Root, RootSchema},
    schema::{Field, Marker, Schema},
};

mod changes;
mod hidden;
mod repeated;
mod resource;

use changes::Way;
pub use changes::is_followed;
pub use hidden::hidden;
use repeated::is_type;
pub use resource::{are_read, resource, scale};

/// Markers of the spec are where they can be read.
pub const fn spec(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) if root.spec.is_null() => has_form(Some(root.spec)),
        Some(root) => Tree::of_spec(root).check(),
        None => Ok(()),
    }
}

/// Markers in a field of the spec are where they can be read. What is wrong elsewhere in the spec is said of the spec.
pub const fn spec_field(definition: &Definition, at: usize) -> Result<(), Message> {
    match root(definition) {
        Some(root) => Tree::of_spec(root).check_field(at),
        None => Ok(()),
    }
}

/// Markers of the status are where they can be read.
pub const fn status(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) => match (root.status, has_form(root.status)) {
            (_, error @ Err(_)) => error,
            // What it shares with the spec is said there.
            (Some(status), _) => Tree::of_status(status).check(),
            (None, _) => Ok(()),
        },
        None => Ok(()),
    }
}

const fn root(definition: &Definition) -> Option<&Root> {
    match &definition.schema {
        RootSchema::Derived(root) => Some(root),
        _ => None,
    }
}

/// One tree of types, and the other one, where its types may occur again.
#[derive(Clone, Copy)]
struct Tree {
    schema: &'static Schema,
    root: &'static str,
    status: Option<&'static Schema>,
}

impl Tree {
    const fn of_spec(root: &Root) -> Self {
        Self { schema: root.spec, root: if root.flatten_spec { "" } else { ".spec" }, status: root.status }
    }

    const fn of_status(status: &'static Schema) -> Self {
        Self { schema: status, root: ".status", status: None }
    }

    /// The rules on all markers.
    const fn check(self) -> Result<(), Message> {
        let way = &Way::Root(self.root);
        if self.schema.marks.below_lists
            && let Err(message) = below_lists(self.schema, way, "")
        {
            return Err(message);
        }
        if let Err(message) = changes::are_followed(&Value::of(self.schema), way) {
            return Err(message);
        }
        self.repeated(self.schema)
    }

    /// The same rules on the markers in one field of the root.
    const fn check_field(self, at: usize) -> Result<(), Message> {
        let Some(part) = part(peel(self.schema), at) else {
            return Ok(());
        };
        let way = &Way::Root(self.root);
        if part.schema.marks.below_lists
            && let Err(message) = below_lists(part.schema, &way.to(part.segment), "")
        {
            return Err(message);
        }
        if self.schema.marks.changes
            && let Err(message) = changes::in_part(part, way, None)
        {
            return Err(message);
        }
        self.repeated(part.schema)
    }
}

/// No marker stands below a list or a map, where it would have many places.
const fn below_lists(schema: &'static Schema, way: &Way<'_>, container: &'static str) -> Result<(), Message> {
    if !schema.marks.any() {
        return Ok(());
    }
    let mut at = 0;
    while let Some(part) = part(schema, at) {
        let way = &way.to(part.segment);
        if let Some(field) = part.field
            && matches!(field.markers, [_, ..])
            && !container.is_empty()
        {
            return Err(many_places(way, field, container));
        }
        let container = match part.segment {
            Segment::Items | Segment::Item(_) => "list",
            Segment::Values => "map",
            _ => container,
        };
        if let Err(message) = below_lists(part.schema, way, container) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn many_places(way: &Way<'_>, field: &Field, container: &str) -> Message {
    way.write(Message::concat(&["`"]))
        .then("` stands in a ")
        .then(container)
        .then(", and so in no one place for `#[crd(")
        .then(marker(field))
        .then(")]`: remove it")
        .then(column_instead(field))
}

const fn column_instead(field: &Field) -> &'static str {
    match field.markers[0] {
        Marker::Column(_) => ", and name one place with `printcolumn` on the resource",
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
