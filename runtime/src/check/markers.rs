//! Markers on fields: where they stand, and whether they fit together.

use super::{Message, alternatives::has_form};
use crate::schema::walk::{Segment, Value, equal, part, peel};
use crate::{
    definition::{Definition, Root, RootSchema},
    schema::{Field, Marker, Schema, Shape},
};

mod changes;
mod hidden;
mod resource;

use changes::Way;
pub use changes::is_followed;
pub use hidden::hidden;
pub use resource::{are_read, resource, scale};

/// Markers of the spec are where they can be read.
pub const fn spec(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) if root.flatten_spec => tree(root.spec, root.status, ""),
        Some(root) => tree(root.spec, root.status, ".spec"),
        None => Ok(()),
    }
}

/// Markers of the status are where they can be read.
pub const fn status(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) => match (root.status, has_form(root.status)) {
            (_, error @ Err(_)) => error,
            // What it shares with the spec is said there.
            (Some(status), _) => tree(status, None, ".status"),
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

/// The rules on markers of one tree of types, the other one being where its types may occur again.
const fn tree(
    tree: &'static Schema,
    other: Option<&'static Schema>,
    root: &'static str,
) -> Result<(), Message> {
    let way = Way::Root(root);
    if tree.marks.below_lists
        && let Err(message) = below_lists(tree, &way, "")
    {
        return Err(message);
    }
    if let Err(message) = changes::are_followed(&Value::of(tree), &way) {
        return Err(message);
    }
    match other {
        Some(other) if tree.marks.objects + other.marks.objects > 1 => repeated(tree, tree, other),
        None if tree.marks.objects > 1 => repeated(tree, tree, &NOTHING),
        _ => Ok(()),
    }
}

/// What nothing occurs in.
const NOTHING: Schema = Schema::any();

/// No marker stands below a list or a map, where it would have many places.
const fn below_lists(
    schema: &'static Schema,
    way: &Way<'_>,
    container: &'static str,
) -> Result<(), Message> {
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
    way.write(Message::of(&["`"]))
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

/// No marked type occurs twice, which would give its markers two places.
const fn repeated(
    schema: &'static Schema,
    tree: &'static Schema,
    other: &'static Schema,
) -> Result<(), Message> {
    let owner = peel(schema);
    if let Shape::Object(fields) = owner.shape
        && owner.marks.own
        && occurs_again(owner, tree, other)
    {
        return Err(several_places(owner, first_marked(fields)));
    }
    let mut at = 0;
    while has_marks_below(owner)
        && let Some(part) = part(owner, at)
    {
        if let Err(message) = repeated(part.schema, tree, other) {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

/// Whether a type of the tree occurs in it once more, or in the other one.
const fn occurs_again(owner: &Schema, tree: &'static Schema, other: &'static Schema) -> bool {
    let is_only_one = tree.marks.objects == 1;
    let found = match is_only_one {
        true => 1,
        false => occurrences(tree, owner),
    };
    found + occurrences(other, owner) > 1
}

/// How often a type with markers stands in a tree, lists and maps left out.
const fn occurrences(schema: &'static Schema, type_: &Schema) -> usize {
    let owner = peel(schema);
    let mut found = (owner.marks.own && is_type(owner, type_)) as usize;
    let mut at = 0;
    while has_marks_below(owner)
        && let Some(part) = part(owner, at)
    {
        found += occurrences(part.schema, type_);
        at += 1;
    }
    found
}

/// Whether a schema is that of a type.
const fn is_type(schema: &Schema, type_: &Schema) -> bool {
    equal(schema.name, type_.name) && equal(schema.path, type_.path)
}

/// Whether the type of a field has marked fields.
const fn has_marks_below(owner: &Schema) -> bool {
    owner.marks.objects > owner.marks.own as usize
}

const fn first_marked(fields: &'static [Field]) -> &'static Field {
    let mut at = 0;
    while fields[at].markers.is_empty() {
        at += 1;
    }
    &fields[at]
}

const fn several_places(owner: &Schema, field: &Field) -> Message {
    Message::of(&[
        "`",
        owner.name,
        "` occurs more than once, so that its field `",
        field.name,
        "` has several places for `#[crd(",
        marker(field),
        ")]`: remove it, and name the places with `",
        match field.markers[0] {
            Marker::Column(_) => "printcolumn(name = \"...\", json_path = \"...\", ...)",
            Marker::Selectable => "selectable = \"...\"",
            Marker::Scale(_) => "scale(spec_replicas_path = \"...\", ...)",
        },
        "` on the resource",
    ])
}
