//! Types that have a form of their own in JSON.

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

use super::{
    decode::{self, MAX_DEPTH, bytes, varint},
    encode::{self, integer, mismatch, text},
    wire::{Reader, Writer},
};
use crate::go_types::{self, Scalar};

/// The fields of a `Timestamp`.
const SECONDS: u32 = 1;
const NANOS: u32 = 2;
/// The field of a `Quantity`, and of JSON.
const CONTENT: u32 = 1;
/// The fields of an `IntOrString`.
const TYPE: u32 = 1;
const INT: u32 = 2;
const STRING: u32 = 3;
/// The type of an `IntOrString` that is a text.
const IS_STRING: u64 = 1;
/// The fields of what is a schema or something else.
const ALLOWS: u32 = 1;
const SCHEMA_OR_BOOL: u32 = 2;
const SCHEMA: u32 = 1;
const OTHERS: u32 = 2;

/// Go's zero `Time`, in seconds.
const YEAR_ONE: i64 = -62_135_596_800;
const MICROS: i64 = 1_000_000;

/// Returns the JSON of a message.
pub(super) fn decode(scalar: Scalar, message: &[u8], depth: usize) -> Result<Value, String> {
    match scalar {
        Scalar::Time | Scalar::MicroTime => decode_time(message, scalar == Scalar::MicroTime),
        Scalar::Quantity => {
            let content = content(message)?.map(String::from_utf8_lossy);
            Ok(content.filter(|text| !text.is_empty()).map_or_else(|| "0".into(), Value::from))
        }
        Scalar::IntOrString => decode_int_or_string(message),
        Scalar::Json => decode_json(message, depth),
        Scalar::SchemaOrBool => decode_schema_or_bool(message, depth),
        Scalar::SchemaOrArray | Scalar::SchemaOrStringArray => decode_schema_or_list(scalar, message, depth),
    }
}

/// Returns the message of a value.
pub(super) fn encode(scalar: Scalar, value: &Value) -> Result<Vec<u8>, String> {
    let mut message = Writer::default();
    match (scalar, value) {
        (Scalar::Time | Scalar::MicroTime | Scalar::Json, Value::Null) => {}
        (Scalar::Time | Scalar::MicroTime, value) => {
            let time: Timestamp = text(value)?.parse().map_err(|_| mismatch(value, "time"))?;
            let micros = time.as_microsecond();
            let seconds = micros.div_euclid(MICROS);
            // Go's JSON has no fractions of `Time`, and microseconds of `MicroTime`.
            let nanos = if scalar == Scalar::Time { 0 } else { micros.rem_euclid(MICROS) * 1_000 };
            if (seconds, nanos) != (YEAR_ONE, 0) {
                message.put_varint_field(SECONDS, seconds.cast_unsigned());
                message.put_varint_field(NANOS, nanos.cast_unsigned());
            }
        }
        (Scalar::Quantity, Value::Number(number)) => message.put_bytes_field(CONTENT, number.to_string().as_bytes()),
        (Scalar::Quantity, Value::Null) => message.put_bytes_field(CONTENT, b"0"),
        (Scalar::Quantity, value) => message.put_bytes_field(CONTENT, text(value)?.as_bytes()),
        (Scalar::IntOrString, value) => {
            let is_string = value.is_string();
            message.put_varint_field(TYPE, if is_string { IS_STRING } else { 0 });
            message.put_varint_field(INT, if is_string { 0 } else { integer(value)?.cast_unsigned() });
            message.put_bytes_field(STRING, value.as_str().unwrap_or_default().as_bytes());
        }
        (Scalar::Json, value) => message.put_bytes_field(CONTENT, value.to_string().as_bytes()),
        (Scalar::SchemaOrBool, Value::Object(_)) => {
            message.put_varint_field(ALLOWS, 1);
            message.put_bytes_field(SCHEMA_OR_BOOL, &schema(value)?);
        }
        (Scalar::SchemaOrBool, value) => message.put_varint_field(ALLOWS, encode::truth(value)?.into()),
        (_, Value::Array(items)) => {
            for item in items {
                match scalar {
                    Scalar::SchemaOrArray => message.put_bytes_field(OTHERS, &schema(item)?),
                    _ => message.put_bytes_field(OTHERS, text(item)?.as_bytes()),
                }
            }
        }
        (_, Value::Null) => {}
        (_, value) => message.put_bytes_field(SCHEMA, &schema(value)?),
    }
    Ok(message.0)
}

fn schema(value: &Value) -> Result<Vec<u8>, String> {
    if value.is_object() { encode::members(go_types::schema(), value) } else { Err(mismatch(value, "schema")) }
}

fn decode_schema(message: &[u8], depth: usize) -> Result<Value, String> {
    decode::message(go_types::schema(), message, depth)
}

fn decode_time(message: &[u8], has_fraction: bool) -> Result<Value, String> {
    let (mut seconds, mut nanos) = (0, 0);
    if message.is_empty() {
        return Ok(Value::Null);
    }
    let mut reader = Reader(message);
    while let Some((number, payload)) = reader.next()? {
        match number {
            SECONDS => seconds = varint(payload, "seconds")?.cast_signed(),
            NANOS => nanos = i32::try_from(varint(payload, "nanos")?).unwrap_or_default(),
            _ => {}
        }
    }
    if (seconds, nanos) == (YEAR_ONE, 0) {
        return Ok(Value::Null);
    }
    let time = Timestamp::new(seconds, nanos).map_err(|error| error.to_string())?;
    Ok(if has_fraction { format!("{time:.6}") } else { format!("{time:.0}") }.into())
}

/// Returns the content of a message with one field.
fn content(message: &[u8]) -> Result<Option<&[u8]>, String> {
    let mut found = None;
    let mut reader = Reader(message);
    while let Some((number, payload)) = reader.next()? {
        if number == CONTENT {
            found = Some(bytes(payload, "raw")?);
        }
    }
    Ok(found)
}

fn decode_int_or_string(message: &[u8]) -> Result<Value, String> {
    let (mut type_, mut int, mut string) = (0, Value::from(0), Value::from(""));
    let mut reader = Reader(message);
    while let Some((number, payload)) = reader.next()? {
        match number {
            TYPE => type_ = varint(payload, "type")?,
            INT => int = (varint(payload, "intVal")? as i32).into(),
            STRING => string = String::from_utf8_lossy(bytes(payload, "strVal")?).into(),
            _ => {}
        }
    }
    Ok(if type_ == IS_STRING { string } else { int })
}

fn decode_json(message: &[u8], depth: usize) -> Result<Value, String> {
    let Some(content) = content(message)?.filter(|content| !content.is_empty()) else { return Ok(Value::Null) };
    let value = serde_json::from_slice(content).map_err(|error| error.to_string())?;
    if depth + depth_of(&value) > MAX_DEPTH {
        return Err(decode::TOO_DEEP.to_owned());
    }
    Ok(value)
}

fn depth_of(value: &Value) -> usize {
    let deepest = match value {
        Value::Array(items) => items.iter().map(depth_of).max(),
        Value::Object(members) => members.values().map(depth_of).max(),
        _ => return 0,
    };
    1 + deepest.unwrap_or_default()
}

fn decode_schema_or_bool(message: &[u8], depth: usize) -> Result<Value, String> {
    let mut allows = false;
    let mut reader = Reader(message);
    while let Some((number, payload)) = reader.next()? {
        match number {
            ALLOWS => allows = varint(payload, "allows")? != 0,
            SCHEMA_OR_BOOL => return decode_schema(bytes(payload, "schema")?, depth),
            _ => {}
        }
    }
    Ok(allows.into())
}

fn decode_schema_or_list(scalar: Scalar, message: &[u8], depth: usize) -> Result<Value, String> {
    let (mut schema, mut others) = (Value::Null, Vec::new());
    let mut reader = Reader(message);
    while let Some((number, payload)) = reader.next()? {
        match number {
            SCHEMA => schema = decode_schema(bytes(payload, "schema")?, depth)?,
            OTHERS if scalar == Scalar::SchemaOrArray => {
                others.push(decode_schema(bytes(payload, "jSONSchemas")?, depth + 1)?);
            }
            OTHERS => others.push(String::from_utf8_lossy(bytes(payload, "property")?).into()),
            _ => {}
        }
    }
    Ok(if others.is_empty() { schema } else { others.into() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_back() {
        for (scalar, value) in [
            (Scalar::Time, json!("2026-11-29T14:31:38Z")),
            (Scalar::Time, json!("1960-01-01T00:00:00Z")),
            (Scalar::Time, Value::Null),
            (Scalar::MicroTime, json!("2026-11-29T14:31:38.000123Z")),
            (Scalar::MicroTime, json!("1960-01-01T00:00:00.500000Z")),
            (Scalar::Quantity, json!("1500m")),
            (Scalar::IntOrString, json!(-8080)),
            (Scalar::IntOrString, json!("http")),
            (Scalar::Json, json!({ "a": [1, null, { "b": 1.5 }] })),
            (Scalar::Json, Value::Null),
            (Scalar::SchemaOrBool, json!(true)),
            (Scalar::SchemaOrBool, json!({ "type": "string" })),
            (Scalar::SchemaOrArray, json!([{ "type": "string" }, { "type": "object" }])),
            (Scalar::SchemaOrArray, json!({ "type": "string" })),
            (Scalar::SchemaOrStringArray, json!(["a", "b"])),
            (Scalar::SchemaOrStringArray, json!({ "items": { "maximum": 1.5 } })),
        ] {
            let message = encode(scalar, &value).unwrap();
            assert_eq!(decode(scalar, &message, 0).unwrap(), value, "{scalar:?}");
        }
        assert_eq!(
            decode(Scalar::Time, &encode(Scalar::Time, &json!("0001-01-01T00:00:00Z")).unwrap(), 0),
            Ok(Value::Null)
        );
    }
}
