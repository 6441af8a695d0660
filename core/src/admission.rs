//! What the server does with a value: an object, or the default of a schema.
//!
//! | step | of objects | of defaults |
//! |---|---|---|
//! | [`prune`]: fields that the schema does not name are dropped | yes | they are an error |
//! | [`prune_nulls`]: nulls where none may be are dropped | yes | no |
//! | [`fill`]: defaults take the places of what is missing | yes | no |
//! | [`validate`]: the value passes the schema | yes | yes |
//! | [`resources`]: embedded resources have an `apiVersion`, a `kind` and valid metadata | yes | yes |
//! | [`lists`]: the items of sets and maps are different | yes | no |
//!
//! [`admit`] takes all steps with an object; rules of CEL are not among them. Everything that is wrong is found, as the
//! server words it.

use alloc::{string::String, vec::Vec};
use core::fmt;

use crate::{json::Json, schema::SchemaProps, violation::ErrorType};

mod bounds;
mod branches;
mod defaulting;
pub mod go;
mod items;
mod list_types;
mod patterns;
mod properties;
mod prune;
mod resource;
mod validate;
mod value_path;
mod visit;

pub use defaulting::{apply_defaults, normalize_numbers, prune_nulls};
pub use list_types::validate_list_types;
pub use patterns::Patterns;
pub use prune::prune;
pub use resource::{coerce_metadata, validate_resources};
pub use validate::{ValueSource, validate};
use value_path::ValuePath;

/// What is wrong with a value, at one place of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The place within the value as the server writes it, with what joins it to a path before: `.spec.disks[0]`, `[a]`;
    /// empty for the whole value.
    pub place: String,
    /// The kind of error.
    pub kind: ErrorType,
    /// The value that the server quotes, as it writes it.
    pub value: Option<String>,
    /// What stands behind the kind and the value.
    pub detail: String,
}

impl FieldError {
    /// The field that the server names: within an object if `root` is empty, or else below `root`.
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
}

/// What the server writes about an object: `spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"`.
impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field(""), self.kind.as_str())?;
        if let Some(value) = &self.value {
            write!(f, ": {value}")?;
        }
        match self.detail.as_str() {
            "" => Ok(()),
            detail => write!(f, ": {detail}"),
        }
    }
}

/// What became of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Admission {
    /// The paths of the fields that were dropped because the schema does not name them, such as `spec.x`.
    pub unknown: Vec<String>,
    /// What is wrong with the object that is left.
    pub errors: Vec<FieldError>,
}

/// Does with an object what the server does before it keeps it.
pub fn admit(schema: &SchemaProps<'_>, object: &mut Json<'_>, patterns: &Patterns) -> Admission {
    let unknown = prune_and_default(schema, object);
    let mut errors = validate(schema, object, ValueSource::Object, patterns);
    errors.extend(validate_resources(schema, object));
    errors.extend(validate_list_types(schema, object));
    Admission { unknown, errors }
}

/// Does with an object what the server does before it looks whether it is good: the paths of the fields that were dropped
/// because the schema does not name them.
pub fn prune_and_default(schema: &SchemaProps<'_>, object: &mut Json<'_>) -> Vec<String> {
    let unknown = prune(schema, object);
    prune_nulls(schema, object);
    coerce_metadata(schema, object);
    apply_defaults(schema, object);
    unknown
}
