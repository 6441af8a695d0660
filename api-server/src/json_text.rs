//! JSON as the real server writes it: the members of Kubernetes' own kinds in the order of Go's fields, those of other objects in
//! the order of their names, and characters of HTML escaped.

use std::io;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, ser::Formatter};

use super::{
    go_types::{self, GoType, Scalar, Shape},
    value::text,
};

/// Returns the text of an object or a document.
pub(super) fn to_bytes(value: &Value) -> Bytes {
    let mut bytes = Vec::new();
    write(value, &mut bytes);
    bytes.into()
}

/// Writes an object or a document.
pub(super) fn write(value: &Value, bytes: &mut Vec<u8>) {
    match (type_of(value), value) {
        (Some(type_), Value::Object(members)) => write_struct(type_, members, bytes),
        _ => serialize(value, bytes),
    }
}

/// Returns an item of a list without its type, which lists of Kubernetes' own kinds do not repeat.
pub(super) fn untyped(json: &[u8]) -> Option<&[u8]> {
    let after_kind = json.strip_prefix(br#"{"kind":""#).and_then(after_text)?;
    after_kind.strip_prefix(br#","apiVersion":""#).and_then(after_text)?.strip_prefix(b",")
}

/// Returns whether the text is one of an object in this version. Either this is its first member, or the kind is.
pub(super) fn is_in(json: &[u8], api_version: &str) -> bool {
    let start = json.strip_prefix(br#"{"apiVersion":""#).or_else(|| {
        let after_kind = json.strip_prefix(br#"{"kind":""#).and_then(after_text)?;
        after_kind.strip_prefix(br#","apiVersion":""#)
    });
    let rest = start.and_then(|it| it.strip_prefix(api_version.as_bytes()));
    rest.is_some_and(|rest| rest.starts_with(b"\""))
}

/// Returns what follows a text without escaped characters, which kinds and versions do not have.
fn after_text(json: &[u8]) -> Option<&[u8]> {
    let end = json.iter().position(|byte| *byte == b'"')?;
    Some(&json[end + 1..])
}

fn type_of(value: &Value) -> Option<&'static GoType> {
    go_types::of_kind(text(value, "apiVersion"), text(value, "kind"))
}

fn write_struct(type_: &GoType, members: &Map<String, Value>, bytes: &mut Vec<u8>) {
    // Members that Go does not have are the last ones.
    let mut ordered: Vec<_> = members.iter().map(|(name, value)| (type_.member(name), name, value)).collect();
    ordered.sort_by_key(|(member, _, _)| member.map_or(usize::MAX, |(member, _)| member.position));
    bytes.push(b'{');
    for (index, (member, name, value)) in ordered.into_iter().enumerate() {
        let Some((_, field)) = member else {
            write_name(index, name, bytes);
            serialize(value, bytes);
            continue;
        };
        // Names in Go have no characters to escape.
        bytes.extend_from_slice(if index == 0 { b"\"" } else { b",\"" });
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b"\":");
        write_shape(&field.type_.shape, value, bytes);
    }
    bytes.push(b'}');
}

fn write_shape(shape: &Shape, value: &Value, bytes: &mut Vec<u8>) {
    match (shape, value) {
        (Shape::Struct(type_), Value::Object(members)) => write_struct(type_, members, bytes),
        (Shape::List(element) | Shape::Items(element), Value::Array(items)) => {
            bytes.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    bytes.push(b',');
                }
                write_shape(&element.shape, item, bytes);
            }
            bytes.push(b']');
        }
        (Shape::Map(element), Value::Object(members)) => {
            bytes.push(b'{');
            for (index, (name, value)) in members.iter().enumerate() {
                write_name(index, name, bytes);
                write_shape(&element.shape, value, bytes);
            }
            bytes.push(b'}');
        }
        // The objects in the rows of a table.
        (Shape::Scalar(Scalar::Json), value) => write(value, bytes),
        (Shape::Scalar(Scalar::SchemaOrBool | Scalar::SchemaOrArray | Scalar::SchemaOrStringArray), value) => {
            write_schemas(value, bytes);
        }
        _ => serialize(value, bytes),
    }
}

/// Writes what is a schema, a list of schemas, or neither.
fn write_schemas(value: &Value, bytes: &mut Vec<u8>) {
    match (go_types::schema(), value) {
        (type_, Value::Object(members)) => write_struct(type_, members, bytes),
        (_, Value::Array(items)) => {
            bytes.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    bytes.push(b',');
                }
                write_schemas(item, bytes);
            }
            bytes.push(b']');
        }
        _ => serialize(value, bytes),
    }
}

fn write_name(index: usize, name: &str, bytes: &mut Vec<u8>) {
    if index > 0 {
        bytes.push(b',');
    }
    serialize(name, bytes);
    bytes.push(b':');
}

fn serialize<T: Serialize + ?Sized>(value: &T, bytes: &mut Vec<u8>) {
    let mut serializer = serde_json::Serializer::with_formatter(bytes, GoFormatter);
    value.serialize(&mut serializer).expect("values are JSON");
}

/// Escapes the characters that Go's `encoding/json` escapes so that JSON can be a part of HTML.
struct GoFormatter;

impl Formatter for GoFormatter {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, escaped, size)) = first_escaped(rest) {
            writer.write_all(&rest.as_bytes()[..at])?;
            writer.write_all(escaped.as_bytes())?;
            rest = &rest[at + size..];
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Returns the first character that is escaped: where it is, its escaped form, and its size.
fn first_escaped(text: &str) -> Option<(usize, &'static str, usize)> {
    const SEPARATORS: [(&[u8], &str); 2] = [("\u{2028}".as_bytes(), "\\u2028"), ("\u{2029}".as_bytes(), "\\u2029")];
    let bytes = text.as_bytes();
    bytes.iter().enumerate().find_map(|(at, byte)| match byte {
        b'<' => Some((at, "\\u003c", 1)),
        b'>' => Some((at, "\\u003e", 1)),
        b'&' => Some((at, "\\u0026", 1)),
        0xE2 => {
            let (character, escaped) = SEPARATORS.iter().find(|(character, _)| bytes[at..].starts_with(character))?;
            Some((at, *escaped, character.len()))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text_of(value: &Value) -> String {
        String::from_utf8(to_bytes(value).to_vec()).unwrap()
    }

    #[test]
    fn own_kinds_are_in_the_order_of_go() {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "uid": "u", "name": "a", "labels": { "z": "1", "a": "2" }, "unknown": 1, "another": 2 },
            "spec": { "containers": [{ "image": "i", "name": "n" }], "volumes": [{ "hostPath": { "type": "", "path": "/" }, "name": "v" }] },
        });
        assert_eq!(
            text_of(&pod),
            r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u","labels":{"a":"2","z":"1"},"another":2,"unknown":1},"spec":{"volumes":[{"name":"v","hostPath":{"path":"/","type":""}}],"containers":[{"name":"n","image":"i"}]}}"#
        );
    }

    #[test]
    fn schemas_are_in_the_order_of_go() {
        let schema = json!({ "properties": { "a": { "items": { "type": "string", "format": "x" }, "additionalProperties": { "type": "a", "title": "b" }, "type": "array" } }, "type": "object" });
        let crd = json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": { "versions": [{ "schema": { "openAPIV3Schema": schema }, "name": "v1" }] } });
        assert_eq!(
            text_of(&crd),
            r#"{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","format":"x"},"additionalProperties":{"type":"a","title":"b"}}}}}}]}}"#
        );
    }

    #[test]
    fn other_objects_are_sorted_and_html_is_escaped() {
        let widget = json!({ "kind": "Widget", "apiVersion": "example.com/v1", "a": "<é>&\u{2028}\u{2026}\"" });
        let expected = r#"{"a":"\u003cé\u003e\u0026\u2028…\"","apiVersion":"example.com/v1","kind":"Widget"}"#;
        assert_eq!(text_of(&widget), expected);
        assert_eq!(serde_json::from_str::<Value>(expected).unwrap(), widget);
    }

    #[test]
    fn types_of_texts() {
        let config = br#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}"#;
        assert!(is_in(config, "v1") && !is_in(config, "v"));
        assert_eq!(untyped(config).unwrap(), br#""metadata":{}}"#);
        let widget = br#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{}}"#;
        assert!(is_in(widget, "example.com/v1") && !is_in(widget, "example.com/v10"));
        assert!(untyped(widget).is_none());
    }
}
