//! Markers on fields: where they stand, and whether they fit together.

use super::{
    Message,
    walk::{equal, has_mistakes, peel},
};
use crate::{
    definition::{Definition, MAX_SELECTABLE, Root, RootSchema, Scale},
    schema::{Field, Marker, ScaleRole, Schema, Shape},
};

/// What is looked for among the markers of a tree of types.
#[derive(Clone, Copy)]
enum Search {
    /// A field with this role.
    Role(ScaleRole),
    /// A selectable field.
    Selectable,
    /// Any field with a role.
    AnyRole,
    /// This field of this type, with any marker.
    Same(&'static Schema, &'static str),
}

impl Search {
    const fn matches(self, owner: &Schema, field: &Field) -> bool {
        if let Self::Same(type_, name) = self {
            return !field.markers.is_empty()
                && equal(owner.name, type_.name)
                && equal(owner.path, type_.path)
                && equal(field.name, name);
        }
        let mut at = 0;
        while at < field.markers.len() {
            match (self, field.markers[at]) {
                (Self::Role(role), Marker::Scale(found)) if role as u8 == found as u8 => {
                    return true;
                }
                (Self::AnyRole, Marker::Scale(_)) => return true,
                (Self::Selectable, Marker::Selectable) => return true,
                _ => {}
            }
            at += 1;
        }
        false
    }
}

/// How many fields of a tree match, lists and maps left out.
const fn count(schema: &'static Schema, search: Search) -> usize {
    let owner = peel(schema);
    let Shape::Object(fields) = owner.shape else {
        return 0;
    };
    if !owner.is_marked {
        return 0;
    }
    let mut found = 0;
    let mut at = 0;
    while at < fields.len() {
        if search.matches(owner, &fields[at]) {
            found += 1;
        }
        found += count(fields[at].schema, search);
        at += 1;
    }
    found
}

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
                if !fields[at].markers.is_empty() && !container.is_empty() {
                    return Err(many_places(schema, &fields[at], container));
                }
                if let Err(message) = below_lists(fields[at].schema, container) {
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
        if !field.markers.is_empty() && occurs_again(owner, field, tree, other) {
            return Err(several_places(owner, field));
        }
        if let Err(message) = repeated(field.schema, tree, other) {
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
    let search = Search::Same(owner, field.name);
    let in_other = match other {
        Some(other) => count(other, search),
        None => 0,
    };
    count(tree, search) + in_other > 1
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

const fn both(root: &Root, search: Search) -> usize {
    let in_status = match root.status {
        Some(status) => count(status, search),
        None => 0,
    };
    count(root.spec, search) + in_status
}

/// Every marker is read by the resource, and there are not too many.
pub const fn resource(definition: &Definition) -> Result<(), Message> {
    let Some(root) = root(definition) else {
        return Ok(());
    };
    let reads_roles = matches!(definition.scale, Some(Scale::Fields));
    if !reads_roles && both(root, Search::AnyRole) > 0 {
        return Err(Message::of(&[
            "a field is marked `#[crd(scale(...))]`, which `",
            definition.kind,
            "` does not read: add `#[crd(scale)]`, without paths, to the resource",
        ]));
    }
    let selectable = both(root, Search::Selectable) + definition.selectable_fields.len();
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
    if let Err(message) = one(root, ScaleRole::Replicas, "replicas", "spec") {
        return Err(message);
    }
    if let Err(message) = one(root, ScaleRole::StatusReplicas, "status_replicas", "status") {
        return Err(message);
    }
    match both(root, Search::Role(ScaleRole::LabelSelector)) {
        0 | 1 => Ok(()),
        _ => Err(Message::of(&[
            "more than one field is marked `#[crd(scale(label_selector))]`: mark one",
        ])),
    }
}

const fn one(root: &Root, role: ScaleRole, name: &str, place: &str) -> Result<(), Message> {
    let in_spec = count(root.spec, Search::Role(role));
    let in_status = both(root, Search::Role(role)) - in_spec;
    let (right, wrong) = match role {
        ScaleRole::Replicas => (in_spec, in_status),
        _ => (in_status, in_spec),
    };
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
