//! The Go type `ObjectMeta`: which values it cannot decode, and the effect of a round trip through it.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use crate::{admission::go, json::Json, schema::SchemaProps};

/// A field of a Go struct.
struct Field {
    name: &'static str,
    type_: Typed,
    /// Whether the field is written even if it is empty.
    is_always_written: bool,
}

/// The type of a field.
#[derive(Clone, Copy)]
enum Typed {
    /// A string, with the name of its Go type.
    Text(&'static str),
    Integer,
    /// An optional integer, for which 0 is not empty.
    OptionalInteger,
    Flag,
    Time,
    Texts,
    TextMap,
    /// A list of objects, with the name of their Go type.
    Objects(&'static str, &'static [Field]),
    Raw,
}

const fn field(name: &'static str, type_: Typed) -> Field {
    Field { name, type_, is_always_written: false }
}

const fn always(name: &'static str, type_: Typed) -> Field {
    Field { is_always_written: true, ..field(name, type_) }
}

const TEXT: Typed = Typed::Text("string");

const METADATA: &[Field] = &[
    field("annotations", Typed::TextMap),
    field("creationTimestamp", Typed::Time),
    field("deletionGracePeriodSeconds", Typed::OptionalInteger),
    field("deletionTimestamp", Typed::Time),
    field("finalizers", Typed::Texts),
    field("generateName", TEXT),
    field("generation", Typed::Integer),
    field("labels", Typed::TextMap),
    field("managedFields", Typed::Objects("ManagedFieldsEntry", MANAGED_FIELDS)),
    field("name", TEXT),
    field("namespace", TEXT),
    field("ownerReferences", Typed::Objects("OwnerReference", OWNER)),
    field("resourceVersion", TEXT),
    field("selfLink", TEXT),
    field("uid", Typed::Text("types.UID")),
];

const OWNER: &[Field] = &[
    always("apiVersion", TEXT),
    field("blockOwnerDeletion", Typed::Flag),
    field("controller", Typed::Flag),
    always("kind", TEXT),
    always("name", TEXT),
    always("uid", Typed::Text("types.UID")),
];

const MANAGED_FIELDS: &[Field] = &[
    field("apiVersion", TEXT),
    field("fieldsType", TEXT),
    field("fieldsV1", Typed::Raw),
    field("manager", TEXT),
    field("operation", Typed::Text("v1.ManagedFieldsOperationType")),
    field("subresource", TEXT),
    field("time", Typed::Time),
];

/// Returns Go's error about metadata that cannot be decoded.
pub(super) fn unreadable(metadata: &Json<'_>) -> Option<String> {
    match metadata {
        Json::Null => None,
        Json::Object(members) => {
            let unread = |wanted| unread_fields("ObjectMeta", "", METADATA, members, wanted);
            unread(Wanted::Times).or_else(|| unread(Wanted::All))
        }
        other => Some(format!("json: cannot unmarshal {} into Go value of type v1.ObjectMeta", kind(other))),
    }
}

/// Which errors to look for. An invalid time aborts decoding, so times are checked first.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Times,
    All,
}

fn unread_fields(
    type_: &str,
    path: &str,
    fields: &[Field],
    members: &[(Cow<'_, str>, Json<'_>)],
    wanted: Wanted,
) -> Option<String> {
    fields.iter().find_map(|field| {
        let (_, value) = members.iter().find(|(name, _)| name == field.name)?;
        let place = format!("{path}{}", field.name);
        unread(type_, &place, field.type_, value, wanted)
    })
}

fn unread(type_: &str, place: &str, field: Typed, value: &Json<'_>, wanted: Wanted) -> Option<String> {
    let is_passed = match field {
        Typed::Time => false,
        Typed::Objects(..) => wanted == Wanted::Times && !matches!(value, Json::Array(_)),
        _ => wanted == Wanted::Times,
    };
    if is_passed {
        return None;
    }
    let wrong = |value: &Json<'_>, expected: &str| {
        let kind = kind(value);
        Some(format!("json: cannot unmarshal {kind} into Go struct field {type_}.{place} of type {expected}"))
    };
    let is_text = |value: &&Json<'_>| matches!(value, Json::Null | Json::String(_));
    match (field, value) {
        (_, Json::Null) | (Typed::Raw, _) | (Typed::Text(_), Json::String(_)) | (Typed::Flag, Json::Bool(_)) => None,
        (Typed::Integer | Typed::OptionalInteger, value) => match go::Number::of(value) {
            Some(number) if number.is_integer() => None,
            Some(go::Number::Float(_)) => {
                let number = go::json(value);
                let field = format!("Go struct field {type_}.{place} of type int64");
                Some(format!("json: cannot unmarshal number {number} into {field}"))
            }
            _ => wrong(value, "int64"),
        },
        (Typed::Text(expected), value) => wrong(value, expected),
        (Typed::Flag, value) => wrong(value, "bool"),
        (Typed::Time, Json::String(text)) => super::metadata::wrong_time(text),
        (Typed::Time, value) => wrong(value, "string"),
        (Typed::Texts, Json::Array(items)) => {
            let item = items.iter().find(|item| !is_text(item))?;
            wrong(item, "string")
        }
        (Typed::Texts, value) => wrong(value, "[]string"),
        (Typed::TextMap, Json::Object(members)) => {
            let mut values: Vec<_> = members.iter().collect();
            values.sort_by(|(one, _), (other, _)| one.cmp(other));
            let (_, value) = values.into_iter().find(|(_, value)| !is_text(&value))?;
            wrong(value, "string")
        }
        (Typed::TextMap, value) => wrong(value, "map[string]string"),
        (Typed::Objects(name, fields), Json::Array(items)) => items.iter().find_map(|item| match item {
            Json::Null => None,
            Json::Object(members) => unread_fields(name, &format!("{place}."), fields, members, wanted),
            _ if wanted == Wanted::Times => None,
            other => wrong(other, &format!("v1.{name}")),
        }),
        (Typed::Objects(name, _), value) => wrong(value, &format!("[]v1.{name}")),
    }
}

fn kind(value: &Json<'_>) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "bool",
        Json::Integer(_) | Json::Unsigned(_) | Json::Float(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

/// Replaces the metadata of embedded resources by the result of a round trip through `ObjectMeta`, which drops unknown and empty
/// fields. If any metadata cannot be decoded, nothing changes.
pub fn coerce_metadata(schema: &SchemaProps<'_>, value: &mut Json<'_>) {
    if is_readable(schema, value) {
        coerce_below(schema, value);
    }
}

fn is_readable(schema: &SchemaProps<'_>, value: &Json<'_>) -> bool {
    match value {
        Json::Object(members) => members.iter().all(|(name, value)| {
            let here = match &**name {
                _ if !schema.embedded_resource => true,
                "apiVersion" | "kind" => value.as_str().is_some(),
                "metadata" => unreadable(value).is_none(),
                _ => true,
            };
            let member = schema.property(name).or_else(|| schema.values());
            here && member.is_none_or(|member| is_readable(member, value))
        }),
        Json::Array(items) => {
            let of_items = schema.items();
            of_items.is_none_or(|of_items| items.iter().all(|item| is_readable(of_items, item)))
        }
        _ => true,
    }
}

fn coerce_below(schema: &SchemaProps<'_>, value: &mut Json<'_>) {
    match value {
        Json::Object(members) => {
            for (name, value) in members {
                if schema.embedded_resource && name == "metadata" {
                    coerce_object_meta(value);
                }
                if let Some(member) = schema.property(name).or_else(|| schema.values()) {
                    coerce_below(member, value);
                }
            }
        }
        Json::Array(items) => {
            if let Some(of_items) = schema.items() {
                items.iter_mut().for_each(|item| coerce_below(of_items, item));
            }
        }
        _ => {}
    }
}

fn coerce_object_meta(metadata: &mut Json<'_>) {
    if metadata.is_null() {
        *metadata = Json::Object(Vec::new());
    }
    if let Json::Object(members) = metadata {
        coerce_fields(METADATA, members);
    }
}

fn coerce_fields(fields: &[Field], members: &mut Vec<(Cow<'_, str>, Json<'_>)>) {
    members.retain_mut(|(name, value)| {
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            return false;
        };
        coerce_field(field, value);
        field.is_always_written || !is_empty(field.type_, value)
    });
    for field in fields.iter().filter(|field| field.is_always_written) {
        if !members.iter().any(|(name, _)| name == field.name) {
            members.push((field.name.into(), Json::String("".into())));
        }
    }
}

fn coerce_field(field: &Field, value: &mut Json<'_>) {
    let text = |value: &mut Json<'_>| {
        if value.is_null() {
            *value = Json::String("".into());
        }
    };
    match (field.type_, value) {
        (Typed::Text(_), value) => text(value),
        (Typed::Integer | Typed::OptionalInteger, value) => {
            let number = go::Number::of(value).and_then(go::Number::as_integer);
            if let Some(number) = number {
                *value = Json::Integer(number);
            }
        }
        (Typed::Texts, Json::Array(items)) => items.iter_mut().for_each(text),
        (Typed::TextMap, Json::Object(members)) => {
            members.iter_mut().for_each(|(_, value)| text(value));
        }
        (Typed::Objects(_, fields), Json::Array(items)) => {
            for item in items {
                if item.is_null() {
                    *item = Json::Object(Vec::new());
                }
                if let Json::Object(members) = item {
                    coerce_fields(fields, members);
                }
            }
        }
        _ => {}
    }
}

fn is_empty(type_: Typed, value: &Json<'_>) -> bool {
    match (type_, value) {
        (_, Json::Null) | (Typed::Integer, Json::Integer(0)) => true,
        (Typed::Raw, _) => false,
        (_, Json::String(text)) => text.is_empty(),
        (_, Json::Array(items)) => items.is_empty(),
        (_, Json::Object(members)) => members.is_empty(),
        _ => false,
    }
}
