//! The Go type `ObjectMeta`: which values it cannot decode, and the effect of a round trip through it.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use crate::{
    go,
    json::Json,
    object_processing::{ValuePath, value_path::ValueStep},
    schema::SchemaProps,
};

/// A field of a Go struct.
struct StructField {
    name: &'static str,
    type_: GoType,
    /// Whether the field is written even if it is empty.
    is_always_written: bool,
}

/// The type of a field.
#[derive(Clone, Copy)]
enum GoType {
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
    Objects(&'static str, &'static [StructField]),
    Raw,
}

const fn field(name: &'static str, type_: GoType) -> StructField {
    StructField { name, type_, is_always_written: false }
}

const fn always(name: &'static str, type_: GoType) -> StructField {
    StructField { is_always_written: true, ..field(name, type_) }
}

const TEXT: GoType = GoType::Text("string");

const METADATA: &[StructField] = &[
    field("annotations", GoType::TextMap),
    field("creationTimestamp", GoType::Time),
    field("deletionGracePeriodSeconds", GoType::OptionalInteger),
    field("deletionTimestamp", GoType::Time),
    field("finalizers", GoType::Texts),
    field("generateName", TEXT),
    field("generation", GoType::Integer),
    field("labels", GoType::TextMap),
    field("managedFields", GoType::Objects("ManagedFieldsEntry", MANAGED_FIELDS)),
    field("name", TEXT),
    field("namespace", TEXT),
    field("ownerReferences", GoType::Objects("OwnerReference", OWNER)),
    field("resourceVersion", TEXT),
    field("selfLink", TEXT),
    field("uid", GoType::Text("types.UID")),
];

const OWNER: &[StructField] = &[
    always("apiVersion", TEXT),
    field("blockOwnerDeletion", GoType::Flag),
    field("controller", GoType::Flag),
    always("kind", TEXT),
    always("name", TEXT),
    always("uid", GoType::Text("types.UID")),
];

const MANAGED_FIELDS: &[StructField] = &[
    field("apiVersion", TEXT),
    field("fieldsType", TEXT),
    field("fieldsV1", GoType::Raw),
    field("manager", TEXT),
    field("operation", GoType::Text("v1.ManagedFieldsOperationType")),
    field("subresource", TEXT),
    field("time", GoType::Time),
];

/// Returns Go's error about metadata that cannot be decoded.
pub fn object_meta_error(metadata: &Json<'_>) -> Option<String> {
    match metadata {
        Json::Null => None,
        Json::Object(members) => {
            let decode_error = |search| fields_error("ObjectMeta", "", METADATA, members, search);
            decode_error(Search::Times).or_else(|| decode_error(Search::All))
        }
        other => Some(format!("json: cannot unmarshal {} into Go value of type v1.ObjectMeta", kind(other))),
    }
}

/// Which errors to look for. An invalid time aborts decoding, so times are checked first.
#[derive(Clone, Copy, PartialEq)]
enum Search {
    Times,
    All,
}

fn fields_error(
    type_: &str,
    path: &str,
    fields: &[StructField],
    members: &[(Cow<'_, str>, Json<'_>)],
    search: Search,
) -> Option<String> {
    fields.iter().find_map(|field| {
        let (_, value) = members.iter().find(|(name, _)| name == field.name)?;
        let place = format!("{path}{}", field.name);
        decode_error(type_, &place, field.type_, value, search)
    })
}

fn decode_error(type_: &str, place: &str, field: GoType, value: &Json<'_>, search: Search) -> Option<String> {
    let is_passed = match field {
        GoType::Time => false,
        GoType::Objects(..) => search == Search::Times && !matches!(value, Json::Array(_)),
        _ => search == Search::Times,
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
        (_, Json::Null) | (GoType::Raw, _) | (GoType::Text(_), Json::String(_)) | (GoType::Flag, Json::Bool(_)) => None,
        (GoType::Integer | GoType::OptionalInteger, value) => match go::Number::of(value) {
            Some(number) if number.is_integer() => None,
            Some(go::Number::Float(_)) => {
                let number = go::json(value);
                let field = format!("Go struct field {type_}.{place} of type int64");
                Some(format!("json: cannot unmarshal number {number} into {field}"))
            }
            _ => wrong(value, "int64"),
        },
        (GoType::Text(expected), value) => wrong(value, expected),
        (GoType::Flag, value) => wrong(value, "bool"),
        (GoType::Time, Json::String(text)) => super::time::time_error(text),
        (GoType::Time, value) => wrong(value, "string"),
        (GoType::Texts, Json::Array(items)) => {
            let item = items.iter().find(|item| !is_text(item))?;
            wrong(item, "string")
        }
        (GoType::Texts, value) => wrong(value, "[]string"),
        (GoType::TextMap, Json::Object(members)) => {
            let (_, value) = go::sorted(members).into_iter().find(|(_, value)| !is_text(&value))?;
            wrong(value, "string")
        }
        (GoType::TextMap, value) => wrong(value, "map[string]string"),
        (GoType::Objects(name, fields), Json::Array(items)) => items.iter().find_map(|item| match item {
            Json::Null => None,
            Json::Object(members) => fields_error(name, &format!("{place}."), fields, members, search),
            _ if search == Search::Times => None,
            other => wrong(other, &format!("v1.{name}")),
        }),
        (GoType::Objects(name, _), value) => wrong(value, &format!("[]v1.{name}")),
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
/// fields. If any metadata cannot be decoded, nothing changes. Returns the paths of the unknown fields.
pub fn coerce_metadata(schema: &SchemaProps<'_>, value: &mut Json<'_>) -> Vec<String> {
    let mut unknown = Vec::new();
    if is_readable(schema, value) {
        coerce_below(schema, value, &ValuePath::ROOT, &mut unknown);
    }
    unknown.sort();
    unknown
}

fn is_readable(schema: &SchemaProps<'_>, value: &Json<'_>) -> bool {
    match value {
        Json::Object(members) => members.iter().all(|(name, value)| {
            let here = match &**name {
                _ if !schema.embedded_resource => true,
                "apiVersion" | "kind" => value.as_str().is_some(),
                "metadata" => object_meta_error(value).is_none(),
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

fn coerce_below(schema: &SchemaProps<'_>, value: &mut Json<'_>, path: &ValuePath<'_>, unknown: &mut Vec<String>) {
    match value {
        Json::Object(members) => {
            for (name, value) in members {
                let field = path.then(ValueStep::Field(name));
                if schema.embedded_resource && name == "metadata" {
                    coerce_object_meta(value, &field, unknown);
                }
                if let Some(property) = schema.property(name) {
                    coerce_below(property, value, &field, unknown);
                } else if let Some(values) = schema.values() {
                    coerce_below(values, value, &path.then(ValueStep::Entry(name)), unknown);
                }
            }
        }
        Json::Array(items) => {
            if let Some(of_items) = schema.items() {
                for (at, item) in items.iter_mut().enumerate() {
                    coerce_below(of_items, item, &path.then(ValueStep::Item(at)), unknown);
                }
            }
        }
        _ => {}
    }
}

fn coerce_object_meta(metadata: &mut Json<'_>, path: &ValuePath<'_>, unknown: &mut Vec<String>) {
    if metadata.is_null() {
        *metadata = Json::Object(Vec::new());
    }
    if let Json::Object(members) = metadata {
        coerce_fields(METADATA, members, path, unknown);
    }
}

fn coerce_fields(
    fields: &[StructField],
    members: &mut Vec<(Cow<'_, str>, Json<'_>)>,
    path: &ValuePath<'_>,
    unknown: &mut Vec<String>,
) {
    members.retain_mut(|(name, value)| {
        let path = path.then(ValueStep::Field(name));
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            let place = path.place();
            unknown.push(place.strip_prefix('.').unwrap_or(&place).into());
            return false;
        };
        coerce_field(field, value, &path, unknown);
        field.is_always_written || !is_empty(field.type_, value)
    });
    for field in fields.iter().filter(|field| field.is_always_written) {
        if !members.iter().any(|(name, _)| name == field.name) {
            members.push((field.name.into(), Json::String("".into())));
        }
    }
}

fn coerce_field(field: &StructField, value: &mut Json<'_>, path: &ValuePath<'_>, unknown: &mut Vec<String>) {
    let text = |value: &mut Json<'_>| {
        if value.is_null() {
            *value = Json::String("".into());
        }
    };
    match (field.type_, value) {
        (GoType::Text(_), value) => text(value),
        (GoType::Integer | GoType::OptionalInteger, value) => {
            let number = go::Number::of(value).and_then(go::Number::as_integer);
            if let Some(number) = number {
                *value = Json::Integer(number);
            }
        }
        (GoType::Texts, Json::Array(items)) => items.iter_mut().for_each(text),
        (GoType::TextMap, Json::Object(members)) => {
            members.iter_mut().for_each(|(_, value)| text(value));
        }
        (GoType::Objects(_, fields), Json::Array(items)) => {
            for (at, item) in items.iter_mut().enumerate() {
                if item.is_null() {
                    *item = Json::Object(Vec::new());
                }
                if let Json::Object(members) = item {
                    coerce_fields(fields, members, &path.then(ValueStep::Item(at)), unknown);
                }
            }
        }
        _ => {}
    }
}

fn is_empty(type_: GoType, value: &Json<'_>) -> bool {
    match (type_, value) {
        (_, Json::Null) | (GoType::Integer, Json::Integer(0)) => true,
        (GoType::Raw, _) => false,
        (_, Json::String(text)) => text.is_empty(),
        (_, Json::Array(items)) => items.is_empty(),
        (_, Json::Object(members)) => members.is_empty(),
        _ => false,
    }
}
