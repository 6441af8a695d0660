//! Objects and maps.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString as _},
};

use super::{
    Way, go,
    items::too_many,
    validate::{Error, Outcome, Validator},
    way::Step,
};
use crate::{
    json::Json,
    schema::{Additional, SchemaProps},
    violation::AnswerKind,
};

pub(super) fn check(
    validator: Validator<'_>,
    schema: &SchemaProps<'_>,
    members: &[(Cow<'_, str>, Json<'_>)],
    way: &Way<'_>,
) -> Outcome {
    let mut outcome = Outcome::default();
    let size = i64::try_from(members.len()).unwrap_or(i64::MAX);
    if let Some(min) = schema.min_properties.filter(|min| size < *min) {
        let message = format!("{} in body should have at least {min} properties", way.name());
        outcome.add(Error::invalid(way.name(), size.to_string(), message));
    }
    if let Some(max) = schema.max_properties.filter(|max| size > *max) {
        outcome.add(too_many(way, size, max, "properties"));
    }
    for (name, value) in members {
        if let Some(property) = schema.property(name) {
            outcome.merge(validator.validate(property, value, &way.then(Step::Field(name))));
            continue;
        }
        match &schema.additional_properties {
            Some(Additional::Bool(false)) if validator.heeds_additional() => {
                outcome.add(forbidden(way, name));
            }
            Some(Additional::Schema(values)) if validator.heeds_additional() => {
                outcome.merge(validator.validate(values, value, &way.then(Step::Entry(name))));
            }
            _ => {}
        }
    }
    for name in &schema.required {
        if !members.iter().any(|(member, _)| member == name) {
            outcome.add(missing(way, name));
        }
    }
    outcome
}

fn forbidden(way: &Way<'_>, name: &str) -> Error {
    let message = format!("{}.{name} in body is a forbidden property", way.name());
    Error::invalid(way.name(), go::quote(name), message)
}

fn missing(way: &Way<'_>, name: &str) -> Error {
    let name = way.then(Step::Entry(name)).name();
    Error::other(name, AnswerKind::Required, None, String::new(), "is required")
}
