//! Objects of Kubernetes' own kinds as their Go types: what the server reads them as, and writes.

use serde_json::{Value, json};

use super::go_types::{Field, Scalar, Shape, Type};

mod decode;
mod text;
mod write;

pub(super) use decode::{DecodeError, decode};
pub(super) use write::complete;

/// Returns how Go writes a field that is empty, but for the fields of a struct.
fn zero_of_field(field: &Field) -> Value {
    if field.is_pointer { Value::Null } else { zero(&field.type_) }
}

/// Returns how Go writes an empty value of a type, but for the fields of a struct.
fn zero(type_: &Type) -> Value {
    match type_.shape {
        Shape::Bool => json!(false),
        Shape::Int32 | Shape::Int64 | Shape::Double | Shape::Scalar(Scalar::IntOrString) => json!(0),
        Shape::Text => json!(""),
        Shape::Scalar(Scalar::Quantity) => json!("0"),
        Shape::Struct(_) => json!({}),
        Shape::Bytes | Shape::List(_) | Shape::Items(_) | Shape::Map(_) | Shape::Scalar(_) | Shape::Any => Value::Null,
    }
}
