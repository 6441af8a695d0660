//! The well-known messages of protobuf, which every expression can construct.

use super::types::Type;

/// A message.
pub(super) struct Message {
    name: &'static str,
    /// The type of the constructed value.
    type_: &'static str,
    /// The fields and their types.
    fields: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip] // a line for each
const MESSAGES: &[Message] = &[
    Message { name: "google.protobuf.Any", type_: "any", fields: &[("type_url", "string"), ("value", "bytes")] },
    Message { name: "google.protobuf.Duration", type_: "duration", fields: &[("seconds", "int"), ("nanos", "int")] },
    Message { name: "google.protobuf.Timestamp", type_: "timestamp", fields: &[("seconds", "int"), ("nanos", "int")] },
    Message { name: "google.protobuf.Empty", type_: "google.protobuf.Empty", fields: &[] },
    Message { name: "google.protobuf.Struct", type_: "map(string,dyn)", fields: &[("fields", "map(string,dyn)")] },
    Message { name: "google.protobuf.Struct.FieldsEntry", type_: "google.protobuf.Struct.FieldsEntry", fields: &[("key", "string"), ("value", "dyn")] },
    Message { name: "google.protobuf.ListValue", type_: "list(dyn)", fields: &[("values", "list(dyn)")] },
    Message { name: "google.protobuf.Value", type_: "dyn", fields: &[("null_value", "int"), ("number_value", "double"), ("string_value", "string"), ("bool_value", "bool"), ("struct_value", "map(string,dyn)"), ("list_value", "list(dyn)")] },
    Message { name: "google.protobuf.BoolValue", type_: "wrapper(bool)", fields: &[("value", "bool")] },
    Message { name: "google.protobuf.BytesValue", type_: "wrapper(bytes)", fields: &[("value", "bytes")] },
    Message { name: "google.protobuf.DoubleValue", type_: "wrapper(double)", fields: &[("value", "double")] },
    Message { name: "google.protobuf.FloatValue", type_: "wrapper(double)", fields: &[("value", "double")] },
    Message { name: "google.protobuf.Int64Value", type_: "wrapper(int)", fields: &[("value", "int")] },
    Message { name: "google.protobuf.Int32Value", type_: "wrapper(int)", fields: &[("value", "int")] },
    Message { name: "google.protobuf.UInt64Value", type_: "wrapper(uint)", fields: &[("value", "uint")] },
    Message { name: "google.protobuf.UInt32Value", type_: "wrapper(uint)", fields: &[("value", "uint")] },
    Message { name: "google.protobuf.StringValue", type_: "wrapper(string)", fields: &[("value", "string")] },
];

impl Message {
    /// Returns the message with this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        MESSAGES.iter().find(|message| message.name == name)
    }

    /// Returns the type of the constructed value.
    pub(super) fn type_(&self) -> Type {
        Type::parse(self.type_)
    }

    /// Returns the type of a field.
    pub(super) fn field(&self, name: &str) -> Option<Type> {
        let field = self.fields.iter().find(|(field, _)| *field == name);
        field.map(|(_, type_)| Type::parse(type_))
    }
}

/// Returns the value of protobuf's only constant.
pub(super) fn constant(name: &str) -> Option<i64> {
    (name == "google.protobuf.NullValue.NULL_VALUE").then_some(0)
}
