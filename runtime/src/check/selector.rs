//! Fields that the API server selects objects by.

use super::{
    Message, Step,
    nearest::{distance, tolerance},
    path,
    walk::{Kind, equal, peel},
};
use crate::{
    client::selector::{FieldKind, Selectable, SelectableField},
    definition::{Definition, Root, RootSchema, Scope},
    schema::{Schema, Shape},
};

/// A literal that a field is compared with.
#[derive(Clone, Copy)]
pub enum Literal<'a> {
    /// Text.
    String(&'a str),
    /// A number without a fraction.
    Integer(&'a str),
    /// `true` or `false`.
    Boolean(&'a str),
}

/// What is known about a field that selects.
#[derive(Clone, Copy)]
struct Found {
    kind: FieldKind,
    schema: Option<&'static Schema>,
}

/// The API server selects objects of the kind by the field.
pub const fn field(selectable: &Selectable, kind: &str, steps: &[Step]) -> Result<(), Message> {
    match find(selectable, steps) {
        Ok(_) => Ok(()),
        Err(cause) => Err(unknown(selectable, kind, steps, cause)),
    }
}

/// What a field is compared with; anything where the field does not exist, which [`field`] reports.
pub const fn kind(selectable: &Selectable, steps: &[Step]) -> FieldKind {
    match find(selectable, steps) {
        Ok(found) => found.kind,
        Err(_) => FieldKind::Any,
    }
}

/// A literal may be the value of the field.
pub const fn literal(
    selectable: &Selectable,
    steps: &[Step],
    literal: Literal<'_>,
) -> Result<(), Message> {
    let Ok(found) = find(selectable, steps) else {
        return Ok(());
    };
    let (text, expected) = match (found.kind, literal) {
        (FieldKind::String, Literal::String(text)) => return variant(found.schema, text),
        (FieldKind::String, Literal::Integer(text) | Literal::Boolean(text)) => {
            let message = joined(steps).then("` is a string: write `\"").then(text);
            return Err(message.then("\"`"));
        }
        (FieldKind::Integer, Literal::String(text)) => (text, "an integer: write a number"),
        (FieldKind::Integer, Literal::Boolean(text)) => (text, "an integer: write a number"),
        (FieldKind::Boolean, Literal::String(text) | Literal::Integer(text)) => {
            (text, "a boolean: write `true` or `false`")
        }
        _ => return Ok(()),
    };
    let message = joined(steps).then("` is never `").then(text);
    Err(message.then("`: it is ").then(expected))
}

/// The text is one that an enum may be; the empty one is that of a field which is not there.
const fn variant(schema: Option<&'static Schema>, text: &str) -> Result<(), Message> {
    let Some(schema) = schema else { return Ok(()) };
    let Shape::Enum(variants) = peel(schema).shape else {
        return Ok(());
    };
    let mut message = Message::of(&[
        "`",
        peel(schema).name,
        "` is never `",
        text,
        "`: it is one of",
    ]);
    let mut at = 0;
    while at < variants.len() {
        if equal(variants[at].name, text) {
            return Ok(());
        }
        let separator = if at == 0 { " `" } else { ", `" };
        message = message.then(separator).then(variants[at].name).then("`");
        at += 1;
    }
    if text.is_empty() {
        Ok(())
    } else {
        Err(message)
    }
}

/// What is known of a field, or why there is none, where it is not just undeclared.
const fn find(selectable: &Selectable, steps: &[Step]) -> Result<Found, Option<Message>> {
    match selectable {
        Selectable::Declared(definition) => declared(definition, steps),
        Selectable::Listed(fields) => listed(fields, steps),
    }
}

const fn listed(fields: &[SelectableField], steps: &[Step]) -> Result<Found, Option<Message>> {
    let mut at = 0;
    while at < fields.len() {
        if is_path(fields[at].path, steps) {
            return Ok(Found {
                kind: fields[at].kind,
                schema: None,
            });
        }
        at += 1;
    }
    Err(None)
}

const fn declared(definition: &Definition, steps: &[Step]) -> Result<Found, Option<Message>> {
    if let Ok(found) = listed(of_metadata(definition), steps) {
        return Ok(found);
    }
    let target = match path::resolve(definition, steps) {
        Ok(target) => target,
        Err(message) => return Err(Some(message)),
    };
    if !target.is_selectable && !is_declared_on_the_type(definition, steps) {
        return Err(None);
    }
    Ok(Found {
        kind: match target.kind {
            Kind::String => FieldKind::String,
            Kind::Integer => FieldKind::Integer,
            Kind::Boolean => FieldKind::Boolean,
            _ => FieldKind::Any,
        },
        schema: target.schema,
    })
}

/// What the API server selects by without being told.
const fn of_metadata(definition: &Definition) -> &'static [SelectableField] {
    match definition.scope {
        Scope::Cluster => SelectableField::OF_METADATA.split_at(1).0,
        Scope::Namespaced => SelectableField::OF_METADATA,
    }
}

const fn is_declared_on_the_type(definition: &Definition, steps: &[Step]) -> bool {
    let mut at = 0;
    while at < definition.selectable_fields.len() {
        if is_path(without_dot(definition.selectable_fields[at]), steps) {
            return true;
        }
        at += 1;
    }
    false
}

const fn without_dot(path: &str) -> &str {
    match path.as_bytes() {
        [b'.', ..] => path.split_at(1).1,
        _ => path,
    }
}

const fn is_path(path: &str, steps: &[Step]) -> bool {
    equal(path, dotted(Message::new(), steps).as_str())
}

const fn dotted(mut text: Message, steps: &[Step]) -> Message {
    let mut at = 0;
    while at < steps.len() {
        if at > 0 {
            text = text.then(".");
        }
        if let Step::Field(name) = steps[at] {
            text = text.then(name);
        }
        at += 1;
    }
    text
}

/// An open quote and the path behind it.
const fn joined(steps: &[Step]) -> Message {
    dotted(Message::of(&["`"]), steps)
}

const fn unknown(
    selectable: &Selectable,
    kind: &str,
    steps: &[Step],
    cause: Option<Message>,
) -> Message {
    let message = Message::of(&["the API server selects no `", kind, "` by `"]);
    let message = dotted(message, steps).then("`");
    let path = dotted(Message::new(), steps);
    let near = nearest(selectable, path.as_str());
    if near.distance <= tolerance(path.as_str()) {
        return message
            .then(": did you mean `")
            .then(near.path.as_str())
            .then("`?");
    }
    let message = match (cause, selectable) {
        (Some(cause), _) => message.then(": ").then(cause.as_str()).then("; "),
        (_, Selectable::Declared(_)) => {
            message.then(": mark the field with `#[crd(selectable)]`; ")
        }
        (_, Selectable::Listed(_)) => message.then(": "),
    };
    each(selectable, Visit::List(message.then("it selects by"), 0)).listed()
}

struct Nearest {
    path: Message,
    distance: usize,
}

const fn nearest(selectable: &Selectable, wanted: &str) -> Nearest {
    let none = Nearest {
        path: Message::new(),
        distance: usize::MAX,
    };
    match each(selectable, Visit::Nearest(wanted, none)) {
        Visit::Nearest(_, nearest) => nearest,
        Visit::List(path, distance) => Nearest { path, distance },
    }
}

/// What is done with each path that selects.
enum Visit<'a> {
    /// It is compared with one that does not.
    Nearest(&'a str, Nearest),
    /// It is written behind a text, with how many stand there.
    List(Message, usize),
}

impl Visit<'_> {
    const fn path(self, path: Message) -> Self {
        match self {
            Self::Nearest(wanted, nearest) => {
                let distance = distance(path.as_str(), wanted);
                if distance < nearest.distance {
                    Self::Nearest(wanted, Nearest { path, distance })
                } else {
                    Self::Nearest(wanted, nearest)
                }
            }
            Self::List(message, count) => {
                let separator = if count == 0 { " `" } else { ", `" };
                let message = message.then(separator).then(path.as_str()).then("`");
                Self::List(message, count + 1)
            }
        }
    }

    const fn listed(self) -> Message {
        match self {
            Self::List(message, _) => message,
            Self::Nearest(_, nearest) => nearest.path,
        }
    }
}

const fn each<'a>(selectable: &Selectable, visit: Visit<'a>) -> Visit<'a> {
    match selectable {
        Selectable::Listed(fields) => each_listed(fields, visit),
        Selectable::Declared(definition) => {
            let mut visit = each_listed(of_metadata(definition), visit);
            let mut at = 0;
            while at < definition.selectable_fields.len() {
                let path = without_dot(definition.selectable_fields[at]);
                visit = visit.path(Message::of(&[path]));
                at += 1;
            }
            match &definition.schema {
                RootSchema::Derived(root) => each_of_root(root, visit),
                _ => visit,
            }
        }
    }
}

const fn each_listed<'a>(fields: &[SelectableField], mut visit: Visit<'a>) -> Visit<'a> {
    let mut at = 0;
    while at < fields.len() {
        visit = visit.path(Message::of(&[fields[at].path]));
        at += 1;
    }
    visit
}

const fn each_of_root<'a>(root: &Root, visit: Visit<'a>) -> Visit<'a> {
    let spec = if root.flatten_spec { "" } else { "spec." };
    let visit = each_marked(root.spec, Message::of(&[spec]), visit);
    match root.status {
        Some(status) => each_marked(status, Message::of(&["status."]), visit),
        None => visit,
    }
}

const fn each_marked<'a>(
    schema: &'static Schema,
    prefix: Message,
    mut visit: Visit<'a>,
) -> Visit<'a> {
    let Shape::Object(fields) = peel(schema).shape else {
        return visit;
    };
    let mut at = 0;
    while at < fields.len() {
        let field = &fields[at];
        let path = prefix.then(field.name);
        if path::is_marked(field) {
            visit = visit.path(path);
        }
        if field.schema.marks.selectable > 0 {
            let below = if field.flatten {
                prefix
            } else {
                path.then(".")
            };
            visit = each_marked(field.schema, below, visit);
        }
        at += 1;
    }
    visit
}
