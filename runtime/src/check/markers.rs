//! Markers on fields: where they stand, and whether they fit together.

use super::{
    Message,
    walk::{equal, peel},
};
use crate::{
    definition::{Definition, Root, RootSchema},
    schema::{Field, Marker, Schema, Shape},
};

mod hidden;
mod resource;

pub use hidden::hidden;
pub use resource::{are_read, resource, scale};

/// Markers of the spec are where they can be read.
pub const fn spec(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) => tree(root.spec, root.status),
        None => Ok(()),
    }
}

/// Markers of the status are where they can be read.
pub const fn status(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) => match root.status {
            // What it shares with the spec is said there.
            Some(status) => tree(status, None),
            None => Ok(()),
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
const fn tree(tree: &'static Schema, other: Option<&'static Schema>) -> Result<(), Message> {
    if let Err(message) = below_lists(tree, "") {
        return Err(message);
    }
    repeated(tree, tree, other)
}

/// No marker stands below a list or a map, where it would have many places.
const fn below_lists(schema: &'static Schema, container: &'static str) -> Result<(), Message> {
    match schema.shape {
        _ if !schema.is_marked => Ok(()),
        Shape::Newtype(inner) => below_lists(inner, container),
        Shape::List(items) => below_lists(items, "list"),
        Shape::Map(values) => below_lists(values, "map"),
        Shape::Object(fields) => {
            let mut at = 0;
            while at < fields.len() {
                if matches!(fields[at].markers, [_, ..]) && !container.is_empty() {
                    return Err(many_places(schema, &fields[at], container));
                }
                if fields[at].schema.is_marked
                    && let Err(message) = below_lists(fields[at].schema, container)
                {
                    return Err(message);
                }
                at += 1;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

const fn many_places(owner: &Schema, field: &Field, container: &str) -> Message {
    Message::of(&[
        "`",
        owner.name,
        "` stands in a ",
        container,
        ", so that its field `",
        field.name,
        "` has no one place for `#[crd(",
        marker(field),
        ")]`: remove it",
        column_instead(field),
    ])
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
    other: Option<&'static Schema>,
) -> Result<(), Message> {
    let owner = peel(schema);
    let Shape::Object(fields) = owner.shape else {
        return Ok(());
    };
    if !owner.is_marked {
        return Ok(());
    }
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        if matches!(field.markers, [_, ..]) && occurs_again(owner, field, tree, other) {
            return Err(several_places(owner, field));
        }
        if field.schema.is_marked
            && let Err(message) = repeated(field.schema, tree, other)
        {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

/// Whether a field stands in more than one place of two trees.
const fn occurs_again(
    owner: &'static Schema,
    field: &Field,
    tree: &'static Schema,
    other: Option<&'static Schema>,
) -> bool {
    let in_other = match other {
        Some(other) if other.is_marked => count(other, owner, field.name),
        _ => 0,
    };
    count(tree, owner, field.name) + in_other > 1
}

/// How often a marked field of a type stands in a tree, lists and maps left out.
const fn count(schema: &'static Schema, type_: &Schema, name: &str) -> usize {
    let owner = peel(schema);
    let Shape::Object(fields) = owner.shape else {
        return 0;
    };
    let mut found = 0;
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        if matches!(field.markers, [_, ..])
            && equal(field.name, name)
            && equal(owner.name, type_.name)
            && equal(owner.path, type_.path)
        {
            found += 1;
        }
        if field.schema.is_marked {
            found += count(field.schema, type_, name);
        }
        at += 1;
    }
    found
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
