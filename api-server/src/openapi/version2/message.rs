//! The document in protobuf, as client-go reads it: the messages of `OpenAPIv2.proto` of gnostic.

use serde_json::Value;

use crate::protobuf::Writer;

/// The media type of a response, and the older one that clients ask for.
pub(crate) const MEDIA_TYPE: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
pub(crate) const SUBTYPES: [&str; 2] =
    ["com.github.proto-openapi.spec.v2.v1.0+protobuf", "com.github.proto-openapi.spec.v2@v1.0+protobuf"];

/// How a member of the document is written.
enum Kind {
    Text,
    Flag,
    Count,
    Number,
    /// A value of any type, as a text in YAML.
    Any,
    Each(&'static Kind),
    Message(&'static Message),
    /// A message that has the value in this field.
    In(u32, &'static Kind),
    /// A message that has the members in this field, each with a name.
    Named(u32, &'static Kind),
    /// A schema, or whether there is one.
    SchemaOrFlag,
    Parameter,
}

use Kind::{Any, Count, Each, Flag, In, Message as Of, Named, Number, Parameter, SchemaOrFlag, Text};

struct Message {
    /// The names, the numbers and the kinds of the fields.
    fields: &'static [(&'static str, u32, Kind)],
    /// The number of the field with what begins with `x-`.
    extensions: u32,
}

static DOCUMENT: Message = Message {
    fields: &[
        ("swagger", 1, Text),
        ("info", 2, Of(&INFO)),
        ("paths", 8, Named(2, &Of(&PATH_ITEM))),
        ("definitions", 9, Named(1, &Of(&SCHEMA))),
    ],
    extensions: 16,
};

static INFO: Message = Message { fields: &[("title", 1, Text), ("version", 2, Text)], extensions: 7 };

static PATH_ITEM: Message = Message {
    fields: &[
        ("get", 2, Of(&OPERATION)),
        ("put", 3, Of(&OPERATION)),
        ("post", 4, Of(&OPERATION)),
        ("delete", 5, Of(&OPERATION)),
        ("patch", 8, Of(&OPERATION)),
        ("parameters", 9, Each(&In(1, &Parameter))),
    ],
    extensions: 10,
};

static OPERATION: Message = Message {
    fields: &[
        ("tags", 1, Each(&Text)),
        ("description", 3, Text),
        ("operationId", 5, Text),
        ("produces", 6, Each(&Text)),
        ("consumes", 7, Each(&Text)),
        ("parameters", 8, Each(&In(1, &Parameter))),
        ("responses", 9, Named(1, &In(1, &Of(&RESPONSE)))),
        ("schemes", 10, Each(&Text)),
    ],
    extensions: 13,
};

static RESPONSE: Message =
    Message { fields: &[("description", 1, Text), ("schema", 2, In(1, &Of(&SCHEMA)))], extensions: 5 };

static BODY: Message = Message {
    fields: &[
        ("description", 1, Text),
        ("name", 2, Text),
        ("in", 3, Text),
        ("required", 4, Flag),
        ("schema", 5, Of(&SCHEMA)),
    ],
    extensions: 6,
};

static IN_QUERY: Message = Message {
    fields: &[
        ("required", 1, Flag),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("type", 6, Text),
        ("format", 7, Text),
        ("uniqueItems", 20, Flag),
    ],
    extensions: 23,
};

static IN_PATH: Message = Message {
    fields: &[
        ("required", 1, Flag),
        ("in", 2, Text),
        ("description", 3, Text),
        ("name", 4, Text),
        ("type", 5, Text),
        ("format", 6, Text),
        ("uniqueItems", 19, Flag),
    ],
    extensions: 22,
};

static PATH_PARAMETER: Kind = Of(&IN_PATH);
static QUERY_PARAMETER: Kind = Of(&IN_QUERY);

static SCHEMA: Message = Message {
    fields: &[
        ("$ref", 1, Text),
        ("format", 2, Text),
        ("title", 3, Text),
        ("description", 4, Text),
        ("multipleOf", 6, Number),
        ("maximum", 7, Number),
        ("exclusiveMaximum", 8, Flag),
        ("minimum", 9, Number),
        ("exclusiveMinimum", 10, Flag),
        ("maxLength", 11, Count),
        ("minLength", 12, Count),
        ("pattern", 13, Text),
        ("maxItems", 14, Count),
        ("minItems", 15, Count),
        ("uniqueItems", 16, Flag),
        ("maxProperties", 17, Count),
        ("minProperties", 18, Count),
        ("required", 19, Each(&Text)),
        ("enum", 20, Each(&Any)),
        ("additionalProperties", 21, SchemaOrFlag),
        ("type", 22, In(1, &Text)),
        ("items", 23, In(1, &Of(&SCHEMA))),
        ("properties", 25, Named(1, &Of(&SCHEMA))),
    ],
    extensions: 31,
};

/// Writes a document.
pub(crate) fn encode(document: &Value) -> Vec<u8> {
    DOCUMENT.encode(document).0
}

impl Message {
    fn encode(&self, value: &Value) -> Writer {
        let mut writer = Writer::default();
        for (name, number, kind) in self.fields {
            if let Some(member) = value.get(*name).filter(|member| !member.is_null()) {
                kind.put(&mut writer, *number, member);
            }
        }
        let extensions = value.as_object().into_iter().flatten().filter(|(name, _)| name.starts_with("x-"));
        extensions.for_each(|(name, member)| put_named(&mut writer, self.extensions, name, &Any, member));
        writer
    }
}

fn put_named(writer: &mut Writer, number: u32, name: &str, kind: &Kind, value: &Value) {
    let mut named = Writer::default();
    named.put_bytes_field(1, name.as_bytes());
    kind.put(&mut named, 2, value);
    writer.put_bytes_field(number, &named.0);
}

impl Kind {
    fn put(&self, writer: &mut Writer, number: u32, value: &Value) {
        let mut inner = Writer::default();
        match self {
            Text => return writer.put_bytes_field(number, value.as_str().unwrap_or_default().as_bytes()),
            Flag if *value == true => return writer.put_varint_field(number, 1),
            Flag => return,
            Count => return writer.put_varint_field(number, value.as_u64().unwrap_or_default()),
            Number => return writer.put_double_field(number, value.as_f64().unwrap_or_default()),
            Each(kind) => {
                let items = value.as_array().into_iter().flatten();
                return items.for_each(|item| kind.put(writer, number, item));
            }
            // JSON is YAML.
            Any => inner.put_bytes_field(2, value.to_string().as_bytes()),
            Of(message) => inner = message.encode(value),
            In(field, kind) => kind.put(&mut inner, *field, value),
            Named(field, kind) => {
                let members = value.as_object().into_iter().flatten();
                members.for_each(|(name, member)| put_named(&mut inner, *field, name, kind, member));
            }
            SchemaOrFlag if value.is_boolean() => Flag.put(&mut inner, 2, value),
            SchemaOrFlag => Of(&SCHEMA).put(&mut inner, 1, value),
            Parameter if value["in"] == "body" => Of(&BODY).put(&mut inner, 1, value),
            Parameter if value["in"] == "path" => In(4, &PATH_PARAMETER).put(&mut inner, 2, value),
            Parameter => In(3, &QUERY_PARAMETER).put(&mut inner, 2, value),
        }
        writer.put_bytes_field(number, &inner.0);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_have_the_numbers_of_gnostic() {
        let schema = json!({ "type": "object", "properties": { "a": { "$ref": "b" } }, "x-c": [1] });
        let expected = [
            // `type`, and a text in it.
            &[0xB2, 0x01, 8, 0x0A, 6][..],
            b"object",
            // `properties`, an entry, its name, and its value with a reference.
            &[0xCA, 0x01, 10, 0x0A, 8, 0x0A, 1, b'a', 0x12, 3, 0x0A, 1, b'b'],
            // An extension, its name, and its value in YAML.
            &[0xFA, 0x01, 12, 0x0A, 3],
            b"x-c",
            &[0x12, 5, 0x12, 3],
            b"[1]",
        ];
        assert_eq!(SCHEMA.encode(&schema).0, expected.concat());
    }

    #[test]
    fn parameters_are_in_the_path_the_query_or_the_body() {
        let first_bytes = |parameter: Value| {
            let mut writer = Writer::default();
            Parameter.put(&mut writer, 1, &parameter);
            [writer.0[2], writer.0[4]]
        };
        assert_eq!(first_bytes(json!({ "in": "query", "name": "q" })), [0x12, 0x1A]);
        assert_eq!(first_bytes(json!({ "in": "path", "name": "p" })), [0x12, 0x22]);
        assert_eq!(first_bytes(json!({ "in": "body", "name": "b" }))[0], 0x0A);
    }
}
