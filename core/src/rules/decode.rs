//! Decoding of a definition, as the server does it.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use crate::{
    json::Json,
    literal::times::unix_time,
    rules::{Location, Report},
    schema::api_fields::{ApiStruct, DEFINITION, FieldType, SCHEMA},
    violation::{Arg, Text, Violation},
};

mod errors;
mod location;

use location::JsonLocation;

rules! {
    D1 Error [Validate] "`type` is one string.";
    D2 Error [Validate] "`exclusiveMinimum` and `exclusiveMaximum` are booleans.";
    D3 Error [Validate] "Bounds on lengths, items and fields are integers without fraction and exponent.";
    D4 Error [Validate] "A schema is an object.";
    D5 Lint [Validate] "`items` is a schema.";
    D6 Error [Validate] "`additionalProperties` is a schema or a boolean.";
    D7 Lint [Validate] "`default` and `example` are not null.";
    D8 Error [Derive, Validate] "Each field and each keyword is known to the server.";
    D9 Error [Never("parsed JSON has each key once")] "No object repeats a key.";
    D10 Lint [Validate] "A bound is a number that a 64-bit float can represent.";
    D11 Error [Never("D8 covers it: a key in another case is unknown")] "Keys are in the case of the API.";
    D12 Error [Validate] "Each field has the type that the API defines.";
    D13 Defect [Validate] "Each keyword below `items` and `additionalProperties` is known to the server.";
    D14 Error [Validate] "The object is a CustomResourceDefinition of `apiextensions.k8s.io/v1`.";
}

/// Decodes the JSON of a definition as the server does, and reports what the server rejects or drops.
///
/// The result has only known fields, with values of their types.
pub fn definition<'a>(json: &Json<'a>, report: &mut Report<'_>) -> Json<'a> {
    kind(json, report);
    let mut reader = Reader { report };
    let root = JsonLocation::root();
    reader.read(FieldType::Object(&DEFINITION), json, &root).unwrap_or_else(|| Json::Object(Vec::new()))
}

fn kind(json: &Json<'_>, report: &mut Report<'_>) {
    let expected = [("apiVersion", "apiextensions.k8s.io/v1"), ("kind", "CustomResourceDefinition")];
    for (name, expected) in expected {
        let given = json.get(name).and_then(Json::as_str).unwrap_or_default();
        if given.is_empty() || given == expected {
            continue;
        }
        let args = [Arg::Text(name), Arg::Text(given), Arg::Text(expected)];
        let message = Text::new("the `{}` is `{}`: expected `{}`", &args);
        let place = Location { path: name.into(), field: String::new() };
        report(place, &Violation::new(&D14, message));
    }
}

struct Reader<'r, 'f> {
    report: &'r mut Report<'f>,
}

impl Reader<'_, '_> {
    /// Returns the value as the server decodes it; `None` if the server treats it as absent.
    fn read<'a>(&mut self, form: FieldType, json: &Json<'a>, at: &JsonLocation<'_>) -> Option<Json<'a>> {
        match (form, json) {
            (FieldType::Json, Json::Null) => {
                self.null(at);
                None
            }
            (_, Json::Null) => None,
            (FieldType::Json, _)
            | (FieldType::String(_), Json::String(_))
            | (FieldType::Bool | FieldType::SchemaOrBool, Json::Bool(_))
            | (FieldType::Int64, Json::Integer(_)) => Some(json.clone()),
            (FieldType::Float64, Json::Integer(_) | Json::Unsigned(_) | Json::Float(_)) => {
                self.precision(json, at);
                Some(json.clone())
            }
            (FieldType::Int32, Json::Integer(value)) if i32::try_from(*value).is_ok() => Some(json.clone()),
            (FieldType::Bytes, Json::String(text)) => {
                if is_base64(text) {
                    Some(json.clone())
                } else {
                    self.base64(at);
                    None
                }
            }
            // Go also accepts a list of numbers; no rule uses those bytes.
            (FieldType::Bytes, Json::Array(items)) if items.iter().all(is_byte) => None,
            (FieldType::Time, Json::String(text)) => {
                if unix_time(text).is_none() {
                    self.time(text, at);
                }
                // No rule uses a time.
                None
            }
            (FieldType::Named(_, form), _) if form.takes(json) => self.read(*form, json, at),
            (FieldType::Object(object), Json::Object(members)) => Some(self.object(object, members, at)),
            (
                FieldType::SchemaOrSchemas | FieldType::SchemaOrBool | FieldType::SchemaOrStrings,
                Json::Object(members),
            ) => Some(self.object(&SCHEMA, members, &at.hidden())),
            (FieldType::SchemaOrSchemas, Json::Array(items)) => {
                Some(self.list(FieldType::Object(&SCHEMA), items, &at.hidden()))
            }
            (FieldType::SchemaOrStrings, Json::Array(items)) => Some(self.list(FieldType::String("string"), items, at)),
            (FieldType::List(form), Json::Array(items)) => Some(self.list(*form, items, at)),
            (FieldType::Map(form), Json::Object(members)) => Some(self.map(*form, members, at)),
            (FieldType::SchemaOrSchemas, _) => {
                self.no_items(json, at);
                None
            }
            (FieldType::SchemaOrStrings, _) => Some(Json::Array(Vec::new())),
            _ => self.mismatch(form, json, at),
        }
    }

    fn object<'a>(
        &mut self,
        object: &'static ApiStruct,
        members: &[(Cow<'a, str>, Json<'a>)],
        at: &JsonLocation<'_>,
    ) -> Json<'a> {
        let mut read = Vec::new();
        for (name, value) in members {
            let Some(field) = object.field(name) else {
                self.unknown(object, name, at);
                continue;
            };
            if let Some(value) = self.read(field.form, value, &at.field(object, field, members)) {
                read.push((name.clone(), value));
            }
        }
        Json::Object(read)
    }

    fn list<'a>(&mut self, form: FieldType, items: &[Json<'a>], at: &JsonLocation<'_>) -> Json<'a> {
        let mut read = Vec::new();
        for (number, item) in items.iter().enumerate() {
            let value = match form {
                FieldType::Json => Some(item.clone()),
                _ => self.read(form, item, &at.item(number)),
            };
            read.extend(value.or_else(|| form.zero(item)));
        }
        Json::Array(read)
    }

    fn map<'a>(&mut self, form: FieldType, members: &[(Cow<'a, str>, Json<'a>)], at: &JsonLocation<'_>) -> Json<'a> {
        let mut read = Vec::new();
        for (key, value) in members {
            let value_read = self.read(form, value, &at.key(key));
            if let Some(value) = value_read.or_else(|| form.zero(value)) {
                read.push((key.clone(), value));
            }
        }
        Json::Object(read)
    }
}

impl FieldType {
    /// Whether the outermost JSON type of a value matches.
    const fn takes(self, json: &Json<'_>) -> bool {
        matches!((self, json), (Self::List(_), Json::Array(_)) | (Self::Map(_), Json::Object(_)))
    }

    /// Returns the zero value, which replaces null in a list or a map.
    fn zero<'a>(self, json: &Json<'_>) -> Option<Json<'a>> {
        match self {
            _ if !json.is_null() => None,
            Self::String(_) => Some(Json::String("".into())),
            Self::Object(_) => Some(Json::Object(Vec::new())),
            _ => None,
        }
    }

    const fn noun(self) -> &'static str {
        match self {
            Self::String(_) | Self::Time => "a string",
            Self::Bool => "a boolean",
            Self::Int32 => "a 32-bit integer",
            Self::Int64 => "a 64-bit integer",
            Self::Float64 => "a number",
            Self::Bytes => "base64",
            Self::Json => "any value",
            Self::Object(_) | Self::Map(_) => "an object",
            Self::List(_) => "a list",
            Self::Named(_, form) => form.noun(),
            Self::SchemaOrSchemas => "a schema",
            Self::SchemaOrBool => "a schema or a boolean",
            Self::SchemaOrStrings => "a schema or a list",
        }
    }

    fn go_type(self) -> String {
        match self {
            Self::String(name) | Self::Named(name, _) => name.into(),
            Self::Time => "string".into(),
            Self::Bool => "bool".into(),
            Self::Int32 => "int32".into(),
            Self::Int64 => "int64".into(),
            Self::Float64 => "float64".into(),
            Self::Bytes => "[]uint8".into(),
            Self::Json => "v1.JSON".into(),
            Self::Object(object) => format!("v1.{}", object.name),
            Self::List(form) => format!("[]{}", form.go_type()),
            Self::Map(form) => format!("map[string]{}", form.go_type()),
            Self::SchemaOrSchemas => "v1.JSONSchemaPropsOrArray".into(),
            Self::SchemaOrBool => "v1.JSONSchemaPropsOrBool".into(),
            Self::SchemaOrStrings => "v1.JSONSchemaPropsOrStringArray".into(),
        }
    }
}

const fn is_byte(json: &Json<'_>) -> bool {
    matches!(json, Json::Integer(0..=255))
}

/// Whether a text is padded base64, with optional line breaks.
fn is_base64(text: &str) -> bool {
    let bytes: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let end = bytes.iter().rposition(|byte| *byte != b'=').map_or(0, |at| at + 1);
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    bytes.len().is_multiple_of(4) && bytes.len() - end <= 2 && bytes[..end].iter().all(is_digit)
}

#[cfg(test)]
mod tests;
