//! The construction of messages: the well-known ones of protobuf, and those of patches.

use alloc::{borrow::ToOwned, collections::BTreeMap, string::String, sync::Arc};

use crate::cel::evaluate::{
    error::{Evaluated, Stop},
    time::Timestamp,
    value::{Message, Value},
};

type Fields<'v> = BTreeMap<String, Value<'v>>;

/// Constructs a message. A well-known message is the value that it stands for.
pub(in crate::cel::evaluate) fn new<'v>(name: &str, mut fields: Fields<'v>) -> Evaluated<'v> {
    let Some(short) = name.strip_prefix("google.protobuf.") else {
        return Ok(Value::Message(Arc::new(Message { name: name.to_owned(), fields })));
    };
    let mut field = |name: &str| fields.remove(name).filter(|value| !matches!(value, Value::Null));
    Ok(match short {
        "Duration" => {
            let (seconds, nanos) = (int(field("seconds")), int(field("nanos")));
            let total = seconds.checked_mul(1_000_000_000).and_then(|it| it.checked_add(nanos));
            Value::Duration(total.ok_or(Stop::INT_OVERFLOW)?)
        }
        "Timestamp" => {
            let time = Timestamp::of_unix(int(field("seconds")));
            Value::Timestamp(time.plus(int(field("nanos"))).map_err(Stop::from)?)
        }
        "BoolValue" => field("value").unwrap_or(Value::Bool(false)),
        "BytesValue" => field("value").unwrap_or_else(|| Value::Bytes(Arc::new([]))),
        "DoubleValue" | "FloatValue" => field("value").unwrap_or(Value::Double(0.0)),
        "Int64Value" => Value::Int(int(field("value"))),
        "Int32Value" => {
            let value = int(field("value"));
            i32::try_from(value).map_err(|_| overflow(name, "integer overflow"))?;
            Value::Int(value)
        }
        "UInt64Value" => field("value").unwrap_or(Value::Uint(0)),
        "UInt32Value" => match field("value").unwrap_or(Value::Uint(0)) {
            Value::Uint(value) if u32::try_from(value).is_err() => {
                return Err(overflow(name, "unsigned integer overflow"));
            }
            value => value,
        },
        "StringValue" => field("value").unwrap_or_else(|| Value::text("")),
        // The server cannot convert it.
        "Any" => return Err("unsupported conversion to ref.Val: (*dynamicpb.Message)".into()),
        "ListValue" => field("values").unwrap_or_else(|| Value::list(alloc::vec::Vec::new())),
        "Struct" => field("fields").unwrap_or_else(|| Value::Map(Arc::default())),
        "Value" => {
            let names = ["number_value", "string_value", "bool_value", "struct_value", "list_value"];
            names.into_iter().find_map(field).unwrap_or_default()
        }
        _ => Value::Message(Arc::new(Message { name: name.to_owned(), fields })),
    })
}

/// The error of a number that does not fit into a field.
fn overflow(message: &str, why: &str) -> Stop {
    alloc::format!("field type conversion error for {message}.value value type: {why}").into()
}

fn int(value: Option<Value<'_>>) -> i64 {
    match &value {
        Some(Value::Int(value)) => *value,
        _ => 0,
    }
}
