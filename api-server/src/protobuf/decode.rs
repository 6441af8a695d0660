//! Messages as JSON.

use std::borrow::Cow;

use k8s_openapi::ByteString;
use serde_json::{Map, Value};

use super::{
    scalar,
    wire::{Payload, Reader},
};
use crate::go_types::{Field, GoType, Shape, Type};

/// The greatest depth of a value, below the limit of `serde_json`, which reads stored objects.
pub(super) const MAX_DEPTH: usize = 100;
pub(super) const TOO_DEEP: &str = "exceeded max depth";

/// The fields of an entry of a map.
const KEY: u32 = 1;
const VALUE: u32 = 2;
/// The field of a message that is a list.
const ITEMS: u32 = 1;

/// Returns the members of a struct.
pub(super) fn members(type_: &GoType, message: &[u8]) -> Result<Map<String, Value>, String> {
    let mut members = Map::new();
    add_members(type_, message, 0, &mut members)?;
    Ok(members)
}

/// Returns a struct at a depth.
pub(super) fn message(type_: &GoType, message: &[u8], depth: usize) -> Result<Value, String> {
    let mut members = Map::new();
    add_members(type_, message, depth, &mut members)?;
    Ok(members.into())
}

fn add_members(type_: &GoType, message: &[u8], depth: usize, members: &mut Map<String, Value>) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(TOO_DEEP.to_owned());
    }
    let fields = type_.fields();
    let mut payloads: Vec<Vec<Payload<'_>>> = vec![Vec::new(); fields.len()];
    let mut reader = Reader(message);
    while let Some((number, payload)) = reader.next()? {
        // Newer clients send fields that are not known.
        if let Some(index) = fields.iter().position(|field| field.number == Some(number)) {
            payloads[index].push(payload);
        }
    }
    for (field, payloads) in fields.iter().zip(payloads) {
        add_field(field, &payloads, depth, members)?;
    }
    Ok(())
}

/// Adds a field as Go writes it, unless Go omits it.
fn add_field(
    field: &Field,
    payloads: &[Payload<'_>],
    depth: usize,
    members: &mut Map<String, Value>,
) -> Result<(), String> {
    // The kind and its version are not in the message.
    if field.number.is_none() {
        return Ok(());
    }
    if let (true, Shape::Struct(inner)) = (field.is_inline, &field.type_.shape) {
        return add_members(inner, &joined(payloads, field.name)?, depth, members);
    }
    let is_absent = payloads.is_empty();
    let value = if field.is_pointer && is_absent { Value::Null } else { value(field, payloads, depth + 1)? };
    let is_omitted = if field.is_pointer {
        is_absent && field.omits_empty
    } else {
        field.omits_empty && is_empty(&field.type_.shape, &value) || field.omits_zero && value.is_null()
    };
    if !is_omitted {
        members.insert(field.name.to_owned(), value);
    }
    Ok(())
}

/// Returns whether a value is one that Go's `omitempty` omits: structs are not.
fn is_empty(shape: &Shape, value: &Value) -> bool {
    match (shape, value) {
        (Shape::Struct(_) | Shape::Scalar(_), _) => false,
        (_, Value::Null | Value::Bool(false)) => true,
        (_, Value::String(text)) => text.is_empty(),
        (_, Value::Number(number)) => number.as_f64() == Some(0.0),
        (_, Value::Array(items)) => items.is_empty(),
        (_, Value::Object(members)) => members.is_empty(),
        _ => false,
    }
}

fn value(field: &Field, payloads: &[Payload<'_>], depth: usize) -> Result<Value, String> {
    let last = payloads.last().copied();
    let name = field.name;
    match &field.type_.shape {
        Shape::Bytes | Shape::Items(_) if last.is_none() => Ok(Value::Null),
        Shape::List(element) => list(element, payloads, name, depth),
        Shape::Map(element) => map(element, payloads, name, depth),
        shape @ (Shape::Struct(_) | Shape::Items(_) | Shape::Scalar(_)) => {
            single(shape, Some(Payload::Bytes(&joined(payloads, name)?)), name, depth)
        }
        shape => single(shape, last, name, depth),
    }
}

fn list(element: &Type, payloads: &[Payload<'_>], name: &str, depth: usize) -> Result<Value, String> {
    let mut items = Vec::with_capacity(payloads.len());
    for payload in payloads {
        match (&element.shape, payload) {
            // Numbers can be packed into one field.
            (Shape::Int32 | Shape::Int64 | Shape::Bool, Payload::Bytes(packed)) => {
                let mut reader = Reader(packed);
                while !reader.0.is_empty() {
                    let item = Payload::Varint(reader.varint()?);
                    items.push(single(&element.shape, Some(item), name, depth)?);
                }
            }
            _ => items.push(single(&element.shape, Some(*payload), name, depth + 1)?),
        }
    }
    // Go does not tell an empty list from none.
    Ok(if items.is_empty() { Value::Null } else { items.into() })
}

fn map(element: &Type, payloads: &[Payload<'_>], name: &str, depth: usize) -> Result<Value, String> {
    let mut entries = Map::new();
    for payload in payloads {
        let (mut key, mut found) = (String::new(), None);
        let mut reader = Reader(bytes(*payload, name)?);
        while let Some((number, payload)) = reader.next()? {
            match number {
                KEY => key = String::from_utf8_lossy(bytes(payload, name)?).into_owned(),
                VALUE => found = Some(payload),
                _ => {}
            }
        }
        entries.insert(key, single(&element.shape, found, name, depth + 1)?);
    }
    Ok(if entries.is_empty() { Value::Null } else { entries.into() })
}

/// Returns one value; a zero one without a payload.
fn single(shape: &Shape, payload: Option<Payload<'_>>, name: &str, depth: usize) -> Result<Value, String> {
    let payload_bytes = || payload.map_or(Ok(&[][..]), |payload| bytes(payload, name));
    let number = || payload.map_or(Ok(0), |payload| varint(payload, name));
    Ok(match shape {
        Shape::Bool => (number()? != 0).into(),
        // As in Go, the lower bits of a longer number count.
        Shape::Int32 => (number()? as i32).into(),
        Shape::Int64 => number()?.cast_signed().into(),
        Shape::Double => match payload {
            None => 0.into(),
            Some(Payload::Fixed64(bits)) => double(f64::from_bits(bits)),
            Some(other) => return Err(wrong_type(other, name)),
        },
        Shape::Text => String::from_utf8_lossy(payload_bytes()?).into(),
        Shape::Bytes => base64(payload_bytes()?),
        Shape::Items(element) => {
            let mut items = Vec::new();
            let mut reader = Reader(payload_bytes()?);
            while let Some((number, payload)) = reader.next()? {
                if number == ITEMS {
                    items.push(payload);
                }
            }
            let items = list(element, &items, name, depth)?;
            // The message tells an empty list from none.
            if items.is_null() { Vec::<Value>::new().into() } else { items }
        }
        Shape::Struct(type_) => message(type_, payload_bytes()?, depth)?,
        Shape::Scalar(scalar) => scalar::decode(*scalar, payload_bytes()?, depth)?,
        // Lists of lists are messages, and protobuf has no maps of maps.
        Shape::List(element) => list(element, payload.as_slice(), name, depth)?,
        Shape::Map(element) => map(element, payload.as_slice(), name, depth)?,
        Shape::Any => Value::Null,
    })
}

/// Returns the number as Go writes it: without a fraction if that is zero.
pub(super) fn double(number: f64) -> Value {
    crate::table::float(number)
}

pub(super) fn base64(bytes: &[u8]) -> Value {
    serde_json::to_value(ByteString(bytes.to_vec())).expect("bytes are JSON")
}

/// Returns the bytes of a message that is in several fields, which is the same as one with all of them.
fn joined<'b>(payloads: &[Payload<'b>], name: &str) -> Result<Cow<'b, [u8]>, String> {
    if let [payload] = payloads {
        return bytes(*payload, name).map(Cow::Borrowed);
    }
    let parts = payloads.iter().map(|payload| bytes(*payload, name));
    Ok(parts.collect::<Result<Vec<_>, _>>()?.concat().into())
}

pub(super) fn bytes<'b>(payload: Payload<'b>, name: &str) -> Result<&'b [u8], String> {
    match payload {
        Payload::Bytes(bytes) => Ok(bytes),
        other => Err(wrong_type(other, name)),
    }
}

pub(super) fn varint(payload: Payload<'_>, name: &str) -> Result<u64, String> {
    match payload {
        Payload::Varint(value) => Ok(value),
        other => Err(wrong_type(other, name)),
    }
}

/// As Go's generated code, which has the name of the field in Go here.
fn wrong_type(payload: Payload<'_>, name: &str) -> String {
    let wire_type = match payload {
        Payload::Varint(_) => 0,
        Payload::Fixed64(_) => 1,
        Payload::Bytes(_) => 2,
        Payload::Fixed32 => 5,
    };
    format!("proto: wrong wireType = {wire_type} for field {name}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{go_types, protobuf::wire::Writer};

    /// The message of a schema in schemas.
    fn nested(depth: usize) -> Vec<u8> {
        let not = go_types::schema().fields().iter().find(|field| field.name == "not").unwrap();
        let mut message = Vec::new();
        for _ in 0..depth {
            let mut outer = Writer::default();
            outer.put_bytes_field(not.number.unwrap(), &message);
            message = outer.0;
        }
        message
    }

    #[test]
    fn stored_objects_can_be_read() {
        let deep = members(go_types::schema(), &nested(MAX_DEPTH)).unwrap();
        let text = serde_json::to_string(&deep).unwrap();
        assert!(serde_json::from_str::<Value>(&text).is_ok());
        for depth in [MAX_DEPTH + 1, 50_000] {
            assert_eq!(members(go_types::schema(), &nested(depth)).unwrap_err(), TOO_DEEP, "{depth}");
        }
    }

    #[test]
    fn parts_of_a_message_are_one() {
        let config = go_types::of_kind("v1", "ConfigMap").unwrap();
        let parts = b"\x0a\x03\x0a\x01a\x0a\x03\x1a\x01b\x0a\x03\x0a\x01c";
        let metadata = &members(config, parts).unwrap()["metadata"];
        assert_eq!(metadata.to_string(), r#"{"name":"c","namespace":"b"}"#);
        assert_eq!(members(config, b"\x08\x01").unwrap_err(), "proto: wrong wireType = 0 for field metadata");
    }

    #[test]
    fn empty_values_are_as_go_writes_them() {
        let of_kind = |version, kind, message: &[u8]| {
            Value::from(members(go_types::of_kind(version, kind).unwrap(), message).unwrap()).to_string()
        };
        assert_eq!(of_kind("v1", "ConfigMap", b""), r#"{"metadata":{}}"#);
        let deployment = of_kind("apps/v1", "Deployment", b"");
        let spec = r#"{"selector":null,"strategy":{},"template":{"metadata":{},"spec":{"containers":null}}}"#;
        assert_eq!(deployment, format!(r#"{{"metadata":{{}},"spec":{spec},"status":{{}}}}"#));
    }
}
