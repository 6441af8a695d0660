//! Whether a value has the type that its topology declares.

use std::{collections::BTreeSet, fmt};

use crdkit_core::go;
use serde_json::Value;

use super::{
    path_element::PathElement,
    topology::{List, ListKind, Map, Scalar, Shape, Topology, TypeId},
};

/// Whether a set or a list with keys can have several items with the same identity.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Duplicates {
    Allowed,
    Refused,
}

/// Values that have another type than their topology declares.
#[derive(Debug)]
pub(super) struct TypeErrors(Vec<TypeError>);

#[derive(Debug)]
struct TypeError {
    path: String,
    message: String,
}

/// Checks an object.
///
/// # Errors
///
/// If a value has another type than its topology declares.
pub(super) fn validate(topology: &Topology, object: &Value, duplicates: Duplicates) -> Result<(), TypeErrors> {
    let errors = Validator { topology, duplicates }.value(topology.root(), object);
    if errors.is_empty() { Ok(()) } else { Err(TypeErrors(errors)) }
}

struct Validator<'a> {
    topology: &'a Topology,
    duplicates: Duplicates,
}

impl Validator<'_> {
    fn value(&self, type_: TypeId, value: &Value) -> Vec<TypeError> {
        match (self.topology.deduce(type_, Some(value)), value) {
            (Shape::Nothing, _) => one("schema error: invalid atom: inlined".to_owned()),
            (Shape::Ignored, _) | (_, Value::Null) => Vec::new(),
            (Shape::Scalar(scalar), value) => scalar_mismatch(scalar, value).map(one).unwrap_or_default(),
            (Shape::List(list), Value::Array(items)) => self.list(list, items),
            (Shape::List(_), value) => one(format!("expected list, got &{{{}}}", plain(value))),
            (Shape::Map(map), Value::Object(fields)) => self.map(map, fields),
            (Shape::Map(_), value) => one(format!("expected map, got &{{{}}}", plain(value))),
        }
    }

    fn list(&self, list: &List, items: &[Value]) -> Vec<TypeError> {
        let mut errors = Vec::new();
        let mut seen = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            let identity = match &list.kind {
                ListKind::Atomic => None,
                ListKind::Set | ListKind::Map(_) => match PathElement::of_item(list, item) {
                    Ok(identity) => Some(identity),
                    Err(message) => {
                        errors.extend(one(format!("element {at}: {message}")));
                        return errors;
                    }
                },
            };
            let found = self.value(list.items, item);
            if let Some(identity) = &identity
                && self.duplicates == Duplicates::Refused
                && seen.contains(identity)
            {
                errors.extend(one(format!("duplicate entries for key {identity}")));
            }
            if !found.is_empty() {
                let element = identity.as_ref().map_or_else(|| format!("[{at}]"), ToString::to_string);
                errors.extend(below(&element, found));
            }
            seen.extend(identity);
        }
        errors
    }

    fn map(&self, map: &Map, fields: &serde_json::Map<String, Value>) -> Vec<TypeError> {
        let mut errors = Vec::new();
        for (name, value) in fields {
            let Some(type_) = map.allowed_field(name) else {
                errors.extend(below(&format!(".{name}"), one("field not declared in schema".to_owned())));
                return errors;
            };
            let found = self.value(type_, value);
            if !found.is_empty() {
                errors.extend(below(&format!(".{name}"), found));
            }
        }
        errors
    }
}

fn one(message: String) -> Vec<TypeError> {
    vec![TypeError { path: String::new(), message }]
}

fn below(element: &str, errors: Vec<TypeError>) -> impl Iterator<Item = TypeError> {
    errors.into_iter().map(move |error| TypeError { path: format!("{element}{}", error.path), ..error })
}

fn scalar_mismatch(scalar: Scalar, value: &Value) -> Option<String> {
    let is_scalar = value.is_number() || value.is_string() || value.is_boolean();
    match scalar {
        Scalar::Number if !value.is_number() => {
            Some(format!("expected numeric (int or float), got {}", type_name(value)))
        }
        Scalar::Text if !value.is_string() => {
            Some(format!("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value)))
        }
        Scalar::Boolean if !value.is_boolean() => Some(format!("expected boolean, got &{{{}}}", plain(value))),
        Scalar::Any if !is_scalar => Some(format!("expected any scalar, got &{{{}}}", plain(value))),
        _ => None,
    }
}

/// Formats the type of a value as `%T`.
const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Formats a value as `%v`.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => go::number(number.as_f64().unwrap_or_default()),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().map(|(name, value)| format!("{name}:{}", plain(value))).collect();
            fields.sort();
            format!("map[{}]", fields.join(" "))
        }
    }
}

/// Formats a value as `%#v`.
fn go_syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Bool(_) | Value::Number(_) => plain(value),
        Value::String(text) => go::quote(text),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(go_syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{}:{}", go::quote(name), go_syntax(value))).collect();
            fields.sort();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
    }
}

impl fmt::Display for TypeErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [error] => write!(f, "{error}"),
            errors => {
                write!(f, "errors:")?;
                errors.iter().try_for_each(|error| write!(f, "\n  {error}"))
            }
        }
    }
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}
