//! Reports of values that do not match the API.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};

use super::{D1, D2, D3, D4, D5, D6, D7, D8, D10, D12, D13, JsonLocation, Reader};
use crate::{
    json::Json,
    rules::Location,
    schema::{
        api_fields::{ApiField, ApiStruct, FieldType, SCHEMA},
        unsupported_keywords::instead_of,
    },
    suggest::nearest_by,
    violation::{Arg, ErrorType, ServerError, Text, Violation},
};

impl Reader<'_, '_> {
    /// Reports a value of the wrong type. Returns the value that was probably meant, to avoid follow-up errors.
    pub(super) fn mismatch<'a>(&mut self, form: FieldType, json: &Json<'a>, at: &JsonLocation<'_>) -> Option<Json<'a>> {
        let is_schema = matches!(form, FieldType::Object(object) if object.name == SCHEMA.name);
        let found = noun(json);
        let written = json.to_string();
        let is_integer = matches!(form, FieldType::Int32 | FieldType::Int64);
        let (rule, message) = match at.keyword() {
            _ if matches!(form, FieldType::SchemaOrBool) => (
                &D6,
                Text::new("`{}` is {}: write a schema, `true` or `false`", &[Arg::Text(at.name()), Arg::Text(found)]),
            ),
            _ if is_schema => (
                &D4,
                Text::new(
                    "the schema is `{}`: write one that accepts any value, `x-kubernetes-preserve-unknown-fields: \
                     true`",
                    &[Arg::Text(&written)],
                ),
            ),
            Some("type") => {
                (&D1, Text::new("`type` is {}: write one type, and `nullable: true` for null", &[Arg::Text(found)]))
            }
            Some(name @ ("exclusiveMinimum" | "exclusiveMaximum")) => (
                &D2,
                Text::new(
                    "`{}` is {}: write the bound as `minimum` or `maximum`, and `true` here",
                    &[Arg::Text(name), Arg::Text(found)],
                ),
            ),
            Some(name) if is_integer => (
                &D3,
                Text::new(
                    "`{}` is `{}`: write an integer, without fraction and exponent",
                    &[Arg::Text(name), Arg::Text(&written)],
                ),
            ),
            _ => (
                &D12,
                Text::new("`{}` is {}: expected {}", &[Arg::Text(at.name()), Arg::Text(found), Arg::Text(form.noun())]),
            ),
        };
        let go = format!("{}.{}", at.owner(), at.go());
        let (json_type, go_type) = (json_type(json, is_integer), form.go_type());
        let mut server_error = ServerError::new(ErrorType::Other, "", "boolean or JSON schema expected");
        if rule.id != D6.id {
            server_error.detail = Text::new(
                "json: cannot unmarshal {} into Go struct field {} of type {}",
                &[Arg::Text(&json_type), Arg::Text(&go), Arg::Text(&go_type)],
            );
        }
        self.report_at(at, Violation::new(rule, message).with_server_error(server_error));
        match json {
            Json::Array(types) if rule.id == D1.id => {
                let is_type = |it: &&Json<'_>| it.as_str().is_some_and(|name| name != "null");
                types.iter().find(is_type).cloned()
            }
            Json::Bool(_) if is_schema => {
                let key = "x-kubernetes-preserve-unknown-fields".into();
                Some(Json::Object(Vec::from([(key, Json::Bool(true))])))
            }
            _ => None,
        }
    }

    pub(super) fn unknown(&mut self, object: &'static ApiStruct, name: &str, at: &JsonLocation<'_>) {
        let field = at.below(name);
        let advice = advice(object, name);
        let (rule, loss) = if at.is_hidden() { (&D13, ", and the server drops it silently") } else { (&D8, "") };
        let message =
            Text::new("there is no field `{}`{}: {}", &[Arg::Text(name), Arg::Text(loss), Arg::Text(&advice)]);
        let mut violation = Violation::new(rule, message);
        if !at.is_hidden() {
            let mut server_error = ServerError::new(ErrorType::Other, "", "");
            server_error.detail = Text::new("unknown field {}", &[Arg::Quoted(&field)]);
            violation = violation.with_server_error(server_error);
        }
        self.report_at(at, violation);
    }

    pub(super) fn no_items(&mut self, json: &Json<'_>, at: &JsonLocation<'_>) {
        let message = Text::new("`items` is {}, which the server ignores: write a schema", &[Arg::Text(noun(json))]);
        self.report_at(at, Violation::new(&D5, message));
    }

    pub(super) fn null(&mut self, at: &JsonLocation<'_>) {
        if let Some(name @ ("default" | "example")) = at.keyword() {
            let message = Text::new("`{}: null` has no effect: remove it", &[Arg::Text(name)]);
            self.report_at(at, Violation::new(&D7, message));
        }
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // the loss of precision is checked
    pub(super) fn precision(&mut self, json: &Json<'_>, at: &JsonLocation<'_>) {
        let is_exact = match json {
            Json::Integer(value) => (*value as f64) as i128 == i128::from(*value),
            Json::Unsigned(value) => (*value as f64) as i128 == i128::from(*value),
            _ => true,
        };
        if !is_exact {
            let written = json.to_string();
            let message = Text::new(
                "`{}` is {}, which a 64-bit float cannot represent: the server rounds it",
                &[Arg::Text(at.name()), Arg::Text(&written)],
            );
            self.report_at(at, Violation::new(&D10, message));
        }
    }

    pub(super) fn base64(&mut self, at: &JsonLocation<'_>) {
        let message = Text::new("`{}` is not base64", &[Arg::Text(at.name())]);
        let server_error = ServerError::new(ErrorType::Other, "", "illegal base64 data at input byte");
        self.report_at(at, Violation::new(&D12, message).with_server_error(server_error));
    }

    pub(super) fn time(&mut self, text: &str, at: &JsonLocation<'_>) {
        let args = [Arg::Text(at.name()), Arg::Text(text)];
        let message = Text::new("`{}` is `{}`: expected a time such as `2006-01-02T15:04:05Z`", &args);
        let mut server_error = ServerError::new(ErrorType::Other, "", "");
        server_error.detail = Text::new("parsing time {} as \"2006-01-02T15:04:05Z07:00\"", &[Arg::Quoted(text)]);
        self.report_at(at, Violation::new(&D12, message).with_server_error(server_error));
    }

    fn report_at(&mut self, at: &JsonLocation<'_>, violation: Violation<'_>) {
        let place = Location { path: at.path(), field: String::new() };
        (self.report)(place, &violation);
    }
}

/// Returns the advice for an unknown field.
fn advice(object: &'static ApiStruct, name: &str) -> String {
    let instead = instead_of(name).filter(|_| object.name == SCHEMA.name);
    if let Some(instead) = instead {
        return instead.into();
    }
    let is_of_another_case = |field: &&ApiField| field.name.eq_ignore_ascii_case(name);
    let fields = object.fields;
    let same = fields.iter().find(is_of_another_case);
    match same.or_else(|| nearest_by(name, fields, |field| field.name)) {
        Some(field) => format!("did you mean `{}`?", field.name),
        None => "remove it".into(),
    }
}

const fn noun(json: &Json<'_>) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Integer(_) | Json::Unsigned(_) | Json::Float(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

fn json_type(json: &Json<'_>, names_number: bool) -> Cow<'static, str> {
    match json {
        Json::Null => "null".into(),
        Json::Bool(_) => "bool".into(),
        Json::Integer(_) | Json::Unsigned(_) | Json::Float(_) if names_number => format!("number {json}").into(),
        Json::Integer(_) | Json::Unsigned(_) | Json::Float(_) => "number".into(),
        Json::String(_) => "string".into(),
        Json::Array(_) => "array".into(),
        Json::Object(_) => "object".into(),
    }
}
