//! Markers on fields: where they stand, and whether they fit together.

use super::{Message, alternatives::has_form};
use crate::schema::walk::{equal, peel};
use crate::{
    definition::{Definition, Root, RootSchema},
    schema::{Alternative, Field, Marker, Schema, Shape},
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
        Some(root) if root.spec.is_null() => has_form(Some(root.spec)),
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
    let around = changes::Around::nothing(&way);
    if let Err(message) = changes::are_followed(tree, around) {
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
    match schema.shape {
        _ if !schema.marks.any() => Ok(()),
        Shape::Newtype(inner) => below_lists(inner, way, container),
        Shape::List(items) => below_lists(items, &Way::Items(way), "list"),
        Shape::Map(values) => below_lists(values, &Way::Values(way), "map"),
        Shape::Object(fields) => {
            let mut at = 0;
            while at < fields.len() {
                let way = &way.to(&fields[at]);
                if matches!(fields[at].markers, [_, ..]) && !container.is_empty() {
                    return Err(many_places(way, &fields[at], container));
                }
                if fields[at].schema.marks.any()
                    && let Err(message) = below_lists(fields[at].schema, way, container)
                {
                    return Err(message);
                }
                at += 1;
            }
            Ok(())
        }
        Shape::OneOf(_, alternatives) => {
            let mut at = 0;
            while at < alternatives.len() {
                if let Some(content) = alternatives[at].content
                    && let Err(message) = below_lists(content, way, container)
                {
                    return Err(message);
                }
                at += 1;
            }
            Ok(())
        }
        Shape::Tuple(items) => {
            let mut at = 0;
            while at < items.len() {
                if let Err(message) = below_lists(items[at], &Way::Items(way), "list") {
                    return Err(message);
                }
                at += 1;
            }
            Ok(())
        }
        _ => Ok(()),
    }
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
    let fields = match owner.shape {
        Shape::Object(fields) => fields,
        Shape::OneOf(_, alternatives) => return repeated_in(alternatives, tree, other),
        _ => return Ok(()),
    };
    if owner.marks.own && occurrences(tree, owner) + occurrences(other, owner) > 1 {
        return Err(several_places(owner, first_marked(fields)));
    }
    if !has_marks_below(owner) {
        return Ok(());
    }
    let mut at = 0;
    while at < fields.len() {
        if fields[at].schema.marks.objects > 0
            && let Err(message) = repeated(fields[at].schema, tree, other)
        {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

const fn repeated_in(
    alternatives: &'static [Alternative],
    tree: &'static Schema,
    other: &'static Schema,
) -> Result<(), Message> {
    let mut at = 0;
    while at < alternatives.len() {
        if let Some(content) = alternatives[at].content
            && content.marks.objects > 0
            && let Err(message) = repeated(content, tree, other)
        {
            return Err(message);
        }
        at += 1;
    }
    Ok(())
}

/// How often a type with markers stands in a tree, lists and maps left out.
const fn occurrences(schema: &'static Schema, type_: &Schema) -> usize {
    let owner = peel(schema);
    let fields = match owner.shape {
        Shape::Object(fields) => fields,
        Shape::OneOf(_, alternatives) => return occurrences_in(alternatives, type_),
        _ => return 0,
    };
    let mut found = 0;
    if owner.marks.own && equal(owner.name, type_.name) && equal(owner.path, type_.path) {
        found += 1;
    }
    if !has_marks_below(owner) {
        return found;
    }
    let mut at = 0;
    while at < fields.len() {
        if fields[at].schema.marks.objects > 0 {
            found += occurrences(fields[at].schema, type_);
        }
        at += 1;
    }
    found
}

const fn occurrences_in(alternatives: &'static [Alternative], type_: &Schema) -> usize {
    let mut found = 0;
    let mut at = 0;
    while at < alternatives.len() {
        if let Some(content) = alternatives[at].content
            && content.marks.objects > 0
        {
            found += occurrences(content, type_);
        }
        at += 1;
    }
    found
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
