//! Values of the object that is validated, by its schema.
//!
//! From `UnstructuredToVal` of the API server.

use alloc::{borrow::Cow, format};

use super::{
    error::{Evaluated, Stop},
    time::Timestamp,
    value::{Text, Value},
};
use crate::{
    cel::{
        decl_type::{DeclType, Inner},
        types::Type,
    },
    json::Json,
    literal::{
        base64,
        cel::{escaped, unescaped},
        formats::{go_duration, lenient_duration},
        times::days,
    },
};

/// The type of a value without a schema.
pub(in crate::cel) static DYN: DeclType = DeclType::simple(Type::Dyn, 1);

/// Converts a value of a declared type.
#[allow(clippy::cast_precision_loss)] // as Go converts it
pub(in crate::cel) fn value_of<'v>(json: &'v Json<'v>, declared: &'v DeclType) -> Evaluated<'v> {
    if declared.type_.is_dyn() {
        return Ok(undeclared(json));
    }
    Ok(match (&declared.type_, json) {
        (_, Json::Null) if declared.is_nullable => Value::Null,
        (_, Json::Null) => return Err("invalid data, got null for schema with nullable=false".into()),
        (Type::Bool, Json::Bool(value)) => Value::Bool(*value),
        (Type::Int, Json::Integer(value)) => Value::Int(*value),
        (Type::Double, Json::Integer(value)) => Value::Double(*value as f64),
        (Type::Double, Json::Unsigned(value)) => Value::Double(*value as f64),
        (Type::Double, Json::Float(value)) => Value::Double(*value),
        (Type::String, Json::String(text)) => Value::Text(Text::Borrowed(text)),
        (Type::Bytes | Type::Timestamp | Type::Duration, Json::String(text)) => {
            return of_format(text, &declared.type_);
        }
        (Type::List(_), Json::Array(_)) | (Type::Map(..) | Type::Object(_), Json::Object(_)) => {
            Value::Data(json, declared)
        }
        (type_, json) => return Err(mismatch(type_, json)),
    })
}

/// Converts a value without a schema.
#[allow(clippy::cast_precision_loss)] // as Go's decoder does
fn undeclared<'v>(json: &'v Json<'v>) -> Value<'v> {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Integer(value) => Value::Int(*value),
        Json::Unsigned(value) => Value::Double(*value as f64),
        Json::Float(value) => Value::Double(*value),
        Json::String(text) => Value::Text(Text::Borrowed(text)),
        Json::Array(_) | Json::Object(_) => Value::Data(json, &DYN),
    }
}

/// Converts a string with a format.
fn of_format<'v>(text: &str, type_: &Type) -> Evaluated<'v> {
    match type_ {
        Type::Bytes => match base64::decode(text) {
            Ok(bytes) => Ok(Value::Bytes(bytes.into())),
            Err(at) => {
                Err(format!("Invalid byte formatted string {text}: illegal base64 data at input byte {at}").into())
            }
        },
        Type::Duration => match go_duration(text).or_else(|| lenient_duration(text)) {
            Some(nanos) => Ok(Value::Duration(nanos)),
            None => Err(format!("Invalid duration {text}: unable to parse {text} as duration").into()),
        },
        _ => match date_or_time(text) {
            Some(time) => Ok(Value::Timestamp(time)),
            None => Err(format!("Invalid date-time formatted string {text}").into()),
        },
    }
}

/// Parses a date, or a date and a time.
fn date_or_time(text: &str) -> Option<Timestamp> {
    if crate::literal::formats::is_date(text) {
        let part = |from: usize, to: usize| text[from..to].parse().ok();
        return Some(Timestamp::of_unix(days(part(0, 4)?, part(5, 7)?, part(8, 10)?) * 86_400));
    }
    Timestamp::parse(text)
}

fn mismatch(type_: &Type, json: &Json<'_>) -> Stop {
    let expected = match type_ {
        Type::Bool => "bool",
        Type::Int => "int",
        Type::Double => "float",
        Type::List(_) => return "invalid data, expected an array for the provided schema with type=array".into(),
        Type::Map(..) | Type::Object(_) => {
            return "invalid data, expected a map for the provided schema with type=object".into();
        }
        _ => "string",
    };
    let found = match json {
        Json::Null => "<nil>",
        Json::Bool(_) => "bool",
        Json::Integer(_) => "int64",
        Json::Unsigned(_) | Json::Float(_) => "float64",
        Json::String(_) => "string",
        Json::Array(_) => "[]interface {}",
        Json::Object(_) => "map[string]interface {}",
    };
    format!("invalid data, expected {expected}, got {found}").into()
}

/// Returns the type of the elements of a list or a map.
pub(super) fn elements(declared: &DeclType) -> Option<&DeclType> {
    match &declared.inner {
        Inner::Items(inner) | Inner::Values(inner) => Some(inner),
        Inner::Nothing if declared.type_.is_dyn() => Some(&DYN),
        Inner::Nothing | Inner::Fields(_) => None,
    }
}

/// The members of an object, in their original order.
pub(super) type Members<'v> = [(Cow<'v, str>, Json<'v>)];

/// The name of a field in an expression.
#[derive(Debug)]
pub(super) struct FieldName<'n> {
    pub(super) escaped: Cow<'n, str>,
    /// The name in the schema; `None` if an escape in it is not known.
    plain: Option<Cow<'n, str>>,
}

impl<'n> FieldName<'n> {
    pub(super) fn of(name: &'n str) -> Self {
        Self { escaped: name.into(), plain: unescaped(name) }
    }

    pub(super) fn into_owned(self) -> FieldName<'static> {
        let owned = |name: Cow<'n, str>| Cow::Owned(name.into_owned());
        FieldName { escaped: owned(self.escaped), plain: self.plain.map(owned) }
    }
}

/// Finds a field of an object or an entry of a map, with its type if it has one.
pub(super) fn member<'v>(
    members: &'v Members<'v>,
    declared: &'v DeclType,
    name: &FieldName<'_>,
) -> Option<(&'v Json<'v>, Option<&'v DeclType>)> {
    let Inner::Fields(fields) = &declared.inner else {
        let (_, json) = members.iter().find(|(key, _)| *key == name.escaped)?;
        return Some((json, elements(declared)));
    };
    let plain = name.plain.as_ref()?;
    let (_, json) = members.iter().find(|(member, _)| member == plain).filter(|(_, json)| !json.is_null())?;
    let named = |key: &str| fields.iter().find(|(field, _)| field == key);
    // A reserved word can be selected without its escape.
    let (_, declared) = named(&name.escaped).or_else(|| named(&escaped(plain)?))?;
    Some((json, Some(declared)))
}

/// Converts a part of a list, a map or an object.
pub(super) fn part<'v>(json: &'v Json<'v>, declared: Option<&'v DeclType>) -> Evaluated<'v> {
    match declared {
        Some(declared) => value_of(json, declared),
        None => Err("no such key".into()),
    }
}

/// Returns the type of the parts of a value, if it is a list, a map or an object that fits its type.
pub(super) fn type_of_data<'v>(json: &Json<'_>, declared: &'v DeclType) -> Option<&'v DeclType> {
    match (&declared.type_, json) {
        (type_, Json::Array(_) | Json::Object(_)) if type_.is_dyn() => Some(&DYN),
        (Type::List(_), Json::Array(_)) | (Type::Map(..) | Type::Object(_), Json::Object(_)) => Some(declared),
        _ => None,
    }
}

/// Returns the key by which an entry of a map, or a field of an object, is found; `None` if the schema does not name the field.
pub(super) fn key<'v>(name: &'v str, declared: &DeclType) -> Option<Text<'v>> {
    let Inner::Fields(fields) = &declared.inner else {
        return Some(Text::Borrowed(name));
    };
    let key = escaped(name).map_or(Text::Borrowed(name), Text::from);
    let is_known = fields.iter().any(|(field, _)| **field == *key);
    is_known.then_some(key)
}
