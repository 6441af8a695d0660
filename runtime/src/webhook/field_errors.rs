use std::fmt;

use crdkit_core::{
    ErrorType,
    go::{quote, quoted},
    object_processing::{FieldError, aggregate},
};
use serde::Serialize;
use serde_json::{Value, json};

use super::FieldPath;
use crate::{crd::crd_accessors::read, json::json_value::to_value};

/// The errors of an object by field, in the wording of the API server's own validation, as apimachinery's `field.ErrorList`.
///
/// ```
/// use crdkit::webhook::{FieldErrors, FieldPath};
///
/// let zone = FieldPath::new("spec").field("zone");
/// let mut errors = FieldErrors::new();
/// errors.required("spec.image", "an image is needed to boot");
/// errors.not_supported(&zone, "mars", ["eu", "us"]);
/// errors.invalid("spec.replicas", -1, "must not be negative");
/// assert_eq!(
///     errors.to_string(),
///     "[spec.image: Required value: an image is needed to boot, \
///     spec.zone: Unsupported value: \"mars\": supported values: \"eu\", \"us\", \
///     spec.replicas: Invalid value: -1: must not be negative]"
/// );
/// assert!(errors.into_result().is_err());
/// ```
#[doc(alias("ErrorList", "field.Error"))]
#[derive(Clone, Default, PartialEq, Eq)]
pub struct FieldErrors {
    errors: Vec<FieldError>,
}

impl FieldErrors {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// A value is required, but is missing or empty.
    pub fn required(&mut self, path: impl Into<FieldPath>, detail: impl Into<String>) {
        self.add(path, ErrorType::Required, None, detail);
    }

    /// A value is malformed or out of bounds.
    pub fn invalid(&mut self, path: impl Into<FieldPath>, value: impl Serialize, detail: impl Into<String>) {
        self.add(path, ErrorType::Invalid, Some(quoted_value(value)), detail);
    }

    /// A value has the wrong type.
    pub fn type_invalid(&mut self, path: impl Into<FieldPath>, value: impl Serialize, detail: impl Into<String>) {
        self.add(path, ErrorType::TypeInvalid, Some(quoted_value(value)), detail);
    }

    /// A value must be unique, but is there already.
    pub fn duplicate(&mut self, path: impl Into<FieldPath>, value: impl Serialize) {
        self.add(path, ErrorType::Duplicate, Some(quoted_value(value)), "");
    }

    /// What a value refers to does not exist.
    pub fn not_found(&mut self, path: impl Into<FieldPath>, value: impl Serialize) {
        self.add(path, ErrorType::NotFound, Some(quoted_value(value)), "");
    }

    /// A value is not one of those that are supported.
    pub fn not_supported<S: AsRef<str>>(
        &mut self,
        path: impl Into<FieldPath>,
        value: impl Serialize,
        supported: impl IntoIterator<Item = S>,
    ) {
        let supported: Vec<_> = supported.into_iter().map(|value| quote(value.as_ref())).collect();
        let detail =
            if supported.is_empty() { String::new() } else { format!("supported values: {}", supported.join(", ")) };
        self.add(path, ErrorType::NotSupported, Some(quoted_value(value)), detail);
    }

    /// A field must not be set, or not be changed.
    pub fn forbidden(&mut self, path: impl Into<FieldPath>, detail: impl Into<String>) {
        self.add(path, ErrorType::Forbidden, None, detail);
    }

    /// A value is longer than this number of bytes. The value itself is not shown.
    pub fn too_long(&mut self, path: impl Into<FieldPath>, max_bytes: usize) {
        let unit = if max_bytes == 1 { "byte" } else { "bytes" };
        self.add(path, ErrorType::TooLong, None, format!("may not be more than {max_bytes} {unit}"));
    }

    /// A list or a map has more than this number of items.
    pub fn too_many(&mut self, path: impl Into<FieldPath>, actual: usize, max: usize) {
        let unit = if max == 1 { "item" } else { "items" };
        self.add(path, ErrorType::TooMany, Some(actual.to_string()), format!("must have at most {max} {unit}"));
    }

    /// The validation itself failed.
    pub fn internal(&mut self, path: impl Into<FieldPath>, error: impl fmt::Display) {
        self.add(path, ErrorType::Internal, None, error.to_string());
    }

    fn add(&mut self, path: impl Into<FieldPath>, kind: ErrorType, value: Option<String>, detail: impl Into<String>) {
        let place = path.into().into_place();
        self.errors.push(FieldError { place, kind, value, detail: detail.into() });
    }

    /// Whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the number of errors.
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Returns each error: the path, and the text without it.
    pub fn iter(&self) -> impl Iterator<Item = (String, String)> {
        self.errors.iter().map(|error| (error.field(""), error.body()))
    }

    /// Adds the errors of another list.
    pub fn append(&mut self, other: Self) {
        self.errors.extend(other.errors);
    }

    /// Returns the errors as an error, if there are any.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }

    /// Returns the `Status` of an invalid object, as the API server's own validation returns it, so that kubectl prints the same.
    pub(super) fn to_status(&self, group: &str, kind: &str, name: &str) -> Value {
        let qualified = match group {
            "" => kind.to_owned(),
            group => format!("{kind}.{group}"),
        };
        let causes = self
            .errors
            .iter()
            .map(|error| json!({ "reason": error.kind.reason(), "message": error.body(), "field": error.field("") }));
        json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 422, "reason": "Invalid",
            "message": format!("{qualified} {} is invalid: {}", quote(name), aggregate(&self.errors)),
            "details": { "group": group, "kind": kind, "name": name, "causes": causes.collect::<Value>() },
        })
    }
}

/// The text of all errors, as the API server joins them.
impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&aggregate(&self.errors))
    }
}

impl fmt::Debug for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for FieldErrors {}

/// Formats a value as the API server quotes it.
fn quoted_value(value: impl Serialize) -> String {
    match to_value(&value) {
        Ok(value) => quoted(&read::json(&value)),
        Err(_) => "<unknown>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_the_wording_of_apimachinery() {
        let mut errors = FieldErrors::new();
        errors.required("spec", "");
        errors.invalid("spec.a", "x\"y", "must be a number");
        errors.invalid("spec.b", 1.5, "must be an integer");
        errors.invalid("spec.c", json!({ "b": [1, "<"], "a": null }), "no");
        errors.type_invalid("spec.d", true, "must be a string");
        errors.duplicate(FieldPath::new("spec").field("e").index(1), "a");
        errors.not_found("spec.f", 7);
        errors.not_supported("spec.g", "x", [] as [&str; 0]);
        errors.forbidden("spec.h", "is immutable");
        errors.too_long("spec.i", 1);
        errors.too_many("spec.j", 3, 2);
        errors.internal("spec.k", "timed out");
        let lines: Vec<_> = errors.iter().map(|(path, body)| format!("{path}: {body}")).collect();
        let expected = [
            "spec: Required value",
            r#"spec.a: Invalid value: "x\"y": must be a number"#,
            "spec.b: Invalid value: 1.5: must be an integer",
            r#"spec.c: Invalid value: {"a":null,"b":[1,"\u003c"]}: no"#,
            "spec.d: Invalid value: true: must be a string",
            r#"spec.e[1]: Duplicate value: "a""#,
            "spec.f: Not found: 7",
            r#"spec.g: Unsupported value: "x""#,
            "spec.h: Forbidden: is immutable",
            "spec.i: Too long: may not be more than 1 byte",
            "spec.j: Too many: 3: must have at most 2 items",
            "spec.k: Internal error: timed out",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn the_status_is_that_of_an_invalid_object() {
        let mut errors = FieldErrors::new();
        errors.required("spec.image", "");
        errors.required("spec.image", "");
        let status = errors.to_status("infra.example.com", "VirtualMachine", "web");
        let message = "VirtualMachine.infra.example.com \"web\" is invalid: spec.image: Required value";
        assert_eq!((&status["message"], &status["code"]), (&json!(message), &json!(422)));
        let cause = json!({ "reason": "FieldValueRequired", "message": "Required value", "field": "spec.image" });
        assert_eq!(status["details"]["causes"], json!([cause, cause]));
        assert_eq!(errors.to_status("", "Pod", "web")["message"], "Pod \"web\" is invalid: spec.image: Required value");
    }
}
