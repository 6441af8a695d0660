//! Whether a value passes a schema.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{
    FieldError, Patterns, ValuePath, bounds, branches,
    go::{self, Number},
    items, properties,
};
use crate::{json::Json, literal::formats, schema::SchemaProps, violation::ErrorType};

/// What the value is that is validated. The server reads a schema differently for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// An object: formats that are not known are ignored, and `x-kubernetes-int-or-string` stands for both types.
    Object,
    /// The default of a schema: a format that is not known still lets texts and lists in, and
    /// `x-kubernetes-int-or-string` says nothing of the type.
    Default,
}

/// What is wrong with a value.
pub fn validate(
    schema: &SchemaProps<'_>,
    value: &Json<'_>,
    reading: ValueSource,
    patterns: &Patterns,
) -> Vec<FieldError> {
    let validator = Validator { reading, patterns, is_branch: false };
    let outcome = validator.validate(schema, value, &ValuePath::ROOT);
    outcome.errors.into_iter().map(Error::into_field_error).collect()
}

/// Asks one schema of values.
#[derive(Clone, Copy)]
pub(super) struct Validator<'p> {
    reading: ValueSource,
    patterns: &'p Patterns,
    /// Whether the schema stands within `allOf`, `anyOf`, `oneOf` or `not`.
    is_branch: bool,
}

/// What came of asking: the errors, and how much was asked with success, by which the server finds the branch that fits best.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) errors: Vec<Error>,
    pub(super) matches: usize,
}

/// An error, before it is one of a field.
#[derive(Clone)]
pub(super) struct Error {
    /// The name of the value; none if the error is of the whole object, wherever it was found.
    name: Option<String>,
    kind: ErrorType,
    value: Option<String>,
    /// What is said of the field, if it is not the message.
    detail: Option<String>,
    /// The same message is said once.
    message: String,
}

impl Error {
    /// An error whose message stands behind the value.
    pub(super) fn invalid(name: String, value: String, message: String) -> Self {
        Self { name: Some(name), kind: ErrorType::Invalid, value: Some(value), detail: None, message }
    }

    /// An error that the server shows at the whole object.
    pub(super) fn of_all(message: String) -> Self {
        Self { name: None, ..Self::invalid(String::new(), "\"\"".into(), message) }
    }

    /// A value of another type or format, of which the server quotes what it is.
    pub(super) fn of_type(name: String, type_: &str, is: &str) -> Self {
        let is = go::quote(is);
        let message = format!("{name} in body must be of type {type_}: {is}");
        Self::invalid(name, is, message)
    }

    /// An error of another kind, which has a detail of its own.
    pub(super) fn other(name: String, kind: ErrorType, value: Option<String>, detail: String, message: &str) -> Self {
        Self { message: format!("{name} in body {message}"), name: Some(name), kind, value, detail: Some(detail) }
    }

    fn into_field_error(self) -> FieldError {
        let name = self.name.unwrap_or_default();
        let place = match name.strip_prefix('.').unwrap_or(&name) {
            "" => String::new(),
            name => format!(".{name}"),
        };
        FieldError { place, kind: self.kind, value: self.value, detail: self.detail.unwrap_or(self.message) }
    }
}

impl Outcome {
    pub(super) fn is_good(&self) -> bool {
        self.errors.is_empty()
    }

    pub(super) fn add(&mut self, error: Error) {
        if !self.errors.iter().any(|it| it.message == error.message) {
            self.errors.push(error);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        other.errors.into_iter().for_each(|error| self.add(error));
    }

    fn failed(error: Error) -> Self {
        Self { errors: [error].into(), matches: 0 }
    }
}

impl Validator<'_> {
    /// The same for the schemas within `allOf`, `anyOf`, `oneOf` or `not`.
    pub(super) const fn in_branch(self) -> Self {
        Self { is_branch: true, ..self }
    }

    pub(super) fn validate(self, schema: &SchemaProps<'_>, value: &Json<'_>, path: &ValuePath<'_>) -> Outcome {
        let mut outcome = Outcome::default();
        if value.is_null() {
            outcome.merge(self.type_of(schema, value, path));
            outcome.merge(enumeration(schema, value, path));
            return outcome;
        }
        let mut then = |it: Outcome| {
            outcome.merge(it);
            outcome.matches += 1;
        };
        if !self.types(schema).is_empty() || self.format(schema).is_some() {
            then(self.type_of(schema, value, path));
        }
        then(branches::check(self, schema, value, path));
        match value {
            Json::String(text) => {
                then(self.text(schema, text, path));
                if let Some(format) = self.format(schema)
                    && let Some(known) = formats::string_format(format)
                {
                    then(match known.accepts(text) {
                        true => Outcome::default(),
                        false => Outcome::failed(Error::of_type(path.name(), format, text)),
                    });
                }
            }
            Json::Array(all) => then(items::check(self, schema, all, path)),
            other => {
                if let Some(number) = Number::of(other) {
                    then(bounds::check(schema, self.number_type(schema), number, path));
                }
            }
        }
        then(enumeration(schema, value, path));
        if let Json::Object(all) = value {
            then(properties::check(self, schema, all, path));
        }
        outcome.matches += 1;
        outcome
    }

    /// The types that the server takes the schema to allow; none allow any.
    pub(super) fn types<'s>(self, schema: &'s SchemaProps<'_>) -> Cow<'s, [&'s str]> {
        match (self.reading, schema.int_or_string, schema.type_.as_deref()) {
            (ValueSource::Object, true, _) => Cow::Borrowed(&["integer", "string"]),
            (_, _, None | Some("")) => Cow::Borrowed(&[]),
            (_, _, Some(type_)) => Cow::Owned([type_].into()),
        }
    }

    /// The format, if the server has not set it aside.
    fn format<'s>(self, schema: &'s SchemaProps<'_>) -> Option<&'s str> {
        let format = schema.format.as_deref().filter(|it| !it.is_empty())?;
        let type_ = schema.type_.as_deref().filter(|_| !schema.int_or_string);
        let type_ = type_.unwrap_or_default();
        match self.reading {
            ValueSource::Object if !formats::is_known(type_, format) => None,
            _ => Some(format),
        }
    }

    /// The type of numbers, if there is one and no other.
    fn number_type(self, schema: &SchemaProps<'_>) -> Option<bounds::NumberType> {
        match *self.types(schema) {
            ["integer"] => Some(bounds::NumberType::Integer),
            ["number"] => Some(bounds::NumberType::Number),
            _ => None,
        }
    }

    fn type_of(self, schema: &SchemaProps<'_>, value: &Json<'_>, path: &ValuePath<'_>) -> Outcome {
        let types = self.types(schema);
        let mut outcome = Outcome { matches: 1, ..Outcome::default() };
        let fails = |expected: &str, is: &str| Outcome::failed(Error::of_type(path.name(), expected, is));
        let has = |type_: &str| types.contains(&type_);
        let (type_, format) = match value {
            Json::Null => {
                return match types.is_empty() || schema.nullable {
                    true => outcome,
                    false => fails(&types.join(","), "null"),
                };
            }
            Json::Bool(_) => ("boolean", ""),
            Json::Integer(_) => ("integer", "int64"),
            Json::Unsigned(_) | Json::Float(_) => ("number", "float64"),
            Json::String(_) => ("string", ""),
            Json::Array(_) => ("array", ""),
            Json::Object(_) => ("object", ""),
        };
        let is_whole = type_ == "number" && value.as_f64().is_some_and(is_whole) && has("integer");
        let fits = has(type_) || is_whole || type_ == "integer" && has("number");
        if let Some(expected) = self.format(schema) {
            let is_unseen = matches!(value, Json::String(_) | Json::Array(_));
            if !is_unseen && !fits && format != expected {
                return fails(expected, format);
            }
            if is_unseen && !has("number") && !has("integer") {
                return outcome;
            }
        }
        if !fits {
            outcome = fails(&types.join(","), type_);
        }
        outcome
    }

    fn text(self, schema: &SchemaProps<'_>, text: &str, path: &ValuePath<'_>) -> Outcome {
        let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(max) = schema.max_length.filter(|max| length() > *max) {
            let detail = at_most(max, "may not be more than", "byte", "value is too long");
            let message = format!("should be at most {max} chars long");
            let error = Error::other(path.name(), ErrorType::TooLong, None, detail, &message);
            return Outcome::failed(error);
        }
        if let Some(min) = schema.min_length.filter(|min| length() < *min) {
            let message = format!("{} in body should be at least {min} chars long", path.name());
            return Outcome::failed(Error::invalid(path.name(), go::quote(text), message));
        }
        match schema.pattern.as_deref() {
            None | Some("") => Outcome::default(),
            Some(pattern) => match self.patterns.mismatch(pattern, text) {
                None => Outcome::default(),
                Some(pattern) => {
                    let message = format!("{} in body should match '{pattern}'", path.name());
                    Outcome::failed(Error::invalid(path.name(), go::quote(text), message))
                }
            },
        }
    }

    /// Whether what a schema within a branch says of further members counts.
    pub(super) fn checks_additional_properties(self) -> bool {
        self.reading == ValueSource::Object || !self.is_branch
    }
}

/// What is said of a limit, which can be negative.
pub(super) fn at_most(max: i64, at_most: &str, one: &str, otherwise: &str) -> String {
    let plural = if max == 1 { "" } else { "s" };
    match max < 0 {
        true => otherwise.into(),
        false => format!("{at_most} {max} {one}{plural}"),
    }
}

/// Whether the server takes a float for an integer.
#[allow(clippy::float_cmp)] // as the server compares them
pub(super) fn is_whole(number: f64) -> bool {
    const LAST: f64 = 9_007_199_254_740_991.0;
    const SLACK: f64 = 1e-9;
    if !(-LAST..=LAST).contains(&number) {
        return false;
    }
    let cut = number - number % 1.0;
    let rounded = match (number - cut).abs() < 0.5 {
        true => cut,
        false => cut + 1.0_f64.copysign(number),
    };
    number == rounded || (number - rounded).abs() < SLACK * rounded.abs()
}

fn enumeration(schema: &SchemaProps<'_>, value: &Json<'_>, path: &ValuePath<'_>) -> Outcome {
    let allowed = schema.enum_.as_deref().unwrap_or_default();
    if allowed.is_empty() || allowed.iter().any(|allowed| is_allowed(value, allowed)) {
        return Outcome::default();
    }
    let listed: Vec<_> = (allowed.iter())
        .map(|allowed| match allowed {
            Json::String(text) => go::quote(text),
            other => go::quote(&go::json(other)),
        })
        .collect();
    let detail = format!("supported values: {}", listed.join(", "));
    let message = format!("should be one of {}", listed.join(" "));
    let (kind, value) = (ErrorType::NotSupported, Some(go::quoted(value)));
    Outcome::failed(Error::other(path.name(), kind, value, detail, &message))
}

/// Whether a value is an allowed one, once Go has converted it to the type of that: a float to an integer without its
/// fraction, and an integer to the text of its code point.
#[allow(clippy::float_cmp)] // as the server compares them
fn is_allowed(value: &Json<'_>, allowed: &Json<'_>) -> bool {
    match (Number::of(value), Number::of(allowed), allowed) {
        (Some(Number::Float(value)), Some(Number::Integer(allowed)), _) => go::truncated(value) == allowed,
        (Some(value), Some(Number::Float(allowed)), _) => value.as_f64() == allowed,
        (Some(Number::Integer(value)), None, Json::String(text)) => {
            let c = u32::try_from(value).ok().and_then(char::from_u32);
            let mut chars = text.chars();
            chars.next() == Some(c.unwrap_or(char::REPLACEMENT_CHARACTER)) && chars.next().is_none()
        }
        _ => !value.is_null() && same(value, allowed),
    }
}

/// Whether two values are the same to Go, to which `1.0` and `1` are not.
pub(super) fn same(one: &Json<'_>, other: &Json<'_>) -> bool {
    match (one, other) {
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Json::Object(members), Json::Object(others)) => {
            let is_there =
                |(name, value): &(Cow<'_, str>, Json<'_>)| other.get(name).is_some_and(|other| same(value, other));
            members.len() == others.len() && members.iter().all(is_there)
        }
        _ => match (Number::of(one), Number::of(other)) {
            (Some(one), Some(other)) => one == other,
            _ => one == other,
        },
    }
}
