//! Objects and maps.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString as _},
};

use super::{
    ValuePath,
    items::too_many,
    validate::{Error, Outcome, Validator},
    value_path::ValueStep,
};
use crate::{
    go,
    json::Json,
    schema::{AdditionalProperties, SchemaProps},
    violation::ErrorType,
};

pub(super) fn check(
    validator: Validator<'_>,
    schema: &SchemaProps<'_>,
    members: &[(Cow<'_, str>, Json<'_>)],
    path: &ValuePath<'_>,
) -> Outcome {
    let mut outcome = Outcome::default();
    let size = i64::try_from(members.len()).unwrap_or(i64::MAX);
    if let Some(min) = schema.min_properties.filter(|min| size < *min) {
        let message = format!("{} in body should have at least {min} properties", path.name());
        outcome.add(Error::invalid(path.name(), size.to_string(), message));
    }
    if let Some(max) = schema.max_properties.filter(|max| size > *max) {
        outcome.add(too_many(path, size, max, "properties"));
    }
    for (name, value) in members {
        if let Some(property) = schema.property(name) {
            outcome.merge(validator.validate(property, value, &path.then(ValueStep::Field(name))));
            continue;
        }
        match &schema.additional_properties {
            Some(AdditionalProperties::Bool(false)) if validator.checks_additional_properties() => {
                outcome.add(forbidden(path, name));
            }
            Some(AdditionalProperties::Schema(values)) if validator.checks_additional_properties() => {
                outcome.merge(validator.validate(values, value, &path.then(ValueStep::Entry(name))));
            }
            _ => {}
        }
    }
    for name in &schema.required {
        if !members.iter().any(|(member, _)| member == name) {
            outcome.add(missing(path, name));
        }
    }
    outcome
}

fn forbidden(path: &ValuePath<'_>, name: &str) -> Error {
    let message = format!("{}.{name} in body is a forbidden property", path.name());
    Error::invalid(path.name(), go::quote(name), message)
}

fn missing(path: &ValuePath<'_>, name: &str) -> Error {
    let name = path.then(ValueStep::Entry(name)).name();
    Error::other(name, ErrorType::Required, None, String::new(), "is required")
}
