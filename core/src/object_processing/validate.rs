//! Validation of values against schemas.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{FieldError, Patterns, ValuePath, bounds, branches, items, properties};
use crate::{
    go::{self, Number},
    json::Json,
    literal::formats,
    schema::SchemaProps,
    violation::ErrorType,
};

/// The source of a value. The server interprets schemas differently for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// An object: unknown formats are ignored, and `x-kubernetes-int-or-string` allows both types.
    Object,
    /// The default of a schema: an unknown format still accepts strings and lists, and `x-kubernetes-int-or-string` does not
    /// affect the type.
    Default,
}

/// Validates a value and returns all errors.
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

/// The settings of one validation.
#[derive(Clone, Copy)]
pub(super) struct Validator<'p> {
    reading: ValueSource,
    patterns: &'p Patterns,
    /// Whether the schema is within `allOf`, `anyOf`, `oneOf` or `not`.
    is_branch: bool,
}

/// The errors, and the number of checks that passed, by which the server selects the best match of several branches.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) errors: Vec<Error>,
    pub(super) matches: usize,
}

/// An error of schema validation, before its conversion to a field error.
#[derive(Clone)]
pub(super) struct Error {
    /// The name of the value; `None` if the server reports the error at the root object.
    name: Option<String>,
    kind: ErrorType,
    value: Option<String>,
    /// The detail of the field error, if it differs from the message.
    detail: Option<String>,
    /// The message; equal messages are reported once.
    message: String,
}

impl Error {
    /// An error with the type `Invalid value`.
    pub(super) fn invalid(name: String, value: String, message: String) -> Self {
        Self { name: Some(name), kind: ErrorType::Invalid, value: Some(value), detail: None, message }
    }

    /// An error that the server reports at the root object.
    pub(super) fn of_all(message: String) -> Self {
        Self { name: None, ..Self::invalid(String::new(), "\"\"".into(), message) }
    }

    /// A value of the wrong type or format; the server quotes the actual type.
    pub(super) fn of_type(name: String, type_: &str, is: &str) -> Self {
        let is = go::quote(is);
        let message = format!("{name} in body must be of type {type_}: {is}");
        Self { kind: ErrorType::TypeInvalid, ..Self::invalid(name, is, message) }
    }

    /// An error of another type, with a separate detail.
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
    /// Returns the validator for branches of `allOf`, `anyOf`, `oneOf` or `not`.
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
                    then(if known.accepts(text) {
                        Outcome::default()
                    } else {
                        Outcome::failed(Error::of_type(path.name(), format, text))
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

    /// Returns the types that the server allows; an empty list allows all.
    pub(super) fn types<'s>(self, schema: &'s SchemaProps<'_>) -> Cow<'s, [&'s str]> {
        match (self.reading, schema.int_or_string, schema.type_.as_deref()) {
            (ValueSource::Object, true, _) => Cow::Borrowed(&["integer", "string"]),
            (_, _, None | Some("")) => Cow::Borrowed(&[]),
            (_, _, Some(type_)) => Cow::Owned([type_].into()),
        }
    }

    /// Returns the format, unless the server ignores it.
    fn format<'s>(self, schema: &'s SchemaProps<'_>) -> Option<&'s str> {
        let format = schema.format.as_deref().filter(|it| !it.is_empty())?;
        let type_ = schema.type_.as_deref().filter(|_| !schema.int_or_string).unwrap_or_default();
        match self.reading {
            ValueSource::Object if !formats::is_known(type_, format) => None,
            _ => Some(format),
        }
    }

    /// Returns the numeric type, if it is the only type.
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
                return if types.is_empty() || schema.nullable { outcome } else { fails(&types.join(","), "null") };
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

    /// Whether `additionalProperties` is validated, which is not the case in a branch of a default.
    pub(super) fn checks_additional_properties(self) -> bool {
        self.reading == ValueSource::Object || !self.is_branch
    }
}

/// Returns the text about a limit, which can be negative.
pub(super) fn at_most(max: i64, at_most: &str, one: &str, otherwise: &str) -> String {
    let plural = if max == 1 { "" } else { "s" };
    if max < 0 { otherwise.into() } else { format!("{at_most} {max} {one}{plural}") }
}

/// Whether the server treats a float as an integer.
#[allow(clippy::float_cmp)] // as the server compares them
pub(super) fn is_whole(number: f64) -> bool {
    const LAST: f64 = 9_007_199_254_740_991.0;
    const SLACK: f64 = 1e-9;
    if !(-LAST..=LAST).contains(&number) {
        return false;
    }
    let cut = number - number % 1.0;
    let rounded = if (number - cut).abs() < 0.5 { cut } else { cut + 1.0_f64.copysign(number) };
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

/// Whether a value is equal to an allowed one after Go's conversion to its type: a float to an integer without its fraction,
/// and an integer to the string of its code point.
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

/// Whether two values are equal in Go, where `1.0` and `1` differ.
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
