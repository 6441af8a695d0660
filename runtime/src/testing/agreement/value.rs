//! Whether a value passes a schema: what the server calls value validation.
//!
//! It is stricter than the server in one point: null in place of the metadata of an embedded resource passes there.

use std::{collections::HashSet, fmt};

use serde_json::{Map, Value};

use super::{
    formats::format,
    node::{Node, Values, count, is},
};

mod resource;
mod scalars;

pub(crate) use scalars::has_type;

/// Why a value does not pass.
#[derive(Debug, PartialEq)]
pub(super) struct Mismatch {
    /// The place, such as `.spec.size`; empty for the whole value.
    pub(super) path: String,
    pub(super) message: String,
}

/// What to do about texts of which nothing is known, such as those of an unknown pattern.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Unknown {
    Refuse,
    Accept,
}

/// Whether a value passes, which the server has admitted already.
pub(super) fn check(node: &Node, value: &Value, unknown: Unknown) -> Result<(), Mismatch> {
    check_type(node, value)?;
    if !value.is_null() {
        check_branches(node, value, unknown)?;
        match value {
            Value::Number(number) => scalars::check_number(node, number).map_err(here)?,
            Value::String(text) => scalars::check_text(node, text, unknown).map_err(here)?,
            Value::Array(items) => check_list(node, items, unknown)?,
            Value::Object(members) => check_object(node, members, unknown)?,
            _ => {}
        }
    }
    let is_allowed = |allowed: &Value| !value.is_null() && same(allowed, value);
    match node.keywords.enum_.is_none() || node.allowed().any(is_allowed) {
        true => Ok(()),
        false => Err(here(format!(
            "{value} is not among the values of the `enum`"
        ))),
    }
}

fn here(message: String) -> Mismatch {
    Mismatch {
        path: String::new(),
        message,
    }
}

impl Mismatch {
    /// The same, seen from the value that has this one at a step such as `.size`.
    fn below(mut self, step: fmt::Arguments<'_>) -> Self {
        self.path = format!("{step}{}", self.path);
        self
    }
}

fn check_type(node: &Node, value: &Value) -> Result<(), Mismatch> {
    let Some(types) = node.types() else {
        return Ok(());
    };
    let fits = match value {
        Value::Null => node.is_nullable(),
        value => passes_unseen(node, value) || types.iter().any(|type_| has_type(value, type_)),
    };
    match fits {
        true => Ok(()),
        false => Err(here(format!("{value} is no {}", types.join(" or ")))),
    }
}

/// Whether the server does not look at the type of a value: where a string has a format, a list passes.
pub(super) fn passes_unseen(node: &Node, value: &Value) -> bool {
    let keywords = &node.keywords;
    let has_format = keywords.format.as_deref().and_then(format).is_some();
    value.is_array() && keywords.type_.as_deref() == Some("string") && has_format
}

fn check_branches(node: &Node, value: &Value, unknown: Unknown) -> Result<(), Mismatch> {
    let passes = |branch: &&Node| check(branch, value, unknown).is_ok();
    for branch in &node.all_of {
        check(branch, value, unknown)?;
    }
    if !node.any_of.is_empty() && !node.any_of.iter().any(|branch| passes(&branch)) {
        return Err(here("no schema of `anyOf` accepts it".to_owned()));
    }
    if !node.one_of.is_empty() {
        let passed = node.one_of.iter().filter(passes).count();
        if passed != 1 {
            return Err(here(format!(
                "{} of `oneOf` accept it",
                count(passed, "schema")
            )));
        }
    }
    if node.not.as_deref().is_some_and(|not| passes(&not)) {
        return Err(here("the schema of `not` accepts it".to_owned()));
    }
    Ok(())
}

fn check_list(node: &Node, items: &[Value], unknown: Unknown) -> Result<(), Mismatch> {
    let keywords = &node.keywords;
    check_size("item", items.len(), keywords.min_items, keywords.max_items)?;
    if let Some(schema) = &node.items {
        for (at, item) in items.iter().enumerate() {
            check(schema, item, unknown).map_err(|it| it.below(format_args!("[{at}]")))?;
        }
    }
    let keys = keywords
        .x_kubernetes_list_map_keys
        .as_deref()
        .unwrap_or_default();
    let identity = |item: &Value| match keywords.x_kubernetes_list_type.as_deref() {
        Some("set") => Some(item.to_string()),
        Some("map") => Some(
            keys.iter()
                .map(|key| format!("{:?}", item.get(key)))
                .collect(),
        ),
        _ => None,
    };
    let mut seen = HashSet::new();
    for (at, item) in items.iter().enumerate() {
        if identity(item).is_some_and(|identity| !seen.insert(identity)) {
            let mismatch = here(format!("{item} stands twice in the list"));
            return Err(mismatch.below(format_args!("[{at}]")));
        }
    }
    Ok(())
}

fn check_object(
    node: &Node,
    members: &Map<String, Value>,
    unknown: Unknown,
) -> Result<(), Mismatch> {
    let keywords = &node.keywords;
    check_size(
        "entry",
        members.len(),
        keywords.min_properties,
        keywords.max_properties,
    )?;
    if let Some(name) = node.required().find(|name| !members.contains_key(*name)) {
        return Err(here(format!("`{name}` is missing")));
    }
    for (name, value) in members {
        match node.member(name) {
            Some(member) => {
                check(member, value, unknown).map_err(|it| it.below(format_args!(".{name}")))?
            }
            None if matches!(node.values, Values::Forbidden) => {
                return Err(here(format!("`{name}` is forbidden")));
            }
            None => {}
        }
    }
    match node.is_embedded() {
        true => resource::check(members),
        false => Ok(()),
    }
}

/// Whether the members have what the server asks of each resource.
pub(super) fn is_resource(members: &Map<String, Value>) -> bool {
    resource::check(members).is_ok()
}

fn check_size(what: &str, size: usize, min: Option<i64>, max: Option<i64>) -> Result<(), Mismatch> {
    scalars::check_size(what, size, min, max).map_err(here)
}

/// Whether two values are equal, `1.0` being `1`.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    super::place::difference(one, other).is_none()
}

/// Whether the numbers that bounds exclude are those at the bounds, too.
fn excludes(flag: Option<bool>, number: f64, bound: f64) -> bool {
    is(flag) && number == bound
}

#[cfg(test)]
mod tests;
