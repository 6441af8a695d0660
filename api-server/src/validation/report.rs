//! Errors of objects of built-in kinds: `field.ErrorList` and `field.Path` of apimachinery.

use std::fmt;

use crdkit_core::{ErrorType, go, object_processing::FieldError};
use serde_json::Value;

/// The path of a value. It is only written for errors.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Root,
    Field(&'a Place<'a>, &'a str),
    Index(&'a Place<'a>, usize),
    Key(&'a Place<'a>, &'a str),
}

impl<'a> Place<'a> {
    pub(super) const fn field(&'a self, name: &'a str) -> Self {
        Self::Field(self, name)
    }

    pub(super) const fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    pub(super) const fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
            Self::Key(parent, key) => write!(f, "{parent}[{key}]"),
        }
    }
}

/// The errors of an object.
#[derive(Default)]
pub(super) struct Report {
    errors: Vec<FieldError>,
}

impl Report {
    /// Returns the errors. Equal ones are there once.
    pub(super) fn into_errors(self) -> Vec<FieldError> {
        let mut distinct: Vec<FieldError> = Vec::with_capacity(self.errors.len());
        for error in self.errors {
            if !distinct.contains(&error) {
                distinct.push(error);
            }
        }
        distinct
    }

    pub(super) fn len(&self) -> usize {
        self.errors.len()
    }

    fn add(&mut self, place: &Place<'_>, kind: ErrorType, value: Option<String>, detail: impl Into<String>) {
        self.errors.push(FieldError { place: place.to_string(), kind, value, detail: detail.into() });
    }

    pub(super) fn required(&mut self, place: &Place<'_>, detail: &str) {
        self.add(place, ErrorType::Required, None, detail);
    }

    pub(super) fn forbidden(&mut self, place: &Place<'_>, detail: impl Into<String>) {
        self.add(place, ErrorType::Forbidden, None, detail);
    }

    pub(super) fn invalid(&mut self, place: &Place<'_>, value: &Value, detail: impl Into<String>) {
        self.add(place, ErrorType::Invalid, Some(quoted(value)), detail);
    }

    pub(super) fn invalid_text(&mut self, place: &Place<'_>, value: &str, detail: impl Into<String>) {
        self.add(place, ErrorType::Invalid, Some(go::quote(value)), detail);
    }

    pub(super) fn duplicate(&mut self, place: &Place<'_>, value: &Value) {
        self.add(place, ErrorType::Duplicate, Some(quoted(value)), "");
    }

    pub(super) fn not_found(&mut self, place: &Place<'_>, value: &str) {
        self.add(place, ErrorType::NotFound, Some(go::quote(value)), "");
    }

    pub(super) fn too_long(&mut self, place: &Place<'_>, limit: usize) {
        self.add(place, ErrorType::TooLong, None, format!("may not be more than {limit} bytes"));
    }

    /// A value as Go prints one of its structs.
    pub(super) fn invalid_struct(&mut self, place: &Place<'_>, shown: String, detail: &str) {
        self.add(place, ErrorType::Invalid, Some(shown), detail);
    }

    /// As [`Self::invalid_struct`].
    pub(super) fn duplicate_struct(&mut self, place: &Place<'_>, shown: String) {
        self.add(place, ErrorType::Duplicate, Some(shown), "");
    }

    /// As [`Self::invalid_struct`].
    pub(super) fn unsupported_struct(&mut self, place: &Place<'_>, shown: String, supported: &[&str]) {
        let supported: Vec<_> = supported.iter().map(|text| go::quote(text)).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        self.add(place, ErrorType::NotSupported, Some(shown), detail);
    }

    pub(super) fn not_supported(&mut self, place: &Place<'_>, value: &Value, supported: &[&str]) {
        let shown = if value.is_null() { "\"\"".to_owned() } else { quoted(value) };
        self.unsupported_struct(place, shown, supported);
    }

    /// A value that has one of these texts, or none.
    pub(super) fn one_of(&mut self, place: &Place<'_>, value: &Value, supported: &[&str]) {
        if value.as_str().is_none_or(|text| !supported.contains(&text)) && !value.is_null() {
            self.not_supported(place, value, supported);
        }
    }

    /// A required value that has one of these texts.
    pub(super) fn required_one_of(&mut self, place: &Place<'_>, value: &Value, supported: &[&str]) {
        match value.as_str() {
            None | Some("") => self.required(place, ""),
            Some(_) => self.one_of(place, value, supported),
        }
    }

    /// `ValidateNonnegativeField`.
    pub(super) fn non_negative(&mut self, place: &Place<'_>, value: &Value) {
        if value.as_i64().is_some_and(|number| number < 0) {
            self.invalid(place, value, "must be greater than or equal to 0");
        }
    }

    /// Checks that these members of an object are not negative.
    pub(super) fn all_non_negative(&mut self, place: &Place<'_>, object: &Value, members: &[&str]) {
        members.iter().for_each(|name| self.non_negative(&place.field(name), &object[*name]));
    }

    /// `ValidateImmutableField`.
    pub(super) fn immutable(&mut self, place: &Place<'_>, old: &Value, new: &Value) {
        if old != new {
            self.invalid(place, new, "field is immutable");
        }
    }

    /// Checks that these members of an object have not changed.
    pub(super) fn all_immutable(&mut self, place: &Place<'_>, old: &Value, new: &Value, members: &[&str]) {
        members.iter().for_each(|name| self.immutable(&place.field(name), &old[*name], &new[*name]));
    }

    /// Adds an error for each message.
    pub(super) fn messages(
        &mut self,
        place: &Place<'_>,
        value: &str,
        messages: impl IntoIterator<Item = impl Into<String>>,
    ) {
        messages.into_iter().for_each(|message| self.invalid_text(place, value, message));
    }
}

/// Writes a value as the server's messages have it.
fn quoted(value: &Value) -> String {
    match value {
        Value::String(text) => go::quote(text),
        other => other.to_string(),
    }
}

/// Returns the errors that a validation reports, as texts.
#[cfg(test)]
pub(super) fn texts(validate: impl FnOnce(&mut Report)) -> Vec<String> {
    let mut report = Report::default();
    validate(&mut report);
    report.into_errors().iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_have_paths_and_values() {
        let found = texts(|report| {
            let spec = Place::Root.field("spec");
            report.non_negative(&spec.field("replicas"), &json!(-1));
            report.required_one_of(&spec.field("list").index(1).field("type"), &json!("c"), &["a", "b"]);
            report.immutable(&spec.field("data").key("x.y"), &json!(1), &json!({ "a": 1 }));
        });
        assert_eq!(
            found,
            [
                "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
                "spec.list[1].type: Unsupported value: \"c\": supported values: \"a\", \"b\"",
                "spec.data[x.y]: Invalid value: {\"a\":1}: field is immutable",
            ]
        );
    }
}
