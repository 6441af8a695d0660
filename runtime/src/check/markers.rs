//! Markers on fields: where they stand, and whether they fit together.

use super::{
    Message,
    walk::{equal, has_mistakes, peel},
};
use crate::{
    definition::{Definition, MAX_SELECTABLE, Root, RootSchema, Scale},
    schema::{Field, Marker, Marks, Schema, Shape},
};

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

/// What the markers of the spec and of the status add up to.
const fn marks(root: &Root) -> (Marks, Marks) {
    let status = match root.status {
        Some(status) => status.marks,
        None => Marks::NONE,
    };
    (root.spec.marks, status)
}

/// The rules on markers of one tree of types, the other one being where its types may occur again.
const fn tree(tree: &'static Schema, other: Option<&'static Schema>) -> Result<(), Message> {
    if tree.marks.below_lists
        && let Err(message) = below_lists(tree, "")
    {
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
const fn below_lists(schema: &'static Schema, container: &'static str) -> Result<(), Message> {
    match schema.shape {
        _ if !schema.marks.any() => Ok(()),
        Shape::Newtype(inner) => below_lists(inner, container),
        Shape::List(items) => below_lists(items, "list"),
        Shape::Map(values) => below_lists(values, "map"),
        Shape::Object(fields) => {
            let mut at = 0;
            while at < fields.len() {
                if matches!(fields[at].markers, [_, ..]) && !container.is_empty() {
                    return Err(many_places(schema, &fields[at], container));
                }
                if fields[at].schema.marks.any()
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
        match field.markers[0] {
            Marker::Column(_) => ", and name one place with `printcolumn` on the resource",
            _ => "",
        },
    ])
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
    let Shape::Object(fields) = owner.shape else {
        return Ok(());
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

/// How often a type with markers stands in a tree, lists and maps left out.
const fn occurrences(schema: &'static Schema, type_: &Schema) -> usize {
    let owner = peel(schema);
    let Shape::Object(fields) = owner.shape else {
        return 0;
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

/// Every marker is read by the resource, and there are not too many.
pub const fn resource(definition: &Definition) -> Result<(), Message> {
    let Some(root) = root(definition) else {
        return Ok(());
    };
    let reads_roles = matches!(definition.scale, Some(Scale::Fields));
    let (spec, status) = marks(root);
    if !reads_roles && (spec.has_roles() || status.has_roles()) {
        return Err(Message::of(&[
            "a field is marked `#[crd(scale(...))]`, which `",
            definition.kind,
            "` does not read: add `#[crd(scale)]`, without paths, to the resource",
        ]));
    }
    let marked = spec.selectable + status.selectable;
    let selectable = marked + definition.selectable_fields.len();
    if selectable > MAX_SELECTABLE {
        return Err(Message::of(&[
            "`",
            definition.kind,
            "` has more than 8 selectable fields, those that are marked `#[crd(selectable)]` \
             included: the server allows 8",
        ]));
    }
    Ok(())
}

/// Exactly one field has each role of the scale subresource; the label selector may be missing.
///
/// `marked` says whether fields of the spec carry markers: where these cannot be read, [`are_read`] says so.
pub const fn scale(definition: &Definition, marked: bool) -> Result<(), Message> {
    let Some(root) = root(definition) else {
        return Ok(());
    };
    match roles(root) {
        // Fields may be missing here only because they could not be read.
        Err(_) if is_unread(root, marked) => Ok(()),
        result => result,
    }
}

const fn is_unread(root: &Root, marked: bool) -> bool {
    let status_has_mistakes = match root.status {
        Some(status) => has_mistakes(status),
        None => false,
    };
    has_mistakes(root.spec) || status_has_mistakes || marked && is_foreign(root.spec)
}

const fn roles(root: &Root) -> Result<(), Message> {
    let (spec, status) = marks(root);
    if let Err(message) = one(spec.replicas, status.replicas, "replicas", "spec") {
        return Err(message);
    }
    let (right, wrong) = (status.status_replicas, spec.status_replicas);
    if let Err(message) = one(right, wrong, "status_replicas", "status") {
        return Err(message);
    }
    match spec.label_selector + status.label_selector {
        0 | 1 => Ok(()),
        _ => Err(Message::of(&[
            "more than one field is marked `#[crd(scale(label_selector))]`: mark one",
        ])),
    }
}

/// One field in the right place has a role, and none in the wrong one.
const fn one(right: usize, wrong: usize, name: &str, place: &str) -> Result<(), Message> {
    if wrong > 0 {
        return Err(Message::of(&[
            "a field outside of the ",
            place,
            " is marked `#[crd(scale(",
            name,
            "))]`: the scale subresource looks for it in the ",
            place,
        ]));
    }
    match right {
        1 => Ok(()),
        0 => Err(Message::of(&[
            "no field of the ",
            place,
            " is marked `#[crd(scale(",
            name,
            "))]`: mark one, or write the paths here",
        ])),
        _ => Err(Message::of(&[
            "more than one field of the ",
            place,
            " is marked `#[crd(scale(",
            name,
            "))]`: mark one, or write the paths here",
        ])),
    }
}

/// What the spec's own fields say is known to the resource.
pub const fn are_read(definition: &Definition) -> Result<(), Message> {
    match root(definition) {
        Some(root) if is_foreign(root.spec) => Err(Message::of(&[
            "the schema of this type comes from `schemars`, which does not know this attribute: \
             derive crdkit's `KubeSchema` instead",
        ])),
        _ => Ok(()),
    }
}

const fn is_foreign(schema: &Schema) -> bool {
    matches!(peel(schema).shape, Shape::Foreign(_))
}
