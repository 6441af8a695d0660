//! How the server processes a value: an object, or the default of a schema.
//!
//! | step | objects | defaults |
//! |---|---|---|
//! | [`prune`]: drop fields that are not in the schema | yes | such fields are an error |
//! | [`prune_nulls`]: drop nulls of fields that are not nullable | yes | no |
//! | [`apply_defaults`]: set missing fields to their defaults | yes | no |
//! | [`validate`]: validate the value against the schema | yes | yes |
//! | [`validate_resources`]: validate `apiVersion`, `kind` and metadata of embedded resources | yes | yes |
//! | [`validate_list_types`]: find duplicate items of the list types `set` and `map` | yes | no |
//!
//! [`admit`] performs all steps for an object. CEL rules are not evaluated. All errors are reported, with the server's wording.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};
use core::fmt;

use crate::{json::Json, schema::SchemaProps, violation::ErrorType};

mod bounds;
mod branches;
mod defaulting;
mod items;
mod list_types;
mod patterns;
mod properties;
mod prune;
pub(crate) mod resource;
mod validate;
mod value_path;
mod visit;

pub use defaulting::{apply_defaults, normalize_numbers, prune_nulls};
pub use list_types::validate_list_types;
pub use patterns::Patterns;
pub use prune::prune;
pub use resource::{ObjectMetaValidator, coerce_metadata, object_meta_error, validate_resources};
pub use validate::{ValueSource, validate};
use value_path::ValuePath;

/// An error at one path of a value, as in apimachinery's `field.Error`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The path within the value as the server appends it to another path: `.spec.disks[0]`, `[a]`; empty for the value
    /// itself.
    pub place: String,
    /// The type of error.
    pub kind: ErrorType,
    /// The value that the server quotes, if any, as the server writes it.
    pub value: Option<String>,
    /// The text after the type of error and the value.
    pub detail: String,
}

impl FieldError {
    /// Returns the field that the server reports: relative to the object if `root` is empty, otherwise below `root`.
    pub fn field(&self, root: &str) -> String {
        let place = match root {
            "" => self.place.strip_prefix('.').unwrap_or(&self.place),
            _ => &self.place,
        };
        match (root, place) {
            ("", "") => "<nil>".into(),
            _ => [root, place].concat(),
        }
    }

    /// Returns the server's text without the field, as `field.Error.ErrorBody`.
    pub fn body(&self) -> String {
        let mut body = String::from(self.kind.as_str());
        // `field.Duplicate` takes no detail, so the message of a rule with this reason is lost.
        let has_detail = !self.detail.is_empty() && self.kind != ErrorType::Duplicate;
        for part in self.value.iter().chain(has_detail.then_some(&self.detail)) {
            body.push_str(": ");
            body.push_str(part);
        }
        body
    }
}

/// The server's text about an object: `spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"`.
impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field(""), self.body())
    }
}

/// Returns the server's text about all errors of an object, in which equal ones appear once.
pub fn aggregate(errors: &[FieldError]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in errors.iter().map(FieldError::to_string) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match &lines[..] {
        [line] => line.clone(),
        lines => format!("[{}]", lines.join(", ")),
    }
}

/// The result of admitting an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Admission {
    /// The paths of the fields that were dropped because they are not in the schema, such as `spec.x`.
    pub unknown: Vec<String>,
    /// The errors of the remaining object.
    pub errors: Vec<FieldError>,
}

/// Processes an object as the server does before it stores it.
pub fn admit(schema: &SchemaProps<'_>, object: &mut Json<'_>, patterns: &Patterns) -> Admission {
    let unknown = prune_and_default(schema, object);
    let mut errors = validate(schema, object, ValueSource::Object, patterns);
    errors.extend(validate_resources(schema, object));
    errors.extend(validate_list_types(schema, object));
    Admission { unknown, errors }
}

/// Prunes an object and applies defaults, as the server does before it validates the object. Returns the paths of the fields
/// that were dropped because they are not in the schema.
pub fn prune_and_default(schema: &SchemaProps<'_>, object: &mut Json<'_>) -> Vec<String> {
    let mut unknown = prune(schema, object);
    prune_nulls(schema, object);
    unknown.extend(coerce_metadata(schema, object));
    apply_defaults(schema, object);
    unknown
}
