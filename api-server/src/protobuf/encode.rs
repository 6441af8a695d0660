//! JSON as messages.

use k8s_openapi::ByteString;
use serde::Deserialize;
use serde_json::Value;

use super::{scalar, wire::Writer};
use crate::{
    decode::json_type,
    go_types::{Field, GoType, Shape},
};

/// The fields of an entry of a map.
const KEY: u32 = 1;
const VALUE: u32 = 2;
/// The field of a message that is a list.
const ITEMS: u32 = 1;

/// Returns the message of a struct, with its fields in the order of their numbers.
pub(super) fn members(type_: &GoType, object: &Value) -> Result<Vec<u8>, String> {
    let mut message = Writer::default();
    let numbered = type_.fields().iter().filter_map(|field| Some((field.number?, field)));
    let mut fields: Vec<_> = numbered.collect();
    fields.sort_unstable_by_key(|(number, _)| *number);
    for (number, field) in fields {
        put_field(number, field, object, &mut message)?;
    }
    Ok(message.0)
}

/// Writes a field. Go writes empty values too, unless they are pointers, lists, maps or bytes.
fn put_field(number: u32, field: &Field, object: &Value, message: &mut Writer) -> Result<(), String> {
    if field.is_inline {
        return put_single(number, &field.type_.shape, object, message);
    }
    let value = &object[field.name];
    let put = match (&field.type_.shape, value) {
        (Shape::List(_) | Shape::Items(_) | Shape::Map(_) | Shape::Bytes, Value::Null) => return Ok(()),
        (_, Value::Null) if field.is_pointer => return Ok(()),
        (Shape::List(element), Value::Array(items)) => {
            items.iter().try_for_each(|item| put_single(number, &element.shape, item, message))
        }
        (Shape::Map(element), Value::Object(members)) => members.iter().try_for_each(|(key, value)| {
            let mut entry = Writer::default();
            entry.put_bytes_field(KEY, key.as_bytes());
            put_single(VALUE, &element.shape, value, &mut entry)?;
            message.put_bytes_field(number, &entry.0);
            Ok(())
        }),
        (shape, value) => put_single(number, shape, value, message),
    };
    put.map_err(|problem: String| format!("{}: {problem}", field.name))
}

/// Writes one value. A null is the empty one.
fn put_single(number: u32, shape: &Shape, value: &Value, message: &mut Writer) -> Result<(), String> {
    match shape {
        Shape::Bool => message.put_varint_field(number, truth(value)?.into()),
        Shape::Int32 | Shape::Int64 => message.put_varint_field(number, integer(value)?.cast_unsigned()),
        Shape::Double => {
            let double = if value.is_null() { Some(0.0) } else { value.as_f64() };
            message.put_double_field(number, double.ok_or_else(|| mismatch(value, "number"))?);
        }
        Shape::Text => message.put_bytes_field(number, text(value)?.as_bytes()),
        Shape::Bytes => message.put_bytes_field(number, &bytes(value)?),
        Shape::Struct(type_) if value.is_object() || value.is_null() => {
            message.put_bytes_field(number, &members(type_, value)?);
        }
        Shape::Items(element) if value.is_array() || value.is_null() => {
            let mut items = Writer::default();
            for item in value.as_array().into_iter().flatten() {
                put_single(ITEMS, &element.shape, item, &mut items)?;
            }
            message.put_bytes_field(number, &items.0);
        }
        Shape::Scalar(scalar) => message.put_bytes_field(number, &scalar::encode(*scalar, value)?),
        Shape::Struct(_) | Shape::Map(_) => return Err(mismatch(value, "object")),
        Shape::Items(_) | Shape::List(_) => return Err(mismatch(value, "array")),
        Shape::Any => return Err("a value of any type cannot be encoded to a protobuf message".to_owned()),
    }
    Ok(())
}

pub(super) fn truth(value: &Value) -> Result<bool, String> {
    if value.is_null() { Ok(false) } else { value.as_bool().ok_or_else(|| mismatch(value, "bool")) }
}

pub(super) fn integer(value: &Value) -> Result<i64, String> {
    if value.is_null() { Ok(0) } else { value.as_i64().ok_or_else(|| mismatch(value, "integer")) }
}

pub(super) fn text(value: &Value) -> Result<&str, String> {
    if value.is_null() { Ok("") } else { value.as_str().ok_or_else(|| mismatch(value, "string")) }
}

fn bytes(value: &Value) -> Result<Vec<u8>, String> {
    if value.is_null() {
        return Ok(Vec::new());
    }
    ByteString::deserialize(value).map(|bytes| bytes.0).map_err(|_| mismatch(value, "base64"))
}

pub(super) fn mismatch(value: &Value, expected: &str) -> String {
    format!("{} is not of type {expected}", json_type(value))
}
