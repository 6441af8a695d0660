//! Conversion of values.

use serde_json::{Map, Value};

#[cfg(feature = "testing")]
use super::function_call::FunctionCall;
use super::{
    conversion::{ConversionNode, Direction, FieldConversion, ObjectConversion, With},
    error::ConvertError,
    fill,
    path::{ValuePath, put, take},
    variants,
};

pub(super) type JsonObject = Map<String, Value>;
pub(super) type Result<T> = std::result::Result<T, ConvertError>;

/// Converts a value. Null, and values of another form than the node describes, stay the same: validation reports them.
pub(super) fn convert(
    node: &ConversionNode,
    value: Value,
    direction: Direction,
    place: ValuePath<'_>,
) -> Result<Value> {
    match (node, value) {
        (ConversionNode::Of(inner), value) => convert(inner, value, direction, place),
        (ConversionNode::Object(conversion), Value::Object(object)) => {
            let mut converted = JsonObject::new();
            object_fields(conversion, object, &mut converted, direction, place)?;
            Ok(Value::Object(converted))
        }
        (ConversionNode::Enum(conversion), value) => variants::convert(conversion, value, direction, place),
        (ConversionNode::Items(node), Value::Array(items)) => {
            let items = items.into_iter().enumerate();
            items.map(|(at, item)| convert(node, item, direction, ValuePath::Item(&place, at))).collect()
        }
        (ConversionNode::Values(node), Value::Object(entries)) => entries
            .into_iter()
            .map(|(key, value)| {
                let value = convert(node, value, direction, ValuePath::Entry(&place, &key))?;
                Ok((key, value))
            })
            .collect(),
        (_, value) => Ok(value),
    }
}

/// Converts the fields of an object, and adds them to another one.
fn object_fields(
    conversion: &ObjectConversion,
    mut source: JsonObject,
    target: &mut JsonObject,
    direction: Direction,
    place: ValuePath<'_>,
) -> Result<()> {
    take_fields(conversion, &mut source, target, direction, place)?;
    fill::missing(conversion, target, direction);
    if fill::keeps_unknown_fields(conversion, direction) {
        for (name, value) in source {
            target.entry(name).or_insert(value);
        }
    }
    Ok(())
}

/// Moves all fields of the conversion from one object to the other.
fn take_fields(
    conversion: &ObjectConversion,
    source: &mut JsonObject,
    target: &mut JsonObject,
    direction: Direction,
    place: ValuePath<'_>,
) -> Result<()> {
    for field in conversion.fields {
        match (field.name.is_empty(), field.hub, direction) {
            (true, ..) => flattened(field, source, target, direction, place)?,
            (false, None, _) => {}
            (false, Some([]), Direction::ToHub) => {
                if let Some(Value::Object(mut inner)) = source.remove(field.name) {
                    nested_fields(&field.node, &mut inner, target, direction, ValuePath::Field(&place, field.name))?;
                }
            }
            (false, Some([]), Direction::FromHub) => {
                let mut inner = JsonObject::new();
                nested_fields(&field.node, source, &mut inner, direction, place)?;
                if !inner.is_empty() {
                    target.insert(field.name.to_owned(), Value::Object(inner));
                }
            }
            (false, Some(path), _) => one_field(field, path, source, target, direction, place)?,
        }
    }
    Ok(())
}

/// Converts a field whose fields are those of the enclosing object in JSON.
fn flattened(
    field: &FieldConversion,
    source: &mut JsonObject,
    target: &mut JsonObject,
    direction: Direction,
    place: ValuePath<'_>,
) -> Result<()> {
    if !matches!(field.node, ConversionNode::Same) {
        return nested_fields(&field.node, source, target, direction, place);
    }
    target.append(source);
    Ok(())
}

fn nested_fields(
    node: &ConversionNode,
    source: &mut JsonObject,
    target: &mut JsonObject,
    direction: Direction,
    place: ValuePath<'_>,
) -> Result<()> {
    match node {
        ConversionNode::Object(conversion) => {
            take_fields(conversion, source, target, direction, place)?;
            fill::missing(conversion, target, direction);
            Ok(())
        }
        ConversionNode::Of(node) => nested_fields(node, source, target, direction, place),
        _ => {
            target.append(source);
            Ok(())
        }
    }
}

fn one_field(
    field: &FieldConversion,
    path: &[&str],
    source: &mut JsonObject,
    target: &mut JsonObject,
    direction: Direction,
    place: ValuePath<'_>,
) -> Result<()> {
    let own = [field.name];
    let (from, to) = match direction {
        Direction::ToHub => (own.as_slice(), path),
        Direction::FromHub => (path, own.as_slice()),
    };
    let Some(value) = take(source, from) else {
        return Ok(());
    };
    let name = from.join(".");
    let place = ValuePath::Field(&place, &name);
    let value = match (&field.with, direction) {
        (Some(_), _) if value.is_null() => value,
        (Some(with), _) => call(with, &value, direction, place)?,
        (None, _) => convert(&field.node, value, direction, place)?,
    };
    // Something that is no object is in the way only if the source has more than its schema allows.
    let _ = put(target, to, value);
    Ok(())
}

fn call(with: &With, value: &Value, direction: Direction, place: ValuePath<'_>) -> Result<Value> {
    let function = match direction {
        Direction::ToHub => with.to_hub,
        Direction::FromHub => with.from_hub,
    };
    let result = function(value);
    #[cfg(feature = "testing")]
    if let Some(record) = place.record() {
        record.borrow_mut().push(FunctionCall::new(with, value, &result, place));
        // The functions after one that rejects its value are called too.
        return Ok(result.unwrap_or_else(|_| value.clone()));
    }
    result.map_err(|message| ConvertError::Value { path: place.text(), message })
}
