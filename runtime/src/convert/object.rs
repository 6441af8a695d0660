//! Conversion of whole objects.

#[cfg(feature = "testing")]
use std::cell::RefCell;

use serde_json::Value;

#[cfg(feature = "testing")]
use super::FunctionCall;
use super::{
    conversion::{ConversionNode, Direction, KindConversion},
    conversion_data::{self, Differ},
    error::ConvertError,
    path::ValuePath,
    values::{self, JsonObject},
};
use crate::{
    resource::definition::{Definition, DerivedRoot, RootSchema},
    schema::{Schema, walk::Value as Position},
};

/// Converts an object of the spoke to the hub.
pub(super) fn to_hub(conversion: &KindConversion, object: Value) -> Result<Value, ConvertError> {
    convert(conversion, object, Direction::ToHub)
}

/// Converts an object of the hub to the spoke.
pub(super) fn from_hub(conversion: &KindConversion, object: Value) -> Result<Value, ConvertError> {
    convert(conversion, object, Direction::FromHub)
}

fn convert(conversion: &KindConversion, object: Value, direction: Direction) -> Result<Value, ConvertError> {
    let Value::Object(mut source) = object else {
        return Err(ConvertError::NotAnObject);
    };
    let (from, to) = conversion.ends(direction);
    let mut kept = conversion_data::take(&mut source);
    let mut converted = members(conversion, source.clone(), direction, ValuePath::Root)?;
    if let Some(changes) = kept.remove(to.version) {
        let mut value = Value::Object(converted);
        conversion_data::restore(&mut value, changes);
        let Value::Object(restored) = value else {
            return Err(ConvertError::NotAnObject);
        };
        converted = restored;
    }
    let back = members(conversion, converted.clone(), direction.reversed(), ValuePath::Root)?;
    let lost = differences(from, &back, &source);
    if !lost.is_empty() {
        kept.insert(from.version.to_owned(), lost);
    }
    conversion_data::write(&mut converted, &kept, to.version)?;
    converted.insert("apiVersion".to_owned(), Value::String(format!("{}/{}", to.group, to.version)));
    Ok(Value::Object(converted))
}

/// Returns all calls of functions while an object is converted.
#[cfg(feature = "testing")]
pub(super) fn function_calls(conversion: &KindConversion, object: Value, direction: Direction) -> Vec<FunctionCall> {
    let calls = RefCell::default();
    if let Value::Object(object) = object {
        // Nothing fails while calls are recorded, and only they are of interest.
        let _ = members(conversion, object, direction, ValuePath::Recorded(&calls));
    }
    calls.into_inner()
}

/// Converts the spec and the status. The API server drops a status that the target version does not have.
fn members(
    conversion: &KindConversion,
    mut object: JsonObject,
    direction: Direction,
    root: ValuePath<'_>,
) -> Result<JsonObject, ConvertError> {
    let (_, target) = conversion.ends(direction);
    if !has_status(target) {
        object.remove("status");
    }
    for (name, node) in [("spec", &conversion.spec), ("status", &conversion.status)] {
        if matches!(node, ConversionNode::Same) {
            continue;
        }
        if let Some(member) = object.get_mut(name) {
            let place = ValuePath::Field(&root, name);
            *member = values::convert(node, member.take(), direction, place)?;
        }
    }
    Ok(object)
}

/// Whether objects of a version may have a status.
pub(super) fn has_status(of: &Definition) -> bool {
    !matches!(of.schema, RootSchema::Derived(DerivedRoot { status: None, .. }))
}

fn differences(of: &Definition, remaining: &JsonObject, actual: &JsonObject) -> Vec<conversion_data::ValueDifference> {
    let mut differ = Differ::new();
    for name in ["spec", "status"] {
        let position = schema(of, name).map(Position::of);
        differ.member(name, remaining.get(name), actual.get(name), position);
    }
    differ.changes()
}

fn schema(of: &Definition, member: &str) -> Option<&'static Schema> {
    let RootSchema::Derived(root) = &of.schema else {
        return None;
    };
    match member {
        "spec" => Some(root.spec),
        _ => root.status,
    }
}

impl KindConversion {
    /// The definitions of the source and of the target.
    pub(super) fn ends(&self, direction: Direction) -> (&'static Definition, &'static Definition) {
        match direction {
            Direction::ToHub => (self.spoke, self.hub),
            Direction::FromHub => (self.hub, self.spoke),
        }
    }
}
