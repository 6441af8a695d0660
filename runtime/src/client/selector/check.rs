//! Checks the fields and values of field selectors at compile time.

mod paths;

use crdkit_core::{Message, suggest::tolerance};

use super::{FieldKind, Selectable, SelectableField};
use crate::{
    check::path,
    resource::definition::{Definition, Scope},
    schema::{
        Schema, Shape,
        walk::{Kind, PathStep, equal, strip_newtypes},
    },
};

/// A literal with which a field is compared.
#[derive(Clone, Copy)]
pub enum Literal<'a> {
    /// Text.
    String(&'a str),
    /// A number without a fraction.
    Integer(&'a str),
    /// `true` or `false`.
    Boolean(&'a str),
}

/// A selectable field.
#[derive(Clone, Copy)]
struct Found {
    kind: FieldKind,
    schema: Option<&'static Schema>,
}

/// Checks that the API server supports the field in selectors of the kind.
pub const fn field(selectable: &Selectable, kind: &str, steps: &[PathStep]) -> Result<(), Message> {
    match find(selectable, steps) {
        Ok(_) => Ok(()),
        Err(cause) => Err(unknown(selectable, kind, steps, cause)),
    }
}

/// Returns the type of a field's values; [`FieldKind::Any`] for a missing field, which [`field`] reports.
pub const fn kind(selectable: &Selectable, steps: &[PathStep]) -> FieldKind {
    match find(selectable, steps) {
        Ok(found) => found.kind,
        Err(_) => FieldKind::Any,
    }
}

/// Checks that a field can have the value of a literal.
pub const fn literal(selectable: &Selectable, steps: &[PathStep], literal: Literal<'_>) -> Result<(), Message> {
    let Ok(found) = find(selectable, steps) else {
        return Ok(());
    };
    let (text, expected) = match (found.kind, literal) {
        (FieldKind::String, Literal::String(text)) => return variant(found.schema, text),
        (FieldKind::String, Literal::Integer(text) | Literal::Boolean(text)) => {
            let message = joined(steps).then("` is a string: use `\"").then(text);
            return Err(message.then("\"`"));
        }
        (FieldKind::Integer, Literal::String(text)) => (text, "an integer: use a number"),
        (FieldKind::Integer, Literal::Boolean(text)) => (text, "an integer: use a number"),
        (FieldKind::Boolean, Literal::String(text) | Literal::Integer(text)) => {
            (text, "a boolean: use `true` or `false`")
        }
        _ => return Ok(()),
    };
    let message = joined(steps).then("` is never `").then(text);
    Err(message.then("`: it is ").then(expected))
}

/// Checks that the text is a variant of the enum; the empty text is the value of a missing field.
const fn variant(schema: Option<&'static Schema>, text: &str) -> Result<(), Message> {
    let Some(schema) = schema else { return Ok(()) };
    let Shape::Enum(variants) = strip_newtypes(schema).shape else {
        return Ok(());
    };
    let mut message = Message::concat(&["`", strip_newtypes(schema).name, "` is never `", text, "`: it is one of"]);
    let mut at = 0;
    while at < variants.len() {
        if equal(variants[at].name, text) {
            return Ok(());
        }
        let separator = if at == 0 { " `" } else { ", `" };
        message = message.then(separator).then(variants[at].name).then("`");
        at += 1;
    }
    if text.is_empty() { Ok(()) } else { Err(message) }
}

/// Finds a field. The error is a more specific reason than that the field is not declared, if there is one.
const fn find(selectable: &Selectable, steps: &[PathStep]) -> Result<Found, Option<Message>> {
    match selectable {
        Selectable::Declared(definition) => declared(definition, steps),
        Selectable::Listed(fields) => listed(fields, steps),
    }
}

const fn listed(fields: &[SelectableField], steps: &[PathStep]) -> Result<Found, Option<Message>> {
    let mut at = 0;
    while at < fields.len() {
        if is_path(fields[at].path, steps) {
            return Ok(Found { kind: fields[at].kind, schema: None });
        }
        at += 1;
    }
    Err(None)
}

const fn declared(definition: &Definition, steps: &[PathStep]) -> Result<Found, Option<Message>> {
    if let Ok(found) = listed(metadata_fields(definition), steps) {
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

/// Returns the fields that every kind supports in selectors.
const fn metadata_fields(definition: &Definition) -> &'static [SelectableField] {
    match definition.scope {
        Scope::Cluster => SelectableField::METADATA_FIELDS.split_at(1).0,
        Scope::Namespaced => SelectableField::METADATA_FIELDS,
    }
}

const fn is_declared_on_the_type(definition: &Definition, steps: &[PathStep]) -> bool {
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

const fn is_path(path: &str, steps: &[PathStep]) -> bool {
    equal(path, dotted(Message::new(), steps).as_str())
}

const fn dotted(mut text: Message, steps: &[PathStep]) -> Message {
    let mut at = 0;
    while at < steps.len() {
        if at > 0 {
            text = text.then(".");
        }
        if let PathStep::Field(name) = steps[at] {
            text = text.then(name);
        }
        at += 1;
    }
    text
}

/// Returns an opening backtick and the path.
const fn joined(steps: &[PathStep]) -> Message {
    dotted(Message::concat(&["`"]), steps)
}

const fn unknown(selectable: &Selectable, kind: &str, steps: &[PathStep], cause: Option<Message>) -> Message {
    let message = Message::concat(&["the API server cannot select `", kind, "` by `"]);
    let message = dotted(message, steps).then("`");
    let path = dotted(Message::new(), steps);
    let near = paths::nearest(selectable, path.as_str());
    if near.distance <= tolerance(path.as_str()) {
        return message.then(": did you mean `").then(near.path.as_str()).then("`?");
    }
    let message = match (cause, selectable) {
        (Some(cause), _) => message.then(": ").then(cause.as_str()).then("; "),
        (_, Selectable::Declared(_)) => message.then(": mark the field with `#[crd(selectable)]`; "),
        (_, Selectable::Listed(_)) => message.then(": "),
    };
    paths::list(selectable, message.then("it supports"))
}
