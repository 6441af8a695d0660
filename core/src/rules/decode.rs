//! How the server reads the JSON of a definition.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    json::Json,
    literal::times::unix_time,
    rules::{Place, Report},
    schema::keywords::{DEFINITION, Field, Form, Object, SCHEMA},
    suggest::nearest_by,
    violation::{Answer, AnswerKind, Arg, Text, Violation},
};

mod place;

use place::At;

rules! {
    D1 Error [Validate] "`type` is one text.";
    D2 Error [Validate] "`exclusiveMinimum` and `exclusiveMaximum` are booleans.";
    D3 Error [Validate] "Lengths and numbers of items and fields are integers without fraction and exponent.";
    D4 Error [Validate] "A schema is an object.";
    D5 Lint [Validate] "`items` is a schema.";
    D6 Error [Validate] "`additionalProperties` is a schema or a boolean.";
    D7 Lint [Validate] "`default` and `example` are not null.";
    D8 Error [Derive, Validate] "Each field and each keyword is one that the server knows.";
    D9 Error [Never("JSON that was read has each key once")] "No key stands twice in an object.";
    D10 Lint [Validate] "A bound is a number that a 64-bit float holds.";
    D11 Error [Never("D8 finds it: a key in another case is unknown")] "Keys have the case of the API.";
    D12 Error [Validate] "Each field has the type of the API.";
    D13 Defect [Validate] "Each keyword below `items` and `additionalProperties` is one that the server knows.";
    D14 Error [Validate] "The object is a CustomResourceDefinition of `apiextensions.k8s.io/v1`.";
}

/// Reads the JSON of a definition as the server does, and reports what it refuses to read and what it drops.
///
/// What is returned has only fields that the server knows, with values of their types.
pub fn definition<'a>(json: &Json<'a>, report: &mut Report<'_>) -> Json<'a> {
    kind(json, report);
    let mut reader = Reader { report };
    let root = At::root();
    reader
        .read(Form::Object(&DEFINITION), json, &root)
        .unwrap_or_else(|| Json::Object(Vec::new()))
}

fn kind(json: &Json<'_>, report: &mut Report<'_>) {
    let expected = [
        ("apiVersion", "apiextensions.k8s.io/v1"),
        ("kind", "CustomResourceDefinition"),
    ];
    for (name, expected) in expected {
        let given = json.get(name).and_then(Json::as_str).unwrap_or_default();
        if given.is_empty() || given == expected {
            continue;
        }
        let args = [Arg::Text(name), Arg::Text(given), Arg::Text(expected)];
        let message = Text::new("the `{}` is `{}`: expected `{}`", &args);
        let place = Place {
            path: name.into(),
            field: String::new(),
        };
        report(place, &Violation::new(&D14, message));
    }
}

struct Reader<'r, 'f> {
    report: &'r mut Report<'f>,
}

impl Reader<'_, '_> {
    /// What the server reads of a value; none if that is as good as no value.
    fn read<'a>(&mut self, form: Form, json: &Json<'a>, at: &At<'_>) -> Option<Json<'a>> {
        match (form, json) {
            (Form::Json, Json::Null) => {
                self.null(at);
                None
            }
            (_, Json::Null) => None,
            (Form::Json, _)
            | (Form::String(_), Json::String(_))
            | (Form::Bool | Form::SchemaOrBool, Json::Bool(_))
            | (Form::Int64, Json::Integer(_)) => Some(json.clone()),
            (Form::Float64, Json::Integer(_) | Json::Unsigned(_) | Json::Float(_)) => {
                self.precision(json, at);
                Some(json.clone())
            }
            (Form::Int32, Json::Integer(value)) if i32::try_from(*value).is_ok() => {
                Some(json.clone())
            }
            (Form::Bytes, Json::String(text)) => match is_base64(text) {
                true => Some(json.clone()),
                false => {
                    self.base64(at);
                    None
                }
            },
            // Go takes a list of numbers too; no rule asks for those bytes.
            (Form::Bytes, Json::Array(items)) if items.iter().all(is_byte) => None,
            (Form::Time, Json::String(text)) => {
                if unix_time(text).is_none() {
                    self.time(text, at);
                }
                // No rule asks for a time.
                None
            }
            (Form::Named(_, form), _) if form.takes(json) => self.read(*form, json, at),
            (Form::Object(object), Json::Object(members)) => Some(self.object(object, members, at)),
            (
                Form::SchemaOrSchemas | Form::SchemaOrBool | Form::SchemaOrStrings,
                Json::Object(members),
            ) => Some(self.object(&SCHEMA, members, &at.hidden())),
            (Form::SchemaOrSchemas, Json::Array(items)) => {
                Some(self.list(Form::Object(&SCHEMA), items, &at.hidden()))
            }
            (Form::SchemaOrStrings, Json::Array(items)) => {
                Some(self.list(Form::String("string"), items, at))
            }
            (Form::List(form), Json::Array(items)) => Some(self.list(*form, items, at)),
            (Form::Map(form), Json::Object(members)) => Some(self.map(*form, members, at)),
            (Form::SchemaOrSchemas, _) => {
                self.no_items(json, at);
                None
            }
            (Form::SchemaOrStrings, _) => Some(Json::Array(Vec::new())),
            _ => self.mismatch(form, json, at),
        }
    }

    fn object<'a>(
        &mut self,
        object: &'static Object,
        members: &[(Cow<'a, str>, Json<'a>)],
        at: &At<'_>,
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

    fn list<'a>(&mut self, form: Form, items: &[Json<'a>], at: &At<'_>) -> Json<'a> {
        let mut read = Vec::new();
        for (number, item) in items.iter().enumerate() {
            let value = match form {
                Form::Json => Some(item.clone()),
                _ => self.read(form, item, &at.item(number)),
            };
            read.extend(value.or_else(|| form.zero(item)));
        }
        Json::Array(read)
    }

    fn map<'a>(
        &mut self,
        form: Form,
        members: &[(Cow<'a, str>, Json<'a>)],
        at: &At<'_>,
    ) -> Json<'a> {
        let mut read = Vec::new();
        for (key, value) in members {
            let value_read = self.read(form, value, &at.key(key));
            if let Some(value) = value_read.or_else(|| form.zero(value)) {
                read.push((key.clone(), value));
            }
        }
        Json::Object(read)
    }

    /// A value of another type than the field takes; what was probably meant, so that nothing else is said of it.
    fn mismatch<'a>(&mut self, form: Form, json: &Json<'a>, at: &At<'_>) -> Option<Json<'a>> {
        let is_schema = matches!(form, Form::Object(object) if object.name == SCHEMA.name);
        let found = noun(json);
        let written = json.to_string();
        let is_integer = matches!(form, Form::Int32 | Form::Int64);
        let (rule, message) = match at.keyword() {
            _ if matches!(form, Form::SchemaOrBool) => (
                &D6,
                Text::new(
                    "`{}` is {}: write a schema, `true` or `false`",
                    &[Arg::Text(at.name()), Arg::Text(found)],
                ),
            ),
            _ if is_schema => (
                &D4,
                Text::new(
                    "the schema is `{}`: write one that takes any value, `x-kubernetes-preserve-unknown-fields: true`",
                    &[Arg::Text(&written)],
                ),
            ),
            Some("type") => (
                &D1,
                Text::new(
                    "`type` is {}: write one type, and `nullable: true` for null",
                    &[Arg::Text(found)],
                ),
            ),
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
                Text::new(
                    "`{}` is {}: expected {}",
                    &[
                        Arg::Text(at.name()),
                        Arg::Text(found),
                        Arg::Text(form.noun()),
                    ],
                ),
            ),
        };
        let go = format!("{}.{}", at.owner(), at.go());
        let (json_type, go_type) = (json_type(json, is_integer), form.go_type());
        let mut answer = Answer::new(AnswerKind::Other, "", "boolean or JSON schema expected");
        if rule.id != D6.id {
            answer.detail = Text::new(
                "json: cannot unmarshal {} into Go struct field {} of type {}",
                &[Arg::Text(&json_type), Arg::Text(&go), Arg::Text(&go_type)],
            );
        }
        self.say(at, Violation::new(rule, message).answered(answer));
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

    fn unknown(&mut self, object: &'static Object, name: &str, at: &At<'_>) {
        let field = at.below(name);
        let advice = advice(object, name);
        let (rule, loss) = match at.is_hidden() {
            true => (&D13, ", and the server drops it without a word"),
            false => (&D8, ""),
        };
        let message = Text::new(
            "there is no field `{}`{}: {}",
            &[Arg::Text(name), Arg::Text(loss), Arg::Text(&advice)],
        );
        let mut violation = Violation::new(rule, message);
        if !at.is_hidden() {
            let mut answer = Answer::new(AnswerKind::Other, "", "");
            answer.detail = Text::new("unknown field {}", &[Arg::Quoted(&field)]);
            violation = violation.answered(answer);
        }
        self.say(at, violation);
    }

    fn no_items(&mut self, json: &Json<'_>, at: &At<'_>) {
        let message = Text::new(
            "`items` is {}, which the server reads as nothing: write a schema",
            &[Arg::Text(noun(json))],
        );
        self.say(at, Violation::new(&D5, message));
    }

    fn null(&mut self, at: &At<'_>) {
        if let Some(name @ ("default" | "example")) = at.keyword() {
            let message = Text::new(
                "`{}: null` is as good as none: remove it",
                &[Arg::Text(name)],
            );
            self.say(at, Violation::new(&D7, message));
        }
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // it is what is asked about
    fn precision(&mut self, json: &Json<'_>, at: &At<'_>) {
        let is_exact = match json {
            Json::Integer(value) => (*value as f64) as i128 == i128::from(*value),
            Json::Unsigned(value) => (*value as f64) as i128 == i128::from(*value),
            _ => true,
        };
        if !is_exact {
            let written = json.to_string();
            let message = Text::new(
                "`{}` is {}, which no 64-bit float holds: the server rounds it",
                &[Arg::Text(at.name()), Arg::Text(&written)],
            );
            self.say(at, Violation::new(&D10, message));
        }
    }

    fn base64(&mut self, at: &At<'_>) {
        let message = Text::new("`{}` is not base64", &[Arg::Text(at.name())]);
        let answer = Answer::new(AnswerKind::Other, "", "illegal base64 data at input byte");
        self.say(at, Violation::new(&D12, message).answered(answer));
    }

    fn time(&mut self, text: &str, at: &At<'_>) {
        let args = [Arg::Text(at.name()), Arg::Text(text)];
        let message = Text::new(
            "`{}` is `{}`: expected a time such as `2006-01-02T15:04:05Z`",
            &args,
        );
        let mut answer = Answer::new(AnswerKind::Other, "", "");
        answer.detail = Text::new(
            "parsing time {} as \"2006-01-02T15:04:05Z07:00\"",
            &[Arg::Quoted(text)],
        );
        self.say(at, Violation::new(&D12, message).answered(answer));
    }

    fn say(&mut self, at: &At<'_>, violation: Violation<'_>) {
        let place = Place {
            path: at.path(),
            field: String::new(),
        };
        (self.report)(place, &violation);
    }
}

/// What to write in place of a field that the server does not know.
fn advice(object: &'static Object, name: &str) -> String {
    let instead = match name {
        _ if object.name != SCHEMA.name => None,
        "const" => Some("write `enum` with one value"),
        "examples" => Some("write `example`"),
        "$defs" => Some("write each schema where it is used"),
        "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "dependentRequired"
        | "dependentSchemas" => Some("write a rule, `x-kubernetes-validations`"),
        "prefixItems" => Some("write one schema for all `items`"),
        _ => None,
    };
    if let Some(instead) = instead {
        return instead.into();
    }
    let is_of_another_case = |field: &&Field| field.name.eq_ignore_ascii_case(name);
    let fields = object.fields;
    let same = fields.iter().find(is_of_another_case);
    match same.or_else(|| nearest_by(name, fields, |field| field.name)) {
        Some(field) => format!("did you mean `{}`?", field.name),
        None => "remove it".into(),
    }
}

impl Form {
    /// Whether a value is of the form, as far as its outermost type shows.
    const fn takes(self, json: &Json<'_>) -> bool {
        matches!(
            (self, json),
            (Self::List(_), Json::Array(_)) | (Self::Map(_), Json::Object(_))
        )
    }

    /// What null is in a list or a map.
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
            Self::Int32 => "an integer of 32 bits",
            Self::Int64 => "an integer of 64 bits",
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
        Json::Integer(_) | Json::Unsigned(_) | Json::Float(_) if names_number => {
            format!("number {json}").into()
        }
        Json::Integer(_) | Json::Unsigned(_) | Json::Float(_) => "number".into(),
        Json::String(_) => "string".into(),
        Json::Array(_) => "array".into(),
        Json::Object(_) => "object".into(),
    }
}

fn is_byte(json: &Json<'_>) -> bool {
    matches!(json, Json::Integer(0..=255))
}

/// Base64 with padding, in which lines may end.
fn is_base64(text: &str) -> bool {
    let bytes: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    let end = bytes
        .iter()
        .rposition(|byte| *byte != b'=')
        .map_or(0, |at| at + 1);
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    bytes.len().is_multiple_of(4) && bytes.len() - end <= 2 && bytes[..end].iter().all(is_digit)
}

#[cfg(test)]
mod tests;
