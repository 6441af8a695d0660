//! Paths that are given as strings, followed through the schema of a resource.

use super::{
    Message, Step,
    alternatives::kind_of_content,
    nearest::missing,
    walk::{Kind, Place, equal, field_named, format, from_root, is_open, kind, step_from},
};
use crate::{
    definition::{Definition, RootSchema},
    schema::{Field, Keyword, Marker, Schema},
};

/// What a path leads to.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) kind: Kind,
    /// The schema, where it is known: only selectors ask for it.
    #[cfg_attr(not(feature = "client"), allow(dead_code))]
    pub(super) schema: Option<&'static Schema>,
    format: Option<&'static str>,
    /// Whether the field is marked selectable.
    pub(super) is_selectable: bool,
}

const OPAQUE: Target = Target {
    kind: Kind::Opaque,
    schema: None,
    format: None,
    is_selectable: false,
};

/// A printer column can show what stands at the path.
pub const fn printer_column(
    definition: &Definition,
    steps: &[Step],
    type_: &str,
) -> Result<(), Message> {
    let target = match resolve(definition, steps) {
        Ok(target) => target,
        Err(message) => return Err(message),
    };
    let expected = match target.kind {
        Kind::Boolean => "boolean",
        Kind::Integer => "integer",
        Kind::Number => "number",
        Kind::String if is_time(target.format) => "date",
        _ => "string",
    };
    if equal(type_, "string") || shows(type_, target) {
        return Ok(());
    }
    Err(Message::of(&[
        "the path leads to ",
        target.kind.name(),
        ", which a column of the type `",
        type_,
        "` cannot show: write `type_ = \"",
        expected,
        "\"`",
    ]))
}

/// Whether a column shows the value, as the server's table converter does.
const fn shows(type_: &str, target: Target) -> bool {
    match target.kind {
        Kind::Opaque => true,
        Kind::Boolean => equal(type_, "boolean"),
        Kind::Integer => equal(type_, "integer") || equal(type_, "number"),
        Kind::Number => equal(type_, "number"),
        Kind::String => equal(type_, "date") && (target.format.is_none() || is_time(target.format)),
        _ => false,
    }
}

const fn is_time(format: Option<&str>) -> bool {
    match format {
        Some(format) => equal(format, "date-time"),
        None => false,
    }
}

/// The server can select objects by what stands at the path.
pub const fn selectable(definition: &Definition, steps: &[Step]) -> Result<(), Message> {
    match resolve(definition, steps) {
        Ok(target) if target.is_selectable => Err(Message::of(&[
            "the field is marked `#[crd(selectable)]`, which says the same: remove one of both",
        ])),
        Ok(target) => super::field::selectable_kind(target.kind),
        Err(message) => Err(message),
    }
}

/// The scale subresource can read a number of replicas at the path.
pub const fn scale_replicas(definition: &Definition, steps: &[Step]) -> Result<(), Message> {
    if leads_to_undeclared_status(definition, steps) {
        return Ok(());
    }
    match resolve(definition, steps) {
        Ok(target) => super::field::replicas_kind(target.kind),
        Err(message) => Err(message),
    }
}

/// The scale subresource can read a label selector at the path.
pub const fn scale_selector(definition: &Definition, steps: &[Step]) -> Result<(), Message> {
    if leads_to_undeclared_status(definition, steps) {
        return Ok(());
    }
    match resolve(definition, steps) {
        Ok(target) => super::field::selector_kind(target.kind),
        Err(message) => Err(message),
    }
}

/// A scale subresource without a declared status reads what somebody else writes there.
const fn leads_to_undeclared_status(definition: &Definition, steps: &[Step]) -> bool {
    match steps.first() {
        Some(Step::Field(name)) => !definition.status && equal(name, "status"),
        _ => false,
    }
}

/// The status has conditions.
pub const fn condition(definition: &Definition) -> Result<(), Message> {
    const fn to(last: &'static str) -> [Step; 4] {
        [
            Step::Field("status"),
            Step::Field("conditions"),
            Step::Items,
            Step::Field(last),
        ]
    }
    match (
        resolve(definition, &to("type")),
        resolve(definition, &to("status")),
    ) {
        (Ok(_), Ok(_)) => Ok(()),
        (Err(message), _) | (_, Err(message)) => Err(message
            .then(". A column of a condition shows `status.conditions`, a list of the type ")
            .then("`Vec<Condition>`")),
    }
}

pub(super) const fn resolve(definition: &Definition, steps: &[Step]) -> Result<Target, Message> {
    let Some(Step::Field(first)) = steps.first() else {
        return Ok(OPAQUE);
    };
    let mut place = from_root(definition, first);
    let mut at = 1;
    let mut reached = *first;
    let mut is_selectable = is_marked_at_root(definition, first);
    while at < steps.len() {
        is_selectable = match (place, steps[at]) {
            (Place::Value(schema, _) | Place::Content(schema), Step::Field(name)) => {
                is_marked_selectable(schema, name)
            }
            _ => false,
        };
        place = match step_from(place, steps[at]) {
            Some(place) => place,
            None => break,
        };
        if let Place::Wrong(kind) = place {
            return Err(wrong(reached, kind, steps[at]));
        }
        if let Step::Field(name) = steps[at] {
            reached = name;
        }
        at += 1;
    }
    match place {
        Place::Value(schema, keywords) => Ok(target(schema, keywords, is_selectable)),
        Place::Content(schema) => Ok(Target {
            kind: kind_of_content(schema),
            ..OPAQUE
        }),
        Place::Missing(object) => Err(missing(object, reached)),
        Place::MissingAtRoot => Err(missing_at_root(definition, reached)),
        Place::Opaque | Place::Wrong(_) => Ok(OPAQUE),
    }
}

const fn target(schema: &'static Schema, keywords: &[Keyword], is_selectable: bool) -> Target {
    let open = is_open(keywords);
    Target {
        kind: if open { Kind::Opaque } else { kind(schema) },
        schema: if open { None } else { Some(schema) },
        format: format(schema, keywords),
        is_selectable,
    }
}

/// Whether a field of the spec is marked that stands at the root.
const fn is_marked_at_root(definition: &Definition, name: &str) -> bool {
    match definition.schema {
        RootSchema::Derived(root) => root.flatten_spec && is_marked_selectable(root.spec, name),
        _ => false,
    }
}

const fn is_marked_selectable(object: &'static Schema, name: &str) -> bool {
    match field_named(object, name) {
        Some(field) => is_marked(field),
        None => false,
    }
}

/// Whether the field is marked selectable.
pub(super) const fn is_marked(field: &Field) -> bool {
    let mut at = 0;
    while at < field.markers.len() {
        if let Marker::Selectable = field.markers[at] {
            return true;
        }
        at += 1;
    }
    false
}

const fn wrong(name: &str, kind: Kind, step: Step) -> Message {
    let lacks = match step {
        Step::Field(_) => " and has no fields",
        _ => " and has no items",
    };
    Message::of(&["`", name, "` is ", kind.name(), lacks])
}

const fn missing_at_root(definition: &Definition, name: &str) -> Message {
    let message = Message::of(&["`", definition.kind, "` has no field `", name, "`"]);
    if equal(name, "status") {
        return message.then(": declare one with `status = \"...\"`");
    }
    match definition.schema {
        RootSchema::Derived(root) if root.status.is_some() => {
            message.then("; it has `metadata`, `spec` and `status`")
        }
        _ => message.then("; it has `metadata` and `spec`"),
    }
}
