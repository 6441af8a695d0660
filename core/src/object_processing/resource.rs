//! Validation of resources, including embedded ones.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{
    FieldError, ValuePath,
    value_path::ValueStep,
    visit::{Overlap, visit_values},
};
use crate::{
    go,
    json::Json,
    literal::dns::{self, LABEL_1035},
    schema::SchemaProps,
    violation::ErrorType,
};

mod metadata;
mod time;
mod typed;

pub use metadata::ObjectMetaValidator;
pub(crate) use metadata::{
    ANNOTATIONS_LIMIT, API_VERSION_FORM, EVENT_OWNER, EXCLUSIVE_FINALIZERS, is_api_version, is_event,
};
pub use typed::{coerce_metadata, object_meta_error};

/// Validates `apiVersion`, `kind` and metadata of embedded resources.
pub fn validate_resources(schema: &SchemaProps<'_>, value: &Json<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    visit_values(schema, value, &ValuePath::ROOT, Overlap::Once, &mut |schema, value, path| {
        if let (true, Json::Object(members)) = (schema.embedded_resource, value) {
            resource(members, path, &mut errors);
        }
    });
    errors
}

fn resource(members: &[(Cow<'_, str>, Json<'_>)], path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let member = |name: &str| members.iter().find(|(member, _)| member == name);
    for name in ["apiVersion", "kind"] {
        let place = path.then(ValueStep::Field(name)).place();
        match member(name).map(|(_, value)| value) {
            None => errors.push(FieldError { place, kind: ErrorType::Required, value: None, detail: String::new() }),
            Some(Json::String(text)) => {
                let detail = match (&**text, name) {
                    ("", _) => Some("must not be empty".into()),
                    (text, "kind") => kind_error(text),
                    (text, _) => api_version_error(text),
                };
                errors.extend(detail.map(|detail| invalid(place, go::quote(text), detail)));
            }
            Some(other) => {
                errors.push(invalid(place, go::quoted(other), "must be a string".into()));
            }
        }
    }
    if let Some((_, metadata)) = member("metadata") {
        metadata::check(metadata, &path.then(ValueStep::Field("metadata")), errors);
    }
}

fn invalid(place: String, value: String, detail: String) -> FieldError {
    FieldError { place, kind: ErrorType::Invalid, value: Some(value), detail }
}

fn api_version_error(text: &str) -> Option<String> {
    let is_wrong = text.matches('/').count() > 1;
    is_wrong.then(|| format!("unexpected GroupVersion string: {text}"))
}

fn kind_error(text: &str) -> Option<String> {
    let error = dns::kind(text).err()?;
    let wording = LABEL_1035.text(error);
    Some(format!("may have mixed case, but should otherwise match: {wording}"))
}
